"""What the list shows: the rows of a store, how the store is, and a preview where it fits."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from pimem_core.systems.layers import LayerStore
from pimem_core.systems.stores import ComposingStore, WritableStore
from textual import on

from ..rows.empty_states import state_of, state_of_layer
from ..rows.listing import Listing
from ..rows.ordering import ORDERS
from ..services.garbage import keep_out
from ..widgets import TopicList
from ..widgets.store_header import read_only
from ..workers.messages import (
    LayerRead,
    ReadFailed,
    StatusRead,
    TokensCounted,
    TopicsRead,
)
from ..workers.reading import read_statuses, read_store, search
from .store_frame import PAINT_S, StoreFrame

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pimem_core.model import StoreStatus, Topic
    from pimem_core.systems.stores import Store
    from textual.timer import Timer

    from ..rows.layer_state import LayerState
    from ..services.outcomes import ChangeFailed, TopicChanged
    from ..services.watcher import StoreTouched

#: Seconds after which reading is worth a message.
_SLOW_S = 0.15
#: Seconds between two looks at a store that somebody holds locked.
_LOCK_LOOK_S = 2.0
#: Seconds that a row stays marked after somebody else changed it.
_MARK_S = 4.0
#: Topics that are worth keeping out of garbage collection.
_MANY = 1_000
_PINS = {"pinned_now": True, "unpinned_now": False}


@dataclass
class Shown:
    """What is known of one store, and where the person was in it."""

    listing: Listing | None = None
    status: StoreStatus | None = None
    tokens: int | None = None
    error: str = ""
    file: str | None = None
    #: Files that are marked to be changed together.
    marked: set[str] = field(default_factory=set)
    #: Files that somebody else changed just now.
    changed: frozenset[str] = frozenset()
    #: Files whose entries show below them.
    unfolded: set[str] = field(default_factory=set)
    #: What is known besides of a layer of a memory.
    layer: LayerState | None = None


class StoreScreen(StoreFrame):
    """One store at a time: its rows, its state and a preview of the selected topic."""

    def __init__(
        self,
        stores: Sequence[Store],
        start: int,
        home: str,
        now: Callable[[], float],
        top: Listing | None = None,
    ) -> None:
        """Show stores.

        Args:
            stores: The stores.
            start: Which of them first.
            home: The person's home folder.
            now: The clock that ages are told by.
            top: What is known already of the top of its list.
        """
        super().__init__([store.name for store in stores], home, now)
        self._top = top
        self._stores = stores
        self._index = start
        self._shown = [Shown() for _ in stores]
        self._query = ""
        self._words = ""
        self._hits: Listing | None = None
        self._slow = False
        self._greyed: tuple[object, ...] = ()
        self._order = 0
        self._unmark: Timer | None = None

    @property
    def store(self) -> Store:
        """The store that is shown."""
        return self._stores[self._index]

    @property
    def store_status(self) -> StoreStatus | None:
        """What is known of that store."""
        return self._shown[self._index].status

    @property
    def is_read(self) -> bool:
        """Whether the store has been read, or has refused to be."""
        shown = self._shown[self._index]
        return shown.listing is not None or bool(shown.error)

    @property
    def topic(self) -> Topic | None:
        """The selected topic, as long as the list shows, and not only the top of a slow one."""
        if self.has_class("-message") or (self._slow and not self.is_read):
            return None
        return self.topic_list.topic

    def can_write(self) -> bool | None:
        """Whether a topic can be written here; None when something is in the way."""
        layer = self.store if isinstance(self.store, LayerStore) else None
        can_compose = isinstance(self.store, WritableStore) and isinstance(
            self.store, ComposingStore
        )
        if layer is None and not can_compose:
            return False
        shown = self._shown[self._index]
        found = shown.layer
        hindered = layer is not None and (found is None or bool(found.refusal))
        # What cannot be read cannot be written either: nothing should be typed in vain.
        return None if hindered or shown.error or read_only(self.store_status) else True

    @property
    def listing_has_entries(self) -> bool:
        """Whether rows of the list can be entries."""
        return self.topic_list.listing.has_entries

    @property
    def _types(self) -> Sequence[str]:
        listing = self._shown[self._index].listing
        return listing.types if listing is not None else ()

    def on_mount(self) -> None:
        """Show the frame, and what is known of the rows; then read."""
        if self._top is not None:
            self.topic_list.show(self._top, name_cells=self._top.name_cells)
        self.tabs.active = self._index
        self.about.path = self.store.place
        self.app.outcomes.changed.subscribe(self, self._follow_change)
        self.app.outcomes.failed.subscribe(self, self._follow_failure)
        self.app.watcher.touched.subscribe(self, self._follow_others)
        self.app.drafts.counted.subscribe(self, self._count_drafts)
        self.set_timer(PAINT_S, partial(self._read, others=True))
        self.set_interval(60, self.topic_list.redraw)  # ages move on
        self.set_interval(_LOCK_LOOK_S, self._look_at_lock)

    def _count_drafts(self, count: int) -> None:
        self.about.drafts = count

    # Reading -----------------------------------------------------------------------------------

    def _read(
        self,
        *,
        others: bool = False,
        touched: frozenset[str] | None = None,
        awaited: bool = True,
    ) -> None:
        """Read the shown store.

        Args:
            others: Look at the other stores as well.
            touched: Files that somebody else changed; None when a key asked for it.
            awaited: Have keys wait for the rows, unless somebody else changed them.
        """
        self._slow = False
        self.due |= awaited and touched is None
        self.set_timer(_SLOW_S, self._say_reading)
        shown = self._shown[self._index]
        job = partial(
            read_store,
            self.store,
            order=self._order,
            unfolded=frozenset(shown.unfolded),
            old=shown.listing,
            touched=touched,
        )
        self.read("read", job)
        if touched is None:
            self.app.watcher.watch(self.store)
        if others:
            rest = [store for store in self._stores if store is not self.store]
            self.read("statuses", partial(read_statuses, rest))

    def _say_reading(self) -> None:
        self._slow = True
        self.fill_later()
        self._show_state()

    @on(TopicsRead)
    def _take_topics(self, message: TopicsRead) -> None:
        self.fill_later()
        index = self._stores.index(message.store)
        shown = self._shown[index]
        if shown.listing is None and len(message.listing.topics) > _MANY:
            keep_out()
        shown.listing = message.listing
        shown.error = ""
        shown.marked &= message.listing.rows.keys()
        changed = self.app.outcomes.by_others(message.store, message.changed)
        if changed:
            self._mark_changed(shown, changed)
        self.tabs.set_count(index, message.listing.count)
        if index == self._index:
            self.hits_due |= self.due and bool(self._query)
            self.due = False
            self._show_rows()

    def _mark_changed(self, shown: Shown, files: frozenset[str]) -> None:
        """Mark rows for a moment; without motion until the next key."""
        shown.changed |= files
        if self._unmark is not None:
            self._unmark.stop()
            self._unmark = None
        if self.app.animation_level != "none":
            self._unmark = self.set_timer(_MARK_S, self.unmark_changed)

    @on(TopicList.KeyPressed)
    def _unmark_at_a_key(self) -> None:
        if self._unmark is None:
            self.unmark_changed()

    def unmark_changed(self) -> None:
        """Take the marks of what somebody else changed off all rows."""
        self._unmark = None
        for shown in self._shown:
            shown.changed = frozenset()
        self._show_flags()

    def _show_flags(self) -> None:
        """Let the list draw which rows are marked, and by whom."""
        shown = self._shown[self._index]
        self.topic_list.flag(shown.marked, shown.changed)
        self._show_place()

    def _show_place(self) -> None:
        count = len(self.topic_list.listing.topics) if self.is_read else 0
        place = f"{self.topic_list.selected + 1:,} of {count:,}" if count else ""
        marked = len(self._shown[self._index].marked)
        self.key_bar.status = f"{marked:,} marked · {place}" if marked else place
        self._grey()

    @on(TokensCounted)
    def _take_tokens(self, message: TokensCounted) -> None:
        index = self._stores.index(message.store)
        self._shown[index].tokens = message.tokens
        if index == self._index:
            self.tabs.tokens = message.tokens

    @on(ReadFailed)
    def _take_failure(self, message: ReadFailed) -> None:
        self.fill_later()
        index = self._stores.index(message.store)
        self._shown[index].error = message.error
        self.tabs.set_count(index, None)  # what cannot be read is not empty
        if index == self._index:
            self.due = self.hits_due = False
            listing = self._shown[index].listing
            if listing is not None and listing.topics:
                self.app.notices.say_error(
                    message.error
                )  # what was read before stays on the screen
            self._show_state()

    @on(StatusRead)
    def _take_status(self, message: StatusRead) -> None:
        index = self._stores.index(message.store)
        shown = self._shown[index]
        shown.status = message.status
        if shown.listing is None and not shown.error:
            self.tabs.set_count(index, message.status.count)
        if index == self._index:
            self.about.status = message.status
            self._show_state()

    @on(LayerRead)
    def _take_layer(self, message: LayerRead) -> None:
        index = self._stores.index(message.state.store)
        self._shown[index].layer = message.state
        if index == self._index:
            self._show_layer()
            self._show_state()

    def _show_layer(self) -> None:
        """Show the line about a layer, for stores that are one."""
        found = self._shown[self._index].layer
        self.strip.found = found
        self.set_class(found is not None and not found.missing, "-layer")

    def _look_at_lock(self) -> None:
        if self.store_status is not None and self.store_status.lock is not None:
            self.read("lock", partial(read_statuses, [self.store]))

    # Showing -----------------------------------------------------------------------------------

    def _show_rows(self) -> None:
        """Show the store's topics, or look for the filter in them again."""
        shown = self._shown[self._index]
        listing = shown.listing or Listing()
        self.tabs.tokens = shown.tokens
        self.about.stale, self.about.problems = listing.stale, listing.problems
        self.about.order = ORDERS[self._order][0] if self._order else ""
        self._show_layer()
        self._show_flags()
        if self._query:
            self.search_again()
            self._show_state()
            return
        self.topic_list.show(
            listing,
            name_cells=listing.name_cells,
            type_cells=listing.type_cells,
            file=shown.file,
        )
        self._show_state()

    def search_again(self) -> None:
        """Look for the filter in the shown store."""
        known = self._shown[self._index].listing
        job = partial(search, self.store, self._query, order=self._order, known=known)
        self.read("search", job)

    def _show_state(self) -> None:
        """Put a message in the place of the list when there is nothing to list."""
        shown = self._shown[self._index]
        new_key = self.app.key_for("list.new") if self.can_write() else ""
        keys = (new_key, self.app.key_for("filter.clear"))
        text = state_of(shown.listing, shown.status, shown.error, self._query, self._hits, *keys)
        layer = shown.layer
        if text is not None and layer is not None and layer.missing and not self._query:
            text = state_of_layer(layer, self.app.key_for("layer.init"))
        top_shows = bool(self.topic_list.listing.topics)
        if shown.listing is None and not shown.error and (top_shows or not self._slow):
            text = None  # most stores are there before anybody could read a message
        # Without the message in its place the list would leave the preview its room.
        self.say_instead(text)
        self._grey()

    def _grey(self) -> None:
        """Let the keys follow what can be done, when that has changed."""
        topic, shown = self.topic, self._shown[self._index]
        greyed = (
            self._index,
            topic is None,
            read_only(self.store_status),
            self._query == "",
            bool(shown.marked),
            len(self._types),
            topic.file if topic is not None and self.listing_has_entries else "",
            self.topic_list.listing.unfolded,
            shown.layer,
            shown.error,
        )
        if greyed != self._greyed:
            self._greyed = greyed
            self.refresh_bindings()

    @on(TopicList.TopicSelected)
    def _follow_selection(self, message: TopicList.TopicSelected) -> None:
        topic = message.topic
        shown = self._shown[self._index]
        if topic is not None:
            shown.file = topic.file
        self._show_place()
        self.preview.show(self.store, self.topic, self._words)

    # After a change ----------------------------------------------------------------------------

    def _follow_change(self, message: TopicChanged) -> None:
        """Show a pin at once, then read again what else the change touched."""
        change = message.change
        pinned = _PINS.get(change.outcome)
        listing = self.topic_list.listing
        row = listing.rows.get(change.file)
        if message.store is not self.store:
            if isinstance(self.store, LayerStore) and message.store.system == self.store.system:
                self._read()  # the layers hide each other's files, and share task and inbox
            return
        if pinned is not None and row is not None:
            self.topic_list.replace(listing.topics[row].but(pinned=pinned))
        if change.outcome in ("created", "undone", "redone") and change.file:
            self._shown[self._index].file = change.file  # what came (back) is what is looked for
        self._read(awaited=pinned is None or self._order != 0)

    def _follow_failure(self, message: ChangeFailed) -> None:
        """A refusal often means that the store is not as it was shown."""
        if message.store is self.store:
            self._read()

    def _follow_others(self, message: StoreTouched) -> None:
        """Read again after somebody else changed the store."""
        if message.store is self.store:
            self._read(touched=message.files)
