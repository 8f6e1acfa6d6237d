"""A question that has to be answered before something goes away."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, ClassVar

from pimem_core.formats.text import visible
from pimem_styles import stylesheets
from textual.containers import Horizontal, VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Button, Static

from ..keys.bindings import bindings_of
from ..widgets.text_styles import TEXT_STYLE_CLASSES
from .base import BaseScreen

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType


class ConfirmScreen(ModalScreen[bool], BaseScreen[bool]):
    """Asks one question. Cancel has the focus, and only `y` or its button says yes.

    Keys that were pressed before it could be seen are not meant for it.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {*TEXT_STYLE_CLASSES}
    CSS_PATH = stylesheets("confirm")
    AUTO_FOCUS = "#cancel"
    BINDINGS: ClassVar[list[BindingType]] = bindings_of("confirm")

    def __init__(self, question: str, detail: str, verb: str) -> None:
        super().__init__()
        self._question = visible(question)
        self._detail = visible(detail)
        self._verb = verb
        self._box = VerticalScroll(id="box", can_focus=False)
        #: When it was first on the screen, by the monotonic clock; None before that.
        self.seen_at: float | None = None

    def was_displayed(self) -> None:
        """Take keys from now on, if the box has its place."""
        if self.seen_at is None and self._box.region:
            self.seen_at = time.monotonic()

    def compose(self) -> ComposeResult:
        """The box."""
        with self._box:
            yield Static(self._question, id="question", markup=False)
            yield Static(self._detail, id="detail", markup=False)
            with Horizontal(id="buttons"):
                yield Button("Cancel", id="cancel", compact=True)
                yield Button(self._verb, id="confirm", variant="error", compact=True)

    def action_answer(self, yes: bool) -> None:
        """Answer and go back."""
        self.dismiss(yes)

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Answer with the button that was pressed."""
        self.dismiss(event.button.id == "confirm")
