"""A laid-out text that scrolls: whatever its length, only the lines in view are drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.geometry import Size
from textual.strip import Strip

from ..drawing.matches import NO_MARKS
from ..keys.bindings import bindings_of
from ..workers.field_message import FieldMessage
from .line_view import LineView
from .text_styles import TextStyled

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from textual import events
    from textual.binding import BindingType
    from textual.selection import Selection

    from ..drawing.lines import Line
    from ..drawing.links import Place, Target
    from ..drawing.matches import Marks
    from ..drawing.wrap import Run

#: The widest line that reads well, in cells.
MEASURE = 88
#: Takes the place of the first cell of the chosen link.
_CHOSEN = "▸"
#: The kinds of text that have a style of every screen; the others have styles of their own.
_TEXT_STYLES = {
    "heading": "accent strong",
    "subheading": "strong",
    "strong": "strong",
    "quote": "muted",
    "muted": "muted",
    "added": "success",
    "removed": "error",
    "cut": "warning strong",
    "match": "match",
    "chosen": "cursor",
}


class BodyView(LineView, TextStyled):
    """The body of a topic, at most `MEASURE` cells wide and centred in what is left."""

    ALLOW_SELECT = True
    COMPONENT_CLASSES: ClassVar[set[str]] = {
        f"body-view--{kind}" for kind in ("emphasis", "strike", "code", "block", "link", "missing")
    }
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("text")

    class LinkClicked(FieldMessage):
        """A link that leads somewhere, or will one day, was clicked."""

        body_view: BodyView
        target: Target

    class MeasureChanged(FieldMessage):
        """The width to lay text out for is another one now, or known for the first time."""

        body_view: BodyView

    def __init__(self, *, can_focus: bool = True) -> None:
        super().__init__(can_focus=can_focus)
        self._told = 0
        self._lines: Sequence[Line] = ()
        self._targets: Mapping[str, Target] = {}
        self._places: Sequence[Place] = ()
        self._chosen: int | None = None
        self._marks = NO_MARKS
        self._match: int | None = None
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

    def show(
        self, lines: Sequence[Line], marks: Marks = NO_MARKS, *, keep_place: bool = False
    ) -> None:
        """Show other lines.

        Args:
            lines: The text, laid out for `measure`.
            marks: What a search found in them; the best place is scrolled to.
            keep_place: Stay where the view is, as for the same text changed.
        """
        self._lines, self._marks = lines, marks
        if not keep_place or (self._match or 0) >= len(marks):
            self._match = None
        self.virtual_size = Size(self.size.width, len(lines))
        if not keep_place:
            self.jump_to(self._first_match())
        self.refresh()

    def page(self, direction: int) -> None:
        """Scroll by a screen, up or down, for a screen whose keys are elsewhere."""
        if direction > 0:
            self.scroll_page_down(animate=False)
        else:
            self.scroll_page_up(animate=False)

    def link_up(self, targets: Mapping[str, Target], places: Sequence[Place]) -> None:
        """Say where the links of the shown text lead and stand; the chosen one stays if it can."""
        if self._chosen is not None and self._chosen >= len(places):
            self._chosen = None
        self._targets, self._places = targets, places
        self.refresh()

    @property
    def link_count(self) -> int:
        """How many links there are to choose from."""
        return len(self._places)

    @property
    def chosen(self) -> int | None:
        """The chosen link by its place in the text, from 0."""
        return self._chosen

    @property
    def target(self) -> Target | None:
        """Where the chosen link leads."""
        return None if self._chosen is None else self._targets[self._places[self._chosen].link]

    def choose(self, number: int | None) -> None:
        """Choose a link and bring it into view, or choose none."""
        self._chosen = number
        if number is not None:
            self.reveal(self._places[number].line)
        self.refresh()

    def next_link(self, by: int) -> int:
        """The link after the chosen one or before it; without one, the nearest in view."""
        count = len(self._places)
        if self._chosen is not None:
            return (self._chosen + by) % count
        top = round(self.scroll_y)
        if by > 0:
            below = (n for n, place in enumerate(self._places) if place.line >= top)
            return next(below, 0)
        bottom = top + self.size.height
        above = (n for n in reversed(range(count)) if self._places[n].line < bottom)
        return next(above, count - 1)

    @property
    def match_count(self) -> int:
        """How many matches there are to go to."""
        return len(self._marks)

    @property
    def match(self) -> int | None:
        """The match that was gone to by its place in the text, from 0."""
        return self._match

    def go_to_match(self, number: int | None) -> None:
        """Set a match off and bring it into view, or none."""
        self._match = number
        if number is not None:
            self.reveal(self._marks.places[number].line)
        self.refresh()

    def next_match(self, by: int) -> int:
        """The match after the one that was gone to, or before it; at first the best one."""
        return self._marks.best if self._match is None else (self._match + by) % len(self._marks)

    def on_click(self, event: events.Click) -> None:
        """Tell of a click on a link; one that ends a selection is none."""
        number, cell = event.y + self.scroll_offset.y, event.x - self.left
        if self.text_selection is not None or not 0 <= number < len(self._lines):
            return
        for run in self._lines[number].runs:
            cells = cell_len(run.text)
            if 0 <= cell < cells and run.link in self._targets:
                self.post_message(self.LinkClicked(self, self._targets[run.link]))
            cell -= cells

    def _kind(self, run: Run, number: int, cell: int) -> str:
        """The style of a run: links show whether they lead somewhere, and which is chosen."""
        if run.link not in self._targets:
            return run.kind
        if self._chosen is not None:
            place = self._places[self._chosen]
            here = (number, cell) == (place.line, place.cell)
            # What was broken at a line end goes on below.
            rest = number == place.line + 1 and not run.text.startswith("[[")
            if run.link == place.link and (here or rest):
                return "chosen"
        return run.kind if self._targets[run.link].topic is not None else "missing"

    def _first_match(self) -> int:
        """The line to begin at: a little above the best match when that is out of view."""
        if not self._marks:
            return 0
        number = self._marks.places[self._marks.best].line
        return max(number - 2, 0) if number >= self.size.height else 0

    def on_resize(self) -> None:
        """The height of the text stays, the width follows."""
        self.virtual_size = Size(self.size.width, len(self._lines))
        if self.size.width and self.measure != self._told:
            self._told = self.measure
            self.post_message(self.MeasureChanged(self))

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
        styles: list[tuple[str, Style]] = []
        cell = 0
        for run in line.runs:
            kind = self._kind(run, number, cell)
            begins = kind == "chosen" and cell == self._places[self._chosen or 0].cell
            part = _CHOSEN + run.text[1:] if begins else run.text
            styles.append((part, self._style(kind)))
            cell += cell_len(run.text) if self._targets else 0
        found = self._marks.in_line(number)
        if found:
            styles = _overlay(styles, found, self._style("match"))
        if self._match is not None and self._marks.places[self._match].line == number:
            here = self._marks.places[self._match]
            styles = _overlay(styles, [(here.start, here.end)], self._style("chosen"))
        selection = self.text_selection
        span = selection.get_span(number) if selection is not None else None
        if span is not None:
            start, end = span
            end = len(line.text) if end == -1 else end
            styles = _overlay(styles, [(start, end)], self._selected_style())
        text = Strip([Segment(part, style) for part, style in styles])
        fill = self._style(line.fill)
        text = text.extend_cell_length(self.measure, fill).apply_offsets(0, number)
        padding = Strip.blank(self.left, base)
        return Strip.join([padding, text]).crop_extend(0, width, base)

    def notify_style_update(self) -> None:
        """Forget the styles of the old colours."""
        super().notify_style_update()
        self._styles.clear()

    def _selected_style(self) -> Style:
        """The ground of what the mouse selected; letters keep their colour where it has none."""
        style = self.screen.get_component_rich_style("screen--selection")
        return style if style.color != style.bgcolor else Style(bgcolor=style.bgcolor)

    def _style(self, kind: str) -> Style:
        """The style of a kind of text, worked out once for many lines."""
        style = self._styles.get(kind)
        if style is None:
            style = self.rich_style_named(_TEXT_STYLES.get(kind, ""))
            if kind and kind not in _TEXT_STYLES:
                style += self.get_component_rich_style(f"body-view--{kind}", partial=True)
            self._styles[kind] = style
        return style


def _overlay(
    runs: list[tuple[str, Style]], spans: Sequence[tuple[int, int]], style: Style
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
