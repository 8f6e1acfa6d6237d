"""JSON with comments and trailing commas.

The PyPI packages for it drop the line and column of an error or take longer to import than a hook
call may last. Blanking what JSON does not know, character for character, lets `json` itself name
the place.
"""

from __future__ import annotations

import json
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

_EXTRA = re.compile(
    r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*.*?\*/|,(?=(?:\s|//[^\n]*|/\*.*?\*/)*[}\]])', re.DOTALL
)
_VISIBLE = re.compile(r"[^\r\n]")


def parse(text: str) -> Any:
    """Read JSONC: line and block comments, a byte order mark and trailing commas are fine.

    Raises:
        json.JSONDecodeError: It is broken; `lineno` and `colno` are those of the file.
    """
    if text.startswith("\ufeff"):
        text = " " + text[1:]
    plain = _EXTRA.sub(_blank, text)

    def refuse(word: str) -> NoReturn:
        raise json.JSONDecodeError(f"{word} is no JSON number", plain, plain.index(word))

    return json.loads(plain, parse_constant=refuse)


def _blank(match: re.Match[str]) -> str:
    found = match.group()
    return found if found.startswith('"') else _VISIBLE.sub(" ", found)
