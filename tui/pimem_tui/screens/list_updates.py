"""What workers have read and what was changed, by a key or by somebody else, in the list."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pimem_core.systems.layers import LayerStore

from ..services.garbage import keep_out

if TYPE_CHECKING:
    from pimem_core.systems.stores import Store

    from ..keys.row_wait import RowWait
    from ..rows.browsing import Browsing
    from ..services.manager_app import ManagerApp
    from ..services.outcomes import ChangeFailed, TopicChanged
    from ..services.watcher import StoreTouched
    from ..widgets import ListFrame
    from ..workers.messages import (
        LayerRead,
        PromptRead,
        ReadFailed,
        StatusRead,
        TopicsRead,
    )
    from ..workers.row_loader import RowLoader

#: Topics that are worth keeping out of garbage collection.
_MANY = 1_000
_PINS = {"pinned_now": True, "unpinned_now": False}


class ListUpdates:
    """Puts news into what is known of the stores, shows it, and reads again where needed."""

    def __init__(
        self,
        app: ManagerApp,
        browsing: Browsing,
        frame: ListFrame,
        loader: RowLoader,
        wait: RowWait,
    ) -> None:
        self._app = app
        self._browsing = browsing
        self._frame = frame
        self._loader = loader
        self._wait = wait

    def _shows(self, store: Store) -> bool:
        return store is self._browsing.store

    def _count(self, store: Store, count: int | None) -> None:
        self._frame.tabs.set_count(self._browsing.stores.index(store), count)

    # What was read -----------------------------------------------------------------------------

    def show_rows(self) -> None:
        """Show the rows, or look for the filter in them again."""
        self._frame.show_rows()
        if self._browsing.query:
            self._loader.search()

    def take_rows(self, message: TopicsRead) -> None:
        """Show rows that were read."""
        self._loader.read_prompt()
        view = self._browsing.view_of(message.store)
        if view.listing is None and len(message.listing.topics) > _MANY:
            keep_out()
        view.take_rows(message.listing)
        changed = self._app.outcomes.by_others(message.store, message.changed)
        if changed:
            self._frame.mark_changed(view, changed)
        self._count(message.store, message.listing.count)
        if self._shows(message.store):
            self._wait.hits |= self._wait.rows and bool(self._browsing.query)
            self._wait.rows = False
            self.show_rows()

    def take_failure(self, message: ReadFailed) -> None:
        """Say why a store cannot be read; what was read before stays on the screen."""
        self._loader.read_prompt()
        view = self._browsing.view_of(message.store)
        view.error = message.error
        self._count(message.store, None)  # what cannot be read is not empty
        if self._shows(message.store):
            self._wait.end()
            if view.rows.topics:
                self._app.notices.say_error(message.error)
            self._frame.show_state()

    def take_prompt(self, message: PromptRead) -> None:
        """Show what the next prompt carries."""
        self._frame.tabs.tokens, self._frame.tabs.left_out = message.tokens, message.left_out
        self._loader.prompt_was_read()

    def take_status(self, message: StatusRead) -> None:
        """Show how a store is."""
        view = self._browsing.view_of(message.store)
        view.status = message.status
        if not view.is_read:
            self._count(message.store, message.status.count)
        if self._shows(message.store):
            self._frame.about.status = message.status
            self._frame.show_state()

    def take_layer(self, message: LayerRead) -> None:
        """Show how a layer is."""
        state = message.state
        self._browsing.view_of(state.store).layer = state
        if self._shows(state.store):
            self._frame.show_layer()
            self._frame.show_state()

    # After a change ----------------------------------------------------------------------------

    def follow_change(self, message: TopicChanged) -> None:
        """Show a pin at once, then read again what else the change touched."""
        change, store = message.change, self._browsing.store
        if message.store is not store:
            if isinstance(store, LayerStore) and message.store.system == store.system:
                self._loader.read()  # layers hide each other's files, and share task and inbox
            return
        pinned = _PINS.get(change.outcome)
        listing = self._frame.shown
        row = listing.rows.get(change.file)
        if pinned is not None and row is not None:
            self._frame.topic_list.replace(listing.topics[row].but(pinned=pinned))
        if change.outcome in ("created", "undone", "redone") and change.file:
            self._browsing.view.file = change.file  # what came (back) is what is looked for
        self._loader.read(awaited=pinned is None or self._browsing.order != 0)

    def follow_failure(self, message: ChangeFailed) -> None:
        """Read again: a refusal often means that the store is not as it was shown."""
        if self._shows(message.store):
            self._loader.read()

    def follow_others(self, message: StoreTouched) -> None:
        """Read again after somebody else changed the store."""
        if self._shows(message.store):
            self._loader.read(touched=message.files)
