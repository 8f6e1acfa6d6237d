"""Rows that are still on their way, and the keys that wait for them."""

from __future__ import annotations

from textual import on
from textual.worker import Worker, WorkerState

from ..keys.type_ahead import PATIENCE_S
from ..widgets.filter_bar import FilterInput
from .topic_screen import TopicScreen

#: Keys that are about no row.
_NO_ROWS = ("app.quit", "list.leave", "filter.clear")
#: Keys of the filter that are about rows; the others are text, or move in it.
_ROWS = ("filter.accept", "filter.up", "filter.down")


class AwaitedScreen(TopicScreen):
    """Knows whether its rows are those that the keys before asked for.

    What somebody else changes comes as it comes: no key waits for that.
    """

    #: Whether the rows are being looked through for a filter that was typed. That they are being
    #: read, since a key asked for it, is what is `due` otherwise.
    hits_due = False

    @property
    def is_read(self) -> bool:
        """Whether the rows have been read, or cannot be."""
        raise NotImplementedError

    @property
    def is_complete(self) -> bool:
        """Whether everything that keys open is there."""
        raise NotImplementedError

    def keeps_waiting(self, key: str, waited_s: float) -> bool:
        """Whether a key is about something that is still to come, and that is worth the wait."""
        comes = not self.is_read or self.due or self.hits_due
        if self.is_complete and not (comes and waited_s < PATIENCE_S):
            return False
        active = self.active_bindings.get(key)
        bound = active.binding.id if active is not None else None
        if bound in _NO_ROWS:
            return False
        return bound in _ROWS or not isinstance(self.focused, FilterInput)

    @on(Worker.StateChanged)
    def _expect_no_hits(self, event: Worker.StateChanged) -> None:
        if event.state is WorkerState.ERROR:
            self.hits_due = False
