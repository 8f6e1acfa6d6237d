"""Topics whose files are read for one search: what a command does, which ends after it."""

from __future__ import annotations

import os

from ..errors import PimemError, TopicNotFoundError
from ..files.read import read_bytes
from .ahead import Ahead, Ends, possible
from .bodies import Parts, age_of, body_start, fold_body, fold_headings, fold_heads
from .gathering import Texts, as_plain, from_plain, gather, join, parts_of
from .material import new_rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from ..model import Topic
    from ..progress import Cancelled, Progress, Unread
    from .gathering import Gathered
    from .material import Material
    from .query import Query

#: A topic file longer than this is searched only so far, so that one huge file cannot stall.
MOST_BYTES = 16 << 20
#: Topics whose bodies are worth a second process.
_MANY = 2_000
#: Topics between two looks at whether anybody still waits.
_STEP = 256


class Once:
    """The topics of a store, read anew for each query."""

    def __init__(self, material: Material) -> None:
        self._topic_at = material.topic_at
        self._paths = material.paths
        self._lines = material.lines
        self._shown = material.shown
        self._first = next(new_rows)
        for _ in material.paths[1:]:
            next(new_rows)

    @property
    def rows(self) -> Sequence[int]:
        """The rows of the topics."""
        return range(self._first, self._first + len(self._paths))

    def age(self, row: int) -> tuple[bool, str]:
        """What puts topics in order that fit equally well."""
        return age_of(self.topic(row))

    def topic(self, row: int) -> Topic:
        """The topic of a row."""
        return self._topic_at(row - self._first)

    def data(self, row: int) -> bytes:
        """The bytes of its file, none when it is not there.

        Raises:
            PimemError: It is there and cannot be read.
        """
        return self._data(row - self._first)

    def front(self, row: int) -> bytes:
        """Its front matter, none when it cannot be read."""
        data = self._seen(row - self._first)
        return data[: body_start(data)]

    def parts(self, row: int) -> Parts:
        """Its folded parts; a file that cannot be read any more is empty."""
        data = self._seen(row - self._first)
        (head,) = fold_heads([self.topic(row)])
        return Parts(head, fold_headings(data[body_start(data) :]), fold_body(data))

    def gather(
        self, query: Query, cancelled: Cancelled, progress: Progress, unread: Unread
    ) -> Gathered | None:
        """What a query finds; None when nobody waits any more."""
        total, ends = len(self._paths), Ends(len(self._paths), _STEP)
        ahead = None
        if total >= _MANY and possible():
            parent = os.getpid()

            def orphaned(_place: int) -> bool:
                return os.getppid() != parent

            ahead = Ahead(lambda: self._rest(query, ends.from_back(), orphaned))

        def stops(place: int) -> bool:
            progress(place, total)
            return cancelled()

        try:
            read = self._read(query, ends.from_front(), stops, lambda _at, error: unread(error))
            if read is None:
                return None
            places, texts = read
            found = gather(query, texts)
            if ahead is not None:
                rest = ahead.result()
                if rest is None or rest[0] != places.stop:
                    # The child came to nothing, or both left out the step where they met.
                    rest = self._rest(query, [range(places.stop, total)], lambda _place: False)
                _first, plain, failed = rest
                for place in failed:
                    try:
                        self._data(place)
                    except PimemError as error:
                        unread(error)
                found = join(found, from_plain(plain))
        finally:
            if ahead is not None:
                ahead.close()
        progress(total, total)
        return found

    def _rest(
        self, query: Query, steps: Iterable[range], stops: Callable[[int], bool]
    ) -> list[object]:
        """What is found in the last topics, for another process: the first of them, what was found
        as `as_plain` has it, and which files cannot be read.
        """
        failed: list[int] = []
        read = self._read(query, steps, stops, lambda place, _error: failed.append(place))
        if read is None:
            raise SystemExit  # a search that was killed cannot end its child
        places, texts = read
        return [places.start, as_plain(gather(query, texts)), failed]

    def _read(
        self,
        query: Query,
        steps: Iterable[range],
        stops: Callable[[int], bool],
        failed: Callable[[int, PimemError], object],
    ) -> tuple[range, Texts] | None:
        """Read topics in steps, each beside the one before; None when `stops` says so."""
        parts = parts_of(query)
        bodies: dict[int, bytes] = {}
        folded: dict[int, bytes] = {}
        first, end = len(self._paths), 0
        size = 0
        for step in steps:
            if stops(step.start):
                return None
            for place in step:
                try:
                    data = self._data(place)
                except PimemError as error:
                    failed(place, error)
                    continue
                size += len(data)
                if data.isascii():
                    body = data.lower()
                else:
                    body = folded[place] = fold_body(data)
                for part in parts:
                    if part in body:
                        bodies[place] = body
                        break
            first, end = min(first, step.start), max(end, step.stop)
        # Without any step the front has come to 0, and the back to the end.
        places = range(first, end)
        return places, self._texts(places, bodies, folded, size)

    def _texts(
        self, places: range, bodies: dict[int, bytes], folded: dict[int, bytes], size: int
    ) -> Texts:
        """Texts of what was read; `folded` has the bodies that are folded already."""
        first = places.start
        lines = self._lines[first : places.stop]
        heads = [line.lower().encode("utf-8", "replace") for line in lines]
        wide = [place for place, line in enumerate(lines) if not line.isascii()]

        def folded_heads(wanted: Sequence[int]) -> Sequence[bytes]:
            return fold_heads([self._topic_at(first + place) for place in wanted])

        def folded_body(place: int) -> bytes:
            at = first + place
            body = folded.get(at)
            if body is None:
                body = folded[at] = fold_body(bodies[at] if at in bodies else self._seen(at))
            return body

        for place, head in zip(wide, folded_heads(wide), strict=True):
            heads[place] = head
        return Texts(
            self.rows[first : places.stop],
            heads,
            {place - first: body for place, body in sorted(bodies.items())},
            size,
            folded_heads,
            folded_body,
            lambda place: folded.get(first + place) or self._seen(first + place).lower(),
        )

    def _data(self, place: int) -> bytes:
        return read_data(self._paths[place], self._shown)

    def _seen(self, place: int) -> bytes:
        """The bytes of a file that has been told of if it cannot be read."""
        try:
            return self._data(place)
        except PimemError:
            return b""


def read_data(path: str, shown: Mapping[str, bytes | None]) -> bytes:
    """The bytes of a topic's file, none when it is not there."""
    try:
        data = shown[path] if path in shown else read_bytes(path, limit=MOST_BYTES)
    except TopicNotFoundError:
        return b""
    return data or b""
