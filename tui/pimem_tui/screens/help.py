"""The keys of the screen below and the meaning of the marks."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Static

from ..commands import commands_of

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.screen import Screen

_MARKS = (
    ("●", "pinned: stays until it is unpinned"),
    ("~", "stale: not written for a long time"),
    ("!", "problem: its heading says which"),
)


class HelpScreen(ModalScreen[None]):
    """Lists every key that the screen below knows, also those it does not show."""

    AUTO_FOCUS = "#box"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding(
            "escape,q,question_mark,f1,enter",
            "close",
            "close",
            id="help.close",
            tooltip="Back to where you were",
        ),
    ]

    def __init__(self, below: Screen[object]) -> None:
        super().__init__()
        self._below = below

    def compose(self) -> ComposeResult:
        """The box."""
        with VerticalScroll(id="box"):
            yield Static(self._text(), id="text")

    def _text(self) -> Content:
        content = Content.styled("Keys", "bold")
        commands = list(commands_of(self._below, now=False))
        areas = list(dict.fromkeys(command.area for command in commands))
        commands.sort(key=lambda command: areas.index(command.area))
        area = areas[0]
        for command in commands:
            if command.area != area:
                area = command.area
                content += "\n"
            keys = f"{command.keys:<16}"
            content += Content.assemble("\n", (keys, "$text-primary"), " ", command.help)
        content += Content.assemble("\n\n", ("Marks", "bold"))
        for sign, meaning in _MARKS:
            content += Content.assemble("\n", (f"{sign:<16}", "$text-primary"), " ", meaning)
        content += "\n\nThe mouse selects with a click, opens with two, and scrolls with the wheel."
        content += "\nHold shift to select text as your terminal does."
        return content

    def action_close(self) -> None:
        """Go back."""
        self.dismiss()
