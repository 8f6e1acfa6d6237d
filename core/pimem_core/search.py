"""Searching topics: literal, ignoring case, one hit for each topic."""

from __future__ import annotations

from .errors import PimemError
from .files.read import read_bytes
from .model import Hit
from .text import cut_utf16, trim

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from .model import Topic
    from .systems.base import Cancelled, Progress

_SNIPPET_UNITS = 120
#: A topic file longer than this is searched only so far, so that one huge file cannot stall.
_SEARCH_BYTES = 16 << 20


def scan(
    topics: Sequence[Topic],
    query: str,
    shown: Mapping[str, bytes | None],
    cancelled: Cancelled,
    progress: Progress,
) -> Iterator[Hit]:
    """Hits in the order of the topics: the first of name, file, summary and body that matches.

    A file that cannot be read has no body to match.
    """
    wanted = query.lower()
    for done, topic in enumerate(topics):
        if cancelled():
            return
        if done % 256 == 0:
            progress(done, len(topics))
        hit = _in_index(topic, wanted) or _in_body(topic, wanted, shown)
        if hit is not None:
            yield hit
    progress(len(topics), len(topics))


def _in_index(topic: Topic, wanted: str) -> Hit | None:
    for where, text in (("name", topic.name), ("file", topic.file), ("summary", topic.summary)):
        if wanted in text.lower():
            return Hit(topic=topic, where=where, snippet=text)
    return None


def _in_body(topic: Topic, wanted: str, shown: Mapping[str, bytes | None]) -> Hit | None:
    try:
        known = topic.path in shown
        data = shown[topic.path] if known else read_bytes(topic.path, limit=_SEARCH_BYTES)
    except PimemError:
        return None
    if data is None:
        return None
    # Only text beyond ASCII can change length or letters when it is lowered.
    if wanted.isascii() and data.isascii():
        if wanted.encode() not in data.lower():
            return None
    elif wanted not in data.decode("utf-8", "replace").lower():
        return None
    for number, line in enumerate(data.decode("utf-8", "replace").split("\n"), start=1):
        if wanted in line.lower():
            snippet = cut_utf16(trim(line), _SNIPPET_UNITS)
            return Hit(topic=topic, where="body", snippet=snippet, line=number)
    return None
