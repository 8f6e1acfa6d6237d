"""The keys of the screen below and the meaning of the marks."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pimem_core.formats.text import visible
from pimem_styles import stylesheets
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from ..drawing.wrap import Run, wrap
from ..keys.bindings import bindings
from ..keys.commands import commands_of
from ..widgets.text_styles import TEXT_STYLE_CLASSES
from .base import BaseScreen

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.screen import Screen

_MARKS = (
    ("●", "pinned: stays until it is unpinned"),
    ("~", "stale: not written for a long time"),
    ("!", "problem: its heading says which"),
    ("○", "not in the index, or archived, so no session is told of it"),
    ("→ ×", "an entry that is superseded, or deprecated"),
    ("▸ ▾", "a file with entries: hidden, or shown below it"),
    ("*", "somebody else changed it just now"),
    ("+", "marked, to be pinned or removed with others"),
)
#: Cells before the meanings, and cells of a line where the screen has room for it.
_INDENT, _FULL = 12, 69


class HelpScreen(ModalScreen[None], BaseScreen[None]):
    """Lists every key that the screen below knows, and what there is to say about the store."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {*TEXT_STYLE_CLASSES}
    CSS_PATH = stylesheets("help")
    AUTO_FOCUS = "#box"
    BINDINGS: ClassVar[list[BindingType]] = bindings("help.close")

    def __init__(self, below: Screen[object], notes: Sequence[str] = ()) -> None:
        super().__init__()
        self._below = below
        self._notes = notes
        self._width = _FULL

    def compose(self) -> ComposeResult:
        """The box."""
        with VerticalScroll(id="box"):
            yield Static(self._text(), id="text")

    def on_resize(self) -> None:
        """Wrap the text for the new width, once it is known."""
        self.call_after_refresh(self._fit)

    def _fit(self) -> None:
        text = self.query_one("#text", Static)
        if text.size.width != self._width:
            self._width = text.size.width
            text.update(self._text())

    def _text(self) -> Content:
        content = Content("")
        if self._notes:
            content += Content.styled("This store", "bold")
            for note in self._notes:
                content += "\n" + visible(note)
            content += "\n\n"
        content += Content.styled("Keys", "bold")
        commands = list(commands_of(self._below, now=False))
        areas = list(dict.fromkeys(command.area for command in commands))
        commands.sort(key=lambda command: areas.index(command.area))
        area = areas[0]
        for command in commands:
            if command.area != area:
                area = command.area
                content += "\n"
            content += self._row(command.keys, command.help)
        content += Content.assemble("\n\n", ("Marks", "bold"))
        for sign, meaning in _MARKS:
            content += self._row(sign, meaning)
        content += (
            "\n\nThe mouse selects with a click, opens with another, and scrolls with the wheel."
        )
        content += "\nDragging over a text to read selects it, and ctrl+c copies it."
        content += "\nHold shift to select text as your terminal does."
        return content

    def _row(self, sign: str, meaning: str) -> Content:
        """A key or mark with what it means; that goes on below itself, not below the sign."""
        lines = wrap([Run(meaning, "")], max(self._width - _INDENT, _INDENT))
        text = ("\n" + " " * _INDENT).join("".join(run.text for run in line) for line in lines)
        return Content.assemble("\n", (f"{sign:<{_INDENT - 1}}", "$text-primary"), " ", text)

    def action_close(self) -> None:
        """Go back."""
        self.dismiss()
