"""The parts of a topic as they are searched: name, summary, file, headings, body."""

from __future__ import annotations

import re

from .folding import SEAM, fold_loosely, fold_rows
from .ranking import Parts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Protocol

    class Described(Protocol):
        """What is known of a topic besides its text; `model.Topic` is one."""

        @property
        def name(self) -> str:
            """The name."""

        @property
        def file(self) -> str:
            """The file, relative to its store."""

        @property
        def summary(self) -> str:
            """One line about it."""

        @property
        def stamp(self) -> str | None:
            """When it was written."""

        @property
        def pinned(self) -> bool:
            """Whether it comes first."""


_BOM = b"\xef\xbb\xbf"
_FENCE = re.compile(rb"---[ \t]*(?:\r?\n|\Z)")
_SEAM = SEAM.encode()


def body_start(data: bytes) -> int:
    """Where the body of a file begins, in bytes; the same rule as `frontmatter.split`."""
    start = len(_BOM) if data.startswith(_BOM) else 0
    if not data.startswith(b"---", start):
        return start
    opening = _FENCE.match(data, start)
    if opening is None:
        return start
    at = opening.end() - 1
    while at >= 0:
        at = data.find(b"\n---", at)
        closing = _FENCE.match(data, at + 1) if at >= 0 else None
        if closing is not None:
            return closing.end()
        at = at + 1 if at >= 0 else at
    return start


def fold_heads(topics: Iterable[Described]) -> list[bytes]:
    """The folded names, summaries and files of topics, one text for each."""
    rows = [(topic.name, topic.summary, topic.file) for topic in topics]
    if any([SEAM in part for row in rows for part in row]):
        rows = [tuple(part.replace(SEAM, " ") for part in row) for row in rows]  # type: ignore[misc]
    return fold_rows(rows)


def fold_headings(body: bytes) -> bytes:
    """The folded heading lines of a Markdown text."""
    if not body.startswith(b"#") and b"\n#" not in body:
        return b" "
    lines = [line for line in body.split(b"\n") if line.startswith(b"#")]
    return fold_rows([[line.decode("utf-8", "replace").replace(SEAM, " ") for line in lines]])[0]


def fold_body(data: bytes) -> bytes:
    """The folded body of a file."""
    return fold_loosely(data[body_start(data) :])


def parts_of(head: bytes, headings: bytes, body: bytes) -> Parts:
    """A topic's parts: its folded head taken apart, folded headings and body."""
    name, summary, file = head.split(_SEAM)
    return Parts(name, summary, file, headings, body)


def order_of(topics: Sequence[Described]) -> list[int]:
    """Places of topics in the order of those that fit equally well: pinned first, then newest."""
    stamps = [topic.stamp or "" for topic in topics]
    places = sorted(range(len(topics)), key=stamps.__getitem__, reverse=True)
    places.sort(key=[not topic.pinned for topic in topics].__getitem__)
    return places
