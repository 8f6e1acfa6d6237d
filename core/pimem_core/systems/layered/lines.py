"""Lines as Markdown sees them, each with its own line end."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+")


def lines_of(text: str) -> list[str]:
    """The lines of a text with their ends."""
    return _LINE.findall(text)


def line_end(lines: Sequence[str]) -> str:
    """The line end that a text uses, by its first line."""
    first = lines[0] if lines else ""
    return "\r\n" if first.endswith("\r\n") else "\r" if first.endswith("\r") else "\n"


def appended(text: str, added: str) -> str:
    """A text with another one behind it, after one blank line, in the first one's line ends."""
    end = line_end(lines_of(text))
    added = re.sub(r"\r\n|\r|\n", end, added.strip("\r\n")) + end
    kept = text.rstrip("\r\n")
    return f"{kept}{end}{end}{added}" if kept.removeprefix("\ufeff").strip() else added


def outside_code(lines: Sequence[str]) -> list[bool]:
    """For each line whether it stands outside of fenced code; the fences count as inside."""
    found = []
    fence = ""
    for line in lines:
        mark = re.match(r" {0,3}(`{3,}|~{3,})(.*)", line)
        if not fence:
            found.append(mark is None)
            fence = mark[1] if mark else ""
        else:
            found.append(False)
            closes = mark is not None and not mark[2].strip()
            if closes and mark is not None and mark[1].startswith(fence):
                fence = ""
    return found
