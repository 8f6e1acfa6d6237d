"""What the list and the detail have in common: the actions on one topic."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pimem_core.systems.layers import LayerStore
from pimem_core.systems.stores import EditableStore, PinningStore, RemovingStore, Store
from textual import getters

from ..keys.bindings import bindings
from ..rows.branches import ARCHIVED, EntryRow, file_of
from ..services.manager_app import ManagerApp
from ..widgets.store_header import read_only
from ..workers.background import Reader
from .steady import SteadyScreen

if TYPE_CHECKING:
    from pimem_core.model import StoreStatus, Topic
    from pimem_core.systems.stores import Store
    from textual.binding import BindingType

#: Screens with fewer lines than this keep headings short.
LOW = 16
#: Which ability of a store each action needs.
_NEEDS: dict[str, type[Store]] = {
    "toggle_pin": PinningStore,
    "remove": RemovingStore,
    "edit": EditableStore,
    "edit_outside": EditableStore,
    "set_status": LayerStore,
    "supersede": LayerStore,
    "archive": LayerStore,
}
#: What can be done to an entry only, and what to whole files only.
_OF_ENTRIES, _OF_FILES = ("set_status", "supersede"), ("toggle_pin", "remove")


class TopicScreen(SteadyScreen[None], Reader):
    """A screen with a store and one topic that actions are about."""

    app = getters.app(ManagerApp)

    BINDINGS: ClassVar[list[BindingType]] = bindings(
        *("topic.edit", "topic.edit_outside", "topic.pin", "topic.remove", "topic.copy"),
        *("entry.status", "entry.supersede", "entry.archive"),
    )

    @property
    def store(self) -> Store:
        """The store that is shown."""
        raise NotImplementedError

    @property
    def store_status(self) -> StoreStatus | None:
        """What is known of that store."""
        raise NotImplementedError

    @property
    def topic(self) -> Topic | None:
        """The topic that actions are about."""
        raise NotImplementedError

    @property
    def entry(self) -> EntryRow | None:
        """The same, when it is a dated entry."""
        topic = self.topic
        return topic if isinstance(topic, EntryRow) else None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Hide what the system cannot do, grey out what cannot be done to this topic now."""
        need = _NEEDS.get(action)
        if action == "copy":
            return True if self.topic is not None else None
        if need is None:
            return True
        if not isinstance(self.store, need):
            return False
        if self.topic is None or read_only(self.store_status):
            return None
        if action in _OF_ENTRIES and self.entry is None:
            return None
        if action in _OF_FILES and self.entry is not None:
            return None
        if action == "archive" and self.topic.note == ARCHIVED:
            return None
        return True

    def action_toggle_pin(self) -> None:
        """Pin or unpin the topic."""
        if self.topic is not None:
            self.app.changes.pin(self.store, self.topic)

    def action_remove(self) -> None:
        """Remove the topic after asking."""
        if self.topic is not None:
            self.app.changes.remove(self.store, self.topic)

    def action_edit(self) -> None:
        """Edit the topic inside the app."""
        if self.entry is not None:
            self.app.editor.open(self.store, self.entry.of, line=self.entry.entry.line)
        elif self.topic is not None:
            self.app.editor.open(self.store, self.topic.file)

    def action_copy(self) -> None:
        """Copy the topic's text."""
        if self.entry is not None:
            self.app.clipboards.copy_text(self.entry.name, self.entry.entry.text)
        elif self.topic is not None:
            self.app.clipboards.copy_topic(self.store, self.topic)

    def action_edit_outside(self) -> None:
        """Edit the topic in the person's editor."""
        if self.topic is not None:
            self.app.external_editor.open(self.store, file_of(self.topic))

    def action_set_status(self) -> None:
        """Set the status of the entry."""
        layer = self.store if isinstance(self.store, LayerStore) else None
        if layer is not None and self.entry is not None:
            self.app.layers.choose_status(layer, self.entry)

    def action_supersede(self) -> None:
        """Choose the entry that supersedes this one."""
        layer = self.store if isinstance(self.store, LayerStore) else None
        if layer is not None and self.entry is not None:
            self.app.layers.choose_newer(layer, self.entry)

    def action_archive(self) -> None:
        """Move the entry, or the file, to the archive."""
        layer = self.store if isinstance(self.store, LayerStore) else None
        if layer is not None and self.topic is not None:
            self.app.layers.archive(layer, self.topic)
