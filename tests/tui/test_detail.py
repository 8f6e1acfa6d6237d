"""One topic, read and acted on."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pimem_core.errors import StorageError
from pimem_tui.screens.browser import BrowserScreen
from pimem_tui.screens.confirm import ConfirmScreen
from textual.events import MouseMove
from tui.helpers import (
    MemoryStore,
    browser,
    detail,
    make_topic,
    manager,
    notices,
    opened_file,
    press,
    selected,
    settled,
    shown,
)

if TYPE_CHECKING:
    from pimem_core.paths import Places


async def test_detail_shows_heading_and_body(demo: Places) -> None:
    async with manager(demo) as pilot:
        await press(pilot, "down", "down", "down", "down", "enter")
        text = shown(pilot)
        assert "API Conventions" in text.splitlines()[1]
        assert "9 days ago (2026-11-20 15:17:20 +00:00)" in text
        assert "api-conventions.md" in text
        assert "tokens" in text
        assert "cursor     string" in text
        assert " {" in text


async def test_text_is_at_most_88_wide_and_centred(demo: Places) -> None:
    async with manager(demo, size=(160, 40)) as pilot:
        await press(pilot, "down", "enter")
        lines = [line for line in shown(pilot).splitlines()[:-1] if line.strip()]
        indents = {len(line) - len(line.lstrip()) for line in lines}
        assert min(indents) == (160 - 1 - 88) // 2
        assert max(map(len, lines)) <= 36 + 88


async def test_escape_goes_back_to_the_same_row(demo: Places) -> None:
    async with manager(demo, size=(80, 12)) as pilot:
        await press(pilot, *["down"] * 12)
        before = (browser(pilot).topic_list.selected, browser(pilot).topic_list.scroll_y)
        await press(pilot, "enter", "down", "pagedown", "escape")
        assert isinstance(pilot.app.screen, BrowserScreen)
        assert (browser(pilot).topic_list.selected, browser(pilot).topic_list.scroll_y) == before


async def test_long_text_scrolls(demo: Places) -> None:
    async with manager(demo, size=(80, 24)) as pilot:
        await press(pilot, *["down"] * 4, "enter", "end")
        assert "account secret break" in shown(pilot)
        await press(pilot, "home", "j", "k", "space", "pageup", "g", "G")
        assert "account secret break" in shown(pilot)
        before = detail(pilot).body.scroll_y
        await press(pilot, "p")
        assert detail(pilot).body.scroll_y == before
        assert "pinned ·" in shown(pilot)


async def test_pin_in_the_detail_shows_there_and_in_the_list(demo: Places) -> None:
    async with manager(demo) as pilot:
        await press(pilot, *["down"] * 3, "enter", "p")
        assert shown(pilot).splitlines()[1].strip() == "● Test Database"
        await press(pilot, "escape")
        assert " ● Test Database" in shown(pilot)


async def test_pin_pressed_just_before_leaving_still_reaches_the_list(demo: Places) -> None:
    async with manager(demo) as pilot:
        await press(pilot, *["down"] * 3, "enter")
        await pilot.press("p", "escape")
        await settled(pilot)
        assert " ● Test Database" in shown(pilot)


async def test_remove_in_the_detail_goes_back_to_the_list(demo: Places) -> None:
    async with manager(demo) as pilot:
        await press(pilot, *["down"] * 3, "enter", "r")
        assert isinstance(pilot.app.screen, ConfirmScreen)
        await press(pilot, "y")
        assert isinstance(pilot.app.screen, BrowserScreen)
        assert "Test Database" not in shown(pilot).split("Removed")[0]
        assert selected(pilot) == "api-conventions.md"


def without_text(places: Places) -> None:
    Path(places.agent_dir, "memory", "test-database.md").write_text("---\nname: x\n---\n\n")


async def test_an_empty_file_says_so(demo: Places) -> None:
    without_text(demo)
    async with manager(demo) as pilot:
        await press(pilot, *["down"] * 3)
        assert "There is no text yet." in shown(pilot)
        await press(pilot, "enter")
        assert "There is no text yet." in shown(pilot)


async def test_a_missing_file_says_so(demo: Places) -> None:
    async with manager(demo) as pilot:
        await press(pilot, *["down"] * 6, "enter")
        text = shown(pilot)
        assert "! Release Notes Style" in text
        assert "file missing" in text
        assert "release-notes-style.md" in text
        await press(pilot, "E")
        assert notices(pilot)
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, BrowserScreen)


async def test_an_unreadable_topic_shows_the_error(demo: Places) -> None:
    store = MemoryStore([make_topic("alpha")])
    store.errors["preview"] = StorageError("/x/alpha.md: permission denied; make it readable.")
    async with manager(demo, [store]) as pilot:
        await press(pilot, "enter")
        assert "permission denied; make it readable" in shown(pilot)


@pytest.fixture
def huge(demo: Places) -> None:
    """Ten megabytes in one of the topics."""
    path = Path(demo.agent_dir, "memory", "deploy-checklist.md")
    path.write_text("start of it\n\n" + "word " * 2_000_000)


@pytest.mark.usefixtures("huge")
async def test_a_huge_file_shows_its_beginning(demo: Places) -> None:
    async with manager(demo) as pilot:
        await press(pilot, "down", "enter")
        assert "start of it" in shown(pilot)
        assert "the beginning of a long memory; E opens all of it" in shown(pilot)


async def test_text_can_be_selected_with_the_mouse(demo: Places) -> None:
    async with manager(demo) as pilot:
        await press(pilot, "down", "down", "enter")
        body = detail(pilot).body
        row = next(n for n, line in enumerate(body._lines) if "short answers" in line.text)
        start = body.left + 2
        await pilot.mouse_down(body, offset=(start, row))
        # A drag needs a move while the button is down, which `hover` does not send.
        await pilot._post_mouse_events([MouseMove], body, (start + 13, row), button=1)
        await pilot.mouse_up(body, offset=(start + 13, row))
        await settled(pilot)
        assert "short answers" in (pilot.app.screen.get_selected_text() or "")


async def test_links_do_not_open_anything(demo: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", lambda url, *_args: opened.append(url))
    async with manager(demo) as pilot:
        await press(pilot, *["down"] * 4, "enter")
        body = detail(pilot).body
        row = next(n for n, line in enumerate(body._lines) if "example.org" in line.text)
        body.scroll_to(y=row, animate=False)
        await settled(pilot)
        await pilot.click(body, offset=(body.left + 10, row - round(body.scroll_y)))
        await settled(pilot)
        assert "https://example.org/records/0017" in shown(pilot)
    assert opened == []


@pytest.mark.parametrize("width", [140, 139])
async def test_headings_stand_beside_a_long_text(demo: Places, width: int) -> None:
    store = MemoryStore([make_topic("alpha")])
    part = "## Part [b]{}\n\n- line\n- line\n\n"
    store.bodies = {"alpha.md": "".join(part.format(number) for number in range(12))}
    async with manager(demo, [store], size=(width, 30)) as pilot:
        await press(pilot, "enter")
        contents = detail(pilot).contents
        assert bool(contents.sections) == (width == 140)
        if width < 140:
            return
        assert "▸ Part [b]0" in shown(pilot)
        await press(pilot, "end")
        assert contents.here == len(contents.sections) - 1
        await pilot.click(contents, offset=(3, 0))
        await settled(pilot)
        assert detail(pilot).body.scroll_y == contents.sections[contents._first].line
        await pilot.resize_terminal(100, 30)
        await settled(pilot)
        assert not contents.sections


async def test_a_short_text_has_no_table(demo: Places) -> None:
    async with manager(demo, size=(160, 50)) as pilot:
        await press(pilot, "enter")
        assert not detail(pilot).contents.sections


async def test_links_lead_to_other_topics_and_back(demo: Places) -> None:
    async with manager(demo) as pilot:
        await press(pilot, "enter")
        assert "tab next link  enter follow" in shown(pilot).splitlines()[-1]
        await press(pilot, "tab", "enter")
        assert opened_file(pilot) == "deploy-checklist.md"
        assert "Linked from 2 memories" in shown(pilot)
        assert "← PostgreSQL Setup" in shown(pilot)
        await press(pilot, "escape")
        assert opened_file(pilot) == "postgresql-setup.md"
        await press(pilot, "escape")
        assert selected(pilot) == "postgresql-setup.md"


async def test_brackets_that_lead_nowhere_are_text(demo: Places) -> None:
    os.unlink(f"{demo.agent_dir}/memory/deploy-checklist.md")
    async with manager(demo) as pilot:
        await press(pilot, "enter")
        assert "[[deploy-checklist]]" in shown(pilot)
        assert "nowhere" not in shown(pilot)
        assert detail(pilot).check_action("follow", ()) is False
