"""Ten thousand topics cost no more than the rows in view."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pimem_core.systems import registry
from pimem_tui.widgets import topic_list
from pimem_tui.widgets.topic_row import draw_row
from pimem_tui.workers import reading, row_loader
from tui.helpers import (
    MemoryStore,
    browser,
    make_topic,
    manager,
    press,
    rows,
    selected,
    settled,
    shown,
    until,
)
from tui.test_type_ahead import send
from waiting import PATIENCE_S

if TYPE_CHECKING:
    import pytest
    from pimem_core.paths import Places

COUNT = 10_000


async def test_only_rows_in_view_are_drawn(demo: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[str] = []

    def counting(topic, *rest):  # type: ignore[no-untyped-def]
        drawn.append(topic.file)
        return draw_row(topic, *rest)

    monkeypatch.setattr(topic_list, "draw_row", counting)
    store = MemoryStore([make_topic(f"topic {number:05}") for number in range(COUNT)])
    async with manager(demo, [store]) as pilot:
        rows = pilot.app.size.height
        assert "1 of 10,000" in shown(pilot)
        assert "memory 10,000" in shown(pilot)
        assert len(set(drawn)) <= rows
        drawn.clear()
        await press(pilot, "end")
        assert selected(pilot) == "topic 09999.md"
        assert len(set(drawn)) <= rows
        drawn.clear()
        await press(pilot, "up")
        assert len(drawn) <= 3
        drawn.clear()
        await press(pilot, "p")
        assert " ● topic 09998" in shown(pilot)
        assert len(set(drawn)) <= rows


async def test_the_place_on_the_screen_stays_when_rows_come_and_go(demo: Places) -> None:
    store = MemoryStore([make_topic(f"topic {number:05}") for number in range(COUNT)])
    async with manager(demo, [store]) as pilot:
        browser(pilot).topic_list.select(5_000)
        await press(pilot, *["down"] * 5, *["up"] * 3)
        widget = browser(pilot).topic_list
        line = widget.selected - round(widget.scroll_y)
        store.topics = [make_topic(f"new {number}") for number in range(700)] + store.topics
        await press(pilot, "p")
        assert selected(pilot) == "topic 05002.md"
        assert widget.selected - round(widget.scroll_y) == line


async def test_filtering_many(demo: Places) -> None:
    store = MemoryStore([make_topic(f"topic {number:05}") for number in range(COUNT)])
    async with manager(demo, [store]) as pilot:
        await press(pilot, "slash", *"99")
        await settled(pilot)
        assert "hits" in shown(pilot).splitlines()[1]
        await press(pilot, *"98", "enter", "enter")
        assert "topic 09998" in shown(pilot)


def numbered(places: Places, count: int) -> Path:
    """A store with so many topics; its index."""
    folder = Path(places.agent_dir, "memory")
    folder.mkdir(parents=True)
    lines = ["# Memory Index", ""]
    for number in range(count):
        (folder / f"topic-{number:03}.md").write_text("text")
        lines.append(f"- [Topic {number:03}](topic-{number:03}.md) 2026-11-01 -- about {number}")
    (folder / "MEMORY.md").write_text("\n".join(lines))
    return folder / "MEMORY.md"


async def test_the_top_of_a_long_list_shows_before_all_of_it_is_read(
    places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = numbered(places, 150)
    store = registry.active_store(places)
    begun, told = threading.Event(), threading.Event()

    def late(*arguments: Any, **options: Any) -> None:
        begun.set()
        told.wait(PATIENCE_S)
        reading.read_store(*arguments, **options)

    monkeypatch.setattr(row_loader, "read_store", late)
    async with manager(places, ready=False, top=reading.top_of(store)) as pilot:
        await until(pilot, begun.is_set)
        assert not browser(pilot).browsing.view.is_read
        assert [line for line in rows(pilot) if "Topic 000" in line]
        assert "of 100" not in shown(pilot)
        await pilot.press("down")
        send(pilot, "p")
        told.set()
        await until(pilot, lambda: browser(pilot).browsing.view.is_read)
        await settled(pilot)
        assert "2 of 150" in shown(pilot)
        assert selected(pilot) == "topic-001.md"
    assert "- [Topic 001](topic-001.md) [pin]" in index.read_text()
