"""The text of a topic being edited: Markdown stands out, and every character stays as it is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar

from pimem_core.formats.code_fences import CodeFences
from pimem_core.formats.text import visible
from rich.text import Text
from textual.document._document import Document, Selection
from textual.document._document_navigator import DocumentNavigator
from textual.document._wrapped_document import WrappedDocument
from textual.widgets import TextArea

if TYPE_CHECKING:
    from rich.style import Style

#: Lines beyond which fenced code is not looked for.
_MOST_LINES = 20_000
#: What stands out in a line, by the name of its style. The first group is what is drawn.
_PARTS = (
    ("heading", re.compile(r"^ {0,3}(#{1,6}(?:\s.*)?)$")),
    ("quote", re.compile(r"^ {0,3}(>.*)$")),
    ("mark", re.compile(r"^\s*([-*+]|\d{1,9}[.)])\s")),
    ("code", re.compile(r"(`[^`]+`)")),
    ("strong", re.compile(r"(\*\*[^*]+\*\*|__[^_]+__)")),
    ("link", re.compile(r"(\[\[[^\[\]]+\]\]|\[[^\]]+\]\([^)]*\)|https?://\S+)")),
)


class _ExactDocument(Document):
    """A text cut at its line feeds only, so that joining its lines gives it back."""

    def __init__(self, text: str) -> None:
        super().__init__("")
        every = text.count("\n") == text.count("\r\n") > 0
        self._newline = "\r\n" if every else "\n"
        self._lines = text.split(self._newline)


class TextEditor(TextArea):
    """Edits Markdown. Control characters show as signs and are kept."""

    COMPONENT_CLASSES: ClassVar[set[str]] = {
        f"text-editor--{kind}" for kind in ("heading", "quote", "mark", "code", "strong", "link")
    }

    def __init__(self) -> None:
        # Setting up a text area builds its text and its styles already.
        self._fenced: set[int] | None = None
        self._kinds: dict[str, Style] = {}
        super().__init__(id="text", compact=True, highlight_cursor_line=False, max_checkpoints=200)

    def _set_document(self, text: str, language: str | None) -> None:
        super()._set_document(text, language)
        if self.document.text != text:
            self.document = document = _ExactDocument(text)
            self.wrapped_document = WrappedDocument(document, tab_width=self.indent_width)
            self.navigator = DocumentNavigator(self.wrapped_document)
            self._build_highlight_map()
            self.move_cursor((0, 0))
            self._rewrap_and_refresh_virtual_size()

    def _refresh_size(self) -> None:
        """Take the cursor along when the text gets shorter, before anything scrolls to it."""
        if self.is_attached:
            self.selection = Selection(*map(self.clamp_visitable, self.selection))
        super()._refresh_size()

    def _build_highlight_map(self) -> None:
        """Forget where fenced code is; called whenever the text changes."""
        super()._build_highlight_map()
        self._fenced = None

    def get_line(self, line_index: int) -> Text:
        """One line to draw: as many characters as the text has, with Markdown set off."""
        plain = visible(self.document.get_line(line_index))
        line = Text(plain, end="", no_wrap=True)
        if line_index in self._code_lines():
            line.stylize(self._style("code"))
            return line
        for kind, pattern in _PARTS:
            for match in pattern.finditer(plain):
                line.stylize(self._style(kind), *match.span(1))
        return line

    def notify_style_update(self) -> None:
        """Forget the styles of the old colours."""
        super().notify_style_update()
        self._kinds.clear()

    def _style(self, kind: str) -> Style:
        style = self._kinds.get(kind)
        if style is None:
            name = f"text-editor--{kind}"
            style = self._kinds[kind] = self.get_component_rich_style(name, partial=True)
        return style

    def _code_lines(self) -> set[int]:
        if self._fenced is None:
            fences = CodeFences()
            lines = self.document.lines if self.document.line_count <= _MOST_LINES else ()
            self._fenced = {number for number, line in enumerate(lines) if fences.is_code(line)}
        return self._fenced
