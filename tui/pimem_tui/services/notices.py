"""What the app says in passing: what was done, why not, and which key takes it back."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from pimem_core.errors import PimemError, PinnedError
from pimem_core.formats.text import visible_cell

from ..advice import homely, in_keys
from ..keys.type_ahead import TypeAhead

if TYPE_CHECKING:
    from pimem_core.paths import Places

_NOTICE_S = 4
_ERROR_S = 10
#: Seconds within which notices belong together.
_TOGETHER_S = 0.25
#: Outcomes that undo takes back.
_UNDOABLE = (
    *("created", "updated", "removed", "pinned_now", "unpinned_now", "redone"),
    *("moved", "promoted", "initialized", "cleared"),
)


class Notices(TypeAhead):
    """The part of the app that shows notices. They name keys as they hold."""

    def __init__(self, places: Places) -> None:
        super().__init__(places)
        self._said = 0.0

    def key_for(self, binding_id: str) -> str:
        """The first key of a binding as people write it."""
        raise NotImplementedError

    def _make_room(self) -> None:
        """Take away what an earlier key had to tell: its hints no longer hold."""
        now = time.monotonic()
        if now - self._said > _TOGETHER_S:
            self.clear_notifications()
        self._said = now

    def say(self, text: str) -> None:
        """Show a notice for a moment."""
        self._make_room()
        self.notify(self._told(text), markup=False, timeout=_NOTICE_S)

    def say_error(self, text: str) -> None:
        """Show an error, for longer."""
        self._make_room()
        self.notify(self._told(text), markup=False, severity="error", timeout=_ERROR_S)

    def _told(self, text: str) -> str:
        return visible_cell(in_keys(homely(text, self.places.home), self.key_for))

    def way_back(self, outcome: str, count: int = 1) -> str:
        """Which key takes a change, or several, back, for its notice."""
        if outcome in _UNDOABLE:
            what = "it" if count == 1 else "them one by one"
            return f" {self.key_for('change.undo')} undoes {what}."
        return f" {self.key_for('change.redo')} redoes it." if outcome == "undone" else ""

    def refusal(self, error: PimemError) -> str:
        """Why something was refused, with a key as the way out where the message has a command."""
        if isinstance(error, PinnedError):
            return f'"{error.name}" is pinned; {self.key_for("topic.pin")} unpins it.'
        said, advice, _rest = str(error).partition("; pimem list ")
        return f"{said}." if advice else said
