"""The headings of a long text beside it: where one is, and a click goes there."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from textual.content import Content
from textual.reactive import reactive

from ..drawing.cells import cut
from ..workers.field_message import FieldMessage
from .text_styles import TextStyled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import events

    from ..drawing.lines import Line

_HEADINGS = ("heading", "subheading")
#: Fewer headings need no table.
_FEWEST = 3


class Section(NamedTuple):
    """A heading, how deep it is, and the line it is on."""

    text: str
    depth: int
    line: int


def sections_of(lines: Sequence[Line]) -> list[Section]:
    """The headings of a text that is laid out; one that was wrapped is joined again."""
    found: list[Section] = []
    last = -2
    for number, line in enumerate(lines):
        kind = line.runs[0].kind if line.runs else ""
        if kind not in _HEADINGS or not all(run.kind == kind for run in line.runs if run.text):
            continue
        if last == number - 1:
            found[-1] = found[-1]._replace(text=f"{found[-1].text} {line.text.strip()}")
        else:
            found.append(Section(line.text.strip(), _HEADINGS.index(kind), number))
        last = number
    return found


class Contents(TextStyled):
    """The headings, the one in view set off. It takes no keys: the text scrolls by itself."""

    sections: reactive[Sequence[Section]] = reactive((), layout=True)
    here: reactive[int] = reactive(-1)

    class SectionChosen(FieldMessage):
        """A heading was clicked."""

        line: int

    def on_mount(self) -> None:
        """Cover nothing before there is something to show."""
        self.display = False

    def show(self, lines: Sequence[Line], height: int) -> None:
        """Show the headings of a text that is longer than its view, else nothing."""
        found = sections_of(lines) if len(lines) > height else []
        self.sections = found if len(found) >= _FEWEST else ()
        self.display = bool(self.sections)

    def follow(self, line: int) -> None:
        """Set off the section that a line is in."""
        before = [n for n, section in enumerate(self.sections) if section.line <= line]
        self.here = before[-1] if before else -1

    @property
    def _first(self) -> int:
        """The first section that is drawn, so that the one in view is."""
        return max(0, min(self.here - self.size.height // 2, len(self.sections) - self.size.height))

    def render(self) -> Content:
        """One line for each."""
        lines: list[Content] = []
        for number, section in enumerate(self.sections[self._first :], start=self._first):
            here = number == self.here
            text = cut("  " * section.depth + section.text, max(self.size.width - 2, 1))
            style = self.style_named("accent strong" if here else "muted")
            lines.append(Content.styled(f"{'▸' if here else ' '} {text}", style))
        return Content("\n").join(lines)

    def on_click(self, event: events.Click) -> None:
        """Tell which heading was meant."""
        number = self._first + event.y
        if number < len(self.sections):
            self.post_message(self.SectionChosen(self.sections[number].line))
