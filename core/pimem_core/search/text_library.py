"""Topics whose texts stay in memory, for searches at every key: each file is read once."""

from __future__ import annotations

import os
import threading

from ..errors import PimemError
from .bodies import Parts, age_of, body_start, fold_body, fold_headings, fold_heads
from .gathering import Texts, gather
from .material import new_rows
from .once import read_data

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from ..model import Topic
    from ..progress import Cancelled, Progress, Unread
    from .gathering import Gathered
    from .indexed import Index
    from .material import Material
    from .query import Query

#: Topics that are taken in at a time: others get in between, and nobody waits long.
_STEP = 32


class _Shelved:
    """A topic, its age, stamp and size of its file, its front matter and folded texts."""

    __slots__ = ("age", "body", "front", "head", "headings", "size", "stamp", "topic")

    def __init__(self, topic: Topic, stamp: object, head: bytes, data: bytes) -> None:
        start = body_start(data)
        self.stamp = stamp
        self.size = len(data)
        self.front = data[:start]
        self.head = head
        self.headings = fold_headings(data[start:])
        self.body = fold_body(data)
        self.become(topic)

    def become(self, topic: Topic) -> None:
        """Take another topic for this file."""
        self.topic = topic
        self.age = age_of(topic)


class Library:
    """The topics of a store and their texts, found by any words.

    It holds the folded bodies once and an index of their words beside them. Where Python's SQLite
    has no full-text search, each search goes through the bodies. Calls may come from any thread;
    searches find what is there while others are still taken in.
    """

    def __init__(self, *, indexed: bool = True) -> None:
        self._lock = threading.Lock()
        self._filling = threading.Lock()
        self._shelf: dict[int, _Shelved] = {}
        self._by_path: dict[str, int] = {}
        self._paths: dict[int, str] = {}
        self._material: Material | None = None
        self._listed: object = None
        self._doubted = True
        self._order: Sequence[int] | None = None
        self._index: Index | None = _new_index() if indexed else None

    def __len__(self) -> int:
        return len(self._shelf)

    @property
    def indexed(self) -> bool:
        """Whether there is an index beside the bodies."""
        return self._index is not None

    def doubt(self) -> None:
        """Look at every file again before the next search."""
        self._doubted = True

    def fill(
        self,
        listed: object,
        material: Callable[[], Material],
        cancelled: Cancelled,
        progress: Progress,
        unread: Unread,
    ) -> None:
        """Take in what is new or changed, and forget what is gone.

        Args:
            listed: Stays equal while the store's list does.
            material: Gives the store's topics, asked only when the list changed or files may have.
            cancelled: Whether to stop; the next call goes on where this one ended.
            progress: Told how many topics have been looked at, of how many.
            unread: Told of files that cannot be read.
        """
        with self._filling:
            if not self._doubted and self._listed == listed:
                return
            self._doubted = False
            self._listed = None
            found = material()
            self._material = found
            known = set(found.paths)
            self._drop([path for path in self._by_path if path not in known])
            total = len(found.paths)
            for start in range(0, total, _STEP):
                if cancelled():
                    self._doubted = True
                    return
                progress(start, total)
                stop = start + _STEP
                topics = [found.topic_at(place) for place in range(start, min(stop, total))]
                self._take(found, topics, found.paths[start:stop], unread)
            progress(total, total)
            if self._index is not None:
                self._index.settle()
            self._listed = listed

    @property
    def rows(self) -> Sequence[int]:
        """The rows of the topics, in the order of the list as far as they are there."""
        with self._lock:
            if self._order is None:
                paths = () if self._material is None else self._material.paths
                rows = self._by_path
                self._order = [rows[path] for path in paths if path in rows]
            return self._order

    def age(self, row: int) -> tuple[bool, str]:
        """What puts topics in order that fit equally well."""
        return self._shelf[row].age

    def topic(self, row: int) -> Topic:
        """The topic of a row."""
        return self._shelf[row].topic

    def data(self, row: int) -> bytes:
        """The bytes of its file as it is now, none when it is not there.

        Raises:
            PimemError: It is there and cannot be read.
        """
        assert self._material is not None
        return read_data(self._paths[row], self._material.shown)

    def front(self, row: int) -> bytes:
        """Its front matter."""
        return self._shelf[row].front

    def parts(self, row: int) -> Parts | None:
        """Its folded parts, None when it is gone."""
        shelved = self._shelf.get(row)
        if shelved is None:
            return None
        return Parts(shelved.head, shelved.headings, shelved.body)

    def gather(
        self, query: Query, _cancelled: Cancelled, _progress: Progress, _unread: Unread
    ) -> Gathered:
        """What a query finds in the topics that are there now."""
        if self._index is not None:
            return self._index.gather(query)
        with self._lock:
            shelf = dict(self._shelf)
        heads = [shelved.head for shelved in shelf.values()]
        bodies = [shelved.body for shelved in shelf.values()]
        size = sum([shelved.size for shelved in shelf.values()])

        def heads_in(places: Sequence[int]) -> Sequence[bytes]:
            return [heads[place] for place in places]

        found, body_in = dict(enumerate(bodies)), bodies.__getitem__
        return gather(query, Texts(list(shelf), heads, found, size, heads_in, body_in, body_in))

    def _take(
        self,
        material: Material,
        topics: Sequence[Topic],
        paths: Sequence[str],
        unread: Unread,
    ) -> None:
        new: list[tuple[str, _Shelved]] = []
        gone: list[str] = []
        heads = fold_heads(topics)
        for topic, path, head in zip(topics, paths, heads, strict=True):
            stamp = _stamp(path, material)
            row = self._by_path.get(path)
            if row is not None:
                known = self._shelf[row]
                if known.stamp == stamp and known.head == head:
                    known.become(topic)
                    continue
            try:
                data = read_data(path, material.shown)
            except PimemError as error:
                unread(error)
                data, stamp = b"", None
            new.append((path, _Shelved(topic, stamp, head, data)))
            if row is not None:
                gone.append(path)
        self._drop(gone)
        with self._lock:
            self._order = None
            rows = [next(new_rows) for _ in new]
            if self._index is not None:
                self._index.put(
                    (row, shelved.head, shelved.body, shelved.size)
                    for row, (_path, shelved) in zip(rows, new, strict=True)
                )
            for row, (path, shelved) in zip(rows, new, strict=True):
                self._shelf[row] = shelved
                self._by_path[path] = row
                self._paths[row] = path

    def _drop(self, paths: Iterable[str]) -> None:
        for path in paths:
            with self._lock:
                row = self._by_path.pop(path)
                del self._paths[row]
                del self._shelf[row]
                self._order = None
                if self._index is not None:
                    self._index.drop(row)


def _stamp(path: str, material: Material) -> object:
    """Changes when a file does; None for one that is not there."""
    if path in material.shown:
        return material.shown[path]
    try:
        status = os.lstat(path)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


def _new_index() -> Index | None:
    """An index, None where Python lacks SQLite or its full-text search."""
    try:
        import sqlite3

        from .indexed import Index
    except ImportError:
        return None
    try:
        return Index()
    except sqlite3.Error:
        return None
