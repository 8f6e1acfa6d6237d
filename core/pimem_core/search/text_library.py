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
#: Seconds that who waits for another thread's filling does not look around.
_PATIENCE_S = 0.01


class _Shelved:
    """A topic, its age and line, its file with stamp and size, front matter and folded texts."""

    __slots__ = (
        "age",
        "body",
        "front",
        "head",
        "headings",
        "line",
        "path",
        "shown",
        "size",
        "stamp",
        "topic",
    )

    def __init__(
        self,
        material: Material,
        place: int,
        topic: Topic,
        head: bytes,
        stamp: object,
        data: bytes,
    ) -> None:
        start = body_start(data)
        self.path = material.paths[place]
        self.shown = material.shown
        self.line = material.lines[place]
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


class Kept:
    """The topics of a library as they are at one moment, whatever comes or goes meanwhile."""

    def __init__(
        self, shelf: dict[int, _Shelved], rows: Sequence[int], index: Index | None
    ) -> None:
        self._shelf = shelf
        self._rows = rows
        self._index = index

    @property
    def rows(self) -> Sequence[int]:
        """The rows of the topics, in the order of the list as far as they are there."""
        return self._rows

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
        return read_data(self._shelf[row].path, self._shelf[row].shown)

    def front(self, row: int) -> bytes:
        """Its front matter."""
        return self._shelf[row].front

    def parts(self, row: int) -> Parts:
        """Its folded parts."""
        shelved = self._shelf[row]
        return Parts(shelved.head, shelved.headings, shelved.body)

    def gather(
        self, query: Query, _cancelled: Cancelled, _progress: Progress, _unread: Unread
    ) -> Gathered:
        """What a query finds; an index may know of topics that came since."""
        if self._index is not None:
            return self._index.gather(query)
        heads = [shelved.head for shelved in self._shelf.values()]
        bodies = [shelved.body for shelved in self._shelf.values()]
        size = sum([shelved.size for shelved in self._shelf.values()])

        def heads_in(places: Sequence[int]) -> Sequence[bytes]:
            return [heads[place] for place in places]

        found, body_in = dict(enumerate(bodies)), bodies.__getitem__
        rows = list(self._shelf)
        return gather(query, Texts(rows, heads, found, size, heads_in, body_in, body_in))


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
        self._material: Material | None = None
        self._doubts = 0
        #: For which doubts and list all has been looked at, for which it was begun, and how far.
        self._done: tuple[int, object] | None = None
        self._begun: tuple[int, object] = (0, None)
        self._at = 0
        #: Whether the material has other topics than those that are there.
        self._is_new = True
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
        self._doubts += 1

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
        while not self._filling.acquire(timeout=_PATIENCE_S):
            if cancelled():
                return
            progress(self._at, len(self._by_path))
        try:
            wanted = (self._doubts, listed)
            if self._done == wanted:
                return
            found = self._material
            if found is None or self._begun[1] != listed:
                found = self._material = material()
                known = set(found.paths)
                self._drop([path for path in self._by_path if path not in known])
                self._is_new = True
                self._at = 0
            elif self._begun != wanted:
                self._at = 0
            self._begun = wanted
            total = len(found.paths)
            for start in range(self._at, total, _STEP):
                if cancelled():
                    self._at = start
                    return
                progress(start, total)
                self._take(found, range(start, min(start + _STEP, total)), unread)
            progress(total, total)
            self._is_new = False
            if self._index is not None:
                self._index.settle()
            self._done = wanted
        finally:
            self._filling.release()

    def kept(self) -> Kept:
        """The topics that are there now."""
        with self._lock:
            if self._order is None:
                paths = () if self._material is None else self._material.paths
                rows = self._by_path
                self._order = [rows[path] for path in paths if path in rows]
            return Kept(dict(self._shelf), self._order, self._index)

    def _take(self, material: Material, places: range, unread: Unread) -> None:
        read: list[tuple[int, object, bytes]] = []
        gone: list[str] = []
        for place in places:
            path, line = material.paths[place], material.lines[place]
            stamp = _stamp(path, material)
            row = self._by_path.get(path)
            if row is not None:
                known = self._shelf[row]
                if known.stamp == stamp and known.line == line:
                    if self._is_new:
                        known.become(material.topic_at(place))
                    continue
            try:
                data = read_data(path, material.shown)
            except PimemError as error:
                unread(error)
                data, stamp = b"", None
            read.append((place, stamp, data))
            if row is not None:
                gone.append(path)
        self._drop(gone)
        if not read:
            return
        topics = [material.topic_at(place) for place, _stamp, _data in read]
        new = [
            _Shelved(material, place, topic, head, stamp, data)
            for (place, stamp, data), topic, head in zip(
                read, topics, fold_heads(topics), strict=True
            )
        ]
        with self._lock:
            self._order = None
            rows = [next(new_rows) for _ in new]
            if self._index is not None:
                self._index.put(
                    [
                        (row, one.head, one.body, one.size)
                        for row, one in zip(rows, new, strict=True)
                    ]
                )
            for row, shelved in zip(rows, new, strict=True):
                self._shelf[row] = shelved
                self._by_path[shelved.path] = row

    def _drop(self, paths: Iterable[str]) -> None:
        for path in paths:
            with self._lock:
                row = self._by_path.pop(path)
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
