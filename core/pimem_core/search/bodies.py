"""The parts of a topic as they are searched: name, summary, file, headings, body."""

from __future__ import annotations

import re

from .folding import SEAM, fold_loosely, fold_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..model import Topic


_BOM = b"\xef\xbb\xbf"
_FENCE = re.compile(rb"---[ \t]*(?:\r?\n|\Z)")
_SEAM = SEAM.encode()


class Parts:
    """A topic's folded parts.

    Args:
        head: Name, summary and file, as `fold_heads` has them.
        heading: The heading lines.
        body: The body.
    """

    __slots__ = ("body", "file", "heading", "name", "summary")

    def __init__(self, head: bytes, heading: bytes, body: bytes) -> None:
        self.name, self.summary, self.file = head.split(_SEAM)
        self.heading = heading
        self.body = body


def body_start(data: bytes) -> int:
    """Where the body of a file begins, in bytes, lowered or not; as `frontmatter.split` has it."""
    start = len(_BOM) if data.startswith(_BOM) else 0
    if not data.startswith(b"---", start):
        return start
    opening = _FENCE.match(data, start)
    if opening is None:
        return start
    at = opening.end() - 1
    while (at := data.find(b"\n---", at)) >= 0:
        closing = _FENCE.match(data, at + 1)
        if closing is not None:
            from ..formats.frontmatter import is_mapping  # a search may look at no body at all

            block = data[opening.end() : at + 1].decode("utf-8", "replace")
            return closing.end() if is_mapping(block) else start
        at += 1
    return start


def fold_heads(topics: Iterable[Topic]) -> list[bytes]:
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


def age_of(topic: Topic) -> tuple[bool, str]:
    """What puts topics in order that fit equally well; see `order_of`."""
    return topic.pinned, topic.stamp or ""


def order_of(ages: Sequence[tuple[bool, str]]) -> list[int]:
    """Places of topics in the order of those that fit equally well: pinned first, then newest."""
    places = sorted(range(len(ages)), key=[age[1] for age in ages].__getitem__, reverse=True)
    places.sort(key=[not age[0] for age in ages].__getitem__)
    return places
