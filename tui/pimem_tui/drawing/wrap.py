"""Wrapping of styled text to a width in terminal cells."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from rich.cells import cell_len

if TYPE_CHECKING:
    from collections.abc import Iterable

# Lines may break at spaces and after each character of the scripts that are written without them.
_WIDE = (
    "\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f"
    "\uff00-\uff60\uffe0-\uffe6\U00020000-\U0003fffd"
)
_PIECES = rf"\n|[^\S\n]+|([{_WIDE}][\u0300-\u036f\ufe00-\ufe0f]*)|[^\s{_WIDE}]+"


class Run(NamedTuple):
    """A stretch of text in one style, by name; the empty name is the style of the view.

    `link` is what a link leads to, in the words of `linking`.
    """

    text: str
    kind: str
    link: str = ""


def wrap(runs: Iterable[Run], width: int) -> list[list[Run]]:
    """Break runs into lines of at most `width` cells; a line end in the text breaks as well."""
    lines: list[list[Run]] = [[]]
    used = 0
    gap: Run | None = None
    for atom in _atoms(runs):
        first = atom[0].text
        if first == "\n":
            lines.append([])
            used, gap = 0, None
            continue
        if first.isspace():
            # Space at the start of a line is dropped unless the text itself begins with it.
            gap = atom[0] if used or len(lines) == 1 else None
            continue
        cells = sum(cell_len(run.text) for run in atom)
        lead = len(gap.text) if gap else 0
        if used and used + lead + cells > width:
            lines.append([])
            used, gap, lead = 0, None, 0
        if gap is not None:
            lines[-1].append(gap)
            used += lead
            gap = None
        if used + cells <= width:
            lines[-1].extend(atom)
            used += cells
            continue
        for run in atom:
            for part in chop(run.text, width):
                part_cells = cell_len(part)
                if used and used + part_cells > width:
                    lines.append([])
                    used = 0
                lines[-1].append(run._replace(text=part))
                used += part_cells
    return [_joined(line) for line in lines]


def _joined(line: list[Run]) -> list[Run]:
    """The same line with neighbours in one style made one run, which terminals draw faster."""
    joined: list[Run] = []
    for run in line:
        if joined and joined[-1][1:] == run[1:]:
            joined[-1] = run._replace(text=joined[-1].text + run.text)
        else:
            joined.append(run)
    return joined


def chop(text: str, width: int) -> list[str]:
    """Cut a text into pieces of at most `width` cells, never inside a character."""
    if len(text) <= width and cell_len(text) <= width:
        return [text] if text else []
    parts: list[str] = []
    start = used = 0
    for index, character in enumerate(text):
        cells = cell_len(character)
        if used + cells > width and index > start:
            parts.append(text[start:index])
            start, used = index, 0
        used += cells
    parts.append(text[start:])
    return parts


def _atoms(runs: Iterable[Run]) -> Iterable[list[Run]]:
    """What may not be broken: words across styles, single wide signs, spaces, line ends."""
    word: list[Run] = []
    for run in runs:
        # Not compiled with the module, which the first paint waits for.
        for match in re.finditer(_PIECES, run.text):
            piece = Run(match.group(), run.kind, run.link)
            alone = piece.text.isspace() or match.group(1) is not None
            if alone:
                if word:
                    yield word
                    word = []
                yield [piece]
            else:
                word.append(piece)
    if word:
        yield word
