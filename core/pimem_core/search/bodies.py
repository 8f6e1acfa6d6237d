"""The parts of a topic as they are searched: name, summary, file, headings, body."""

from __future__ import annotations

import re

from .folding import SEAM, fold, fold_each, fold_loosely
from .ranking import Parts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
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
_CLOSING = re.compile(rb"^---[ \t]*(?:\r?\n|\Z)", re.MULTILINE)
_SEAM = f" {SEAM}".encode()


def body_start(data: bytes) -> int:
    """Where the body of a file begins, in bytes; the same rule as `frontmatter.split`."""
    start = len(_BOM) if data.startswith(_BOM) else 0
    opening = _FENCE.match(data, start)
    if opening is None:
        return start
    closing = _CLOSING.search(data, opening.end())
    return start if closing is None else closing.end()


def fold_heads(topics: Sequence[Described]) -> list[bytes]:
    """The folded names, summaries and files of topics, one text for each."""
    names = fold_each([topic.name for topic in topics])
    summaries = fold_each([topic.summary for topic in topics])
    files = fold_each([topic.file for topic in topics])
    return [
        b"%b%b%b%b%b" % (name[:-1], _SEAM, summary[:-1], _SEAM, file)
        for name, summary, file in zip(names, summaries, files, strict=True)
    ]


def fold_headings(body: bytes) -> bytes:
    """The folded heading lines of a Markdown text."""
    if not body.startswith(b"#") and b"\n#" not in body:
        return b" "
    lines = [line for line in body.split(b"\n") if line.startswith(b"#")]
    return fold(SEAM.join(line.decode("utf-8", "replace") for line in lines))


def fold_body(data: bytes) -> bytes:
    """The folded body of a file."""
    return fold_loosely(data[body_start(data) :])


def parts_of(head: bytes, headings: bytes, body: bytes) -> Parts:
    """A topic's parts: its folded head taken apart, folded headings and body."""
    name, summary, file = (part + b" " for part in head.split(_SEAM))
    return Parts(name, summary, file, headings, body)


def order_of(topics: Sequence[Described]) -> list[int]:
    """Places of topics in the order of those that fit equally well: pinned first, then newest."""
    stamps = [topic.stamp or "" for topic in topics]
    places = sorted(range(len(topics)), key=stamps.__getitem__, reverse=True)
    places.sort(key=[not topic.pinned for topic in topics].__getitem__)
    return places
