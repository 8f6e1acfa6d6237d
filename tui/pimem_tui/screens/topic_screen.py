"""What the list and the detail have in common: the actions on one topic."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import getters
from textual.binding import Binding
from textual.screen import Screen

from ..background import Reader
from ..changes import TopicChanges
from ..widgets.store_header import read_only

if TYPE_CHECKING:
    from pimem_core.model import StoreStatus, Topic
    from pimem_core.systems.base import Store
    from textual.binding import BindingType

#: Screens with fewer lines than this keep headings short.
LOW = 16
#: Which ability of a store each action needs.
_NEEDS = {"toggle_pin": "pin", "remove": "remove", "edit_outside": "edit"}


class TopicScreen(Screen[None], Reader):
    """A screen with a store and one topic that actions are about."""

    app = getters.app(TopicChanges)

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "p", "toggle_pin", "pin", id="topic.pin", tooltip="Pin the topic, or unpin a pinned one"
        ),
        Binding(
            "r", "remove", "remove", id="topic.remove", tooltip="Remove the topic, after a question"
        ),
        Binding(
            "E",
            "edit_outside",
            "edit",
            id="topic.edit_outside",
            tooltip="Edit the topic in $VISUAL or $EDITOR",
        ),
    ]

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

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Hide what the system cannot do, grey out what cannot be done to this topic now."""
        need = _NEEDS.get(action)
        if need is None:
            return True
        if need not in self.store.abilities:
            return False
        if self.topic is None or read_only(self.store_status):
            return None
        return True

    def action_toggle_pin(self) -> None:
        """Pin or unpin the topic."""
        if self.topic is not None:
            self.app.pin_topic(self.store, self.topic)

    def action_remove(self) -> None:
        """Remove the topic after asking."""
        if self.topic is not None:
            self.app.remove_topic(self.store, self.topic)

    def action_edit_outside(self) -> None:
        """Edit the topic in the person's editor."""
        if self.topic is not None:
            self.app.edit_topic(self.store, self.topic)
