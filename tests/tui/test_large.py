"""Ten thousand topics cost no more than the rows in view."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pimem_tui.widgets import topic_list
from pimem_tui.widgets.topic_row import draw_row
from tui.helpers import MemoryStore, browser, make_topic, manager, press, selected, settled, shown

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
