"""A laid-out text that scrolls: whatever its length, only the lines in view are drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rich.segment import Segment
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from ..bindings import bindings_of
from ..cells import find_matches

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.style import Style
    from textual.binding import BindingType
    from textual.selection import Selection

    from ..markdown import Line

#: The widest line that reads well, in cells.
MEASURE = 88


class BodyView(ScrollView, inherit_bindings=False):
    """The body of a topic, at most `MEASURE` cells wide and centred in what is left."""

    ALLOW_SELECT = True
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        f"body-view--{kind}"
        for kind in (
            "heading",
            "subheading",
            "strong",
            "emphasis",
            "strike",
            "code",
            "block",
            "link",
            "quote",
            "muted",
            "match",
            "added",
            "removed",
            "cut",
        )
    }
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("text")

    def __init__(self, *, can_focus: bool = True) -> None:
        super().__init__(can_focus=can_focus)
        self._lines: Sequence[Line] = ()
        self._query = ""
        self._styles: dict[str, Style] = {}

    @property
    def measure(self) -> int:
        """The width that text should be laid out for."""
        # One cell stays free at each side, and one for the scrollbar whether it shows or not.
        return max(min(MEASURE, self.size.width - 3), 1)

    @property
    def left(self) -> int:
        """Where the text begins."""
        return max((self.size.width - 1 - self.measure) // 2, 0)

    def show(self, lines: Sequence[Line], *, query: str = "", keep_place: bool = False) -> None:
        """Show other lines.

        Args:
            lines: The text, laid out for `measure`.
            query: Marked where it occurs; the first place is scrolled to.
            keep_place: Stay where the view is, as for the same text changed.
        """
        self._lines, self._query = lines, query
        self.virtual_size = Size(self.size.width, len(lines))
        if not keep_place:
            self.scroll_to(y=self._first_match(), animate=False, force=True)
        self.refresh()

    def _first_match(self) -> int:
        """The line to begin at: a little above the first match when that is out of view."""
        if self._query:
            for number, line in enumerate(self._lines):
                if find_matches(line.text, self._query):
                    return max(number - 2, 0) if number >= self.size.height else 0
        return 0

    def on_resize(self) -> None:
        """The height of the text stays, the width follows."""
        self.virtual_size = Size(self.size.width, len(self._lines))

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The text that the mouse selected."""
        return selection.extract("\n".join(line.text for line in self._lines)), "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        """Draw what is selected now."""
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """Draw one line of the view."""
        number = y + self.scroll_offset.y
        width = self.scrollable_content_region.width
        base = self._style("")
        if number >= len(self._lines):
            return Strip.blank(width, base)
        line = self._lines[number]
        styles = [(run.text, self._style(run.kind)) for run in line.runs]
        if self._query:
            match = self.get_component_rich_style("body-view--match")
            styles = _overlay(styles, find_matches(line.text, self._query), match)
        selection = self.text_selection
        span = selection.get_span(number) if selection is not None else None
        if span is not None:
            start, end = span
            end = len(line.text) if end == -1 else end
            selected = self.screen.get_component_rich_style("screen--selection")
            styles = _overlay(styles, [(start, end)], selected)
        text = Strip([Segment(part, style) for part, style in styles])
        fill = self._style(line.fill)
        text = text.extend_cell_length(self.measure, fill).apply_offsets(0, number)
        padding = Strip.blank(self.left, base)
        return Strip.join([padding, text]).crop_extend(0, width, base)

    def notify_style_update(self) -> None:
        """Forget the styles of the old colours."""
        super().notify_style_update()
        self._styles.clear()

    def _style(self, kind: str) -> Style:
        """The style of a kind of text, worked out once for many lines."""
        style = self._styles.get(kind)
        if style is None:
            style = self.rich_style
            if kind:
                style += self.get_component_rich_style(f"body-view--{kind}", partial=True)
            self._styles[kind] = style
        return style


def _overlay(
    runs: list[tuple[str, Style]], spans: list[tuple[int, int]], style: Style
) -> list[tuple[str, Style]]:
    """Put a style over stretches of the runs, given in characters of the whole line."""
    for start, end in spans:
        result: list[tuple[str, Style]] = []
        position = 0
        for text, old in runs:
            left = max(start - position, 0)
            right = max(end - position, 0)
            parts = ((text[:left], old), (text[left:right], old + style), (text[right:], old))
            if left >= right:
                parts = ((text, old), ("", old), ("", old))
            result += [part for part in parts if part[0]]
            position += len(text)
        runs = result
    return runs
