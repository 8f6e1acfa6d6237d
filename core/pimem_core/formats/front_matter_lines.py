"""The lines of a front matter block: which key each belongs to, and what is not a key."""

from __future__ import annotations

import re

from .lines import lines_of

#: Keys that people and older programs wrote as bare prose, where ` #` and `: ` are text.
PROSE_KEYS = frozenset({"name", "description", "title"})
KEY_LINE = re.compile(
    r"(?P<quote>[\"']?)(?P<key>[A-Za-z_][\w.-]*)(?P=quote)[ \t]*:[ \t]*(?P<value>.*)$", re.ASCII
)
_ITEM = re.compile(r"-(?:[ \t]|\r?$)")
DOUBLE_END = re.compile(r'(?:[^"\\]|\\.)*"', re.DOTALL)
SINGLE_END = re.compile(r"(?:[^']|'')*'(?!')", re.DOTALL)


def spans(block: str) -> list[tuple[str | None, str]]:
    """Cut a block into its top-level keys with their whole values, and what is between them."""
    lines = lines_of(block)
    found: list[tuple[str | None, str]] = []
    index = 0
    while index < len(lines):
        match = KEY_LINE.match(lines[index].rstrip("\r\n"))
        if match is None:
            found.append((None, lines[index]))
            index += 1
            continue
        end = _value_end(lines, index, match["value"].strip(" \t"))
        found.append((match["key"], "".join(lines[index:end])))
        index = end
    return found


def _value_end(lines: list[str], start: int, value: str) -> int:
    """The line after a key's value: quoted and indented continuations belong to it."""
    end = start + 1
    if value[:1] in ("'", '"'):
        # A quote that another key's line would close was never closed, nor was one inside prose.
        stop = end
        while stop < len(lines) and not KEY_LINE.match(lines[stop]):
            stop += 1
        rest = "".join(lines[start:stop]).split(":", 1)[1].lstrip(" \t")[1:]
        closed = (DOUBLE_END if value[0] == '"' else SINGLE_END).match(rest)
        if closed is not None:
            after = rest[closed.end() :].split("\n", 1)[0].strip()
            if after[:1] in ("", "#"):
                end = start + closed.group().count("\n") + 1
    value_end = end
    while end < len(lines):
        line = lines[end]
        item = not value and _ITEM.match(line)
        if line[:1] in (" ", "\t") and line.strip():
            # In bare prose a comment ends the value; in a block or a nested object it is inside.
            if value and value[0] not in "|>" and line.lstrip().startswith("#"):
                break
            value_end = end + 1
        elif item:
            value_end = end + 1
        elif line.strip():
            break
        end += 1
    # Blank lines belong to the value only when more of it follows.
    return value_end
