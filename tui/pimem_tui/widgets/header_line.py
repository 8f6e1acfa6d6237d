"""The line between header and list, joined to the one left of the preview."""

from __future__ import annotations

from textual.content import Content
from textual.reactive import reactive
from textual.widget import Widget


class HeaderLine(Widget):
    """A horizontal line; at column `joint` the preview's border meets it."""

    joint: reactive[int | None] = reactive(None)

    def render(self) -> Content:
        """The line."""
        width = self.size.width
        if self.joint is None or not 0 < self.joint < width:
            return Content("─" * width)
        return Content("─" * self.joint + "┬" + "─" * (width - self.joint - 1))
