"""Topics whose files are read for one search: what a command does, which ends after it."""

from __future__ import annotations

import os

from ..errors import PimemError, TopicNotFoundError
from ..files.read import read_bytes
from .ahead import Ahead, possible
from .bodies import body_start, fold_body, fold_headings, fold_heads, parts_of
from .gathering import as_plain, from_plain, gather, join
from .material import new_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..model import Topic
    from ..progress import Cancelled, Progress, Unread
    from .bodies import Described
    from .gathering import Gathered
    from .material import Material
    from .query import Query
    from .ranking import Parts

#: A topic file longer than this is searched only so far, so that one huge file cannot stall.
MOST_BYTES = 16 << 20
#: Topics whose bodies are worth a second process.
_MANY = 2_000
#: Topics between two looks at whether anybody still waits.
_STEP = 256


class Once:
    """The topics of a store, read anew for each query."""

    def __init__(self, material: Material) -> None:
        self._material = material
        self._first = next(new_rows)
        for _ in material.subjects[1:]:
            next(new_rows)
        self._heads = fold_heads(material.subjects)

    @property
    def rows(self) -> Sequence[int]:
        """The rows of the topics."""
        return range(self._first, self._first + len(self._material.subjects))

    def subject(self, row: int) -> Described:
        """What is known of a topic."""
        found: Described = self._material.subjects[row - self._first]
        return found

    def topic(self, row: int) -> Topic:
        """The topic of a row."""
        return self._material.topic_of(self._material.subjects[row - self._first])

    def data(self, row: int) -> bytes:
        """The bytes of its file, none when it is not there.

        Raises:
            PimemError: It is there and cannot be read.
        """
        return read_data(self._material.paths[row - self._first], self._material.shown)

    def front(self, row: int) -> bytes:
        """Its front matter, none when it cannot be read."""
        try:
            data = self.data(row)
        except PimemError:
            return b""
        return data[: body_start(data)]

    def parts(self, row: int) -> Parts | None:
        """Its folded parts, None when it cannot be read."""
        try:
            data = self.data(row)
        except PimemError:
            data = b""
        head = self._heads[row - self._first]
        return parts_of(head, fold_headings(data[body_start(data) :]), fold_body(data))

    def gather(
        self, query: Query, cancelled: Cancelled, progress: Progress, unread: Unread
    ) -> Gathered | None:
        """What a query finds; None when nobody waits any more."""
        total, parent = len(self._heads), os.getpid()
        middle = total
        ahead = None
        if total >= _MANY and possible():
            middle = total // 2

            def later() -> object:
                """What is found in the second half, and which files cannot be read."""
                bodies, failed = [], []
                for place in range(middle, total):
                    # A search that was killed cannot end its child.
                    if place % _STEP == 0 and os.getppid() != parent != os.getpid():
                        break
                    try:
                        bodies.append(self._body(place))
                    except PimemError:
                        bodies.append(b" ")
                        failed.append(place)
                return [as_plain(self._gather(query, middle, bodies)), failed]

            ahead = Ahead(later)
        bodies: list[bytes] = []
        try:
            for place in range(middle):
                if place % _STEP == 0:
                    if cancelled():
                        return None
                    progress(place, total)
                bodies.append(self._told(place, unread))
            found = self._gather(query, 0, bodies)
            if ahead is not None:
                plain, failed = ahead.result()
                for place in failed:
                    self._told(place, unread)
                found = join(found, from_plain(plain))
        finally:
            if ahead is not None:
                ahead.close()
        progress(total, total)
        return found

    def _gather(self, query: Query, start: int, bodies: Sequence[bytes]) -> Gathered:
        heads = self._heads[start : start + len(bodies)]
        return gather(query, heads, bodies, self.rows[start : start + len(bodies)])

    def _body(self, place: int) -> bytes:
        return fold_body(read_data(self._material.paths[place], self._material.shown))

    def _told(self, place: int, unread: Unread) -> bytes:
        try:
            return self._body(place)
        except PimemError as error:
            unread(error)
            return b" "


def read_data(path: str, shown: Mapping[str, bytes | None]) -> bytes:
    """The bytes of a topic's file, none when it is not there."""
    try:
        data = shown[path] if path in shown else read_bytes(path, limit=MOST_BYTES)
    except TopicNotFoundError:
        return b""
    return data or b""
