"""Keys that come in one piece, as over a slow line, do what they would do one by one."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pimem_core.systems import registry
from pimem_core.systems.openpi.store import OpenpiStore
from pimem_tui.app import PimemApp
from pimem_tui.rows.listing import prepare
from pimem_tui.screens.browser import BrowserScreen
from pimem_tui.screens.confirm import ConfirmScreen
from pimem_tui.screens.edit import EditScreen
from pimem_tui.widgets import ListFrame
from pimem_tui.widgets.filter_bar import FilterInput
from textual import events
from tui.helpers import (
    MemoryStore,
    browser,
    detail,
    make_topic,
    manager,
    opened_file,
    press,
    selected,
    settled,
    shown,
    until,
)
from waiting import PATIENCE_S

if TYPE_CHECKING:
    from pimem_core.paths import Places
    from pimem_core.systems.stores import Links
    from textual.app import App
    from textual.pilot import Pilot


def send(pilot: Pilot[None], *keys: str) -> None:
    """Send keys at once, without waiting for what each does."""
    send_to(pilot.app, *keys)


def send_to(app: App[None], *keys: str) -> None:
    driver = app._driver
    assert driver is not None
    for key in keys:
        event = events.Key(key, key if len(key) == 1 else None)
        event.set_sender(app)
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


async def test_an_answer_from_before_the_question_removes_nothing(demo: Places) -> None:
    before = index_of(demo)
    async with manager(demo) as pilot:
        await burst(pilot, *["down"] * 3, "r", "y", "y")
        assert isinstance(pilot.app.screen, ConfirmScreen)
    assert index_of(demo) == before


async def test_keys_go_on_when_what_had_them_is_gone(demo: Places) -> None:
    async with manager(demo) as pilot:
        await burst(pilot, "enter", "escape", "H", "q", "slash", "x", "escape", "escape", "down")
        assert isinstance(pilot.app.screen, BrowserScreen)
        await press(pilot, "home")
        first = selected(pilot)
        await press(pilot, "down")
        assert selected(pilot) != first


async def test_a_lost_key_holds_nothing_up(demo: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    store = MemoryStore([make_topic(name) for name in "abcd"])
    async with manager(demo, [store]) as pilot:
        app = pilot.app
        assert isinstance(app, PimemApp)
        monkeypatch.setattr(app.type_ahead, "_wait_for_screen", lambda _number: None)
        send(pilot, "down", "down", "down")
        await until(pilot, lambda: selected(pilot) == "d.md")


def many(count: int = 300) -> MemoryStore:
    return MemoryStore([make_topic(f"t{number:03}") for number in range(count)])


def pinned(store: MemoryStore) -> list[str]:
    return [topic.name for topic in store.topics if topic.pinned]


class Gate:
    """Stops a store's call until it is opened."""

    def __init__(self, store: MemoryStore, call: str) -> None:
        self._opened = threading.Event()
        store.hooks[call] = lambda: self._opened.wait(PATIENCE_S)

    def open(self) -> None:
        self._opened.set()


@pytest.mark.parametrize("keys", ["jp", "G", "q"])
async def test_keys_that_are_faster_than_the_first_frame(
    demo: Places, monkeypatch: pytest.MonkeyPatch, keys: str
) -> None:
    compose = ListFrame._compose

    async def late(self: ListFrame) -> None:
        send_to(self.app, *keys)
        await asyncio.sleep(0.1)  # meanwhile the keys find a list without rows
        await compose(self)

    monkeypatch.setattr(ListFrame, "_compose", late)
    app = PimemApp(registry.all_stores(demo), demo)
    async with app.run_test() as pilot:
        if keys == "q":
            await until(pilot, lambda: not app.is_running)
            return
        await until(pilot, lambda: browser(pilot).browsing.view.is_read)
        await settled(pilot)
        if keys == "G":
            assert browser(pilot).topic_list.selected > 1
        else:
            assert browser(pilot).topic_list.selected == 1
    assert app.crash is None


async def test_keys_before_the_list_is_read_wait_for_all_of_it(demo: Places) -> None:
    store = many()
    gate = Gate(store, "list")
    top = prepare(store.topics[:100])
    async with manager(demo, [store], top=top, ready=False) as pilot:
        send(pilot, "G", "p")
        await until(pilot, lambda: "list" in store.calls)
        assert selected(pilot) == "t000.md"
        gate.open()
        await until(pilot, lambda: bool(pinned(store)))
        assert pinned(store) == ["t299"]


async def test_letters_for_a_filter_wait_until_there_is_one(demo: Places) -> None:
    before = index_of(demo)
    async with manager(demo, ready=False) as pilot:
        await burst(pilot, "slash", *"drop")
        await until(pilot, lambda: browser(pilot).query_one(FilterInput).value == "drop")
        assert isinstance(pilot.app.screen, BrowserScreen)
    assert index_of(demo) == before


async def test_a_store_that_hangs_can_be_left(demo: Places) -> None:
    store = many()
    gate = Gate(store, "list")
    async with manager(demo, [store], ready=False) as pilot:
        send(pilot, "q")
        await until(pilot, lambda: not pilot.app.is_running)
        gate.open()


async def test_what_is_done_to_a_hit_waits_for_the_hits(demo: Places) -> None:
    store = many()
    async with manager(demo, [store]) as pilot:
        gate = Gate(store, "search")
        send(pilot, "slash", *"t25", "down", "enter", "p")
        await until(pilot, lambda: "search" in store.calls)
        gate.open()
        await settled(pilot)
        assert pinned(store) == ["t251"]


async def test_keys_wait_for_nothing_that_broke(demo: Places) -> None:
    store = many()
    async with manager(demo, [store]) as pilot:
        store.errors["search"] = RuntimeError("a fault")
        await burst(pilot, "slash", "x")
        assert not browser(pilot).keeps_waiting("enter", 0)
        store.errors["list"] = RuntimeError("a fault")
        await burst(pilot, "escape", "escape", "s")
        assert not browser(pilot).keeps_waiting("p", 0)


async def test_what_is_done_after_sorting_waits_for_the_order(demo: Places) -> None:
    store = many()
    store.topics.reverse()
    async with manager(demo, [store]) as pilot:
        gate = Gate(store, "list")
        send(pilot, "s", "G", "p")
        await until(pilot, lambda: store.calls.count("list") == 2)
        gate.open()
        await settled(pilot)
        assert pinned(store) == ["t299"]


async def test_what_is_done_in_another_store_waits_for_its_topics(demo: Places) -> None:
    here, there = many(), MemoryStore([make_topic(name) for name in "abc"], name="there")
    async with manager(demo, [here, there]) as pilot:
        gate = Gate(there, "list")
        send(pilot, "2", "G", "p")
        await until(pilot, lambda: "list" in there.calls)
        gate.open()
        await settled(pilot)
        assert (pinned(here), pinned(there)) == ([], ["c"])


async def test_a_change_is_made_before_the_next_one(demo: Places) -> None:
    store = many(5)
    async with manager(demo, [store], notifications=True) as pilot:
        await burst(pilot, "p", "p", "p")
        assert pinned(store) == ["t000"]
        await burst(pilot, "down", "r")
        await press(pilot, "y")  # a question takes no key from before it was seen
        await burst(pilot, "p")
        assert pinned(store) == ["t000", "t002"]
        assert [topic.name for topic in store.topics] == ["t000", "t002", "t003", "t004"]


async def test_undo_twice_takes_two_changes_back(demo: Places) -> None:
    async with manager(demo) as pilot:
        before = index_of(demo)
        await burst(pilot, "down", "p", "down", "down", "p")
        assert index_of(demo) != before
        await burst(pilot, "u", "u")
        assert index_of(demo) == before


async def test_keys_after_saving_go_to_the_list(demo: Places) -> None:
    async with manager(demo) as pilot:
        await burst(pilot, "n", *"Xylophone", "tab", *"how", "f2", "slash", *"xy")
        assert browser(pilot).query_one(FilterInput).value == "xy"
        assert selected(pilot) == "xylophone.md"


async def test_a_hit_of_all_stores_opens_for_all_that_was_typed(demo: Places) -> None:
    one = MemoryStore([make_topic("x"), make_topic("xy")])
    async with manager(demo, [one]) as pilot:
        await burst(pilot, "F", *"xy", "enter")
        assert opened_file(pilot) == "xy.md"


async def test_a_setting_is_chosen_once_they_are_read(demo: Places) -> None:
    async with manager(demo) as pilot:
        await press(pilot, "c", "down", "down")
        about = shown(pilot).splitlines()[-2]
        await press(pilot, "escape")
        await burst(pilot, "c", "down", "down")
        assert shown(pilot).splitlines()[-2] == about


async def test_keys_for_links_wait_until_these_are_known(
    demo: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, told = threading.Event(), threading.Event()
    links = OpenpiStore.links

    def late(store: OpenpiStore, file: str) -> Links:
        asked.set()
        told.wait(PATIENCE_S)
        return links(store, file)

    monkeypatch.setattr(OpenpiStore, "links", late)
    async with manager(demo) as pilot:
        send(pilot, "enter", "tab", "enter", "end")
        await until(pilot, asked.is_set)
        assert opened_file(pilot) == "postgresql-setup.md"
        told.set()
        await settled(pilot)
        assert opened_file(pilot) == "deploy-checklist.md"
        assert detail(pilot).body.scroll_y == detail(pilot).body.max_scroll_y
        await press(pilot, "escape", "escape")
        told.clear()
        send(pilot, "enter", "escape", "down")
        await until(pilot, lambda: selected(pilot) == "deploy-checklist.md")  # no need to wait
        told.set()
