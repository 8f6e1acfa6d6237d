"""The keys of the screen below and the meaning of the marks."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pimem_core.text import visible
from pimem_styles import stylesheet
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from ..bindings import bindings
from ..commands import commands_of
from .steady import SteadyModal

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


class HelpScreen(SteadyModal[None]):
    """Lists every key that the screen below knows, and what is to be said about the store."""

    CSS_PATH = stylesheet("help.tcss")
    AUTO_FOCUS = "#box"
    BINDINGS: ClassVar[list[BindingType]] = bindings("help.close")

    def __init__(self, below: Screen[object], notes: Sequence[str] = ()) -> None:
        super().__init__()
        self._below = below
        self._notes = notes

    def compose(self) -> ComposeResult:
        """The box."""
        with VerticalScroll(id="box"):
            yield Static(self._text(), id="text")

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
            keys = f"{command.keys:<11}"
            content += Content.assemble("\n", (keys, "$text-primary"), " ", command.help)
        content += Content.assemble("\n\n", ("Marks", "bold"))
        for sign, meaning in _MARKS:
            content += Content.assemble("\n", (f"{sign:<11}", "$text-primary"), " ", meaning)
        content += (
            "\n\nThe mouse selects with a click, opens with another, and scrolls with the wheel."
        )
        content += "\nHold shift to select text as your terminal does."
        return content

    def action_close(self) -> None:
        """Go back."""
        self.dismiss()
