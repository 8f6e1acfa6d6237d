"""One of a few words, all of them on one line; where they do not fit, the chosen one alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rich.cells import cell_len
from textual.content import Content
from textual.reactive import reactive

from ..drawing.cells import clean
from ..keys.bindings import bindings_of
from ..workers.field_message import FieldMessage
from .text_styles import TextStyled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import events
    from textual.binding import BindingType

_GAP = 2


class Choice(TextStyled, can_focus=True):
    """`(•) one  ( ) another`: the mark shows without colour what is chosen."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("type")

    value: reactive[str | None] = reactive(None)

    class Changed(FieldMessage):
        """Another word was chosen."""

        choice: Choice
        value: str | None

    def __init__(self, words: Sequence[str], value: str | None = None) -> None:
        super().__init__()
        self._words = words
        self.set_reactive(Choice.value, value)
        self._places: list[tuple[int, int, str]] = []

    def watch_value(self, value: str | None) -> None:
        """Tell the screen."""
        self.post_message(self.Changed(self, value))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Choosing needs a choice."""
        return bool(self._words)

    def action_choose(self, by: int) -> None:
        """Choose the word after or before; without a choice yet, the first or the last."""
        if not self._words:
            return
        if self.value in self._words:
            at = (self._words.index(self.value) + by) % len(self._words)
        else:
            at = 0 if by > 0 else len(self._words) - 1
        self.value = self._words[at]

    def key_enter(self) -> None:
        """Go on to what follows, as in a field."""
        self.screen.focus_next()

    def render(self) -> Content:
        """The line."""
        self._places = []
        cells = sum(cell_len(word) + 4 + _GAP for word in self._words) - _GAP
        if cells > self.size.width:
            return self._short()
        content, at = Content(""), 0
        for word in self._words:
            chosen = word == self.value
            text = f"({'•' if chosen else ' '}) {clean(word)}"
            style = self.style_named("strong" if chosen else "muted")
            content += Content.styled(text, style) + Content(" " * _GAP)
            self._places.append((at, at + cell_len(text), word))
            at += cell_len(text) + _GAP
        return content

    def _short(self) -> Content:
        word = clean(self.value or "none yet")
        return (
            Content.styled("‹ ", self.style_named("muted"))
            + Content.styled(word, self.style_named("strong"))
            + Content.styled(" ›", self.style_named("muted"))
        )

    def on_click(self, event: events.Click) -> None:
        """Choose the word under the pointer; where only one shows, the next."""
        if not self._places:
            self.action_choose(1)
        for start, end, word in self._places:
            if start <= event.x < end:
                self.value = word
