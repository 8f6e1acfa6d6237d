"""The text of a checkpoint, and what is left of it when a filled one is promoted."""

from __future__ import annotations

import re

from ...formats.code_fences import outside_code
from ...formats.lines import lines_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_NOTHING = "(What was done and why)"
_TEMPLATE = """# Checkpoint {day}

> Made by /memory:checkpoint. Fill in what you should know next time, then promote it.

## Summary

(What was done and why)

## Knowledge to Record

### Decisions

- ...

### Lessons

- ...

### TODO

- ...
"""
_OWN_HEADINGS = frozenset(re.findall(r"^#{2,3} .*$", _TEMPLATE, re.MULTILINE))
_TITLE = re.compile(r"#\s+Checkpoint(?:\s+\d{4}-\d{2}-\d{2})?\s*\Z")
_QUOTE = re.compile(r">\s*(?:Made|Generated) by /memory:checkpoint")
_UNFILLED = re.compile(r"\s*[-*+]\s*(?:\.\.\.|…)\s*\Z")
_HEADING = re.compile(r"(#{1,6})\s+(.*?)(?:\s+#+)?\s*\Z")


def checkpoint(day: str) -> str:
    """An empty checkpoint of a day."""
    return _TEMPLATE.format(day=day)


class _Piece:
    """A heading with the lines up to the next one; the first piece has no heading."""

    def __init__(self, heading: str) -> None:
        self.heading = heading
        self.lines: list[str] = []
        self.filled: list[str] = []

    @property
    def level(self) -> int:
        match = _HEADING.match(self.heading)
        return len(match[1]) if match else 0

    @property
    def title(self) -> str:
        match = _HEADING.match(self.heading)
        return match[2] if match else ""

    @property
    def says_something(self) -> bool:
        return any(line.strip() for line in self.filled)


def _pieces(text: str) -> list[_Piece]:
    found = [_Piece("")]
    lines = lines_of(text)
    for line, outside in zip(lines, outside_code(lines), strict=True):
        bare = line.rstrip("\r\n")
        if outside and _HEADING.match(bare):
            found.append(_Piece(bare))
            found[-1].lines.append(line)
            continue
        found[-1].lines.append(line)
        unfilled = _UNFILLED.match(bare) or bare.strip() == _NOTHING or _QUOTE.match(bare)
        if not (outside and unfilled):
            found[-1].filled.append(line)
    return found


def is_filled(text: str) -> bool:
    """Whether a person wrote anything beyond the template."""
    text = text.removeprefix("\ufeff")
    return any(
        piece.says_something or (piece.heading and not _is_own(piece.heading))
        for piece in _pieces(re.sub(r"<!--.*?-->", "", text, flags=re.DOTALL))
    )


def _is_own(heading: str) -> bool:
    return heading in _OWN_HEADINGS or _TITLE.match(heading) is not None


def filled_sections(text: str) -> list[str]:
    """The titles of the headings that hold something."""
    found = _pieces(text.removeprefix("\ufeff"))
    return [p.title for p in found if p.heading and p.says_something]


def promoted(text: str, only: Sequence[str] | None = None) -> str:
    """What of a checkpoint is worth keeping: all but what the template brought and nobody filled.

    The template's own headings go one level down, below the heading that the text gets.
    """
    kept = _pieces(text.removeprefix("\ufeff"))
    if only is not None:
        kept = [piece for piece in kept if piece.title in only]
    parts: list[str] = []
    for position, piece in enumerate(kept):
        is_own = bool(piece.heading) and _is_own(piece.heading)
        if is_own and not piece.says_something and not _has_filled_below(kept, position):
            continue
        if piece.heading and not _TITLE.match(piece.heading):
            parts.append(f"#{piece.heading}" if is_own else piece.heading)
        if piece.says_something:
            parts.append("\n".join(line.rstrip("\r\n") for line in piece.filled).strip("\n"))
    return "\n\n".join(parts)


def _has_filled_below(found: Sequence[_Piece], position: int) -> bool:
    level = found[position].level
    for piece in found[position + 1 :]:
        if piece.level <= level:
            return False
        if piece.says_something or not _is_own(piece.heading):
            return True
    return False


def without(text: str, taken: Sequence[str]) -> str:
    """A checkpoint without the sections that were promoted."""
    return "".join(
        line for piece in _pieces(text) if piece.title not in taken for line in piece.lines
    )
