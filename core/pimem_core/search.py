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
    from .texts import Texts

_SNIPPET_UNITS = 120
#: A topic file longer than this is searched only so far, so that one huge file cannot stall.
_SEARCH_BYTES = 16 << 20


def scan(
    topics: Sequence[Topic],
    query: str,
    shown: Mapping[str, bytes | None],
    cancelled: Cancelled,
    progress: Progress,
    texts: Texts | None = None,
) -> Iterator[Hit]:
    """Hits in the order of the topics: the first of name, file, summary and body that matches.

    A file that cannot be read has no body to match. With `texts`, bodies are read only once.
    """
    wanted = query.lower()
    if texts is not None:
        yield from _scan_kept(topics, wanted, shown, cancelled, progress, texts)
        return
    for done, topic in enumerate(topics):
        if cancelled():
            return
        if done % 256 == 0:
            progress(done, len(topics))
        hit = _in_index(topic, wanted) or _in_body(topic, wanted, shown)
        if hit is not None:
            yield hit
    progress(len(topics), len(topics))


def _scan_kept(
    topics: Sequence[Topic],
    wanted: str,
    shown: Mapping[str, bytes | None],
    cancelled: Cancelled,
    progress: Progress,
    texts: Texts,
) -> Iterator[Hit]:
    sought = wanted.encode("utf-8", "replace")
    plain = wanted.isascii()
    # What had no hit has none for a longer query, so typing on looks at less and less.
    left = texts.found_with(wanted)
    found = set()
    for done, topic in enumerate(topics):
        if done % 256 == 0:
            progress(done, len(topics))
            if cancelled():
                return
        if left is not None and topic.path not in left:
            continue
        hit = _in_index(topic, wanted)
        if hit is None and shown:
            hit = _in_body(topic, wanted, shown)
        elif hit is None:
            text = texts.of(topic.path, _SEARCH_BYTES)
            if text is not None and plain and text.plain:
                at = text.lowered.find(sought)
                hit = _in_plain(topic, text.data, at) if at >= 0 else None
            elif text is not None:
                hit = _in_lines(topic, wanted, text.data)
        if hit is not None:
            found.add(topic.path)
            yield hit
    progress(len(topics), len(topics))
    if not shown:
        texts.remember(wanted, found)


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
        at = data.lower().find(wanted.encode())
        return _in_plain(topic, data, at) if at >= 0 else None
    if wanted not in data.decode("utf-8", "replace").lower():
        return None
    return _in_lines(topic, wanted, data)


def _in_plain(topic: Topic, data: bytes, at: int) -> Hit:
    """The hit at a place of an ASCII text; only its line is decoded."""
    start, end = data.rfind(b"\n", 0, at) + 1, data.find(b"\n", at)
    line = data[start : end if end >= 0 else None].decode()
    snippet = cut_utf16(trim(line), _SNIPPET_UNITS)
    return Hit(topic=topic, where="body", snippet=snippet, line=data.count(b"\n", 0, at) + 1)


def _in_lines(topic: Topic, wanted: str, data: bytes) -> Hit | None:
    for number, line in enumerate(data.decode("utf-8", "replace").split("\n"), start=1):
        if wanted in line.lower():
            snippet = cut_utf16(trim(line), _SNIPPET_UNITS)
            return Hit(topic=topic, where="body", snippet=snippet, line=number)
    return None
