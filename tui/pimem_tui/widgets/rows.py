"""Rows of styled text with one of them selected, drawn line by line."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.geometry import Size
from textual.reactive import reactive
from textual.strip import Strip

from ..keys.bindings import bindings_of
from ..workers.field_message import FieldMessage
from .line_view import LineView
from .text_styles import TextStyled

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from textual import events
    from textual.binding import BindingType
    from textual.message import Message

    from ..drawing.wrap import Run


class Rows(LineView, TextStyled, can_focus=True):
    """One line each. Where something else has the keys, it calls `move`."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("rows")

    selected: reactive[int] = reactive(0)

    class RowSelected(FieldMessage):
        """Another row is selected."""

        rows: Rows
        row: int

        def can_replace(self, message: Message) -> bool:
            """Only the newest selection matters."""
            return isinstance(message, Rows.RowSelected)

    def __init__(self) -> None:
        super().__init__()
        self.rows: Sequence[Sequence[Run]] = ()
        self._headings: Collection[int] = ()

    def show(
        self,
        rows: Sequence[Sequence[Run]],
        *,
        selected: int = 0,
        headings: Collection[int] = (),
    ) -> None:
        """Show other rows; those at `headings` cannot be selected."""
        self.rows, self._headings = rows, headings
        self.virtual_size = Size(self.size.width, len(rows))
        self.set_reactive(Rows.selected, max(0, min(selected, len(rows) - 1)))
        self.reveal(self.selected)
        self.refresh()
        self.post_message(self.RowSelected(self, self.selected))

    def move(self, by: int) -> None:
        """Move the selection so many rows, or to the nearest one that can be selected."""
        last = len(self.rows) - 1
        at = max(0, min(self.selected + by, last))
        onward, back = range(at, last + 1), range(at, -1, -1)
        for row in (*onward, *back) if by > 0 else (*back, *onward):
            if row not in self._headings:
                self.selected = row
                return

    def action_move(self, by: int) -> None:
        """Select another row."""
        self.move(by)

    def action_first(self) -> None:
        """Select the first row."""
        self.move(-len(self.rows))

    def action_last(self) -> None:
        """Select the last row."""
        self.move(len(self.rows))

    def watch_selected(self, new: int) -> None:
        """Keep the selection in view and post it."""
        self.reveal(new)
        self.post_message(self.RowSelected(self, new))

    def on_click(self, event: events.Click) -> None:
        """Select the row under the pointer."""
        row = event.y + self.scroll_offset.y
        if row < len(self.rows) and row not in self._headings:
            self.selected = row

    def on_resize(self) -> None:
        """The height stays, the width follows."""
        self.virtual_size = Size(self.size.width, len(self.rows))

    def _style_of(self, kind: str, cursor: str) -> Style:
        """The style of a part; a match in the selected row is underlined on its ground."""
        style = self.rich_style_named(f"{cursor} {kind}")
        return style + Style(underline=True) if cursor and kind == "match" else style

    def render_line(self, y: int) -> Strip:
        """Draw one line of the view."""
        row = y + self.scroll_offset.y
        width = self.scrollable_content_region.width
        if row >= len(self.rows):
            return Strip.blank(width, self.rich_style)
        cursor = "cursor" if row == self.selected else ""
        base = self.rich_style_named(cursor)
        segments = [Segment(run.text, self._style_of(run.kind, cursor)) for run in self.rows[row]]
        strip = Strip(segments)
        if cell_len(strip.text.rstrip()) > width:
            last = strip.crop(0, width - 1)
            strip = Strip([*last, Segment("…", segments[-1].style)])
        return strip.adjust_cell_length(width, base)
