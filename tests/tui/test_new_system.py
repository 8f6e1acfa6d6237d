"""A new system shows in the manager by one line; one that fails or hangs disturbs nobody."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pimem_core.systems import registry
from systems.memory_system import NoteStore, NoteSystem
from textual import events
from tui.helpers import (
    browser,
    manager,
    notices,
    press,
    rows,
    selected,
    settled,
    shown,
    until,
)
from tui.test_wild_terminal import Terminal
from waiting import PATIENCE_S

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from pimem_core.paths import Places
    from textual.pilot import Pilot


def send(pilot: Pilot[None], *keys: str) -> None:
    """Send keys without waiting for anything."""
    for key in keys:
        pilot.app.post_message(events.Key(key, key if len(key) == 1 else None))


@pytest.fixture
def notes(monkeypatch: pytest.MonkeyPatch) -> NoteSystem:
    system = NoteSystem()
    monkeypatch.setattr(registry, "SYSTEMS", (system, *registry.SYSTEMS))
    return system


async def test_it_has_a_tab_a_list_a_search_and_a_number(demo: Places, notes: NoteSystem) -> None:
    stores = registry.offered_stores(demo)
    async with manager(demo, stores, start=1) as pilot:
        await until(pilot, lambda: "1 notes 1" in shown(pilot))
        await press(pilot, "1")
        assert selected(pilot) == "tea"
        assert "Green tea" in shown(pilot)
        await press(pilot, "slash", *"green", "enter")
        assert len(rows(pilot)) == 1


@pytest.fixture
def hung(monkeypatch: pytest.MonkeyPatch, notes: NoteSystem) -> Iterator[Callable[[str], None]]:
    """Makes a call of the notes hang until the test is over."""
    go_on = threading.Event()

    def hang(call: str) -> None:
        def wait(*_values: Any, **_named: Any) -> Any:
            go_on.wait(PATIENCE_S)
            return []

        monkeypatch.setattr(NoteStore if call != "inject" else type(notes.hooks), call, wait)

    yield hang
    go_on.set()


@pytest.mark.parametrize("call", ["list", "status", "search", "inject"])
async def test_one_that_hangs_keeps_nothing_from_the_others(
    demo: Places, hung: Callable[[str], None], call: str
) -> None:
    hung(call)
    stores = registry.offered_stores(demo)
    async with manager(demo, stores, start=1, ready=False) as pilot:
        await until(pilot, lambda: browser(pilot).browsing.view.is_read)
        await until(pilot, lambda: all(browser(pilot).frame.tabs.counts[1:]))
        if call in ("list", "search"):
            await until(pilot, lambda: browser(pilot).frame.tabs.counts[0] == 1)
        send(pilot, "1")
        await until(pilot, lambda: browser(pilot).browsing.index == 0)
        send(pilot, "2", "down")
        await until(pilot, lambda: browser(pilot).browsing.index == 1)
        await until(pilot, lambda: selected(pilot) != "")
        send(pilot, "F", *"deploy")
        await until(pilot, lambda: "Deploy Checklist" in shown(pilot))
        send(pilot, "escape", "escape", "q")
        await until(pilot, lambda: not pilot.app.is_running)


@pytest.mark.parametrize("call", ["list", "status", "search"])
async def test_one_that_raises_is_told_of_and_no_more(
    demo: Places, notes: NoteSystem, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    def fail(*_values: Any, **_named: Any) -> Any:
        raise KeyError("a fault of its own")

    monkeypatch.setattr(NoteStore, call, fail)
    stores = registry.offered_stores(demo)
    async with manager(demo, stores, start=1) as pilot:
        assert all(browser(pilot).frame.tabs.counts[1:])
        await press(pilot, "1")
        if call == "list":
            assert "a fault of its own" in shown(pilot)
        await press(pilot, "F", *"deploy")
        assert "Deploy Checklist" in shown(pilot)
        await press(pilot, "escape", "escape", "2", "down")
        assert selected(pilot) != ""


HANGING = """
import sys, threading
sys.path[:0] = {paths!r}
from pimem_core.systems import registry
from systems.memory_system import NoteStore, NoteSystem
registry.SYSTEMS = (*registry.SYSTEMS, NoteSystem())
for call in ("list", "status", "search"):
    setattr(NoteStore, call, lambda *_, **__: threading.Event().wait(600))
from pimem_tui.app import run_manager
import os
os._exit(run_manager(demo=True))
"""


def test_the_process_ends_though_one_hangs() -> None:
    code = HANGING.format(paths=[str(Path(__file__).parents[1])])
    terminal = Terminal("-c", code)
    try:
        terminal.until(lambda seen: b"Deploy Checklist" in seen)
        terminal.send(b"F", until=b"Search")
        terminal.send(b"deploy", until=b"hit")
        os.write(terminal.ours, b"\x03\x03")
        assert terminal.ended() == 0
    finally:
        terminal.close()


async def test_a_search_over_all_stores_has_it_and_waits_for_nobody(
    demo: Places, notes: NoteSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    stores = registry.offered_stores(demo)
    async with manager(demo, stores, start=1) as pilot:
        await press(pilot, "F", *"green tea")
        await settled(pilot)
        assert "Green tea at four" in shown(pilot)

    def fail(*_values: Any, **_named: Any) -> Any:
        raise KeyError("a fault of its own")

    monkeypatch.setattr(NoteStore, "material", fail)
    async with manager(demo, registry.offered_stores(demo), start=1) as pilot:
        await press(pilot, "F", *"answers")
        await settled(pilot)
        assert "User Preferences" in shown(pilot)
        assert "a fault of its own" in shown(pilot) or "a fault of its own" in str(notices(pilot))
