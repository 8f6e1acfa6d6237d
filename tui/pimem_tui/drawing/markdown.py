"""Markdown laid out as lines of styled text for a given width.

The lines hold plain text and the names of styles, so nothing in a memory can act as markup of the
interface, and a view can draw any part of a long text without building widgets for the rest.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pimem_core.formats.text import visible
from rich.cells import cell_len

from .lines import Line
from .links import target_of
from .wrap import Run, chop, wrap

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markdown_it.token import Token

_WIKI_LINK = re.compile(r"(\[\[[^\[\]\n]+\]\])")
_MIN_WIDTH = 8
_MAX_NESTING = 40
#: Lines at least this long were wrapped, shorter ones were ended on purpose.
_PROSE_CELLS = 56


def lay_out(text: str, width: int) -> list[Line]:
    """Lay Markdown out for a width in cells.

    HTML stays as it is written: a memory hides nothing. A line end after a short line stays too,
    because notes are often lists of `key: value` lines; after a long one it is just where the
    writer's editor wrapped the prose.
    """
    from markdown_it import MarkdownIt

    options = {"html": False, "maxNesting": _MAX_NESTING}
    parser = MarkdownIt("commonmark", options).enable(["table", "strikethrough"])
    text = visible(text).expandtabs(4)
    tokens = parser.parse(text)
    if _too_deep(tokens):
        # The parser drops what is nested deeper, so such a text shows as it was written.
        return [Line(tuple(line)) for line in wrap([Run(text, "")], max(width, _MIN_WIDTH))]
    layout = _Layout(max(width, _MIN_WIDTH))
    layout.blocks(tokens)
    lines = layout.lines
    while lines and not lines[-1].runs:
        lines.pop()
    return lines


class _Layout:
    """Walks the tokens once; `indent` is what stands left of the text of nested blocks."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.lines: list[Line] = []
        self.indent: list[Run] = []
        #: Replaces the innermost indent on the next line: the bullet of a list item.
        self.marker: Run | None = None
        self.lists: list[int | None] = []

    def blocks(self, tokens: Sequence[Token]) -> None:
        index = 0
        while index < len(tokens):
            token = tokens[index]
            if token.type == "table_open":
                index = self._table(tokens, index)
            elif token.type == "heading_open":
                kind = "heading" if token.tag in ("h1", "h2") else "subheading"
                self._gap()
                self._paragraph(_inline(tokens[index + 1], kind))
                index += 2
            elif token.type == "inline":
                self._paragraph(_inline(token))
            elif token.type in ("fence", "code_block"):
                self._code(token.content)
            elif token.type == "hr":
                self._gap()
                self._emit([Run("─" * self._room(), "muted")])
            elif token.type == "paragraph_open":
                if not token.hidden:
                    self._gap()
            else:
                self._nesting(token)
            index += 1

    def _nesting(self, token: Token) -> None:
        kind = token.type
        if kind in ("bullet_list_open", "ordered_list_open"):
            if not self.lists:
                self._gap()
            start = token.attrGet("start")
            ordered = kind == "ordered_list_open"
            self.lists.append((int(start) if start is not None else 1) if ordered else None)
        elif kind in ("bullet_list_close", "ordered_list_close"):
            self.lists.pop()
        elif kind == "list_item_open":
            number = self.lists[-1]
            mark = "• " if number is None else f"{number}. "
            if number is not None:
                self.lists[-1] = number + 1
            self.marker = Run(mark, "muted")
            self.indent.append(Run(" " * len(mark), ""))
        elif kind == "blockquote_open":
            self._gap()
            self.indent.append(Run("│ ", "quote"))
        elif kind in ("list_item_close", "blockquote_close"):
            if self.marker is not None and kind == "list_item_close":
                self._emit([])  # an item without text still shows its bullet
            self.indent.pop()

    def _room(self) -> int:
        taken = sum(len(run.text) for run in self.indent)
        return max(self.width - taken, _MIN_WIDTH)

    def _gap(self) -> None:
        """One blank line between blocks, none at the start and none after a bullet."""
        if self.lines and self.lines[-1].runs and self.marker is None:
            quotes = tuple(run for run in self.indent if run.text.strip())
            if quotes and self.lines[-1].text.strip(" │"):
                self.lines.append(Line(tuple(self.indent)))
            elif not quotes:
                self.lines.append(Line(()))

    def _emit(self, runs: Sequence[Run], fill: str = "") -> None:
        indent = list(self.indent)
        if self.marker is not None and indent:
            indent[-1] = self.marker
            self.marker = None
        self.lines.append(Line((*indent, *runs), fill))

    def _paragraph(self, runs: Sequence[Run]) -> None:
        for line in wrap(runs, self._room()):
            self._emit(line)

    def _code(self, content: str) -> None:
        self._gap()
        room = self._room() - 2
        for line in content.rstrip("\n").split("\n"):
            for part in chop(line, room) or [""]:
                self._emit([Run(" " + part, "block")], fill="block")

    def _table(self, tokens: Sequence[Token], index: int) -> int:
        """Lay one table out in columns; returns the index of its last token."""
        rows: list[list[list[Run]]] = []
        heads = 0
        while tokens[index].type != "table_close":
            token = tokens[index]
            if token.type == "tr_open":
                rows.append([])
            elif token.type == "inline":
                rows[-1].append(_inline(token, "" if heads else "strong"))
            elif token.type == "thead_close":
                heads = len(rows)
            index += 1
        self._gap()
        widths = _column_widths(rows, self._room())
        for number, row in enumerate(rows, 1):
            cells = [wrap(cell, width) for cell, width in zip(row, widths, strict=False)]
            for part in range(max(map(len, cells), default=0)):
                self._emit(_table_line(cells, widths, part))
            if number == heads:
                self._emit([Run("  ".join("─" * width for width in widths), "muted")])
        return index


def _too_deep(tokens: Sequence[Token]) -> bool:
    return any(
        token.level >= _MAX_NESTING - 1 or (token.children and _too_deep(token.children))
        for token in tokens
    )


def _inline(token: Token, kind: str = "") -> list[Run]:
    """The runs of one inline token, nested styles flattened to the innermost."""
    runs: list[Run] = []
    kinds = [kind]
    target = ""
    for child in token.children or ():
        if child.type in ("em_open", "strong_open", "s_open"):
            named = {"em_open": "emphasis", "strong_open": "strong", "s_open": "strike"}
            kinds.append(named[child.type])
        elif child.type in ("em_close", "strong_close", "s_close"):
            kinds.pop()
        elif child.type == "link_open":
            target = str(child.attrGet("href") or "")
            kinds.append("link")
        elif child.type == "link_close":
            kinds.pop()
            shown = runs[-1].text if runs else ""
            if target and target != shown:
                # The target stays readable, since nothing opens by itself.
                runs.append(Run(f" ({visible(target)})", "muted"))
        elif child.type == "code_inline":
            runs.append(Run(child.content, "code"))
        elif child.type in ("softbreak", "hardbreak"):
            prose = child.type == "softbreak" and _last_line_cells(runs) >= _PROSE_CELLS
            runs.append(Run(" " if prose else "\n", ""))
        elif child.type == "image":
            runs.append(Run(child.content, kinds[-1]))
            runs.append(Run(f" ({visible(str(child.attrGet('src') or ''))})", "muted"))
        else:
            for part in _WIKI_LINK.split(child.content):
                if part.startswith("[["):
                    runs.append(Run(part, "link", target_of(part)))
                elif part:
                    runs.append(Run(part, kinds[-1]))
    return runs


def _last_line_cells(runs: Sequence[Run]) -> int:
    cells = 0
    for run in reversed(runs):
        if run.kind == "" and run.text in ("\n", " "):
            break
        cells += cell_len(run.text)
    return cells


def _column_widths(rows: Sequence[Sequence[Sequence[Run]]], room: int) -> list[int]:
    """The widths of columns: as wide as their text, the widest give way first."""
    columns = max(map(len, rows), default=0)
    widths = [3] * columns
    for row in rows:
        for column, cell in enumerate(row):
            widths[column] = max(widths[column], sum(cell_len(run.text) for run in cell))
    spare = room - 2 * (columns - 1)
    # The excess goes off the widest column down to the next one at a time, so this stays short.
    while sum(widths) > spare and max(widths) > 3:
        widest = max(widths)
        count = widths.count(widest)
        below = max((width for width in widths if width < widest), default=3)
        cut = min(widest - max(below, 3), -(-(sum(widths) - spare) // count))
        widths = [width - max(cut, 1) if width == widest else width for width in widths]
    return widths


def _table_line(
    cells: Sequence[Sequence[Sequence[Run]]], widths: list[int], part: int
) -> list[Run]:
    line: list[Run] = []
    for column, (cell, width) in enumerate(zip(cells, widths, strict=False)):
        runs = cell[part] if part < len(cell) else ()
        line.extend(runs)
        if column < len(widths) - 1:
            used = sum(cell_len(run.text) for run in runs)
            line.append(Run(" " * (max(width - used, 0) + 2), ""))
    return line
