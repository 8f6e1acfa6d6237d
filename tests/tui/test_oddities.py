"""No text from a memory can crash the manager, act as markup or reach the terminal raw."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pimem_core.errors import StorageError
from pimem_core.search.query import parse
from pimem_tui.drawing.cells import clean, cut, fit
from pimem_tui.drawing.markdown import lay_out
from pimem_tui.drawing.matches import Words
from rich.cells import cell_len
from tui.helpers import ODDITIES, MemoryStore, browser, make_topic, manager, notices, press, shown

if TYPE_CHECKING:
    from pimem_core.paths import Places

RAW = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)


def odd_store() -> MemoryStore:
    store = MemoryStore(
        [
            make_topic(
                text, f"f{number}.md", summary=text, problem=text if number % 5 == 4 else None
            )
            for number, text in enumerate(ODDITIES)
        ],
        name="[b]\x1b[31mstore",
    )
    store.bodies = {
        f"f{number}.md": f"# {text}\n\n{text}\n\n- {text}\n\n```\n{text}\n```\n"
        f"\n| a |\n|---|\n| {text} |\n"
        for number, text in enumerate(ODDITIES)
    }
    store.state = store.state.but(writers=["[/]\x1b"], path="/x/[b\x1b")
    return store


@pytest.mark.parametrize("size", [(120, 36), (80, 24), (40, 12), (20, 5), (1, 1)])
async def test_odd_texts_on_every_screen_and_size(demo: Places, size: tuple[int, int]) -> None:
    store = odd_store()
    async with manager(demo, [store], size=size) as pilot:
        # All of them scroll through the list; opening and asking takes longer.
        step = 1 if size == (120, 36) else 6
        for _ in range(0, len(ODDITIES), step):
            assert not RAW.search(shown(pilot))
            await pilot.press("enter")
            await pilot.pause()
            assert not RAW.search(shown(pilot))
            await pilot.press("escape", "r")
            await pilot.pause()
            assert not RAW.search(shown(pilot))
            await pilot.press("escape")
            browser(pilot).topic_list.action_move(step)
        await press(pilot, "slash", "b", "enter", "enter", "escape", "escape")
        assert not RAW.search("".join(notices(pilot)))


async def test_odd_texts_show_as_they_are(demo: Places) -> None:
    async with manager(demo, [odd_store()]) as pilot:
        text = shown(pilot)
        for plain in (
            "[0] x",
            "[/",
            "[/]",
            "[b",
            "[b]bold[/b]",
            "[@click=app.quit]x[/]",
            "␛[31mred␛",
        ):
            assert f"   {plain}" in text or f" ! {plain}" in text
        await press(pilot, "down", "down", "down", "enter")
        assert shown(pilot).splitlines()[1].strip() == "[b"


async def test_odd_notices(demo: Places) -> None:
    store = MemoryStore([make_topic("alpha")])
    async with manager(demo, [store]) as pilot:
        for text in ODDITIES:
            store.errors["pin"] = StorageError(text)
            await press(pilot, "p")
            assert not RAW.search(shown(pilot))
        assert notices(pilot)[-1] == "� lone surrogate"


async def test_odd_names_in_a_real_store(demo: Places) -> None:
    folder = Path(demo.agent_dir, "memory")
    lines = []
    for number, text in enumerate(ODDITIES):
        name = re.sub("[\\[\\]()\n\r\udce9]", "_", text)
        lines.append(f"- [{name}](f{number}.md) 2026-11-01 -- {name} [x] [/b]")
        (folder / f"f{number}.md").write_text(name)
    (folder / "MEMORY.md").write_text("# Memory Index\n\n" + "\n".join(lines), encoding="utf-8")
    async with manager(demo) as pilot:
        assert f"1 local {len(ODDITIES)}" in shown(pilot)
        await press(pilot, "end", "p", "enter", "escape", "home", "slash", "[", "enter", "escape")
        assert not RAW.search(shown(pilot))


@given(st.text(max_size=200), st.integers(0, 60))
def test_cut_and_fit_keep_to_the_width(text: str, width: int) -> None:
    plain = clean(text)
    assert cell_len(cut(plain, width)) <= width
    assert cell_len(fit(plain, width)) == width
    assert not RAW.search(plain)


@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(st.text(alphabet="ab |#*_`[]()>-1.\n\t<!~日\u0301👩", max_size=120), st.integers(1, 60))
def test_any_markdown_lays_out_within_the_width(text: str, width: int) -> None:
    for line in lay_out(text, width):
        assert "\n" not in line.text
        assert cell_len(line.text) <= max(width, 8) + 40  # deep nesting keeps a minimum of room


@given(st.text(max_size=30), st.text(max_size=3))
def test_matches_are_found_whatever_the_query_holds(text: str, query: str) -> None:
    asked = parse(query, typing=True)
    words = Words(asked.terms, asked.literal)
    for start, end in words.places(text):
        assert 0 <= start < end <= len(text)
    lines = text.split("\n")
    for place in words.marks(lines).places:
        assert 0 <= place.start <= place.end <= len(lines[place.line])


@pytest.mark.parametrize("text", ["👍🏽 x", "☝🏽 x", "🖥️ x", "👍🏿👍🏻 x"])
def test_signs_that_terminals_draw_in_different_widths_lose_what_makes_the_difference(
    text: str,
) -> None:
    drawn = clean(text)
    assert cell_len(drawn) == sum(map(cell_len, drawn))
    assert drawn[0] == text[0]
    assert drawn.endswith(" x")
