"""The search across stores."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest
from pimem_core.errors import StorageError
from pimem_core.systems import registry
from pimem_tui.app import PimemApp
from pimem_tui.screens.browser import BrowserScreen
from pimem_tui.screens.detail import DetailScreen
from pimem_tui.screens.search import SearchScreen
from tui.helpers import (
    NOW,
    ODDITIES,
    MemoryStore,
    detail,
    make_topic,
    manager,
    notices,
    press,
    settled,
    shown,
    until,
)
from tui.test_sizes import LARGE, SMALL, after
from waiting import PATIENCE_S

if TYPE_CHECKING:
    from collections.abc import Callable

    from pimem_core.paths import Places


def line_with(text: str, words: str) -> str:
    return next(line for line in text.splitlines() if words in line)


async def test_hits_of_all_stores_say_where_and_why(demo: Places) -> None:
    async with manager(demo) as pilot:
        await press(pilot, "F")
        assert "Type what to look for in local, shared" in shown(pilot)
        await press(pilot, *"deploy")
        text = shown(pilot)
        assert "5 hits" in text.splitlines()[0]
        assert line_with(text, "PostgreSQL Setup").split()[:1] == ["local"]
        assert "line 13: " in line_with(text, "PostgreSQL Setup")
        assert "deploy" in line_with(text, "PostgreSQL Setup")
        assert line_with(text, "Calendar of").split()[:1] == ["shared"]
        rows = [line for line in text.splitlines()[1:] if line.split()]
        below = rows.index(line_with(text, "Calendar of"))
        await press(pilot, *["down"] * below, "enter")
        assert detail(pilot).subject().store.name == "shared"
        assert "Calendar of Freezes" in shown(pilot)
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, SearchScreen)
        assert pilot.app.screen.rows.selected == below
        await press(pilot, "escape")
        assert "Type what to look for" in shown(pilot)
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, BrowserScreen)


async def test_nothing_found_says_so(demo: Places) -> None:
    async with manager(demo) as pilot:
        await press(pilot, "F", *"[/qzx", "enter")
        assert 'Nothing matches "[/qzx".' in shown(pilot)
        assert "esc clears the words." in shown(pilot)
        assert isinstance(pilot.app.screen, SearchScreen)


async def test_a_store_that_cannot_be_searched_hides_no_other(demo: Places) -> None:
    good, bad = MemoryStore([make_topic("alpha")]), MemoryStore(name="broken")
    bad.errors["search"] = StorageError("The index cannot be read.")
    async with manager(demo, [bad, good], start=1) as pilot:
        await press(pilot, "F", *"alp")
        assert "alpha" in shown(pilot)
        assert notices(pilot)[-1] == "broken: The index cannot be read."
        await press(pilot, *"xx")
        assert "broken: The index cannot be read." in shown(pilot)


async def test_first_hits_come_before_the_last_store(demo: Places) -> None:
    slow, quick = (
        MemoryStore([make_topic("alpine")], name="slow"),
        MemoryStore([make_topic("alpha")], name="quick"),
    )
    go = threading.Event()
    slow.hooks["search"] = lambda: go.wait(PATIENCE_S)
    async with manager(demo, [quick, slow]) as pilot:
        await pilot.press("F")
        await until(pilot, lambda: isinstance(pilot.app.screen, SearchScreen))
        await pilot.press(*"al")
        await until(pilot, lambda: "1 hit …" in shown(pilot))
        assert "alpha" in shown(pilot)
        go.set()
        await until(pilot, lambda: "2 hits" in shown(pilot))
        await settled(pilot)


async def test_odd_names_show_as_they_are(demo: Places) -> None:
    topics = [make_topic(f"{n} {name}", f"t{n}.md") for n, name in enumerate(ODDITIES)]
    async with manager(demo, [MemoryStore(topics)]) as pilot:
        await press(pilot, "F", *"t1")
        assert "[b]" in shown(pilot) or "\\[" in shown(pilot) or "hits" in shown(pilot)
        assert "\x1b" not in shown(pilot)
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, DetailScreen)


@pytest.mark.parametrize("size", [LARGE, SMALL], ids=lambda size: f"{size[0]}x{size[1]}")
def test_pictures_of_the_search(
    demo: Places, snap_compare: Callable[..., bool], size: tuple[int, int]
) -> None:
    app = PimemApp(registry.all_stores(demo)[:2], demo, now=lambda: NOW)
    assert snap_compare(app, terminal_size=size, run_before=after("F", *"deploy", "down"))
