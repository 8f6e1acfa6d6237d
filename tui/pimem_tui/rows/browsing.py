"""Where a person is in the list: which store, its rows, their order, the filter, marks, folds.

This is state only. The screen tells it what was pressed and read; it answers what shows.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pimem_core.systems.layers import LayerStore
from pimem_core.systems.stores import ComposingStore, WritableStore

from ..drawing.matches import NO_WORDS
from .branches import EntryRow, file_of, handle
from .empty_states import state_of, state_of_layer
from .filtering import next_type
from .listing import Listing
from .ordering import ORDERS
from .statuses import read_only

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from pimem_core.model import StoreStatus, Topic
    from pimem_core.systems.stores import Store

    from .layer_state import LayerState


@dataclass
class StoreView:
    """What is known of one store, and where the person was in it."""

    #: Its rows; None until they were read.
    listing: Listing | None = None
    status: StoreStatus | None = None
    #: Why it could not be read the last time; empty when it could.
    error: str = ""
    #: The selected row, by its file.
    file: str | None = None
    #: Files that are marked to be changed together.
    marked: set[str] = field(default_factory=set)
    #: Files that somebody else changed just now.
    changed: frozenset[str] = frozenset()
    #: Files whose entries show below them.
    unfolded: set[str] = field(default_factory=set)
    #: What else is known of a layer of a memory.
    layer: LayerState | None = None

    @property
    def is_read(self) -> bool:
        """Whether the store has been read, or has refused to be."""
        return self.listing is not None or bool(self.error)

    @property
    def rows(self) -> Listing:
        """Its rows, none before they were read."""
        return self.listing or Listing()

    @property
    def types(self) -> Sequence[str]:
        """The types that its rows can be filtered by."""
        return self.rows.types

    @property
    def marked_topics(self) -> Sequence[Topic]:
        """The marked topics, in the order of the list."""
        return [topic for topic in self.rows.topics if topic.file in self.marked]

    def take_rows(self, listing: Listing) -> None:
        """Take rows that were read; marks of topics that are gone go with them."""
        self.listing = listing
        self.error = ""
        self.marked &= listing.rows.keys()

    def toggle_mark(self, topic: Topic) -> None:
        """Mark a topic, or take its mark off."""
        self.marked ^= {topic.file}

    def toggle_marks(self, topics: Iterable[Topic]) -> None:
        """Mark these topics; when all are marked, none. Entries and unlisted files cannot be."""
        files = {topic.file for topic in topics if topic.listed and not isinstance(topic, EntryRow)}
        if files <= self.marked:
            self.marked -= files
        else:
            self.marked |= files

    def fold(self, topic: Topic) -> str:
        """Hide the entries of a file, or of the one that an entry is in; that file is selected."""
        self.file = file_of(topic)
        self.unfolded.discard(self.file)
        return self.file

    def unfold_all(self, selected: Topic | None) -> None:
        """Show the entries of all files; when all show, hide them and select a file."""
        foldable = {topic.file for topic in self.rows.topics if topic.entries}
        if not foldable <= self.unfolded:
            self.unfolded |= foldable
            return
        self.unfolded.clear()
        if selected is not None:
            self.file = file_of(selected)

    def unfold_to(self, entry: str) -> None:
        """Select an entry, by its handle, and show those of its file."""
        self.unfolded.add(entry.partition("\n")[0])
        self.file = entry


def related_entry(topic: Topic | None) -> str | None:
    """The handle of the entry that supersedes an entry, else of the one that it supersedes."""
    if not isinstance(topic, EntryRow):
        return None
    entry = topic.entry
    place = entry.superseded_by[0] if entry.superseded_by else entry.supersedes
    return handle(place) if place is not None else None


class Browsing:
    """Several stores, one of which shows, under one filter and in one order."""

    def __init__(self, stores: Sequence[Store], start: int = 0) -> None:
        """Begin to browse.

        Args:
            stores: The stores.
            start: The number of the one that shows first, from 0.
        """
        self.stores = stores
        self.index = start
        self.views = [StoreView() for _ in stores]
        #: The order of the rows, one of `ORDERS`.
        self.order = 0
        #: The filter as it was typed.
        self.query = ""
        #: The words of it that are looked for in texts, and marked.
        self.words = NO_WORDS
        #: What it has found; None until it has found anything.
        self.hits: Listing | None = None
        #: Says that there is nothing, and what is like it.
        self.nothing = ""
        #: Whether reading takes so long that it is worth a message.
        self.is_slow = False

    @property
    def store(self) -> Store:
        """The store that shows."""
        return self.stores[self.index]

    @property
    def view(self) -> StoreView:
        """What is known of it."""
        return self.views[self.index]

    def view_of(self, store: Store) -> StoreView:
        """What is known of a store."""
        return self.views[self.stores.index(store)]

    def go_to(self, index: int) -> bool:
        """Show another store, if there is one with this number from 0; its filter stays."""
        if index == self.index or not 0 <= index < len(self.stores):
            return False
        self.index = index
        self.hits = None
        self.is_slow = False
        return True

    # Order and filter --------------------------------------------------------------------------

    @property
    def order_name(self) -> str:
        """The order in words; empty for the store's own."""
        return ORDERS[self.order][0] if self.order else ""

    def next_order(self) -> None:
        """Go on to the next order of the rows."""
        self.order = (self.order + 1) % len(ORDERS)

    def next_type(self, shown: Listing) -> str:
        """The filter that keeps to the next type, after the last to all; its words stay.

        Args:
            shown: The rows that show, which say what types are called before all are read.
        """
        return next_type(self.query, self.view.types, (self.view.listing or shown).type_word)

    def filter_by(self, query: str) -> None:
        """Take another filter; what an older one found shows until there is something newer."""
        self.query = query
        if not query:
            self.hits = None
            self.words = NO_WORDS

    def searches(self, store: Store, query: str) -> bool:
        """Whether a search is still the one that is wanted."""
        return (store, query) == (self.store, self.query)

    # What can be done, and what is said ----------------------------------------------------------

    def can_write(self) -> bool | None:
        """Whether a topic can be written here; None when something is in the way."""
        store, view = self.store, self.view
        is_layer = isinstance(store, LayerStore)
        if not is_layer and not (
            isinstance(store, WritableStore) and isinstance(store, ComposingStore)
        ):
            return False
        refused = is_layer and (view.layer is None or bool(view.layer.refusal))
        # What cannot be read cannot be written either: nothing should be typed in vain.
        return None if refused or view.error or read_only(view.status) else True

    def message(self, key_for: Callable[[str], str], *, rows_show: bool) -> str | None:
        """What to say in place of the rows; None when these show.

        Args:
            key_for: Gives the first key of a binding.
            rows_show: Whether there are rows on the screen, be it only the top of them.
        """
        view = self.view
        if not view.is_read and (rows_show or not self.is_slow):
            return None  # most stores are there before anybody could read a message
        text = state_of(
            view.listing,
            view.status,
            view.error,
            self.query,
            self.hits,
            key_for("list.new") if self.can_write() else "",
            key_for("filter.clear"),
            self.nothing,
        )
        if text is not None and view.layer is not None and view.layer.missing and not self.query:
            return state_of_layer(view.layer, key_for("layer.init"))
        return text
