"""What the manager shows of a search: matches, misspelt words, recent searches, the way to them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pimem_core.search.query import parse
from pimem_tui.drawing.cells import clean
from pimem_tui.drawing.matches import Words, around, cleaned
from pimem_tui.rows.recent import Recall, RecentSearches
from pimem_tui.screens.browser import BrowserScreen
from pimem_tui.screens.detail import DetailScreen
from pimem_tui.screens.search import SearchScreen
from rich.cells import cell_len
from tui.helpers import (
    MemoryStore,
    browser,
    detail,
    make_topic,
    manager,
    press,
    selected,
    settled,
    shown,
)

if TYPE_CHECKING:
    from pimem_core.paths import Places
    from textual.pilot import Pilot

LONG = "\n\n".join(
    f"Paragraph {n} about the {'anchor' if n % 40 == 39 else 'sea'}." for n in range(200)
)


def matches(pilot: Pilot[None]) -> list[str]:
    """The parts of the screen that are drawn as matches."""
    ground = browser(pilot).topic_list.rich_style_named("match").bgcolor
    found = []
    for strip in pilot.app.screen._compositor.render_strips():
        for segment in strip:
            style = segment.style
            if style is not None and (style.bgcolor == ground or style.underline):
                found.append(segment.text)
    return found


def store_with(**bodies: str) -> MemoryStore:
    topics = [make_topic(name) for name in bodies]
    store = MemoryStore(topics)
    store.bodies = {f"{name}.md": body for name, body in bodies.items()}
    return store


@pytest.mark.parametrize("opening", ["slash", "F"])
async def test_a_misspelt_word_says_so_and_its_match_shows(demo: Places, opening: str) -> None:
    store = store_with(alpha="We deployed the gateway to production.", beta="Nothing of it.")
    async with manager(demo, [store]) as pilot:
        await press(pilot, opening, *"gatewya", "space")
        text = shown(pilot)
        assert "(gateway for gatewya)" in text
        assert "beta" not in text.replace("about beta", "")
        assert "gateway" in matches(pilot)


@pytest.mark.parametrize("opening", ["slash", "F"])
async def test_words_match_in_any_order_and_each_is_set_off(demo: Places, opening: str) -> None:
    store = store_with(alpha="The POOL size\nis capped, at ten.", beta="A pool.")
    async with manager(demo, [store]) as pilot:
        await press(pilot, opening, *"capped", "space", *"pool")
        assert {"POOL", "capped"} <= set(matches(pilot))
        await press(pilot, *["backspace"] * 11, *'"pool', "space", *'size is"')
        assert "1 hit" in shown(pilot)


@pytest.mark.parametrize("opening", ["slash", "F"])
async def test_nothing_found_names_words_that_are_near(demo: Places, opening: str) -> None:
    store = store_with(alpha="A kubernetes cluster.")
    async with manager(demo, [store]) as pilot:
        await press(pilot, opening, *"-cluster", "space", *"kubernetes")
        text = shown(pilot)
        assert "Nothing matches" in text
        assert "esc clears" in text


async def test_fields_keep_to_some_in_the_filter(demo: Places) -> None:
    store = MemoryStore(
        [make_topic("alpha", pinned=True), make_topic("beta", stale=True), make_topic("gamma")]
    )
    async with manager(demo, [store]) as pilot:
        for typed, file in (
            ("pinned:yes", "alpha.md"),
            ("is:stale", "beta.md"),
            ("name:gam", "gamma.md"),
            ("file:beta", "beta.md"),
            ("-pinned:yes -stale:yes", "gamma.md"),
        ):
            await press(pilot, "slash")
            browser(pilot).frame.filter_bar.input.value = typed
            await settled(pilot)
            assert [t.file for t in browser(pilot).topic_list.listing.topics] == [file]
            await press(pilot, "escape", "escape")


async def test_a_topic_opens_at_the_match_and_n_goes_on(demo: Places) -> None:
    async with manager(demo, [store_with(alpha=LONG)], size=(80, 24)) as pilot:
        await press(pilot, "slash", *"anchor", "enter", "enter")
        assert "match 1 of 5" in shown(pilot)
        assert "Paragraph 39 about the anchor" in shown(pilot)
        await press(pilot, "n")
        assert "match 2 of 5" in shown(pilot)
        assert "Paragraph 79 about the anchor" in shown(pilot)
        await press(pilot, "N", "N")
        assert "match 5 of 5" in shown(pilot)
        assert "Paragraph 199 about the anchor" in shown(pilot)
        await press(pilot, "n")
        assert "Paragraph 39 about the anchor" in shown(pilot)
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, BrowserScreen)
        assert browser(pilot).frame.filter_bar.input.value == "anchor"


async def test_the_search_opens_at_the_match_and_keeps_its_words(demo: Places) -> None:
    async with manager(demo, [store_with(alpha=LONG)], size=(80, 24)) as pilot:
        await press(pilot, "F", *"anchor", "enter")
        assert "Paragraph 39 about the anchor" in shown(pilot)
        assert "match 1 of 5" in shown(pilot)
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, SearchScreen)
        assert pilot.app.screen.words.value == "anchor"
        assert "1 hit" in shown(pilot)


async def test_without_a_search_n_does_nothing_in_an_opened_topic(demo: Places) -> None:
    async with manager(demo, [store_with(alpha=LONG)]) as pilot:
        await press(pilot, "enter")
        screen = pilot.app.screen
        await press(pilot, "n", "N")
        assert pilot.app.screen is screen
        assert detail(pilot).body.match is None
        assert "match" not in shown(pilot)


async def test_words_beyond_what_is_shown_of_a_long_memory_say_so(demo: Places) -> None:
    store = store_with(alpha="sea " * 13_000 + "anchor")
    async with manager(demo, [store]) as pilot:
        await press(pilot, "slash", *"anchor", "enter", "enter")
        assert "The words are further on in this long memory" in shown(pilot)


async def test_hits_in_another_order_keep_their_snippets(demo: Places) -> None:
    store = store_with(beta="anchor anchor in beta", alpha="one anchor in alpha")
    async with manager(demo, [store], size=(80, 24)) as pilot:
        await press(pilot, "s", "slash", *"anchor")
        lines = [line for line in shown(pilot).splitlines() if "line 1:" in line]
        assert [("one anchor" in line, "anchor anchor" in line) for line in lines] == [
            (True, False),
            (False, True),
        ]


async def test_recent_searches_come_back_by_up(demo: Places) -> None:
    async with manager(demo) as pilot:
        await press(pilot, "slash", *"setup", "escape", *"gpu", "enter", "escape")
        await press(pilot, "slash", "up")
        field = browser(pilot).frame.filter_bar.input
        assert field.value == "gpu"
        assert selected(pilot) == "gpu-box.md"
        await press(pilot, "up")
        assert field.value == "setup"
        await press(pilot, "up")
        assert field.value == "setup"
        await press(pilot, "down")
        assert field.value == "gpu"
        await press(pilot, "escape", "escape", "F", "up")
        assert isinstance(pilot.app.screen, SearchScreen)
        assert pilot.app.screen.words.value == "gpu"
        assert "GPU Box" in shown(pilot)


def test_what_is_typed_is_the_newest_search() -> None:
    recent = RecentSearches()
    for text in ("one", "two", "  ", "one"):
        recent.remember(text)
    assert recent.texts == ["one", "two"]
    recall = Recall(recent)
    assert recall.step(1, "thr") is None
    assert recall.step(-1, "thr") == "one"
    assert recall.step(-1, "one") == "two"
    assert recall.step(-1, "two") is None
    assert recall.step(1, "two") == "one"
    assert recall.step(1, "one") == "thr"
    assert recall.step(1, "thr") is None


@pytest.mark.parametrize("cells", [6, 10, 20, 40, 80])
@pytest.mark.parametrize(
    "text",
    [
        "a long line of plain words before the anchor and some after it as well",
        "日本語のメモ" * 6 + " anchor " + "日本語" * 6,
        "\x1b[31m" * 5 + " anchor" + "\t" * 30,
        "anchor",
    ],
)
def test_a_line_cut_to_any_width_shows_its_match(text: str, cells: int) -> None:
    asked = parse("anchor")
    words = Words(asked.terms, asked.literal)
    drawn, places = around(*cleaned(text, words.places(text)), cells)
    assert cell_len(drawn) <= cells
    start, end = places[0]
    assert "anchor".startswith(drawn[start:end].rstrip("…"))
    assert end - start >= min(6, cells // 3)
    assert clean(drawn) == drawn


def test_marks_go_over_line_ends() -> None:
    asked = parse("pool size is capped")
    words = Words(asked.terms, asked.literal)
    marks = words.marks(["", "a pool", "the pool size", "is capped", "x"])
    assert marks.places[marks.best].line in (1, 2)
    assert marks.in_line(2)
    assert marks.in_line(3)
    assert not marks.in_line(4)


async def test_it_opens_at_what_is_searched_for(demo: Places) -> None:
    async with manager(demo, search="answers short") as pilot:
        await settled(pilot)
        assert selected(pilot) == "user-preferences.md"
        assert browser(pilot).browsing.query == "answers short"
        await press(pilot, "enter")
        await settled(pilot)
        assert "user-preferences.md" in shown(pilot)
        assert isinstance(pilot.app.screen, DetailScreen)
        await press(pilot, "escape", "escape")
        await settled(pilot)
        assert browser(pilot).browsing.query == ""


async def test_it_opens_where_nothing_is_found(demo: Places) -> None:
    async with manager(demo, search="zzz") as pilot:
        await settled(pilot)
        assert "Nothing matches" in shown(pilot)
