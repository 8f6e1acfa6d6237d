"""What the app says in passing: what was done, why not, and which key takes it back."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from pimem_core.formats.text import visible_cell

from ..hints import shorten_paths, with_key

if TYPE_CHECKING:
    from collections.abc import Callable

    from pimem_core.errors import PimemError
    from textual.app import App

    #: Says what is wrong in words for the person.
    Explain = Callable[[PimemError], str]

_NOTICE_S = 4
_ERROR_S = 10
#: Seconds within which notices belong together.
_TOGETHER_S = 0.25
#: Outcomes that undo takes back.
_UNDOABLE = (
    *("created", "updated", "removed", "pinned_now", "unpinned_now", "redone"),
    *("moved", "promoted", "initialized", "cleared"),
)


class Notices:
    """Shows notices in the corner of the screen. They name keys as they are bound."""

    def __init__(self, app: App[None], home: str, key_for: Callable[[str], str]) -> None:
        """Show notices.

        Args:
            app: The app that they show in.
            home: The person's home folder.
            key_for: Gives the first key of a binding.
        """
        self._app = app
        self._home = home
        self._key_for = key_for
        self._last = 0.0

    def say(self, text: str) -> None:
        """Show a notice for a moment."""
        self._make_room()
        self._app.notify(self._worded(text), markup=False, timeout=_NOTICE_S)

    def say_error(self, text: str) -> None:
        """Show an error, for longer."""
        self._make_room()
        self._app.notify(self._worded(text), markup=False, severity="error", timeout=_ERROR_S)

    def _make_room(self) -> None:
        """Remove the notices of an earlier key: their hints no longer hold."""
        now = time.monotonic()
        if now - self._last > _TOGETHER_S:
            self._app.clear_notifications()
        self._last = now

    def _worded(self, text: str) -> str:
        return visible_cell(shorten_paths(text, self._home))

    def with_key(self, note: str) -> str:
        """A note of the core with the key that helps."""
        return with_key(note, self._key_for)

    def way_back(self, outcome: str, count: int = 1) -> str:
        """Which key takes a change, or several, back, for its notice."""
        if outcome in _UNDOABLE:
            what = "it" if count == 1 else "them one by one"
            return f" {self._key_for('change.undo')} undoes {what}."
        return f" {self._key_for('change.redo')} redoes it." if outcome == "undone" else ""

    def explain(self, error: PimemError) -> str:
        """What is wrong, with the key that helps where there is one."""
        return with_key(error, self._key_for)
