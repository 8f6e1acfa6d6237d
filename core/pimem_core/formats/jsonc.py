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

_STRING = r'"(?:[^"\\\n]|\\.)*+"'
# Possessive and atomic: a line of slashes has many readings, and each would be tried.
_COMMENT = r"//[^\n]*+|(?>/\*.*?\*/)"
# Compiled for the first file that there is: most people have none, and a hook would pay for them.
_EXTRA = rf"(?s:{_STRING}|{_COMMENT}|,(?=(?:\s|{_COMMENT})*+[}}\]]))"
_WORD = rf"(?s:{_STRING}|(-?Infinity|NaN))"
_VISIBLE = re.compile(r"[^\r\n]")


def parse(text: str) -> Any:
    """Read JSONC: line and block comments, a byte order mark and trailing commas are fine.

    Raises:
        json.JSONDecodeError: It is broken; `lineno` and `colno` are those of the file.
    """
    # The mark is no column to anyone who opens the file.
    plain = re.sub(_EXTRA, _blank, text.removeprefix("\ufeff"))

    def refuse(word: str) -> NoReturn:
        found = (match.start() for match in re.finditer(_WORD, plain) if match[1] == word)
        raise json.JSONDecodeError(f"{word} is not a JSON number", plain, next(found, 0))

    try:
        return json.loads(plain, parse_constant=refuse)
    except json.JSONDecodeError:
        raise
    except RecursionError as error:
        raise json.JSONDecodeError("too deeply nested", plain, 0) from error
    except ValueError as error:  # a number of thousands of digits
        raise json.JSONDecodeError("a number is too long", plain, 0) from error


def blank(text: str) -> str:
    """The text as plain JSON of the same length: every value stands where it stood."""
    if text.startswith("\ufeff"):
        text = " " + text[1:]
    return re.sub(_EXTRA, _blank, text)


def _blank(match: re.Match[str]) -> str:
    found = match.group()
    return found if found.startswith('"') else _VISIBLE.sub(" ", found)
