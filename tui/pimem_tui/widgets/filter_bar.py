"""The line that a filter is typed into."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pimem_core.formats.text import visible_cell
from textual import getters
from textual.containers import Horizontal
from textual.reactive import reactive
from textual.widgets import Static

from ..keys.bindings import bindings_of
from .line_input import LineInput

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType


class FilterInput(LineInput):
    """The text of the filter. Up and down move in the list without leaving it."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("filter")

    def validate_value(self, value: str) -> str:
        """Pasted control characters are drawn as signs, like everywhere."""
        return visible_cell(value)


class FilterBar(Horizontal):
    """The filter with a note on what it found."""

    note: reactive[str] = reactive("")

    input = getters.query_one(FilterInput)

    def compose(self) -> ComposeResult:
        """A sign, the text, the note."""
        yield Static("/", id="filter-label", markup=False)
        yield FilterInput(
            placeholder="name, file, summary or text",
            id="filter",
            compact=True,
            select_on_focus=False,
        )
        yield Static("", id="filter-note", markup=False)

    def watch_note(self, note: str) -> None:
        """Show the note."""
        for label in self.query("#filter-note").results(Static):
            label.update(note)
