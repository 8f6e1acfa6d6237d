"""What a person browses, without a screen: stores, rows, order, filter, marks, folds."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from pimem_core.model import StoreStatus
from pimem_core.search.query import parse
from pimem_tui.drawing.matches import Words
from pimem_tui.keys.row_wait import RowWait
from pimem_tui.keys.type_ahead import PATIENCE_S
from pimem_tui.rows.branches import EntryRow, list_rows
from pimem_tui.rows.browsing import Browsing, StoreView, related_entry
from pimem_tui.rows.layer_state import LayerState
from pimem_tui.rows.listing import Listing, prepare
from pimem_tui.rows.ordering import ORDERS
from tui.helpers import MemoryStore, PlainStore, make_topic

if TYPE_CHECKING:
    from collections.abc import Sequence

    from layered.worlds import World
    from pimem_core.model import Topic
    from pimem_core.systems.layers import LayerStore

TEXT = (
    "# Decisions\n\n"
    "## 2026-03-01 Old\n\n- **status**: active\n\n"
    "## 2026-05-04 Middle\n\n- **status**: superseded\n- **superseded by**: 2026-07-16 New\n\n"
    "## 2026-07-16 New\n\n- **status**: active\n- **supersedes**: 2026-05-04 Middle\n"
)


def topics(names: str) -> list[Topic]:
    return [make_topic(name) for name in names]


def view_of(names: str) -> StoreView:
    view = StoreView()
    view.take_rows(prepare(topics(names)))
    return view


def files(found: Sequence[Topic]) -> list[str]:
    return [topic.file for topic in found]


def key_for(key_id: str) -> str:
    return f"<{key_id}>"


@pytest.fixture
def layer(world: World) -> LayerStore:
    """The memory of a project: an index, a file with entries and one without."""
    world.fill(workspace={"decisions.md": TEXT, "patterns.md": "# Patterns\n\nText.\n"})
    return world.layer("workspace")


def unfolded(layer: LayerStore, view: StoreView) -> Listing:
    view.take_rows(list_rows(layer, order=0, unfolded=view.unfolded, cancelled=lambda: False))
    return view.rows


def entries(listing: Listing) -> list[EntryRow]:
    return [topic for topic in listing.topics if isinstance(topic, EntryRow)]


def test_it_loads_no_textual() -> None:
    code = "import sys, pimem_tui.rows.browsing; print('textual' in sys.modules)"
    paths = os.pathsep.join(path for path in sys.path if path)
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": paths},
    )
    assert done.stdout.strip() == "False"


# Marks -----------------------------------------------------------------------------------------


def test_marks_are_kept_in_the_order_of_the_list_and_go_with_their_topics() -> None:
    view = view_of("abc")
    for name in "ca":
        view.toggle_mark(make_topic(name))
    assert files(view.marked_topics) == ["a.md", "c.md"]
    view.toggle_mark(make_topic("a"))
    assert files(view.marked_topics) == ["c.md"]
    view.take_rows(prepare(topics("ab")))
    assert view.marked == set()


def test_all_are_marked_but_what_cannot_be_then_none(layer: LayerStore) -> None:
    view = view_of("ab")
    unlisted = make_topic("u", listed=False)
    view.toggle_mark(make_topic("a"))
    view.toggle_marks([*topics("ab"), unlisted])
    assert view.marked == {"a.md", "b.md"}
    view.toggle_marks([*topics("ab"), unlisted])
    assert view.marked == set()
    view.unfolded = {"decisions.md"}
    view.toggle_marks(unfolded(layer, view).topics)
    assert view.marked == {"decisions.md", "index.md", "patterns.md"}


def test_a_mark_outside_of_what_shows_stays() -> None:
    view = view_of("abc")
    view.toggle_mark(make_topic("c"))
    view.toggle_marks(topics("ab"))
    view.toggle_marks(topics("ab"))
    assert view.marked == {"c.md"}


# Reading ---------------------------------------------------------------------------------------


def test_a_view_is_read_with_rows_or_with_an_error() -> None:
    view = StoreView()
    assert not view.is_read
    assert view.rows.topics == []
    view.error = "permission denied"
    assert view.is_read
    view.take_rows(Listing())
    assert view.is_read
    assert view.error == ""


# Files and their entries -----------------------------------------------------------------------


def test_folding_from_an_entry_selects_its_file(layer: LayerStore) -> None:
    view = StoreView(unfolded={"decisions.md"})
    inside = entries(unfolded(layer, view))
    assert len(inside) == 3
    assert view.fold(inside[1]) == view.file == "decisions.md"
    assert entries(unfolded(layer, view)) == []


def test_all_files_with_entries_unfold_then_fold(layer: LayerStore) -> None:
    view = StoreView()
    unfolded(layer, view)
    view.unfold_all(None)
    assert view.unfolded == {"decisions.md"}
    entry = entries(unfolded(layer, view))[0]
    view.unfold_all(entry)
    assert view.unfolded == set()
    assert view.file == "decisions.md"


def test_an_entry_leads_to_the_newer_one_and_that_back(layer: LayerStore) -> None:
    view = StoreView(unfolded={"decisions.md"})
    old, middle, new = sorted(entries(unfolded(layer, view)), key=lambda row: row.entry.date)
    assert related_entry(middle) == new.file
    assert related_entry(new) == middle.file
    assert related_entry(old) is None
    assert related_entry(make_topic("a")) is None
    assert related_entry(None) is None
    view.unfolded.clear()
    view.unfold_to(new.file)
    assert view.unfolded == {"decisions.md"}
    assert view.file == new.file


# Stores ----------------------------------------------------------------------------------------


def test_each_store_keeps_its_place_and_the_filter_its_words() -> None:
    browsing = Browsing([MemoryStore(name="one"), MemoryStore(name="two")])
    browsing.view.file = "a.md"
    browsing.filter_by("word")
    browsing.hits, browsing.is_slow = Listing(), True
    assert browsing.go_to(1)
    assert browsing.store.name == "two"
    assert browsing.view.file is None
    assert browsing.query == "word"
    assert browsing.hits is None
    assert not browsing.is_slow
    assert not browsing.go_to(1)
    assert not browsing.go_to(2)
    assert not browsing.go_to(-1)
    assert browsing.go_to(0)
    assert browsing.view.file == "a.md"
    assert browsing.view_of(browsing.stores[1]) is browsing.views[1]


# Order and filter ------------------------------------------------------------------------------


def test_orders_go_round() -> None:
    browsing = Browsing([MemoryStore()])
    names = []
    for _ in ORDERS:
        names.append(browsing.order_name)
        browsing.next_order()
    assert names == ["", *(name for name, _key, _greatest in ORDERS[1:])]
    assert browsing.order == 0


def test_an_empty_filter_forgets_what_was_found() -> None:
    browsing = Browsing([MemoryStore(), MemoryStore()])
    browsing.filter_by("one")
    browsing.hits, browsing.words = prepare(topics("a")), Words(parse("one").terms)
    browsing.filter_by("ones")
    assert browsing.hits.count == 1  # shows until there is something newer
    assert browsing.searches(browsing.store, "ones")
    assert not browsing.searches(browsing.store, "one")
    assert not browsing.searches(browsing.stores[1], "ones")
    browsing.filter_by("")
    assert browsing.hits is None
    assert not browsing.words


def test_types_go_round_and_words_stay() -> None:
    browsing = Browsing([MemoryStore()])
    typed = [make_topic("a", type="user"), make_topic("b", type="feedback")]
    browsing.view.take_rows(prepare(typed))
    seen = []
    browsing.filter_by("word")
    for _ in range(3):
        browsing.filter_by(browsing.next_type(browsing.view.rows))
        seen.append(browsing.query)
    assert seen == ["type:feedback word", "type:user word", "word"]


# What can be written, and what is said -----------------------------------------------------------


def test_what_is_in_the_way_of_writing(layer: LayerStore) -> None:
    assert Browsing([PlainStore()]).can_write() is False
    browsing = Browsing([MemoryStore()])
    assert browsing.can_write() is True
    browsing.view.error = "permission denied"
    assert browsing.can_write() is None
    browsing.view.error = ""
    browsing.view.status = StoreStatus(
        store="x", system="memory", path="/x", exists=True, active=False, format="foreign:other"
    )
    assert browsing.can_write() is None
    layers = Browsing([layer])
    assert layers.can_write() is None  # nothing is known yet
    layers.view.layer = LayerState(layer, layer.load(), "", None, missing=False, refusal="")
    assert layers.can_write() is True
    layers.view.layer = layers.view.layer._replace(refusal="a link leads out of it")
    assert layers.can_write() is None


def test_what_is_said_in_place_of_rows(layer: LayerStore) -> None:
    browsing = Browsing([MemoryStore()])

    def said(*, rows_show: bool = False) -> str | None:
        return browsing.message(key_for, rows_show=rows_show)

    assert said() is None  # most stores are there before anybody could read a message
    browsing.is_slow = True
    assert said() == "Reading …"
    assert said(rows_show=True) is None
    browsing.view.error = "permission denied"
    assert "permission denied" in (said() or "")
    browsing.view.take_rows(Listing())
    assert "<list.new> writes the first one" in (said() or "")
    browsing.view.take_rows(prepare(topics("a")))
    assert said() is None
    browsing.filter_by("nowhere")
    assert said() is None
    browsing.hits = Listing()
    assert "<filter.clear> clears the filter" in (said() or "")
    layers = Browsing([layer])
    layers.view.take_rows(Listing())
    layers.view.layer = LayerState(layer, layer.load(), "", None, missing=True, refusal="")
    assert "<layer.init> creates it" in (layers.message(key_for, rows_show=False) or "")


# Keys that wait --------------------------------------------------------------------------------


def test_which_keys_wait_for_rows() -> None:
    wait = RowWait()

    def waits(key_id: str | None, waited_s: float = 0.0, **now: bool) -> bool:
        states = {"is_read": True, "is_mounted": True, "typing": False, **now}
        return wait.applies(key_id, waited_s, **states)

    assert not waits("topic.pin")
    assert waits("topic.pin", is_read=False)
    wait.rows = True
    assert waits("topic.pin")
    assert not waits("app.quit")
    assert not waits("topic.pin", PATIENCE_S)
    assert waits("topic.pin", PATIENCE_S, is_mounted=False)
    assert not waits(None, typing=True)  # a letter of the filter
    assert waits("filter.accept", typing=True)
    wait.end()
    assert not waits("topic.pin")
    wait.hits = True
    assert waits("topic.pin")
