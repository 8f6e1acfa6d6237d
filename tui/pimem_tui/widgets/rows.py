"""Rows of styled text with one of them selected, drawn line by line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import events

    from ..wrap import Run


class Rows(ScrollView, can_focus=True, inherit_bindings=False):
    """One line each. The screen has the keys; it calls `move`."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        *(f"rows--{kind}" for kind in ("name", "muted", "bar", "warning", "match")),
        "rows--cursor",
    }

    selected: reactive[int] = reactive(0)

    @dataclass
    class RowSelected(Message):
        """Another row is selected."""

        rows: Rows
        row: int

        def can_replace(self, message: Message) -> bool:
            """Only the newest selection matters."""
            return isinstance(message, Rows.RowSelected)

    def __init__(self) -> None:
        super().__init__()
        self.rows: Sequence[Sequence[Run]] = ()

    def show(self, rows: Sequence[Sequence[Run]], *, selected: int = 0) -> None:
        """Show other rows."""
        self.rows = rows
        self.virtual_size = Size(self.size.width, len(rows))
        self.set_reactive(Rows.selected, max(0, min(selected, len(rows) - 1)))
        self._follow()
        self.refresh()
        self.post_message(self.RowSelected(self, self.selected))

    def move(self, by: int) -> None:
        """Move the selection."""
        self.selected = max(0, min(self.selected + by, len(self.rows) - 1))

    def watch_selected(self, new: int) -> None:
        """Keep the selection in view and tell the screen."""
        self._follow()
        self.post_message(self.RowSelected(self, new))

    def _follow(self) -> None:
        region = Region(0, self.selected, 1, 1)
        self.scroll_to_region(region, animate=False, force=True, x_axis=False)

    def on_click(self, event: events.Click) -> None:
        """Select the row under the pointer."""
        row = event.y + self.scroll_offset.y
        if row < len(self.rows):
            self.selected = row

    def on_resize(self) -> None:
        """The height stays, the width follows."""
        self.virtual_size = Size(self.size.width, len(self.rows))

    def render_line(self, y: int) -> Strip:
        """Draw one line of the view."""
        row = y + self.scroll_offset.y
        width = self.scrollable_content_region.width
        if row >= len(self.rows):
            return Strip.blank(width, self.rich_style)
        cursor = self.get_component_rich_style("rows--cursor") if row == self.selected else Style()
        base = self.rich_style + cursor
        segments = [Segment(run.text, self._style(run.kind) + cursor) for run in self.rows[row]]
        return Strip(segments).adjust_cell_length(width, base)

    def _style(self, kind: str) -> Style:
        return self.get_component_rich_style(f"rows--{kind}") if kind else self.rich_style
