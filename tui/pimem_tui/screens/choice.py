"""A list to choose one thing from, over the screen that asks."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pimem_core.formats.text import visible_cell
from pimem_styles import stylesheets
from rich.cells import cell_len
from textual import getters, on
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from ..drawing.cells import clean, cut, fit
from ..drawing.wrap import Run
from ..keys.bindings import bindings_of, key_of
from ..widgets.line_input import LineInput
from ..widgets.rows import Rows
from ..widgets.text_styles import TEXT_STYLE_CLASSES
from .base import BaseScreen

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual import events
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from ..rows.options import Option

#: Labels wider than this do not widen their column, in cells.
_MOST_LABEL = 40


class ChoiceScreen(ModalScreen[str | None], BaseScreen[str | None]):
    """Answers with the value of one option, or with what was typed; None when nothing was chosen.

    Typing keeps to what contains the words.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {*TEXT_STYLE_CLASSES}
    CSS_PATH = stylesheets("choice")
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("choice")

    rows = getters.query_one(Rows)
    field = getters.query_one(Input)

    def __init__(
        self,
        title: str,
        options: Sequence[Option],
        *,
        at: str = "",
        search: bool = False,
        new: Callable[[str], Option | None] | None = None,
        hint: str = "",
    ) -> None:
        """Ask.

        Args:
            title: The question.
            options: What there is.
            at: The value to begin at.
            search: Whether words can be typed to keep to some.
            new: What a typed text means beside the options, for one that is none of them.
            hint: Stands in the empty field.
        """
        super().__init__()
        self._title = visible_cell(title)
        self._options = options
        self._shown = list(options)
        self._at = at
        self._search = search or new is not None
        self._new = new
        self._hint = hint or "type to find"

    def compose(self) -> ComposeResult:
        """The box."""
        with Vertical(id="box"):
            yield Static(self._title, id="question", markup=False)
            yield LineInput(id="words", placeholder=self._hint, compact=True, select_on_focus=False)
            yield Rows()
            take, cancel = key_of(self, "choice.take"), key_of(self, "choice.cancel")
            yield Static(f"{take} chooses, {cancel} leaves it as it is", id="detail", markup=False)

    def on_mount(self) -> None:
        """Show the options; keys go to the field where there is one."""
        self.set_class(self._search, "-search")
        (self.field if self._search else self.rows).focus()
        if not self._search:
            self.field.disabled = True
        values = [option.value for option in self._options]
        self._show(values.index(self._at) if self._at in values else 0)

    def on_resize(self) -> None:
        """Lay the rows out for the new width."""
        self.call_after_refresh(self._show, None)

    def _show(self, selected: int | None) -> None:
        widest = max((cell_len(clean(option.label, 200)) for option in self._shown), default=0)
        room = max(self.rows.size.width - 2, 8)
        label_cells = min(widest, _MOST_LABEL, room)
        rows = []
        for option in self._shown:
            note = cut(clean(option.note), room - label_cells - 2)
            rows.append(
                [
                    Run(" " + fit(clean(option.label, 200), label_cells), "name"),
                    Run(f"  {note} " if note else " ", "muted"),
                ]
            )
        at = self.rows.selected if selected is None else selected
        self.rows.styles.height = max(min(len(rows), max(self.size.height - 8, 2)), 1)
        self.rows.show(rows, selected=at)

    @on(Input.Changed)
    def _narrow(self, message: Input.Changed) -> None:
        words = message.value.strip().casefold()
        self._shown = [
            option
            for option in self._options
            if words in option.label.casefold() or words in option.note.casefold()
        ]
        labels = {option.label.casefold() for option in self._options}
        made = self._new(message.value.strip()) if self._new and words else None
        if made is not None and words not in labels:
            self._shown.append(made)
        self._show(0)

    @on(Input.Submitted)
    def action_take(self) -> None:
        """Answer with the selected choice."""
        if 0 <= self.rows.selected < len(self._shown):
            self.dismiss(self._shown[self.rows.selected].value)

    def action_cancel(self) -> None:
        """Answer with nothing."""
        self.dismiss(None)

    def action_move(self, by: int) -> None:
        """Select another choice."""
        self.rows.move(by)

    def on_click(self, event: events.Click) -> None:
        """A second click on a choice takes it."""
        if event.chain == 2 and event.widget is self.rows:
            self.action_take()
