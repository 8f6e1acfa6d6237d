"""The list: moving, acting, switching stores."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pimem_core.errors import StoreBusyError
from pimem_core.model import LockHolder
from pimem_tui.screens.browser import BrowserScreen
from pimem_tui.screens.confirm import ConfirmScreen
from pimem_tui.workers.reading import read_body
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
from waiting import PATIENCE_S

if TYPE_CHECKING:
    from typing import Any

    from pimem_core.model import Topic
    from pimem_core.paths import Places
    from pimem_core.systems.stores import Store


def index(places: Places, store: str = "local") -> Path:
    folder = places.agent_dir + "/memory" if store == "local" else places.home + "/.agents/memory"
    return Path(folder, "MEMORY.md")


async def test_list_shows_mark_name_summary_and_age(demo: Places) -> None:
    async with manager(demo) as pilot:
        lines = shown(pilot).splitlines()
        row = next(line for line in lines if "Deploy Checklist" in line)
        assert row.startswith(" ● Deploy Checklist")
        assert " 5d │" in row
        assert next(line for line in lines if "GPU Box" in line).startswith(" ~ GPU Box")
        missing = next(line for line in lines if "Release Notes" in line)
        assert missing.startswith(" ! Release Notes Style")
        assert "(file missing)" in missing
        assert "1 local 19" in lines[0]
        assert "2 shared 7" in lines[0]
        assert "tokens per prompt" in lines[0]
        assert "~/.pi/agent/memory" in lines[1]
        assert "3 stale" in lines[1]
        assert "1 problem" in lines[1]


@pytest.mark.parametrize(
    ("keys", "row"),
    [
        (["down", "j"], 2),
        (["down", "down", "k", "up"], 0),
        (["up"], 0),
        (["end"], 18),
        (["G", "home"], 0),
        (["G", "g", "pagedown"], 18),
        (["end", "down"], 18),
    ],
)
async def test_keys_move_the_selection(demo: Places, keys: list[str], row: int) -> None:
    async with manager(demo) as pilot:
        await press(pilot, *keys)
        assert browser(pilot).topic_list.selected == row


async def test_preview_follows_the_selection(demo: Places) -> None:
    async with manager(demo) as pilot:
        assert "Staging runs on port 6543" in shown(pilot)
        await press(pilot, "down")
        assert "Freeze merges" in shown(pilot)
        assert "pinned · 5 days ago" in shown(pilot)


async def test_the_preview_is_laid_out_for_its_width_only(
    demo: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    widths = []

    def reading(store: Store, topic: Topic, width: int, **how: Any) -> None:
        widths.append(width)
        read_body(store, topic, width, **how)

    monkeypatch.setattr("pimem_tui.widgets.preview.read_body", reading)
    async with manager(demo) as pilot:
        body = browser(pilot).frame.preview.body
        assert set(widths) == {body.measure}
        await pilot.resize_terminal(80, 24)
        await settled(pilot)
        await press(pilot, "down", "down")
        widths.clear()
        await pilot.resize_terminal(160, 24)
        await settled(pilot)
        assert set(widths) == {body.measure}
        assert "short answers first" in shown(pilot)


async def test_mouse_selects_and_opens(demo: Places) -> None:
    async with manager(demo) as pilot:
        await pilot.click("TopicList", offset=(10, 4))
        assert browser(pilot).topic_list.selected == 4
        await pilot.click("TopicList", offset=(10, 4), times=2)
        await until(pilot, lambda: not isinstance(pilot.app.screen, BrowserScreen))
        await settled(pilot)
        assert "Decided together" in shown(pilot)


async def test_pin_and_unpin_in_place(demo: Places) -> None:
    async with manager(demo) as pilot:
        await press(pilot, "down", "down", "down", "p")
        assert notices(pilot)[0].startswith('Pinned "Test Database".')
        assert selected(pilot) == "test-database.md"
        assert " ● Test Database" in shown(pilot)
        assert "(test-database.md) [pin]" in index(demo).read_text()
        await press(pilot, "p")
        assert " ● Test Database" not in shown(pilot)
        assert "(test-database.md) [pin]" not in index(demo).read_text()


async def test_the_right_topic_is_pinned_after_the_index_was_reordered(demo: Places) -> None:
    async with manager(demo) as pilot:
        await press(pilot, "down", "down", "down")
        lines = index(demo).read_text().split("\n")
        index(demo).write_text("\n".join([*lines[:3], *reversed(lines[3:])]))
        await press(pilot, "p")
        pinned = [line for line in index(demo).read_text().split("\n") if "[pin]" in line]
        assert [line for line in pinned if "test-database.md" in line]
        assert len(pinned) == 4
        assert selected(pilot) == "test-database.md"


async def test_remove_asks_first_and_cancel_is_the_default(demo: Places) -> None:
    async with manager(demo) as pilot:
        before = index(demo).read_bytes()
        for keys in (["enter"], ["escape"], ["n"]):
            await press(pilot, "home", "down", "down", "down", "r")
            assert isinstance(pilot.app.screen, ConfirmScreen)
            assert pilot.app.focused is not None
            assert pilot.app.focused.id == "cancel"
            await press(pilot, *keys)
            assert isinstance(pilot.app.screen, BrowserScreen)
        assert index(demo).read_bytes() == before


async def test_remove_takes_the_line_and_keeps_the_file(demo: Places) -> None:
    async with manager(demo) as pilot:
        await press(pilot, "down", "down", "down", "r", "y")
        assert "test-database.md" not in index(demo).read_text()
        assert (index(demo).parent / "test-database.md").exists()
        assert notices(pilot)[0].startswith('Removed "Test Database"')
        assert selected(pilot) == "api-conventions.md"
        assert "1 local 17" in shown(pilot)  # the line without a file went as well


async def test_a_topic_that_is_gone_is_never_another_one(demo: Places) -> None:
    index(demo).write_text("# Memory Index\n\n- [Box](box.md) -- a\n- [GPU](gpu-box.md) -- b\n")
    async with manager(demo) as pilot:
        await press(pilot, "r")
        assert selected(pilot) == "box.md"
        left = "# Memory Index\n\n- [GPU](gpu-box.md) -- b\n"
        index(demo).write_text(left)
        await press(pilot, "y")
        assert notices(pilot)[-1] == "“Box” is not in this store any more."
        assert index(demo).read_text() == left


async def test_removing_what_has_no_file_promises_none(demo: Places) -> None:
    async with manager(demo) as pilot:
        await press(pilot, *["down"] * 6, "r")
        assert "The file release-notes-style.md is already missing." in shown(pilot)
        await press(pilot, "y")
        assert "release-notes-style.md was already missing" in notices(pilot)[0]


async def test_remove_with_the_button(demo: Places) -> None:
    async with manager(demo) as pilot:
        await press(pilot, "down", "down", "down", "r", "tab")
        assert pilot.app.focused is not None
        assert str(getattr(pilot.app.focused, "label", "")) == "Remove"
        await press(pilot, "enter")
        assert "test-database.md" not in index(demo).read_text()


async def test_removing_the_last_row_selects_the_one_above(demo: Places) -> None:
    async with manager(demo) as pilot:
        await press(pilot, "end", "r", "y")
        assert selected(pilot) == "local-environment.md"


async def test_a_pinned_topic_is_refused_without_a_dialog(demo: Places) -> None:
    async with manager(demo) as pilot:
        await press(pilot, "r")
        assert isinstance(pilot.app.screen, BrowserScreen)
        assert "is pinned. p unpins it." in notices(pilot)[0]


async def test_stores_switch_and_remember_the_place(demo: Places) -> None:
    async with manager(demo) as pilot:
        await press(pilot, "down", "down", "tab")
        assert "~/.agents/memory" in shown(pilot)
        assert "Working Agreements" in shown(pilot)
        assert "OpenCode" in shown(pilot)
        await press(pilot, "end", "shift+tab")
        assert selected(pilot) == "user-preferences.md"
        await press(pilot, "2")
        assert selected(pilot) == "calendar-of-freezes.md"
        await pilot.click("StoreTabs", offset=(12, 0))
        await settled(pilot)
        assert selected(pilot) == "user-preferences.md"


@pytest.mark.parametrize("key", ["q", "ctrl+q"])
async def test_leaving(demo: Places, key: str) -> None:
    async with manager(demo) as pilot:
        await pilot.press(key)
        await until(pilot, lambda: not pilot.app.is_running)
        assert pilot.app.return_code == 0


async def test_reading_changes_nothing_on_disk(demo: Places) -> None:
    def stamps() -> dict[str, int]:
        return {
            os.path.join(folder, name): os.stat(os.path.join(folder, name)).st_mtime_ns
            for folder, folders, files in os.walk(demo.home)
            for name in [*folders, *files]
        }

    before = stamps()
    async with manager(demo) as pilot:
        await press(pilot, "down", "enter", "escape", "tab", "slash", "a", "enter", "r", "escape")
        await press(pilot, "question_mark", "escape")
    assert stamps() == before


async def test_a_failed_change_keeps_the_list_and_says_why(demo: Places) -> None:
    store = MemoryStore([make_topic("alpha"), make_topic("beta")])
    store.errors["pin"] = StoreBusyError("memory is in use by process 42; try again.")
    async with manager(demo, [store]) as pilot:
        await press(pilot, "p")
        assert notices(pilot) == ["memory is in use by process 42; try again."]
        assert "alpha" in shown(pilot)
        assert "●" not in shown(pilot)


async def test_a_slow_change_says_that_it_is_under_way(demo: Places) -> None:
    gate = threading.Event()
    store = MemoryStore([make_topic("alpha"), make_topic("beta")])
    store.hooks["pin"] = lambda: gate.wait(PATIENCE_S)
    async with manager(demo, [store]) as pilot:
        await pilot.press("p")
        await until(pilot, lambda: "working …" in shown(pilot))
        await pilot.press("down", "p", "up")  # the list goes on working, changes take turns
        gate.set()
        await settled(pilot)
        assert "working …" not in shown(pilot)
        assert " ● alpha" in shown(pilot)
        assert " ● beta" in shown(pilot)


async def test_what_is_to_be_said_about_a_store_is_in_the_help(demo: Places) -> None:
    store = MemoryStore([make_topic("alpha")])
    store.state = store.state.but(notes=["3 topic files not in the index. [b]\x1b"])
    async with manager(demo, [store]) as pilot:
        assert "1 note (?)" in shown(pilot)
        await press(pilot, "question_mark")
        assert "3 topic files not in the index. [b]␛" in shown(pilot)


async def test_an_unforeseen_error_is_told_and_nothing_breaks(demo: Places) -> None:
    store = MemoryStore([make_topic("alpha")])
    store.errors["pin"] = KeyError("x")
    async with manager(demo, [store]) as pilot:
        await press(pilot, "p")
        assert "Something unexpected went wrong: KeyError" in notices(pilot)[0]
        del store.errors["pin"]
        store.errors["preview"] = ZeroDivisionError("y")
        await press(pilot, "p")
        assert " ● alpha" in shown(pilot)
        assert any("ZeroDivisionError" in notice for notice in notices(pilot))


async def test_a_lock_is_shown_and_watched(demo: Places) -> None:
    store = MemoryStore([make_topic("alpha")])
    store.state = store.state.but(lock=LockHolder(pid=42, age_s=3.2, path="/x/.lock"))
    async with manager(demo, [store]) as pilot:
        assert "locked by process 42 for 3 s" in shown(pilot)
        store.state = store.state.but(lock=None)
        await until(pilot, lambda: "locked by" not in shown(pilot))


async def test_what_is_read_late_does_not_show_in_another_store(demo: Places) -> None:
    gate = threading.Event()
    slow = MemoryStore([make_topic("slow one")], name="slow")
    slow.hooks["list"] = lambda: gate.wait(PATIENCE_S)
    quick = MemoryStore([make_topic("quick one")], name="quick")
    async with manager(demo, [slow, quick], ready=False) as pilot:
        await until(pilot, lambda: "Reading" in shown(pilot))
        await pilot.press("tab")
        await until(pilot, lambda: "quick one" in shown(pilot))
        gate.set()
        await settled(pilot)
        assert "slow one" not in shown(pilot)
        await press(pilot, "tab")
        assert "slow one" in shown(pilot)
