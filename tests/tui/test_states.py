"""Every state of a store says what to do next."""

from __future__ import annotations

import os
import re
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pimem_core.errors import StorageError
from pimem_core.paths import find_places
from pimem_core.systems import registry
from pimem_tui.app import PimemApp
from pimem_tui.rows.listing import prepare
from pimem_tui.screens.edit import EditScreen
from pimem_tui.services.watcher import StoreTouched
from pimem_tui.widgets import HeaderLine
from pimem_tui.workers.messages import StatusRead
from tui.helpers import (
    NOW,
    MemoryStore,
    PlainStore,
    browser,
    failing,
    make_topic,
    manager,
    notices,
    press,
    settled,
    shown,
    until,
)
from waiting import PATIENCE_S

if TYPE_CHECKING:
    from pimem_core.paths import Places


async def test_an_empty_store_names_the_way_to_fill_it() -> None:
    async with manager(find_places()) as pilot:
        assert "No memories here yet." in shown(pilot)
        assert "n writes the first one; or ask pi to remember something." in shown(pilot)
        assert "1 local 0" in shown(pilot)
        await press(pilot, "enter", "p", "r", "E", "slash", "x", "enter")
        assert notices(pilot) == []
    assert os.listdir() == []


async def test_a_message_leaves_the_preview_in_its_place(demo: Places) -> None:
    async with manager(demo, [MemoryStore()]) as pilot:
        screen = browser(pilot)
        assert screen.frame.preview.region.x == 72
        assert screen.query_one(HeaderLine).joint == 72


async def test_the_top_of_a_slow_store_stays_but_nothing_is_done_to_it(demo: Places) -> None:
    store, goes_on = MemoryStore([make_topic(name) for name in "abc"]), threading.Event()
    store.hooks["list"] = lambda: goes_on.wait(PATIENCE_S)
    top = prepare(store.topics[:2])
    async with manager(demo, [store], top=top, ready=False) as pilot:
        screen = browser(pilot)
        await until(pilot, lambda: screen.frame.is_complete)  # slow enough for a message
        assert "about b" in shown(pilot)
        assert "Reading" not in shown(pilot)
        assert screen.frame.topic is None
        goes_on.set()
        await settled(pilot)
        assert screen.frame.topic is not None


async def test_a_store_that_fills_up_is_shown(demo: Places) -> None:
    store = MemoryStore()
    other = MemoryStore([make_topic("one")], name="other")
    async with manager(demo, [store, other]) as pilot:
        assert "No memories here yet." in shown(pilot)
        store.topics.append(make_topic("alpha"))
        await press(pilot, "tab", "tab")
        assert "alpha" in shown(pilot)
        assert "No memories" not in shown(pilot)
        await press(pilot, "p")
        assert " ● alpha" in shown(pilot)


async def test_an_unreadable_store_says_why(demo: Places) -> None:
    error = StorageError("/x/MEMORY.md: permission denied; make it readable for you.")
    async with manager(demo, [failing(error)]) as pilot:
        text = shown(pilot)
        assert "This store cannot be read." in text
        assert "permission denied; make it readable for you." in text
        # No count, as if it were empty: only what the next prompt carries stands on that line.
        assert re.match(r" pimem   memory +[\d,]+ tokens per prompt *\n", text)
        await press(pilot, "p", "r", "E", "enter")
        assert notices(pilot) == []


async def test_nothing_new_is_begun_where_nothing_can_be_read(demo: Places) -> None:
    store = failing(StorageError("/x/MEMORY.md: permission denied."))
    async with manager(demo, [store]) as pilot:
        await press(pilot, "n")
        assert pilot.app.screen is browser(pilot)
        assert browser(pilot).check_action("new", ()) is None
        del store.errors["list"]
        app = pilot.app
        assert isinstance(app, PimemApp)
        app.watcher.touched.publish(StoreTouched(store, frozenset()))
        await settled(pilot)
        await press(pilot, "n")
        assert isinstance(pilot.app.screen, EditScreen)


@pytest.fixture
def folder_for_index(demo: Places) -> None:
    index = Path(demo.agent_dir, "memory", "MEMORY.md")
    index.unlink()
    index.mkdir()


@pytest.mark.usefixtures("folder_for_index")
async def test_a_real_index_that_is_no_file(demo: Places) -> None:
    async with manager(demo) as pilot:
        assert "This store cannot be read." in shown(pilot)
        assert "MEMORY.md" in shown(pilot)
        await press(pilot, "tab")
        assert "Working Agreements" in shown(pilot)


async def test_a_failing_reload_keeps_what_is_shown(demo: Places) -> None:
    store = MemoryStore([make_topic("alpha"), make_topic("beta")])
    async with manager(demo, [store]) as pilot:
        store.errors["list"] = StorageError("The disk is gone.")
        await press(pilot, "p")
        assert "alpha" in shown(pilot)
        assert "beta" in shown(pilot)
        assert "The disk is gone." in notices(pilot)


@pytest.mark.parametrize("form", ["foreign:pi-memory", "unknown"])
async def test_a_foreign_format_is_read_only(demo: Places, form: str) -> None:
    store = MemoryStore([make_topic("alpha")])
    store.state = store.state.but(format=form)
    async with manager(demo, [store]) as pilot:
        assert f"read-only: {form}" in shown(pilot)
        await press(pilot, "p", "r", "E")
        assert not {"pin", "removal", "read"} & set(store.calls)
        screen = browser(pilot)
        assert screen.check_action("topic", ("toggle_pin",)) is None
        await press(pilot, "enter", "p", "r", "E")
        assert not {"pin", "removal", "read"} & set(store.calls)


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("foreign:pi-memory", "belongs to another program (pi-memory)"),
        ("unknown", "no format that pimem knows"),
    ],
)
async def test_a_foreign_folder_without_topics(demo: Places, form: str, text: str) -> None:
    store = MemoryStore()
    store.state = store.state.but(format=form)
    async with manager(demo, [store]) as pilot:
        assert text in shown(pilot)


async def test_a_folder_of_prose_opens_read_only(demo: Places, tmp_path: Path) -> None:
    """The system's own words say what is there and what to do."""
    folder = tmp_path / "prose"
    folder.mkdir()
    (folder / "MEMORY.md").write_text("Just a sentence.\n")
    app = PimemApp([registry.open_folder(str(folder), demo)], demo, now=lambda: NOW)
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: "read-only: unknown" in shown(pilot))
        assert "MEMORY" in shown(pilot)
        await press(pilot, "question_mark")
        text = str(pilot.app.screen.query_one("#text").render())
        assert "move it away" in " ".join(text.split())


async def test_a_folder_of_markdown_without_an_index_opens_read_only(
    demo: Places, tmp_path: Path
) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "guide.md").write_text("# A guide\n")
    app = PimemApp([registry.open_folder(str(folder), demo)], demo, now=lambda: NOW)
    async with app.run_test(size=(100, 30)) as pilot:
        await until(pilot, lambda: "read-only: unknown" in shown(pilot))
        await press(pilot, "n", "e", "E", "r", "p", "question_mark")
        text = str(pilot.app.screen.query_one("#text").render())
        assert "holds files, but no index" in " ".join(text.split())
    assert (folder / "guide.md").read_text() == "# A guide\n"
    assert sorted(path.name for path in folder.iterdir()) == ["guide.md"]


async def test_a_system_without_an_action_hides_it(demo: Places) -> None:
    store = PlainStore([make_topic("alpha")])
    async with manager(demo, [store]) as pilot:
        keys = shown(pilot).splitlines()[-1]
        assert "pin" not in keys
        assert "remove" not in keys
        assert "edit" not in keys
        await press(pilot, "p", "r", "E")
        assert notices(pilot) == []


async def test_an_unforeseen_error_while_reading_is_told(demo: Places) -> None:
    store = MemoryStore([make_topic("alpha")])
    store.errors["list"] = KeyError("x")
    async with manager(demo, [store], ready=False) as pilot:
        await until(pilot, lambda: "KeyError" in shown(pilot))


async def test_news_after_the_end_is_left(demo: Places) -> None:
    store = MemoryStore([make_topic("a")])
    async with manager(demo, [store]) as pilot:
        screen = browser(pilot)
        await settled(pilot)
        screen.app.drafts.counted.unsubscribe(screen)
        await screen.frame.about.remove()
        left = list(screen.walk_children())
        pilot.app._running = False  # as while the app takes its screens away
        await screen._dispatch_message(StatusRead(store, store.status()))
        pilot.app._running = True
        await settled(pilot)
        assert list(screen.walk_children()) == left
        assert notices(pilot) == []
