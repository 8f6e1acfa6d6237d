"""Keys that wait for the rows that the keys before them asked for."""

from __future__ import annotations

from .type_ahead import PATIENCE_S

#: Keys that are about no row.
_NO_ROWS = ("app.quit", "list.leave", "filter.clear")
#: Keys of the filter that are about rows; the others are text, or move in it.
_ROWS = ("filter.accept", "filter.up", "filter.down")


class RowWait:
    """Knows whether rows are on their way that a key asked for.

    What somebody else changes comes as it comes: no key waits for that.
    """

    def __init__(self) -> None:
        #: Whether the rows are being read, since a key asked for it.
        self.rows = False
        #: Whether they are being searched for a filter that was typed.
        self.hits = False

    def end(self) -> None:
        """Expect nothing more."""
        self.rows = self.hits = False

    def applies(
        self, key_id: str | None, waited_s: float, *, is_read: bool, is_mounted: bool, typing: bool
    ) -> bool:
        """Whether a key is about rows that are still to come, and that are worth the wait.

        Args:
            key_id: The id of its binding, if it has one.
            waited_s: How long it has waited, in seconds.
            is_read: Whether there are rows at all, or a reason why there are none.
            is_mounted: Whether everything that keys open is there; without it every key waits.
            typing: Whether the key goes into the filter.
        """
        comes = not is_read or self.rows or self.hits
        if is_mounted and not (comes and waited_s < PATIENCE_S):
            return False
        if key_id in _NO_ROWS:
            return False
        return key_id in _ROWS or not typing
