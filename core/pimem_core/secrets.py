"""Finding text that looks like a credential, offline: by detect-secrets and by rules of ours.

Only credentials with a shape of their own are looked for: words such as `password` and
random-looking strings occur in honest notes too often to refuse them. The time is in proportion to
the text: a long line is looked at in pieces, and no rule looks further than a piece.
"""

from __future__ import annotations

import importlib
import re
from typing import TYPE_CHECKING

from .errors import Hint, SecretError
from .secret_rules import (
    ANY_PASSWORD,
    EXAMPLES,
    KEY_HEADER,
    KEY_TEXT,
    PLACEHOLDER,
    PLUGINS,
    RULES,
)
from .settings.config import load_settings
from .value import Value

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from .paths import Places


class Secret(Value):
    """Where something looks like a credential; never the value itself. `line` counts from 1."""

    rule: str
    line: int


def find(text: str, *, extra: Sequence[str] = (), allowed: Sequence[str] = ()) -> list[Secret]:
    """What in a text looks like a credential, by line.

    Args:
        text: Any text.
        extra: Further regular expressions, from the person's settings.
        allowed: Regular expressions of values that are fine.

    Raises:
        re.error: One of the expressions is broken.
    """
    fine = [re.compile(pattern) for pattern in allowed]
    found = []
    lines = text.split("\n")
    for number, line in enumerate(lines, start=1):
        for rule, value in _in_line(line, lines[number : number + 4], extra):
            if any(pattern.search(value) for pattern in fine):
                continue
            found.append(Secret(rule=rule, line=number))
            break
    return found


#: Letters and digits in a row, mixed, as no word has them.
_RANDOM = re.compile(r"(?=[A-Za-z]*[0-9])[A-Za-z0-9]{16}")
#: Most characters that the rules are given at once, and how far one piece reaches into the next.
_PIECE, _OVERLAP = 1024, 512


def _pieces(line: str) -> Iterator[str]:
    """A line in pieces, each credential whole in one of them, or enough of it."""
    if len(line) <= _PIECE:
        yield line
        return
    for start in range(0, len(line) - _OVERLAP, _PIECE - _OVERLAP):
        yield line[start : start + _PIECE]


def _in_line(
    line: str, following: Sequence[str], extra: Sequence[str]
) -> Iterator[tuple[str, str]]:
    if "PRIVATE KEY" in line and _begins_key(line, following):
        yield "private key", line
    for piece in _pieces(line):
        yield from _in_piece(piece, extra)


def _begins_key(line: str, following: Sequence[str]) -> bool:
    """Whether a key begins here; prose may name how one begins, and leave it out."""
    header = KEY_HEADER.match(line)
    if header is None:
        return False
    before, behind = header.groups()
    if KEY_TEXT.match("\n".join((behind, *(text[:400] for text in following)))):
        return True
    next_line = next((text.strip() for text in following if text.strip()), "")
    is_left_out = next_line[:1] in tuple(".…<[{*") and next_line != ""
    return not before.strip(" \t>\"'") and not behind.strip(" \t\r\"',;") and not is_left_out


def _in_piece(piece: str, extra: Sequence[str]) -> Iterator[tuple[str, str]]:
    for rule, (marks, pattern) in RULES.items():
        if any(mark in piece for mark in marks):
            for match in re.finditer(pattern, piece):
                value = match[1] if match.re.groups and match[1] else match.group()
                if not _is_example(rule, value, marks):
                    yield rule, value
    for pattern in extra:
        for match in re.finditer(pattern, piece):
            if not _is_placeholder(match.group()):
                yield f"your rule {pattern}", match.group()
    for detector in _detectors():
        for value in detector.analyze_string(piece):
            if not _is_example(detector.secret_type, value):
                yield detector.secret_type, value


def _is_placeholder(value: str) -> bool:
    """Whether a value is one for show: `<your-key>`, `ghp_xxxxxxxxxxxx`."""
    return PLACEHOLDER.match(value) is not None or len(set(value[-12:])) == 1


def _is_example(rule: str, value: str, marks: Sequence[str] = ()) -> bool:
    """Whether a value that has the shape of a credential stands for one in documentation."""
    if _is_placeholder(value) or "EXAMPLE" in value:
        return True
    if rule == "password in an address":
        word = value.lower()
        return word in ANY_PASSWORD or word[0] in "$<{[%*" or not EXAMPLES.isdisjoint(_words(value))
    if rule == "bearer token" and not _RANDOM.search(value):
        return True
    for mark in marks:
        value = value.replace(mark, " ")
    # Something random has a digit, or hardly ever none.
    return not any(c.isdigit() for c in value) or not EXAMPLES.isdisjoint(_words(value))


def _words(value: str) -> list[str]:
    return re.split(r"[^a-z]+", value.lower())


_loaded: list[Any] = []


def _detectors() -> list[Any]:
    if not _loaded:
        for module, name in PLUGINS.items():
            found = importlib.import_module(f"detect_secrets.plugins.{module}")
            _loaded.append(getattr(found, name)())
    return _loaded


def refuse(
    places: Places,
    text: str,
    *,
    beside: Mapping[str, str] = {},
    known: str = "",
    name: str = "",
    file: str = "",
) -> None:
    """Let a text through unless it holds what looks like a credential.

    Args:
        places: Where the person's own rules are.
        text: What is about to be stored.
        beside: What is stored along with it, by what it is called.
        known: Text that is stored already: its lines are not asked about again.
        name: The topic, for the error.
        file: Its file, for the error.

    Raises:
        SecretError: It does; the message names rule and place, never the value.
    """
    settings, _error = load_settings(places)
    old = set(known.split("\n"))
    lines = [line if line not in old else "" for line in text.split("\n")]
    found = [
        (f"The {what}" if what else f"Line {secret.line}", secret.rule)
        for what, part in {"": "\n".join(lines), **beside}.items()
        for secret in find(part, extra=settings.secrets_extra, allowed=settings.secrets_allowed)
    ]
    if found:
        where, rule = found[0]
        more = f" (and {len(found) - 1} more)" if found[1:] else ""
        raise SecretError(
            f"{where} looks like a credential ({rule}){more}; nothing was stored.",
            hint=Hint(Hint.SECRET),
            name=name,
            file=file,
        )
