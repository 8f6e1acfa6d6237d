"""Lines drawn one by one, which scroll."""

from __future__ import annotations

from textual.geometry import Region
from textual.scroll_view import ScrollView


class LineView(ScrollView, inherit_bindings=False):
    """Goes where it is told also before its scrollbar shows, which then says where it is.

    Textual shows the scrollbar of a text with the next layout. Until then it would not scroll, and
    the scrollbar would learn nothing of it.
    """

    def watch_show_vertical_scrollbar(self, shown: bool) -> None:
        """Tell the scrollbar where the view is."""
        if shown:
            self.vertical_scrollbar.position = self.scroll_y

    def jump_to(self, line: float) -> None:
        """Put a line at the top, or as near as there are lines."""
        self.scroll_to(y=max(line, 0), animate=False, force=True)

    def reveal(self, line: int, height: int = 1) -> None:
        """Scroll as little as brings a line and those below it into view."""
        region = Region(0, line, 1, height)
        self.scroll_to_region(region, animate=False, force=True, x_axis=False)
