"""The filter: what it finds, how it says why, and that typing never waits."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest
from pimem_core.errors import StorageError
from pimem_core.progress import ignored, never, unwatched
from pimem_tui.screens.detail import DetailScreen
from pimem_tui.widgets import TopicList
from pimem_tui.widgets.filter_bar import FilterInput
from textual.widgets import Input
from tui.helpers import (
    MemoryStore,
    browser,
    make_topic,
    manager,
    notices,
    press,
    selected,
    settled,
    shown,
    until,
)

if TYPE_CHECKING:
    from pimem_core.paths import Places
    from pimem_core.progress import Cancelled, Progress, Unread
    from pimem_core.search.finding import Found


async def test_typing_filters_by_name_summary_and_text(demo: Places) -> None:
    async with manager(demo) as pilot:
        await press(pilot, "slash", *"deploy")
        text = shown(pilot)
        assert "Deploy Checklist" in text
        assert "PostgreSQL Setup" in text
        assert "line 13: …" in text
        assert "GPU Box" not in text
        assert "3 hits" in text


async def test_a_file_name_says_that_it_matched(demo: Places) -> None:
    async with manager(demo) as pilot:
        await press(pilot, "slash", *"checklist.md")
        assert "file: deploy-checklist.md" in shown(pilot)


async def test_a_narrow_list_says_why_on_a_second_line(demo: Places) -> None:
    async with manager(demo, size=(40, 12)) as pilot:
        await press(pilot, "slash", *"pgbouncer")
        lines = shown(pilot).splitlines()
        row = next(number for number, line in enumerate(lines) if "PostgreSQL Setup" in line)
        assert "line 10: …behind PgBouncer" in lines[row + 1]
        await pilot.click("TopicList", offset=(5, 1))
        assert selected(pilot) == "postgresql-setup.md"


async def test_enter_keeps_the_filter_and_escape_clears_it(demo: Places) -> None:
    async with manager(demo) as pilot:
        await press(pilot, "slash", *"setup", "enter")
        assert isinstance(pilot.app.focused, TopicList)
        assert "setup" in shown(pilot).splitlines()[1]
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, DetailScreen)
        await press(pilot, "escape")
        assert "setup" in shown(pilot).splitlines()[1]
        await press(pilot, "escape")
        assert len(browser(pilot).topic_list.listing.topics) == 19
        assert "~/.pi/agent" in shown(pilot).splitlines()[1]
        assert pilot.app.is_running


async def test_escape_in_the_input_clears_then_closes(demo: Places) -> None:
    async with manager(demo) as pilot:
        await press(pilot, "slash", *"gpu")
        await press(pilot, "escape")
        assert isinstance(pilot.app.focused, FilterInput)
        assert pilot.app.focused.value == ""
        await press(pilot, "escape")
        assert isinstance(pilot.app.focused, TopicList)


async def test_selection_survives_the_filter(demo: Places) -> None:
    async with manager(demo) as pilot:
        await press(pilot, "slash", *"gpu", "enter")
        assert selected(pilot) == "gpu-box.md"
        await press(pilot, "escape")
        assert selected(pilot) == "gpu-box.md"
        assert browser(pilot).topic_list.selected == 5


async def test_arrows_move_in_the_list_while_typing(demo: Places) -> None:
    async with manager(demo) as pilot:
        await press(pilot, "slash", *"deploy", "down")
        assert isinstance(pilot.app.focused, FilterInput)
        assert browser(pilot).topic_list.selected == 1


async def test_question_mark_and_letters_are_typed(demo: Places) -> None:
    async with manager(demo) as pilot:
        await press(pilot, "slash", *"pqr", "question_mark", "1", "E", "j", "slash")
        assert isinstance(pilot.app.focused, FilterInput)
        assert pilot.app.focused.value == "pqr?1Ej/"


async def test_no_hits_say_so_with_the_way_out(demo: Places) -> None:
    async with manager(demo) as pilot:
        await press(pilot, "slash", *"zzzz")
        assert 'Nothing matches "zzzz".' in shown(pilot)
        assert "esc clears the filter" in shown(pilot)
        await press(pilot, "enter", "p", "enter")
        assert notices(pilot) == []
        await press(pilot, "escape")
        assert "PostgreSQL Setup" in shown(pilot)


async def test_the_filter_follows_to_another_store(demo: Places) -> None:
    async with manager(demo) as pilot:
        await press(pilot, "slash", *"never", "enter", "tab")
        assert "Working Agreements" in shown(pilot)
        assert "PostgreSQL Setup" not in shown(pilot)


async def test_actions_work_on_hits_and_the_filter_stays(demo: Places) -> None:
    async with manager(demo) as pilot:
        await press(pilot, "slash", *"flaky", "enter", "p")
        assert " ● Flaky Tests" in shown(pilot)
        assert "1 hit" in shown(pilot)
        await press(pilot, "p", "r", "y")
        assert "Nothing matches" not in shown(pilot)  # the file is still found, unlisted
        await press(pilot, "escape")
        await until(pilot, lambda: "Flaky Tests" not in shown(pilot))


async def test_matches_open_in_view(demo: Places) -> None:
    async with manager(demo, size=(80, 24)) as pilot:
        await press(pilot, "slash", *"webhooks", "enter", "enter")
        assert "Webhooks are signed" in shown(pilot)


async def test_a_slow_search_shows_progress_and_is_cancelled_by_typing(demo: Places) -> None:
    store = MemoryStore([make_topic(f"topic {number}") for number in range(100)])
    gates = {"t": threading.Event(), "to": threading.Event()}
    ended: list[str] = []
    plain = store.search

    def search(
        query: str,
        *,
        typing: bool = False,
        cancelled: Cancelled = never,
        progress: Progress = unwatched,
        unread: Unread = ignored,
    ) -> Found:
        progress(0, 100)
        if query in gates:
            # Asks the way real stores do: now and then.
            while not gates[query].wait(0.01) and not cancelled():
                progress(25, 100)
        if cancelled():
            ended.append(query)
            return plain(query, cancelled=lambda: True)
        return plain(query, cancelled=cancelled, progress=progress)

    store.search = search  # type: ignore[method-assign]
    async with manager(demo, [store]) as pilot:
        await pilot.press("slash", "t")
        await until(pilot, lambda: "searching 25%" in shown(pilot))
        await pilot.press("o")
        await until(pilot, lambda: ended == ["t"])
        await pilot.press("p")
        await settled(pilot)
        assert ended == ["t", "to"]
        assert "100 hits" in shown(pilot)


async def test_a_failing_search_is_told(demo: Places) -> None:
    store = MemoryStore([make_topic("alpha")])
    store.errors["search"] = StorageError("The disk is gone.")
    async with manager(demo, [store]) as pilot:
        await press(pilot, "slash", "x")
        assert notices(pilot) == ["The disk is gone."]
        await press(pilot, "escape")
        assert "alpha" in shown(pilot)


async def test_pasted_control_characters_are_drawn(demo: Places) -> None:
    from textual.events import Paste

    async with manager(demo) as pilot:
        await press(pilot, "slash")
        assert pilot.app.focused is not None
        pilot.app.focused.post_message(Paste("\x1b[31m\u202e"))
        await settled(pilot)
        assert "\x1b" not in shown(pilot)
        assert "␛[31m␦" in shown(pilot)


@pytest.mark.parametrize("keys", [["slash"], ["F"], ["n"], ["n", "tab"]], ids=str)
async def test_all_lines_of_a_pasted_text_go_into_the_one_there_is(
    demo: Places, keys: list[str]
) -> None:
    from textual.events import Paste

    async with manager(demo) as pilot:
        await press(pilot, *keys)
        field = pilot.app.focused
        assert isinstance(field, Input)
        field.post_message(Paste("  deploy\r\n\n checklist\tx\n"))
        await settled(pilot)
        assert field.value.replace("\t", " ") == "deploy checklist x"
        field.post_message(Paste(" a  b"))
        await settled(pilot)
        assert field.value.endswith("x a  b")
