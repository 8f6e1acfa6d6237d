"""What shows when the terminal has no room for anything else."""

from __future__ import annotations

from textual.content import Content
from textual.widget import Widget

from ..keys.table import key_names


class TooSmall(Widget):
    """Covers the screen and says how much room is needed. Keys keep working under it."""

    def render(self) -> Content:
        """The message, short enough for 20 cells."""
        found = [bound.binding for bound in self.screen.active_bindings.values()]
        # Where text is typed, and on screens that it goes back from, the key does not quit.
        key = next((key_names(bound.key) for bound in found if bound.id == "app.quit"), "")
        return Content("pimem needs\n30 x 8 cells." + (f"\n{key} quits." if key else ""))
