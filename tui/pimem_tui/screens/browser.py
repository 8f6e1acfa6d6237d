"""The list of a store's topics, with a filter and, where there is room, a preview."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from pimem_core.text import plural, visible
from textual import getters, on
from textual.binding import Binding
from textual.containers import Container, Horizontal
from textual.widgets import Input, Static

from ..filtering import next_type
from ..listing import Listing
from ..messages import (
    ChangeFailed,
    HitsFound,
    ReadFailed,
    SearchFailed,
    SearchProgress,
    StatusRead,
    TokensCounted,
    TopicChanged,
    TopicsRead,
)
from ..reading import read_statuses, read_store, search
from ..states import state_of
from ..widgets import (
    FilterBar,
    KeyBar,
    Preview,
    Seam,
    StoreAbout,
    StoreTabs,
    TooSmall,
    TopicList,
)
from ..widgets.filter_bar import FilterInput
from ..widgets.store_header import read_only
from .topic_screen import LOW, TopicScreen

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pimem_core.model import StoreStatus, Topic
    from pimem_core.systems.base import Store
    from textual.app import ComposeResult
    from textual.binding import BindingType

#: Seconds after which reading is worth a message.
_SLOW_S = 0.15
#: Seconds between two looks at a store that somebody holds locked.
_LOCK_LOOK_S = 2.0
_PINS = {"pinned_now": True, "unpinned_now": False}


@dataclass
class _Shown:
    """What is known of one store, and where the person was in it."""

    listing: Listing | None = None
    status: StoreStatus | None = None
    tokens: int | None = None
    error: str = ""
    file: str | None = None


class BrowserScreen(TopicScreen):
    """Browse, filter and act on the topics of one store at a time."""

    AUTO_FOCUS = "TopicList"
    KEY_BAR = (
        "filter.accept",
        "filter.clear",
        "topic.open",
        "topic.pin",
        "topic.remove",
        "topic.edit_outside",
        "list.filter",
        "list.type",
        "store.next",
        "app.help",
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter", "open", "open", id="topic.open", tooltip="Open the topic to read it"),
        *TopicScreen.BINDINGS,
        Binding(
            "slash",
            "filter",
            "filter",
            id="list.filter",
            tooltip="Filter by name, file, summary and text",
        ),
        Binding(
            "t",
            "next_type",
            "type",
            id="list.type",
            tooltip="Keep to one type after the other, as type:… in the filter does",
        ),
        Binding("tab", "next_store(1)", "store", id="store.next", tooltip="Show the next store"),
        Binding(
            "shift+tab",
            "next_store(-1)",
            "previous",
            show=False,
            id="store.previous",
            tooltip="Show the previous store",
        ),
        *(
            Binding(
                str(number),
                f"show_store({number})",
                f"show store {number}",
                show=False,
                id=f"store.show_{number}",
                tooltip=f"Show store number {number}",
            )
            for number in range(1, 10)
        ),
        Binding(
            "escape",
            "leave",
            "leave",
            show=False,
            id="list.leave",
            tooltip="Clear the filter; without one, quit",
        ),
    ]

    tabs = getters.query_one(StoreTabs)
    about = getters.query_one(StoreAbout)
    filter_bar = getters.query_one(FilterBar)
    topic_list = getters.query_one(TopicList)
    key_bar = getters.query_one(KeyBar)
    preview = getters.query_one(Preview)

    def __init__(
        self, stores: Sequence[Store], start: int, home: str, now: Callable[[], float]
    ) -> None:
        super().__init__()
        self._stores = stores
        self._home = home
        self._now = now
        self._index = start
        self._shown = [_Shown() for _ in stores]
        self._query = ""
        self._words = ""
        self._hits: Listing | None = None
        self._slow = False
        self._greyed: tuple[object, ...] = ()

    @property
    def store(self) -> Store:
        """The store that is shown."""
        return self._stores[self._index]

    @property
    def store_status(self) -> StoreStatus | None:
        """What is known of that store."""
        return self._shown[self._index].status

    @property
    def topic(self) -> Topic | None:
        """The selected topic, as long as the list shows."""
        return None if self.has_class("-message") else self.topic_list.topic

    def compose(self) -> ComposeResult:
        """Header, list, preview and keys; a message takes the place of the list when needed."""
        yield StoreTabs([store.name for store in self._stores])
        yield StoreAbout(self._home)
        yield FilterBar()
        yield Seam()
        with Horizontal(id="body"):
            with Container(id="rows"):
                yield TopicList(self._now)
                yield Static(id="state", markup=False)
            yield Preview(self._now)
        yield KeyBar()
        yield TooSmall()

    def on_mount(self) -> None:
        """Show the frame first, then read."""
        self.tabs.active = self._index
        self.app.topic_changed.subscribe(self, self._follow_change)
        self.app.change_failed.subscribe(self, self._follow_failure)
        self.call_after_refresh(self._read, others=True)
        self.set_interval(60, self.topic_list.redraw)  # ages move on
        self.set_interval(_LOCK_LOOK_S, self._look_at_lock)

    # Reading -----------------------------------------------------------------------------------

    def _read(self, *, others: bool = False) -> None:
        self._slow = False
        self.set_timer(_SLOW_S, self._say_reading)
        self.read("read", partial(read_store, self.store))
        if others:
            rest = [store for store in self._stores if store is not self.store]
            self.read("statuses", partial(read_statuses, rest))

    def _say_reading(self) -> None:
        self._slow = True
        self._show_state()

    @on(TopicsRead)
    def _take_topics(self, message: TopicsRead) -> None:
        index = self._stores.index(message.store)
        self._shown[index].listing = message.listing
        self._shown[index].error = ""
        self.tabs.set_count(index, len(message.listing.topics))
        if index == self._index:
            self._show_rows()

    @on(TokensCounted)
    def _take_tokens(self, message: TokensCounted) -> None:
        index = self._stores.index(message.store)
        self._shown[index].tokens = message.tokens
        if index == self._index:
            self.tabs.tokens = message.tokens

    @on(ReadFailed)
    def _take_failure(self, message: ReadFailed) -> None:
        index = self._stores.index(message.store)
        self._shown[index].error = message.error
        if index == self._index:
            listing = self._shown[index].listing
            if listing is not None and listing.topics:
                self.app.say_error(message.error)  # what was read before stays on the screen
            self._show_state()

    @on(StatusRead)
    def _take_status(self, message: StatusRead) -> None:
        index = self._stores.index(message.store)
        shown = self._shown[index]
        shown.status = message.status
        if shown.listing is None:
            self.tabs.set_count(index, message.status.count)
        if index == self._index:
            self.about.status = message.status
            self._show_state()

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
        if self._query:
            self.read("search", partial(search, self.store, self._query))
            self._show_state()
            return
        self.topic_list.show(
            listing,
            name_cells=listing.name_cells,
            type_cells=listing.type_cells,
            file=shown.file,
        )
        self._show_state()

    def _show_state(self) -> None:
        """Put a message in the place of the list when there is nothing to list."""
        shown = self._shown[self._index]
        text = state_of(shown.listing, shown.status, shown.error, self._query, self._hits)
        if shown.listing is None and not shown.error and not self._slow:
            text = None  # most stores are there before anybody could read a message
        self.set_class(text is not None, "-message")
        self.query_one("#state", Static).update(visible(text or ""))
        self._grey()

    def _grey(self) -> None:
        """Let the keys follow what can be done, when that has changed."""
        greyed = (
            self._index,
            self.topic is None,
            read_only(self.store_status),
            self._query == "",
            len(self._types),
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
        count = len(self.topic_list.listing.topics)
        self.key_bar.status = f"{self.topic_list.selected + 1:,} of {count:,}" if count else ""
        self._grey()
        self.preview.show(self.store, self.topic, self._words)

    def on_resize(self) -> None:
        """Join the lines at the top to the preview's, once sizes are known."""
        self.call_after_refresh(self._join_lines)

    def _join_lines(self) -> None:
        self.preview.shorten(self.size.height < LOW)
        self.query_one(Seam).joint = self.preview.region.x if self.preview.display else None

    # The filter --------------------------------------------------------------------------------

    def action_filter(self) -> None:
        """Open the filter, or go back into it."""
        if not self.filter_bar.children:  # asked for before the first paint
            self.call_after_refresh(self.action_filter)
            return
        self.add_class("-filtering")
        self.filter_bar.input.focus()

    def action_leave(self) -> None:
        """Clear and close the filter; without one, quit."""
        if not self.has_class("-filtering"):
            self.app.exit()
            return
        in_list = self.focused is self.topic_list
        if self._query:
            self.filter_bar.input.value = ""
            self._filter("")
            if not in_list:
                return
        self.remove_class("-filtering")
        self.topic_list.focus()

    def action_move_in_list(self, by: int) -> None:
        """Move the selection while the filter is being typed."""
        self.topic_list.action_move(by)

    def action_accept_filter(self) -> None:
        """Go to the list and keep the filter; an empty one closes."""
        if not self._query:
            self.remove_class("-filtering")
        self.topic_list.focus()

    @on(Input.Changed)
    def _type_filter(self, message: Input.Changed) -> None:
        self._filter(message.value)

    def _filter(self, query: str) -> None:
        if query == self._query:
            return
        self._query = query
        self.filter_bar.note = ""
        if query:
            self.read("search", partial(search, self.store, query))
            return
        self.workers.cancel_group(self, "search")
        self._hits = None
        self._words = ""
        self._show_rows()

    @on(HitsFound)
    def _take_hits(self, message: HitsFound) -> None:
        if (message.store, message.query) != (self.store, self._query):
            return
        shown = self._shown[self._index]
        self._hits, self._words = message.listing, message.words
        found = len(message.listing.topics)
        self.filter_bar.note = plural(found, "hit") + ("" if message.done else " …")
        whole = shown.listing or message.listing
        self.topic_list.show(
            message.listing,
            query=message.words,
            name_cells=whole.name_cells,
            type_cells=whole.type_cells,
            file=shown.file,
        )
        self._show_state()

    @on(SearchProgress)
    def _show_progress(self, message: SearchProgress) -> None:
        if (message.store, message.query) == (self.store, self._query) and message.total:
            found = len(self._hits.topics) if self._hits is not None else 0
            percent = 100 * message.looked_at // message.total
            self.filter_bar.note = f"searching {percent}%, {plural(found, 'hit')}"

    @on(SearchFailed)
    def _search_failed(self, message: SearchFailed) -> None:
        if (message.store, message.query) == (self.store, self._query):
            self.filter_bar.note = "stopped"
            self.app.say_error(message.error)

    @property
    def _types(self) -> Sequence[str]:
        listing = self._shown[self._index].listing
        return listing.types if listing is not None else ()

    def action_next_type(self) -> None:
        """Keep to the next type of the store, after the last to all; words of the filter stay."""
        if not self.filter_bar.children:  # asked for before the first paint
            self.call_after_refresh(self.action_next_type)
            return
        query = next_type(self._query, self._types)
        self.set_class(bool(query), "-filtering")
        self.filter_bar.input.value = query
        self._filter(query)

    # Stores and topics -------------------------------------------------------------------------

    def action_next_store(self, by: int) -> None:
        """Show the next store, or the one before."""
        self._go_to_store((self._index + by) % len(self._stores))

    def action_show_store(self, number: int) -> None:
        """Show the store with this number."""
        self._go_to_store(number - 1)

    @on(StoreTabs.TabChosen)
    def _choose_tab(self, message: StoreTabs.TabChosen) -> None:
        self._go_to_store(message.index)

    def _go_to_store(self, index: int) -> None:
        if index == self._index or not 0 <= index < len(self._stores):
            return
        self.workers.cancel_group(self, "search")
        self._index = self.tabs.active = index
        self._hits = None
        self.about.status = self.store_status
        self._slow = False
        self._show_rows()
        self._read()

    def action_open(self) -> None:
        """Open the selected topic."""
        from .detail import DetailScreen  # the list does not wait for it

        topic = self.topic
        if topic is not None:
            self.app.push_screen(
                DetailScreen(self.store, self.store_status, topic, self._words, self._now)
            )

    @on(TopicList.TopicOpened)
    def _open_clicked(self) -> None:
        self.action_open()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Besides what all topics need: a store to switch to, and a topic to open."""
        if action == "next_store":
            return len(self._stores) > 1
        if action == "show_store":
            return len(self._stores) > 1 and int(str(parameters[0])) <= len(self._stores)
        if action == "filter" and isinstance(self.focused, FilterInput):
            return False
        if action == "next_type":
            return bool(self._types)
        if action == "open":
            return True if self.topic is not None else None
        return super().check_action(action, parameters)

    # After a change ----------------------------------------------------------------------------

    def _follow_change(self, message: TopicChanged) -> None:
        """Show a pin at once, then read again what else the change touched."""
        change = message.change
        pinned = _PINS.get(change.outcome)
        listing = self.topic_list.listing
        row = listing.rows.get(change.file)
        if message.store is not self.store:
            return
        if pinned is not None and row is not None:
            self.topic_list.replace(listing.topics[row].but(pinned=pinned))
        self._read()

    def _follow_failure(self, message: ChangeFailed) -> None:
        """A refusal often means that the store is not as it was shown."""
        if message.store is self.store:
            self._read()
