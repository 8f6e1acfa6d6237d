"""Keys that come in one piece, as over a slow line, do what they would do one by one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pimem_tui.screens.browser import BrowserScreen
from pimem_tui.screens.edit import EditScreen
from pimem_tui.widgets.filter_bar import FilterInput
from textual import events
from tui.helpers import (
    MemoryStore,
    browser,
    make_topic,
    manager,
    notices,
    press,
    selected,
    settled,
    until,
)

if TYPE_CHECKING:
    import pytest
    from pimem_core.paths import Places
    from textual.pilot import Pilot


def send(pilot: Pilot[None], *keys: str) -> None:
    """Send keys at once, without waiting for what each does."""
    driver = pilot.app._driver
    assert driver is not None
    for key in keys:
        event = events.Key(key, key if len(key) == 1 else None)
        event.set_sender(pilot.app)
        driver.send_message(event)


async def burst(pilot: Pilot[None], *keys: str) -> None:
    """Send keys at once and wait for what all of them do."""
    send(pilot, *keys)
    await settled(pilot)


def index_of(places: Places) -> bytes:
    return Path(places.agent_dir, "memory", "MEMORY.md").read_bytes()


async def test_a_filter_gets_all_its_letters(demo: Places) -> None:
    async with manager(demo) as pilot:
        before = index_of(demo)
        await burst(pilot, "slash", *"drop", "enter")
        assert browser(pilot).query_one(FilterInput).value == "drop"
        assert isinstance(pilot.app.screen, BrowserScreen)
        assert index_of(demo) == before


async def test_text_goes_into_the_editor_that_opens(demo: Places) -> None:
    async with manager(demo) as pilot:
        await burst(pilot, "n", *"rupH")
        screen = pilot.app.screen
        assert isinstance(screen, EditScreen)
        assert screen.name_field.value == "rupH"
        await press(pilot, "escape", "y")
        await burst(pilot, "down", "down", "e", *"pH ")
        screen = pilot.app.screen
        assert isinstance(screen, EditScreen)
        assert screen.name_field.value == "User Preferences"
        assert screen.editor.text.startswith("pH ")


async def test_an_answer_goes_to_its_question(demo: Places) -> None:
    async with manager(demo) as pilot:
        await burst(pilot, *["down"] * 3, "r", "y", "down")
        assert notices(pilot)[0].startswith('Removed "')


async def test_keys_go_on_when_what_had_them_is_gone(demo: Places) -> None:
    async with manager(demo) as pilot:
        await burst(pilot, "enter", "escape", "H", "q", "slash", "x", "escape", "escape", "down")
        assert isinstance(pilot.app.screen, BrowserScreen)
        await press(pilot, "home")
        first = selected(pilot)
        await press(pilot, "down")
        assert selected(pilot) != first


async def test_a_lost_key_holds_nothing_up(demo: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    store = MemoryStore([make_topic("a"), make_topic("b"), make_topic("c")])
    async with manager(demo, [store]) as pilot:
        monkeypatch.setattr(pilot.app, "_wait_for_screen", lambda _number: None)
        send(pilot, "down", "down")
        await until(pilot, lambda: selected(pilot) == "c.md")
