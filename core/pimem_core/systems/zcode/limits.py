"""How much of an index is loaded, and what a change says when that is nearly used up."""

from __future__ import annotations

from ...formats.text import trim

MAX_LINES = 200
#: In UTF-16 code units for one of the two programs, in bytes for the other.
MAX_CHARS = 25_000
#: Length from which on an index line is too long, in characters.
LONG_LINE = 200
#: Part of a limit from which on a change warns.
_NEAR = 0.9


def units(text: str) -> int:
    """The length of a text as JavaScript counts it."""
    return len(text) + sum(1 for c in text if c > "\uffff") if not text.isascii() else len(text)


def near_limits(text: str, line: str = "") -> list[str]:
    """Warnings before an index crosses what is loaded of it, and for a line that is too long."""
    said = []
    body = trim(text)
    lines = body.count("\n") + 1
    chars, size = units(body), len(body.encode("utf-8", "replace"))
    binding = max(chars, size)
    if lines >= MAX_LINES * _NEAR and lines / MAX_LINES >= binding / MAX_CHARS:
        over = "the rest is not loaded" if lines > MAX_LINES else "what goes beyond is not loaded"
        said.append(f"MEMORY.md has {lines} of {MAX_LINES} lines; {over}. Merge or remove facts.")
    elif binding >= MAX_CHARS * _NEAR:
        over = "the rest is not loaded" if binding > MAX_CHARS else "what goes beyond is not loaded"
        what = "characters" if chars == size else f"characters ({size:,} bytes)"
        said.append(
            f"MEMORY.md has {chars:,} of {MAX_CHARS:,} {what}; {over}. Shorten descriptions."
        )
    if len(line) > LONG_LINE:
        said.append(f"The index line has {len(line)} characters; under {LONG_LINE} is better.")
    return said
