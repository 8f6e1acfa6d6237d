"""Searching topics: literal, ignoring case, one hit for each topic."""

from __future__ import annotations

import contextlib
import os

from ..errors import PimemError, TopicNotFoundError
from ..files.read import read_bytes
from ..formats.text import cut_utf16, trim
from ..model import Hit
from .ahead import Ahead, possible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

    from ..model import Topic
    from ..progress import Cancelled, Progress, Unread
    from .kept import Texts

_SNIPPET_UNITS = 120
#: A topic file longer than this is searched only so far, so that one huge file cannot stall.
_SEARCH_BYTES = 16 << 20
#: Topics whose bodies are worth a second process.
_MANY = 2_000
#: Topics between two looks at whether anybody still waits.
_STEP = 256
#: Instead of snippet and line: the file is still to be read, or could not be.
_UNREAD = ("", 0)


def _itself(topic: Topic) -> Topic:
    return topic


def scan(
    subjects: Sequence[Any],
    query: str,
    shown: Mapping[str, bytes | None],
    cancelled: Cancelled,
    progress: Progress,
    *,
    unread: Unread,
    topic_of: Callable[[Any], Topic] = _itself,
    paths: Sequence[str] | None = None,
) -> Iterator[Hit]:
    """Hits in the order of the subjects: the first of name, file, summary and body that matches.

    Args:
        subjects: What to look at, each with a name, a summary and a file of its own.
        query: The text to look for, ignoring case.
        shown: The bytes of files that show other ones than they have.
        cancelled: Whether nobody waits any more.
        progress: Told how many subjects have been looked at, of how many.
        unread: Told why a file is passed over; one that is not there has no body.
        topic_of: Makes the topic of a subject that has a hit; most have none.
        paths: Where the subjects' files are; left out, each is a topic and tells.
    """
    wanted = query.lower()
    where_are = [topic.path for topic in subjects] if paths is None else paths
    middle, parent = len(subjects), os.getpid()

    def later() -> list[tuple[int, str, int]]:
        """The hits in bodies of the second half."""
        found = []
        for row in range(middle, len(subjects)):
            # A search that was killed cannot end its child.
            if row % _STEP == 0 and os.getppid() != parent != os.getpid():
                break
            try:
                place = _in_body(where_are[row], wanted, shown)
            except PimemError:
                place = _UNREAD
            if place is not None:
                found.append((row, *place))
        return found

    ahead = None
    if len(subjects) >= _MANY and possible():
        middle //= 2
        ahead = Ahead(later)
    bodies: dict[int, tuple[str, int]] = {}
    try:
        for row, (subject, path) in enumerate(zip(subjects, where_are, strict=True)):
            if row % _STEP == 0:
                if cancelled():
                    return
                progress(row, len(subjects))
            if ahead is not None and row == middle:
                bodies = {row: (snippet, line) for row, snippet, line in ahead.result()}
            found = _in_index(subject, wanted)
            if found is not None:
                yield Hit(topic=topic_of(subject), where=found[0], snippet=found[1])
                continue
            try:
                place = bodies.get(row) if row >= middle else _UNREAD
                if place == _UNREAD:
                    place = _in_body(path, wanted, shown)
            except PimemError as error:
                unread(error)
                continue
            if place is not None:
                yield Hit(topic=topic_of(subject), where="body", snippet=place[0], line=place[1])
    finally:
        if ahead is not None:
            ahead.close()
    progress(len(subjects), len(subjects))


def scan_kept(
    topics: Sequence[Topic],
    query: str,
    shown: Mapping[str, bytes | None],
    cancelled: Cancelled,
    progress: Progress,
    texts: Texts,
) -> Iterator[Hit]:
    """The same hits, of bodies that are read only once."""
    wanted = query.lower()
    sought = wanted.encode("utf-8", "replace")
    plain = wanted.isascii()
    # What had no hit has none for a longer query, so typing on looks at less and less.
    left = texts.found_with(wanted)
    found = set()
    for done, topic in enumerate(topics):
        if done % _STEP == 0:
            if cancelled():
                return
            progress(done, len(topics))
        path = topic.path
        if left is not None and path not in left:
            continue
        said = _in_index(topic, wanted) if topic.may_mention(wanted) else None
        if said is not None:
            found.add(path)
            yield Hit(topic=topic, where=said[0], snippet=said[1])
            continue
        place = None
        if shown:
            with contextlib.suppress(PimemError):
                place = _in_body(path, wanted, shown)
        else:
            text = texts.of(path, _SEARCH_BYTES)
            if text is not None and plain and text.plain:
                at = text.lowered.find(sought)
                place = _in_plain(text.data, at) if at >= 0 else None
            elif text is not None:
                place = _in_lines(text.data, wanted)
        if place is not None:
            found.add(path)
            yield Hit(topic=topic, where="body", snippet=place[0], line=place[1])
    progress(len(topics), len(topics))
    if not shown:
        texts.remember(wanted, found)


def _in_index(subject: Any, wanted: str) -> tuple[str, str] | None:
    """The first part of a subject that holds the text, and what it is."""
    for part in ("name", "file", "summary"):
        said: str = getattr(subject, part)
        if wanted in said.lower():
            return part, said
    return None


def _in_body(path: str, wanted: str, shown: Mapping[str, bytes | None]) -> tuple[str, int] | None:
    """Snippet and line of the first place; raises where the file is there and cannot be read."""
    try:
        data = shown[path] if path in shown else read_bytes(path, limit=_SEARCH_BYTES)
    except TopicNotFoundError:
        return None
    if data is None:
        return None
    # Only text beyond ASCII can change length or letters when it is lowered.
    if wanted.isascii() and data.isascii():
        at = data.lower().find(wanted.encode())
        return _in_plain(data, at) if at >= 0 else None
    if wanted not in data.decode("utf-8", "replace").lower():
        return None
    return _in_lines(data, wanted)


def _in_plain(data: bytes, at: int) -> tuple[str, int]:
    """Snippet and line of a place in an ASCII text; only its line is decoded."""
    start, end = data.rfind(b"\n", 0, at) + 1, data.find(b"\n", at)
    line = data[start : end if end >= 0 else None].decode()
    return cut_utf16(trim(line), _SNIPPET_UNITS), data.count(b"\n", 0, at) + 1


def _in_lines(data: bytes, wanted: str) -> tuple[str, int] | None:
    for number, line in enumerate(data.decode("utf-8", "replace").split("\n"), start=1):
        if wanted in line.lower():
            return cut_utf16(trim(line), _SNIPPET_UNITS), number
    return None
