"""A page of a screen: a title, a line about it, rows and a text, or a message in their place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pimem_core.formats.text import visible
from textual import getters
from textual.containers import Vertical
from textual.widgets import Static

from ..drawing.cells import clean, cut
from .body_view import BodyView
from .rows import Rows

if TYPE_CHECKING:
    from textual.app import ComposeResult


class Page(Vertical):
    """Rows with the text of the selected one beside them, or a text alone."""

    rows = getters.query_one(Rows)
    text = getters.query_one(BodyView)

    def __init__(self, title: str, *, has_rows: bool = True) -> None:
        """Make a page.

        Args:
            title: Its title until there is another one.
            has_rows: Whether it has rows, which have the keys; else the text has.
        """
        super().__init__()
        self._title = title
        self._has_rows = has_rows
        self.set_class(has_rows, "-rows")

    def compose(self) -> ComposeResult:
        """Title, line, rows and text, message."""
        yield Static(self._title, id="title", markup=False)
        yield Static(id="about", markup=False)
        with Vertical(id="body"):
            if self._has_rows:
                yield Rows()
            yield BodyView(can_focus=not self._has_rows)
        yield Static(id="state", markup=False)

    def show_title(self, title: str) -> None:
        """Show another title, as much of it as fits in a line."""
        self.query_one("#title", Static).update(self._line(title))

    def show_about(self, about: str) -> None:
        """Show another line below the title, as much of it as fits."""
        self.query_one("#about", Static).update(self._line(about))

    def _line(self, text: str) -> str:
        return cut(clean(text), max(self.screen.size.width - 2, 1))

    def explain(self, about: str) -> None:
        """Show several lines below the title."""
        self.query_one("#about", Static).update(visible(about))

    def say_instead(self, message: str) -> None:
        """Show a message in place of rows and text; empty for these."""
        self.set_class(bool(message), "-message")
        self.query_one("#state", Static).update(visible(message))

    def scroll_text(self, direction: int) -> None:
        """Scroll the text by a screen, down or up: the rows have the keys."""
        self.text.page(direction)
