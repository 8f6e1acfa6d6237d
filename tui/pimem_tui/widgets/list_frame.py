"""The frame of the list: header, rows, preview and keys, and what each shows of the stores."""

from __future__ import annotations

import contextlib
from functools import partial
from typing import TYPE_CHECKING

from pimem_core.formats.text import visible
from textual import getters, on
from textual.containers import Horizontal, Vertical
from textual.widget import MountError
from textual.widgets import Static

from ..hints import shorten_paths
from ..keys.bindings import key_of
from ..rows.branches import EntryRow
from ..rows.statuses import read_only
from .filter_bar import FilterBar
from .header_line import HeaderLine
from .key_bar import KeyBar
from .layer_strip import LayerStrip
from .preview import Preview
from .store_header import StoreAbout, StoreTabs
from .topic_list import TopicList

if TYPE_CHECKING:
    from collections.abc import Callable

    from pimem_core.model import Topic
    from textual.app import ComposeResult
    from textual.timer import Timer

    from ..rows.browsing import Browsing, StoreView
    from ..rows.listing import Listing

#: Screens with fewer lines than this keep headings short.
LOW = 16
#: Seconds that a row stays marked after somebody else changed it.
_MARK_S = 4.0


class ListFrame(Vertical):
    """Shows one of several stores, its rows and the selected topic; it reads nothing.

    What the first frame does not show is mounted by `fill`.
    """

    tabs = getters.query_one(StoreTabs)
    about = getters.query_one(StoreAbout)
    topic_list = getters.query_one(TopicList)
    key_bar = getters.query_one(KeyBar)
    preview = getters.query_one(Preview)

    def __init__(self, browsing: Browsing, home: str, now: Callable[[], float]) -> None:
        """Show stores.

        Args:
            browsing: What is browsed; the frame shows it as it is when a method is called.
            home: The person's home folder.
            now: The clock that ages are told by.
        """
        super().__init__()
        self._browsing = browsing
        self._home = home
        self._now = now
        self.strip = LayerStrip()
        self.filter_bar = FilterBar()
        self._state = Static(id="state", markup=False)
        self._unmark: Timer | None = None
        self._keys_about: tuple[object, ...] = ()

    def compose(self) -> ComposeResult:
        """Header, list, preview and keys; a message takes the place of the list when needed."""
        yield StoreTabs([store.name for store in self._browsing.stores])
        yield StoreAbout(self._home)
        yield HeaderLine()
        with Horizontal(id="body"):
            yield TopicList(self._now)
            yield Preview(self._now)
        yield KeyBar()

    @property
    def is_complete(self) -> bool:
        """Whether everything is mounted."""
        return bool(self.filter_bar.children)

    async def fill(self) -> None:
        """Mount what the rows need not wait for."""
        with contextlib.suppress(MountError):  # the app ends already
            await self.preview.fill()
            await self.mount(self.strip, self.filter_bar, before=self.query_one(HeaderLine))
            await self.query_one("#body").mount(self._state, before=self.preview)
            self.show_state()

    def on_resize(self) -> None:
        """Join the lines at the top to the preview's, once sizes are known."""
        self.call_after_refresh(self._join_lines)

    def _join_lines(self) -> None:
        self.preview.shorten(self.size.height < LOW)
        self.query_one(HeaderLine).joint = self.preview.region.x if self.preview.display else None

    # What is selected --------------------------------------------------------------------------

    @property
    def topic(self) -> Topic | None:
        """The selected topic, as long as the list shows, and not only the top of a slow one."""
        browsing = self._browsing
        if not self.is_mounted:
            return None  # a key was faster than the first frame
        if self.has_class("-message") or (browsing.is_slow and not browsing.view.is_read):
            return None
        return self.topic_list.topic

    @property
    def entry(self) -> EntryRow | None:
        """The same, when it is a dated entry."""
        topic = self.topic
        return topic if isinstance(topic, EntryRow) else None

    @property
    def shown(self) -> Listing:
        """The rows on the screen, which may be fewer than were read, or older."""
        return self.topic_list.listing

    @on(TopicList.TopicSelected)
    def _follow_selection(self, message: TopicList.TopicSelected) -> None:
        if message.topic is not None:
            self._browsing.view.file = message.topic.file
        self._show_place()
        self.preview.show(self._browsing.store, self.topic, self._browsing.words)

    # Showing -----------------------------------------------------------------------------------

    def show_store(self) -> None:
        """Show which store it is."""
        self.tabs.active = self._browsing.index
        self.about.path = self._browsing.store.place
        self.about.status = self._browsing.view.status

    def show_top(self, top: Listing) -> None:
        """Show what is known of the rows before they are read."""
        self.topic_list.show(top, name_cells=top.name_cells)

    def show_rows(self) -> None:
        """Show the store's rows, unless a filter is on, whose hits come."""
        browsing, view = self._browsing, self._browsing.view
        listing = view.rows
        self.about.stale, self.about.problems = listing.stale, listing.problems
        self.about.order = browsing.order_name
        self.show_layer()
        self.show_flags()
        if not browsing.query:
            self.topic_list.show(
                listing,
                name_cells=listing.name_cells,
                type_cells=listing.type_cells,
                file=view.file,
            )
        self.show_state()

    def show_hits(self, hits: Listing, *, best_first: bool = False) -> None:
        """Show what the filter found, in columns as wide as those of all rows.

        With `best_first` the first of them is selected, else the topic that was.
        """
        view = self._browsing.view
        whole = view.listing or hits
        self.topic_list.show(
            hits,
            words=self._browsing.words,
            name_cells=whole.name_cells,
            type_cells=whole.type_cells,
            file=hits.topics[0].file if best_first and hits.topics else view.file,
        )
        self.show_state()

    def show_layer(self) -> None:
        """Show the line about a layer, for stores that are one."""
        found = self._browsing.view.layer
        self.strip.found = found
        self.set_class(found is not None and not found.missing, "-layer")

    def show_state(self) -> None:
        """Put a message in the place of the list when there is nothing to list."""
        # Without the message in its place the list would leave the preview its room.
        text = self._browsing.message(partial(key_of, self), rows_show=bool(self.shown.topics))
        self.set_class(text is not None and self._state.is_attached, "-message")
        self._state.update(visible(shorten_paths(text or "", self._home)))
        self._refresh_keys()

    def show_flags(self) -> None:
        """Draw which rows are marked, and which somebody else changed."""
        view = self._browsing.view
        self.topic_list.flag(view.marked, view.changed)
        self._show_place()

    def _show_place(self) -> None:
        view = self._browsing.view
        count = len(self.shown.topics) if view.is_read else 0
        place = f"{self.topic_list.selected + 1:,} of {count:,}" if count else ""
        marked = len(view.marked)
        self.key_bar.status = f"{marked:,} marked · {place}" if marked else place
        self._refresh_keys()

    def _refresh_keys(self) -> None:
        """Let the keys follow what can be done, when that has changed."""
        topic, browsing, view = self.topic, self._browsing, self._browsing.view
        about = (
            browsing.index,
            topic is None,
            read_only(view.status),
            browsing.query == "",
            bool(view.marked),
            len(view.types),
            topic.file if topic is not None and self.shown.has_entries else "",
            self.shown.unfolded,
            view.layer,
            view.error,
        )
        if about != self._keys_about:
            self._keys_about = about
            self.screen.refresh_bindings()

    # What somebody else changed ------------------------------------------------------------------

    def mark_changed(self, view: StoreView, files: frozenset[str]) -> None:
        """Mark rows for a moment; without motion until the next key."""
        view.changed |= files
        if self._unmark is not None:
            self._unmark.stop()
            self._unmark = None
        if self.app.animation_level != "none":
            self._unmark = self.set_timer(_MARK_S, self._forget_changed)

    @on(TopicList.KeyPressed)
    def _forget_at_a_key(self) -> None:
        if self._unmark is None:
            self._forget_changed()

    def _forget_changed(self) -> None:
        self._unmark = None
        for view in self._browsing.views:
            view.changed = frozenset()
        self.show_flags()
