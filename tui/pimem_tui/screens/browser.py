"""The list: browse, filter, sort, mark, and act on the topics of one store at a time."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import getters, on
from textual.widgets import Input
from textual.worker import Worker, WorkerState

from ..keys.bindings import bindings, bindings_of
from ..keys.row_wait import RowWait
from ..rows.branches import file_of
from ..rows.browsing import Browsing
from ..services.manager_app import ManagerApp
from ..widgets import ListFrame, StoreTabs, TooSmall, TopicList
from ..widgets.filter_bar import FilterInput
from ..workers.background import Reader
from ..workers.messages import (
    HitsFound,
    LayerRead,
    PromptRead,
    ReadFailed,
    SearchFailed,
    SearchProgress,
    StatusRead,
    TopicsRead,
)
from ..workers.row_loader import RowLoader
from .base import BaseScreen
from .destinations import Destinations
from .layer_actions import LayerActions
from .list_filter import ListFilter
from .list_updates import ListUpdates
from .topic_actions import Subject, TopicActions
from .tree_actions import TreeActions

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pimem_core.model import StoreStatus, Topic
    from pimem_core.systems.stores import Store
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from ..rows.listing import Listing

#: Seconds that a paint is given before anything else takes its share of the processor.
_PAINT_S = 0.01
#: Seconds between two looks at a store that somebody holds locked.
_LOCK_LOOK_S = 2.0
#: Seconds after which ages are told anew.
_AGES_S = 60


class BrowserScreen(BaseScreen[None], Reader):
    """Ties what is pressed and read to the parts of the list."""

    app = getters.app(ManagerApp)

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
        *bindings("topic.open", "topic.edit", "topic.edit_outside", "topic.pin", "topic.remove"),
        *bindings("topic.copy", "entry.status", "entry.supersede", "entry.archive"),
        *bindings("list.new", "list.filter", "list.type", "list.sort", "list.mark"),
        *bindings("list.mark_all", "list.leave", "list.drafts", "list.injection"),
        *bindings("list.settings", "list.handoff", "list.search"),
        *bindings_of("tree"),
        *bindings_of("layer"),
        *bindings_of("store"),
    ]

    topic_list = getters.query_one(TopicList)

    def __init__(
        self,
        stores: Sequence[Store],
        start: int,
        home: str,
        now: Callable[[], float],
        *,
        top: Listing | None = None,
        search: str = "",
    ) -> None:
        """Show stores.

        Args:
            stores: The stores.
            start: Which of them first.
            home: The person's home folder.
            now: The clock that ages are told by.
            top: What is known already of the top of its list.
            search: What to filter it by at first.
        """
        super().__init__()
        self._now = now
        self._top = top
        self._search = search
        self._fills = False
        self.browsing = Browsing(stores, start)
        self.frame = ListFrame(self.browsing, home, now)
        self._wait = RowWait()
        self._loader = RowLoader(
            self,
            self.browsing,
            self._wait,
            self.app.places,
            watch=self.app.watcher.watch,
            is_slow=self._say_reading,
        )
        self._updates = ListUpdates(self.app, self.browsing, self.frame, self._loader, self._wait)
        self._filter = ListFilter(
            self.browsing, self.frame, self._loader, self._wait, self.app.searches
        )
        self._topic_actions = TopicActions(self.app, self.subject, self._marked)
        self._tree = TreeActions(self.browsing, self.frame, self._loader)
        self._layer = LayerActions(self.app.layers, self.browsing)
        self._destinations = Destinations(self.app, self.browsing, now)

    def compose(self) -> ComposeResult:
        """One frame; the rest comes once the rows are there."""
        yield self.frame

    def on_mount(self) -> None:
        """Show what is known of the rows; then read."""
        if self._top is not None:
            self.frame.show_top(self._top)
        self.frame.show_store()
        self.app.outcomes.changed.subscribe(self, self._updates.follow_change)
        self.app.outcomes.failed.subscribe(self, self._updates.follow_failure)
        self.app.watcher.touched.subscribe(self, self._updates.follow_others)
        self.app.drafts.counted.subscribe(self, self._count_drafts)
        self.set_timer(_PAINT_S, partial(self._loader.read, others=True))
        self.set_interval(_AGES_S, self.topic_list.redraw)
        self.set_interval(_LOCK_LOOK_S, self._loader.look_at_lock)

    def _count_drafts(self, count: int) -> None:
        if self.app.is_running:
            self.frame.about.drafts = count

    def _fill_later(self) -> None:
        """Mount the rest, once, when the rows had their turn."""
        if not self._fills:
            self._fills = True
            self.set_timer(_PAINT_S, self._fill)

    async def _fill(self) -> None:
        self.app.sheets.bring("parts")
        await self.frame.fill()
        if self.is_attached:
            await self.mount(TooSmall())
            if self._search:
                self._filter.begin(self._search)

    # What keys are about -------------------------------------------------------------------------

    @property
    def store_status(self) -> StoreStatus | None:
        """What is known of the store that shows."""
        return self.browsing.view.status

    def subject(self) -> Subject:
        """What actions on topics are about."""
        return Subject(self.browsing.store, self.browsing.view.status, self.frame.topic)

    def _marked(self) -> Sequence[Topic]:
        return self.browsing.view.marked_topics

    def keeps_waiting(self, key: str, waited_s: float) -> bool:
        """Whether a key is about rows that are still to come, and that are worth the wait."""
        if not self.frame.is_mounted:
            return True
        active = self.active_bindings.get(key)
        return self._wait.applies(
            active.binding.id if active is not None else None,
            waited_s,
            is_read=self.browsing.view.is_read,
            is_mounted=self.frame.is_complete,
            typing=isinstance(self.focused, FilterInput),
        )

    @on(Worker.StateChanged)
    def _expect_nothing(self, event: Worker.StateChanged) -> None:
        if event.state is WorkerState.ERROR:
            self._wait.end()

    # What was read -------------------------------------------------------------------------------

    def _say_reading(self) -> None:
        self._fill_later()
        self.frame.show_state()

    @on(TopicsRead)
    def _take_rows(self, message: TopicsRead) -> None:
        self._fill_later()
        self._updates.take_rows(message)

    @on(ReadFailed)
    def _take_failure(self, message: ReadFailed) -> None:
        self._fill_later()
        self._updates.take_failure(message)

    @on(PromptRead)
    def _take_prompt(self, message: PromptRead) -> None:
        self._updates.take_prompt(message)

    @on(StatusRead)
    def _take_status(self, message: StatusRead) -> None:
        self._updates.take_status(message)

    @on(LayerRead)
    def _take_layer(self, message: LayerRead) -> None:
        self._updates.take_layer(message)

    @on(HitsFound)
    def _take_hits(self, message: HitsFound) -> None:
        self._filter.take_hits(message)

    @on(SearchProgress)
    def _take_progress(self, message: SearchProgress) -> None:
        self._filter.take_progress(message)

    @on(SearchFailed)
    def _take_search_failure(self, message: SearchFailed) -> None:
        if self._filter.take_failure(message):
            self.app.notices.say_error(message.error)

    # Keys ----------------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Hide what this store cannot do, grey out what cannot be done now."""
        name = str(parameters[0]) if parameters else ""
        topic, stores = self.frame.topic, self.browsing.stores
        match action:
            case "topic":
                return self._topic_actions.check(name)
            case "tree":
                return self._tree.check(name)
            case "layer":
                return self._layer.check(name)
            case "go":
                return self._destinations.check(name)
            case "next_store":
                return len(stores) > 1
            case "show_store":
                return len(stores) > 1 and int(name) <= len(stores)
            case "filter":
                return not isinstance(self.focused, FilterInput)
            case "next_type":
                return bool(self.browsing.view.types)
            case "open" | "mark_all":
                return True if topic is not None else None
            case "mark":
                return True if topic is not None and self.frame.entry is None else None
            case "new":
                return self.browsing.can_write()
        return True

    def action_topic(self, name: str) -> None:
        """Do something to the selected topic, or to the marked ones."""
        self._topic_actions.run(name)

    def action_tree(self, name: str) -> None:
        """Show or hide entries, or go from one to another."""
        self._tree.run(name)

    def action_layer(self, name: str) -> None:
        """Do something to the layer that shows."""
        self._layer.run(name)

    def action_go(self, name: str) -> None:
        """Go to another screen."""
        self._destinations.run(name)

    @on(TopicList.BranchClicked)
    def _turn_branch(self) -> None:
        self._tree.turn()

    def action_filter(self) -> None:
        """Open the filter, or go back into it."""
        self._filter.open()

    @on(Input.Changed)
    def _apply_filter(self, message: Input.Changed) -> None:
        self._filter.apply(message.value)

    def action_accept_filter(self) -> None:
        """Go to the list and keep the filter; an empty one closes."""
        self._filter.accept()

    def action_next_type(self) -> None:
        """Keep to the next type of the store, after the last to all."""
        self._filter.next_type()

    def action_move_in_list(self, by: int) -> None:
        """Move the selection while the filter is being typed, or to a search before."""
        self._filter.move(by)

    def action_leave(self) -> None:
        """Drop the marks, then clear and close the filter; without either, name what quits."""
        marked = self.browsing.view.marked
        if marked and self.focused is self.topic_list:
            marked.clear()
            self.frame.show_flags()
        elif self._filter.is_open:
            self._filter.leave()
        else:
            self.app.notices.say(f"{self.app.key_for('app.quit')} quits.")

    def action_next_store(self, by: int) -> None:
        """Show the next store, or the one before."""
        self._go_to_store((self.browsing.index + by) % len(self.browsing.stores))

    def action_show_store(self, number: int) -> None:
        """Show the store with this number."""
        self._go_to_store(number - 1)

    @on(StoreTabs.TabChosen)
    def _choose_tab(self, message: StoreTabs.TabChosen) -> None:
        self._go_to_store(message.index)

    def _go_to_store(self, index: int) -> None:
        if self.browsing.go_to(index):
            self._loader.stop_search()
            self.frame.show_store()
            self._updates.show_rows()
            self._loader.read()

    def action_mark(self) -> None:
        """Mark the selected topic or take its mark off, and go on to the next."""
        topic = self.frame.topic
        if topic is not None:
            self.browsing.view.toggle_mark(topic)
            self.topic_list.action_move(1)
            self.frame.show_flags()

    def action_mark_all(self) -> None:
        """Mark every row that shows; when all are marked, none."""
        self.browsing.view.toggle_marks(self.frame.shown.topics)
        self.frame.show_flags()

    def action_sort(self) -> None:
        """Go on to the next order of the rows."""
        self.browsing.next_order()
        order = self.browsing.order_name
        self.app.notices.say(f"Sorted {order}." if order else "In index order.")
        self._loader.read()

    def action_open(self) -> None:
        """Open the selected topic."""
        from .detail import DetailScreen  # the list does not wait for it

        store, status, topic = self.subject()
        if topic is not None:
            words = self.browsing.words
            self.app.push_screen(DetailScreen(store, status, topic, words, self._now))

    @on(TopicList.TopicOpened)
    def _open_clicked(self) -> None:
        self.action_open()

    def action_new(self) -> None:
        """Write a new topic."""
        topic = self.frame.topic
        holds_entries = topic is not None and (topic.entries or self.frame.entry is not None)
        file = file_of(topic) if topic is not None and holds_entries else ""
        self.app.editor.write(self.browsing.store, file=file)

    def action_drafts(self) -> None:
        """Go on with a text that was never saved."""
        self.app.drafts.offer()
