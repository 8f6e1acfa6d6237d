"""The list: filter, sort, mark, and act on the topics of one store at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pimem_core.formats.text import plural
from pimem_core.systems.stores import FolderStore, HandoffStore
from textual import on
from textual.widgets import Input

from ..keys.bindings import bindings, bindings_of
from ..rows.branches import EntryRow, file_of
from ..rows.filtering import next_type
from ..rows.ordering import ORDERS
from ..widgets import StoreTabs, TopicList
from ..widgets.filter_bar import FilterInput
from ..workers.messages import HitsFound, SearchFailed, SearchProgress
from .branch_screen import BranchScreen
from .topic_screen import TopicScreen

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pimem_core.model import Topic
    from textual.binding import BindingType


class BrowserScreen(BranchScreen):
    """Browse, filter and act on the topics of one store at a time."""

    AUTO_FOCUS = "TopicList"
    KEY_BAR = (
        "filter.accept",
        "filter.clear",
        "layer.init",
        "topic.open",
        "tree.unfold",
        "tree.fold",
        "topic.edit",
        "entry.status",
        "topic.pin",
        "topic.remove",
        "list.filter",
        "list.type",
        "list.new",
        "layer.inbox",
        "entry.archive",
        "app.help",
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings("topic.open"),
        *TopicScreen.BINDINGS,
        *bindings("list.new", "list.filter", "list.type", "list.sort", "list.mark"),
        *bindings("list.mark_all", "list.leave", "list.drafts", "list.injection"),
        *bindings("list.settings", "list.handoff", "list.search"),
        *bindings_of("tree"),
        *bindings_of("layer"),
        *bindings_of("store"),
    ]

    # The filter --------------------------------------------------------------------------------

    def action_filter(self) -> None:
        """Open the filter, or go back into it."""
        if not self.filter_bar.children:  # asked for before the first paint
            self.call_after_refresh(self.action_filter)
            return
        self.add_class("-filtering")
        self.filter_bar.input.focus()

    def action_leave(self) -> None:
        """Drop the marks, then clear and close the filter; without either, quit."""
        marked = self._shown[self._index].marked
        if marked and self.focused is self.topic_list:
            marked.clear()
            self._show_flags()
            return
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
        if not self._query and isinstance(self.store, FolderStore):
            self.store.forget_texts()
        self._query = query
        self.hits_due = bool(query)
        self.filter_bar.note = ""
        if query:
            self.search_again()
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
        self.hits_due &= not message.done
        self._hits, self._words = message.listing, message.words
        found = message.listing.count
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
            found = self._hits.count if self._hits is not None else 0
            percent = 100 * message.looked_at // message.total
            self.filter_bar.note = f"searching {percent}%, {plural(found, 'hit')}"

    @on(SearchFailed)
    def _search_failed(self, message: SearchFailed) -> None:
        if (message.store, message.query) == (self.store, self._query):
            self.hits_due = False
            self.filter_bar.note = "stopped"
            self.app.notices.say_error(message.error)

    def action_next_type(self) -> None:
        """Keep to the next type of the store, after the last to all; words of the filter stay."""
        if not self.filter_bar.children:  # asked for before the first paint
            self.call_after_refresh(self.action_next_type)
            return
        listing = self._shown[self._index].listing or self.topic_list.listing
        query = next_type(self._query, self._types, listing.type_word)
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
        self.about.path, self.about.status = self.store.place, self.store_status
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

    # Several topics, and the order of them all -------------------------------------------------

    @property
    def marked(self) -> Sequence[Topic]:
        """The marked topics, in the order of the list."""
        shown = self._shown[self._index]
        topics = shown.listing.topics if shown.listing is not None else ()
        return [topic for topic in topics if topic.file in shown.marked]

    def action_mark(self) -> None:
        """Mark the selected topic or take its mark off, and go on to the next."""
        topic = self.topic
        if topic is not None:
            self._shown[self._index].marked ^= {topic.file}
            self.topic_list.action_move(1)
            self._show_flags()

    def action_mark_all(self) -> None:
        """Mark every row that shows; when all are marked, none."""
        marked = self._shown[self._index].marked
        topics = self.topic_list.listing.topics
        showing = {t.file for t in topics if t.listed and not isinstance(t, EntryRow)}
        if showing <= marked:
            marked -= showing
        else:
            marked |= showing
        self._show_flags()

    def action_toggle_pin(self) -> None:
        """Pin or unpin the marked topics, or the selected one."""
        marked = self.marked
        if marked:
            pinned = not all(topic.pinned for topic in marked)
            self.app.changes.pin_several(self.store, marked, pinned)
        else:
            super().action_toggle_pin()

    def action_remove(self) -> None:
        """Remove the marked topics, or the selected one, after asking."""
        marked = self.marked
        if marked:
            self.app.changes.remove_several(self.store, marked)
        else:
            super().action_remove()

    def action_sort(self) -> None:
        """Go on to the next order of the rows."""
        self._order = (self._order + 1) % len(ORDERS)
        self.app.notices.say(
            f"Sorted {ORDERS[self._order][0]}." if self._order else "In index order."
        )
        self._read()

    # Other screens -----------------------------------------------------------------------------

    def action_new(self) -> None:
        """Write a new topic."""
        topic = self.topic
        holds_entries = topic is not None and (topic.entries or self.entry is not None)
        self.app.editor.write(self.store, file=file_of(topic) if topic and holds_entries else "")

    def action_drafts(self) -> None:
        """Go on with a text that was never saved."""
        self.app.drafts.offer(asked=True)

    def action_injection(self) -> None:
        """Show what pi's model is given."""
        from .injection import InjectionScreen

        self.app.push_screen(InjectionScreen(self.app.places, self._stores, self.store))

    def action_search(self) -> None:
        """Search all stores at once."""
        from .search import SearchScreen

        statuses = [shown.status for shown in self._shown]
        self.app.push_screen(SearchScreen(self._stores, statuses, self._now))

    def action_handoff(self) -> None:
        """Show what pi hands over at a compaction."""
        from .handoff import HandoffScreen

        store = self._handing_over
        if store is not None:
            self.app.push_screen(HandoffScreen(store))

    @property
    def _handing_over(self) -> HandoffStore | None:
        """The store with the handoff: the one that shows, else the first that has one."""
        for store in (self.store, *self._stores):
            if isinstance(store, HandoffStore) and store.has_handoff:
                return store
        return None

    def action_settings(self) -> None:
        """Show the settings."""
        from .settings import SettingsScreen

        self.app.push_screen(SettingsScreen())

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
        if action in ("open", "mark_all"):
            return True if self.topic is not None else None
        if action == "mark":
            return True if self.topic is not None and self.entry is None else None
        if action == "handoff":
            return self._handing_over is not None
        if action == "new":
            return self.can_write()
        return super().check_action(action, parameters)
