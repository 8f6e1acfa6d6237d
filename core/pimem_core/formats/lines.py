"""A text as lines, each with its own end: LF, CRLF or CR, as Markdown and YAML have it.

`str.splitlines` would cut at a dozen further characters that are text in a memory file.
"""

from __future__ import annotations

import re

_LINE = r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+"


def lines_of(text: str) -> list[str]:
    """The lines of a text with their ends; joined they are the text again."""
    return re.findall(_LINE, text)


def line_end(text: str) -> str:
    """The line end that a text uses: that of its first line, LF where it has none.

    CR counts only where there is no LF at all: elsewhere it is a stray character of a line.
    """
    first = text.find("\n")
    if first < 0:
        return "\r" if "\r" in text else "\n"
    return "\r\n" if text[:first].endswith("\r") else "\n"
