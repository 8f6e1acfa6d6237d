"""Printing: rows and changes, for people or as JSON."""

from __future__ import annotations

import contextlib
import os
import sys

from ..errors import Hint, OutputError
from ..formats.text import encode, visible
from .hints import with_hint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any, TextIO

    from ..errors import PimemError
    from ..model import Change, Hit, Topic


class Output:
    """One command's output."""

    def __init__(self, *, as_json: bool) -> None:
        self.as_json = as_json

    def data(self, data: bytes) -> None:
        """Print bytes as they are."""
        with _explained():
            sys.stdout.flush()
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()

    def document(self, value: Any) -> None:
        """Print a JSON document. What UTF-8 cannot hold is left out."""
        import json

        text = encode(json.dumps(value, ensure_ascii=False, indent=2)).decode()
        if sys.stdout.isatty() and visible(text) != text:
            # Escaped they are the same to a program, and a terminal does not act on them.
            text = "".join(c if visible(c) == c else json.dumps(c)[1:-1] for c in text)
        with _explained():
            print(text)

    def text(self, text: str) -> None:
        """Print a line for people; a terminal gets signs in place of control characters."""
        _print(text, sys.stdout)

    def notice(self, text: str) -> None:
        """Say something beside the result."""
        _print(text, sys.stderr)

    def change(self, change: Change) -> None:
        """Say what a change did."""
        if self.as_json:
            self.document(change_row(change))
        else:
            self.text(with_hint(change.message, _way_back(change)))
        for note in change.notes:
            self.notice(with_hint(note))

    def refusal(self, error: PimemError, *, name: str, store: str, folder: str) -> None:
        """Say why nothing was read or changed, and what to do about it."""
        message = with_hint(str(error), error.hint)
        if not self.as_json:
            self.notice(message)
            return
        row: dict[str, Any] = {
            "outcome": error.outcome,
            "store": store,
            "name": name,
            "file": _file_of(error, folder),
            "message": message,
        }
        if error.candidates:
            row["candidates"] = list(error.candidates)
        self.document(row)


def _way_back(change: Change) -> Hint | None:
    """How to get back what is gone now."""
    return Hint(Hint.UNDO) if change.outcome in ("removed", "cleared") else None


def _file_of(error: PimemError, folder: str) -> str:
    """The file that is meant as its store names it: with the folder it is in."""
    below = error.path.removeprefix(f"{folder}{os.sep}")
    return below if folder and below != error.path else error.file


def _print(text: str, stream: TextIO) -> None:
    text = visible(text) if stream.isatty() else text
    with _explained():
        try:
            print(text, file=stream)
        except UnicodeEncodeError:  # half of a character, from a front matter's escapes
            print(encode(text).decode(), file=stream)


@contextlib.contextmanager
def _explained() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputError(error.strerror) from error


def change_row(change: Change) -> dict[str, Any]:
    """A change as JSON."""
    row: dict[str, Any] = {
        "outcome": change.outcome,
        "store": change.store,
        "name": change.name,
        "file": change.file,
        "message": change.message,
    }
    for key, names in (("candidates", change.candidates), ("dropped", change.dropped)):
        if names:
            row[key] = list(names)
    return row


def topic_row(topic: Topic) -> dict[str, Any]:
    """A topic as JSON."""
    row = {
        "store": topic.store,
        "name": topic.name,
        "file": topic.file,
        "path": topic.path,
        "stamp": topic.stamp,
        "summary": topic.summary,
        "pinned": topic.pinned,
        "stale": topic.stale,
        "tokens": topic.tokens,
    }
    if topic.type is not None:
        row["type"] = topic.type
    return row


def hit_row(hit: Hit) -> dict[str, Any]:
    """A hit as JSON; `matches` are start and end in the snippet, in characters."""
    return {
        **topic_row(hit.topic),
        "where": hit.where,
        "snippet": hit.snippet,
        "line": hit.line,
        "score": hit.score,
        "matches": [list(match) for match in hit.matches],
        "why": {part: list(words) for part, words in hit.why},
        "note": hit.note or None,
    }


def hit_words(hit: Hit) -> list[str]:
    """Where and why a topic was found, for its line."""
    place = f"line {hit.line}: {hit.snippet}" if hit.line else f"in the {hit.where}"
    return [place, *([hit.note] if hit.note else [])]


def topic_line(topic: Topic, extra: Sequence[str] = ()) -> str:
    """A topic as one line for people: marks, name, then what is known of it."""
    mark = "!" if topic.problem else "●" if topic.pinned else "~" if topic.stale else " "
    words = [
        topic.summary,
        topic.type or "",
        *(["pinned"] if topic.pinned else []),
        *(["stale"] if topic.stale else []),
        *([topic.problem] if topic.problem else []),
        *([] if topic.listed else ["not in the index"]),
        (topic.stamp or "")[:10],
        topic.file,
        *extra,
    ]
    return f"{mark} {topic.name}  " + " · ".join(word for word in words if word)
