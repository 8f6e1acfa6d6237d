"""What of an index a model is given, by the rules of ZCode and Claude Code."""

from __future__ import annotations

import re

from ...formats import frontmatter
from ...formats.text import cut_utf16, trim
from .index import entries

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_LINES = 200
#: In UTF-16 code units for one of the two programs, in bytes for the other.
MAX_CHARS = 25_000
#: Part of a limit from which on a change warns.
_NEAR = 0.9
_LONG_LINE = 200
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)


def shown(text: str) -> tuple[str, Sequence[str]]:
    """The text that is given, and the titles that a limit kept out.

    Front matter and comments go; of what is left 200 lines, and of these 25,000 characters.
    """
    text = text.replace("\r\n", "\n")
    parts = frontmatter.split(text)
    whole = trim(_without_comments(parts.body if parts.present else text.removeprefix("\ufeff")))
    lines = whole.split("\n")
    kept = "\n".join(lines[:MAX_LINES])
    cut = cut_utf16(kept, MAX_CHARS)
    # A line that ends just there is whole.
    if cut != kept and kept[len(cut)] != "\n":
        cut = cut[: cut.rfind("\n")] if "\n" in cut else cut
    if cut == whole:
        return whole, ()
    there = {entry.file for entry in entries(cut)}
    dropped = [e.title for e in entries(whole) if e.file not in there]
    return f"{cut}\n\n{_warning(whole, len(lines))}", dropped


def _warning(whole: str, lines: int) -> str:
    size = f"{units(whole) / 1024:.1f}KB"
    too_long = units(whole) > MAX_CHARS
    if lines > MAX_LINES and too_long:
        reason = f"{lines} lines and {size}"
    elif lines > MAX_LINES:
        reason = f"{lines} lines (limit: {MAX_LINES})"
    else:
        reason = f"{size} (limit: {MAX_CHARS / 1024:.1f}KB): index entries are too long"
    return (
        f"> WARNING: MEMORY.md is {reason}. Only part of it was loaded. Keep entries to one line "
        f"under {_LONG_LINE} characters; move detail into the files."
    )


def units(text: str) -> int:
    """The length of a text as JavaScript counts it."""
    return len(text) + sum(1 for c in text if c > "\uffff") if not text.isascii() else len(text)


def _without_comments(text: str) -> str:
    """Drop comments that stand by themselves; those in lists, quotes and code stay."""
    if "<!--" not in text:
        return text
    from markdown_it import MarkdownIt  # few indexes have comments

    lines = text.split("\n")
    for token in reversed(MarkdownIt("commonmark").parse(text)):
        if token.type != "html_block" or token.level or token.map is None:
            continue
        start, end = token.map
        block = "\n".join(lines[start:end])
        if block.lstrip().startswith("<!--") and "-->" in block:
            rest = _COMMENT.sub("", block)
            lines[start:end] = rest.split("\n") if rest.strip() else []
    return "\n".join(lines)


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
    if len(line) > _LONG_LINE:
        said.append(f"The index line has {len(line)} characters; under {_LONG_LINE} is better.")
    return said
