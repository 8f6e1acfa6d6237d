"""Texts kept in memory between searches, so that a filter answers while it is being typed."""

from __future__ import annotations

import os

from ..errors import PimemError
from ..files.read import read_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from ..model import Topic

_Stamp = tuple[int, int, int]


class Text:
    """The bytes of one file, and their small letters. `plain` is ASCII, where both are as long."""

    __slots__ = ("data", "lowered", "plain", "seen", "stamp")

    def __init__(self, data: bytes, stamp: _Stamp, seen: int) -> None:
        self.data = data
        self.plain = data.isascii()
        # Lowering bytes leaves all but ASCII alone, which a search for ASCII can do with.
        self.lowered = data.lower()
        self.stamp = stamp
        self.seen = seen


class Texts:
    """The files of one store: each is read once, and again when its size or time changed.

    It holds at most twice the bytes of the files. Calls may come from any thread: two that meet
    read a file twice at worst.
    """

    def __init__(self) -> None:
        self._texts: dict[str, Text] = {}
        self._round = 0
        self._topics: tuple[object, Sequence[Topic]] | None = None
        self._found: tuple[int, str, Collection[str]] | None = None

    def topics_as_of(self, stamp: object) -> Sequence[Topic] | None:
        """The topics of the last search, when the store has still the stamp it had then."""
        return self._topics[1] if self._topics is not None and self._topics[0] == stamp else None

    def keep_topics(self, stamp: object, topics: Sequence[Topic]) -> None:
        """Keep the topics of a store, and of the texts only theirs."""
        self._topics = stamp, topics
        known = {topic.path for topic in topics}
        for path in self._texts.keys() - known:
            self._texts.pop(path, None)

    def doubt(self) -> None:
        """Look at every file again before it is used the next time."""
        self._round += 1

    def remember(self, query: str, paths: Collection[str]) -> None:
        """Note where a whole search had its hits."""
        self._found = (self._round, query, paths)

    def found_with(self, query: str) -> Collection[str] | None:
        """Where alone a query can have hits, since a shorter one had hits only there; else None."""
        found = self._found
        if found is None or found[0] != self._round or not query.startswith(found[1]):
            return None
        return found[2]

    def of(self, path: str, limit: int) -> Text | None:
        """The text of a file, None when it cannot be read.

        Args:
            path: The file.
            limit: Most bytes to read of it.
        """
        known = self._texts.get(path)
        if known is not None and known.seen == self._round:
            return known
        current = self._round
        try:
            status = os.lstat(path)
            stamp = (status.st_mtime_ns, status.st_size, status.st_ino)
            if known is None or known.stamp != stamp:
                known = Text(read_bytes(path, limit=limit), stamp, current)
        except (OSError, PimemError):
            self._texts.pop(path, None)
            return None
        known.seen = current
        self._texts[path] = known
        return known
