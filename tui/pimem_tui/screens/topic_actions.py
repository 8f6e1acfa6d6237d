"""What can be done to one topic, in the list and in the detail."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pimem_core.systems.layers import LayerStore
from pimem_core.systems.stores import EditableStore, PinningStore, RemovingStore, Store

from ..rows.branches import ARCHIVED, EntryRow, file_of
from ..rows.statuses import read_only

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pimem_core.model import StoreStatus, Topic

    from ..services.manager_app import ManagerApp

#: Which part of a store each action needs.
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


class Subject(NamedTuple):
    """What actions are about: a store, what is known of it, and the selected topic."""

    store: Store
    status: StoreStatus | None
    topic: Topic | None

    @property
    def entry(self) -> EntryRow | None:
        """The topic, when it is a dated entry."""
        return self.topic if isinstance(self.topic, EntryRow) else None


class TopicActions:
    """The actions by the names that the table of keys has for them."""

    def __init__(
        self,
        app: ManagerApp,
        subject: Callable[[], Subject],
        marked: Callable[[], Sequence[Topic]] = tuple,
    ) -> None:
        """Offer the actions.

        Args:
            app: Makes the changes.
            subject: Gives what an action is about at the moment.
            marked: Gives the topics that are marked, to be pinned or removed in its place.
        """
        self._app = app
        self._subject = subject
        self._marked = marked
        self._actions: dict[str, Callable[[Subject, Topic], None]] = {
            "toggle_pin": self._toggle_pin,
            "remove": self._remove,
            "edit": self._edit,
            "edit_outside": self._edit_outside,
            "copy": self._copy,
            "set_status": self._set_status,
            "supersede": self._supersede,
            "archive": self._archive,
        }

    def check(self, name: str) -> bool | None:
        """False for what the system cannot do, None for what cannot be done to this topic now."""
        store, status, topic = subject = self._subject()
        if name == "copy":
            return True if topic is not None else None
        need = _NEEDS[name]
        if not isinstance(store, need):
            return False
        if topic is None or read_only(status):
            return None
        is_entry = subject.entry is not None
        if is_entry and name in _OF_FILES:
            return None
        if not is_entry and name in _OF_ENTRIES:
            return None
        return None if name == "archive" and topic.note == ARCHIVED else True

    def run(self, name: str) -> None:
        """Do it; without a topic there is nothing to do."""
        subject = self._subject()
        if subject.topic is not None:
            self._actions[name](subject, subject.topic)

    def _toggle_pin(self, subject: Subject, topic: Topic) -> None:
        """Pin or unpin the marked topics, or the selected one."""
        marked = self._marked()
        if marked:
            pinned = not all(topic.pinned for topic in marked)
            self._app.changes.pin_several(subject.store, marked, pinned)
        else:
            self._app.changes.pin(subject.store, topic)

    def _remove(self, subject: Subject, topic: Topic) -> None:
        """Remove the marked topics, or the selected one, after asking."""
        marked = self._marked()
        if marked:
            self._app.changes.remove_several(subject.store, marked)
        else:
            self._app.changes.remove(subject.store, topic)

    def _edit(self, subject: Subject, topic: Topic) -> None:
        """Edit the topic inside the app."""
        line = topic.entry.line if isinstance(topic, EntryRow) else 1
        self._app.editor.open(subject.store, file_of(topic), line=line)

    def _edit_outside(self, subject: Subject, topic: Topic) -> None:
        """Edit the topic in the person's editor."""
        self._app.external_editor.open(subject.store, file_of(topic))

    def _copy(self, subject: Subject, topic: Topic) -> None:
        """Copy the topic's text."""
        if isinstance(topic, EntryRow):
            self._app.clipboards.copy_text(topic.name, topic.entry.text)
        else:
            self._app.clipboards.copy_topic(subject.store, topic)

    def _set_status(self, subject: Subject, _topic: Topic) -> None:
        """Ask for the status of the entry, and set it."""
        store, entry = subject.store, subject.entry
        if isinstance(store, LayerStore) and entry is not None:
            self._app.layers.choose_status(store, entry)

    def _supersede(self, subject: Subject, _topic: Topic) -> None:
        """Ask for the entry that supersedes this one."""
        store, entry = subject.store, subject.entry
        if isinstance(store, LayerStore) and entry is not None:
            self._app.layers.choose_newer(store, entry)

    def _archive(self, subject: Subject, topic: Topic) -> None:
        """Move the entry, or the file, to the archive."""
        if isinstance(subject.store, LayerStore):
            self._app.layers.archive(subject.store, topic)
