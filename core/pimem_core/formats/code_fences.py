"""Fenced code in Markdown, found line by line by the rules of CommonMark."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable


class CodeFences:
    """Reads a text line by line and knows which lines are fenced code."""

    def __init__(self) -> None:
        self._open = ""

    def is_code(self, line: str) -> bool:
        """Take the next line: whether it is fenced code, or a fence itself."""
        if line.lstrip(" ")[:3] not in ("```", "~~~"):
            return bool(self._open)
        mark = re.match(r" {0,3}(`{3,}|~{3,})([^\r\n]*)", line)
        if mark is None:
            return bool(self._open)
        fence, rest = mark.groups()
        if self._open:
            if fence.startswith(self._open) and not rest.strip():
                self._open = ""
            return True
        # Three backticks with more of them behind are code inside a line.
        if fence[0] == "`" and "`" in rest:
            return False
        self._open = fence
        return True


def outside_code(lines: Iterable[str]) -> list[bool]:
    """For each line whether it stands outside of fenced code; the fences count as inside."""
    fences = CodeFences()
    return [not fences.is_code(line) for line in lines]
