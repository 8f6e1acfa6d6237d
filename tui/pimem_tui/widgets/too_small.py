"""What shows when the terminal has no room for anything else."""

from __future__ import annotations

from textual.content import Content
from textual.widget import Widget


class TooSmall(Widget):
    """Covers the screen and says how much room is needed. Keys keep working under it."""

    def render(self) -> Content:
        """The message, short enough for 20 cells."""
        return Content("pimem needs\n30 x 8 cells.\nq quits.")
