"""Finding topics in one store or several: one query, one order, hits with their snippets."""

from __future__ import annotations

from ..errors import PimemError
from ..formats.text import cut_utf16, quote, trim
from ..model import Hit
from ..progress import ignored, never, unwatched
from .bodies import body_start, order_of
from .excerpts import mark, passages
from .filters import may_have, passes
from .gathering import join
from .query import FIELDS, fields_in, parse
from .ranked import Ranked, Ranking
from .ranking import describe, rank

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Iterator, Sequence
    from typing import Protocol

    from ..model import Topic
    from ..progress import Cancelled, Progress, Unread
    from .bodies import Parts
    from .excerpts import Passage
    from .gathering import Gathered
    from .query import Query
    from .term import Term

    class Shelf(Protocol):
        """Topics that can be searched; see `Once` and `Kept`."""

        @property
        def rows(self) -> Sequence[int]:
            """Their rows."""

        def age(self, row: int) -> tuple[bool, str]:
            """What puts topics in order that fit equally well, as `order_of` takes it."""

        def topic(self, row: int) -> Topic:
            """The topic of a row."""

        def data(self, row: int) -> bytes:
            """The bytes of its file."""

        def front(self, row: int) -> bytes:
            """Its front matter."""

        def parts(self, row: int) -> Parts:
            """Its folded parts."""

        def gather(
            self, query: Query, cancelled: Cancelled, progress: Progress, unread: Unread, /
        ) -> Gathered | None:
            """What a query finds."""


#: Of a longer query a sentence says only so much, in UTF-16 code units.
_MOST_SAID = 80


class Found:
    """What a query found: hits, best first, made when they are asked for.

    `suggestions` are words that exist, where there is none. `asked` is False for a query that
    asks for nothing.
    """

    def __init__(self, query: Query, ranking: Ranking, shelves: dict[int, Shelf]) -> None:
        self._query = query
        self._ranking = ranking
        self._shelves = shelves
        self.asked = not query.empty or bool(ranking.rows)
        self.suggestions = ranking.suggestions

    @property
    def terms(self) -> Sequence[Term]:
        """The words that were looked for, as they were taken in the end."""
        return self._ranking.terms

    @property
    def literal(self) -> bytes:
        """The query in a row, folded; empty for a single word."""
        return self._query.literal

    def __len__(self) -> int:
        return len(self._ranking.rows)

    def __getitem__(self, place: int) -> Hit:
        """The hit in this place, made now."""
        return self._hit(self._ranking[place])

    def topics(self) -> list[Topic]:
        """The topics of all hits, best first."""
        return [self._shelves[row].topic(row) for row in self._ranking.rows]

    def __iter__(self) -> Iterator[Hit]:
        """The hits, best first."""
        return map(self.__getitem__, range(len(self)))

    def first(self, count: int) -> list[Hit]:
        """The best hits, at most so many."""
        return [self[place] for place in range(min(count, len(self)))]

    def shelved(self, count: int) -> list[tuple[Shelf, Hit]]:
        """The best hits, at most so many, each with the shelf that it is from."""
        return [
            (self._shelves[row], self[place])
            for place, row in enumerate(self._ranking.rows[:count])
        ]

    def only(self, wanted: Callable[[Topic], bool]) -> Found:
        """The hits whose topics are wanted."""
        kept = self._ranking.only(lambda row: wanted(self._shelves[row].topic(row)))
        return Found(self._query, kept, self._shelves)

    def nothing(self, text: str) -> str:
        """Say that nothing was found, and what might be.

        Args:
            text: The query as it was typed.
        """
        if not self.asked:
            return "There is no word to search for."
        said = f"Nothing matches {quote(cut_utf16(text, _MOST_SAID))}."
        if not self.suggestions:
            return said
        return f"{said} Words that are there: {', '.join(self.suggestions)}."

    def _hit(self, ranked: Ranked) -> Hit:
        shelf = self._shelves[ranked.row]
        topic = shelf.topic(ranked.row)
        if not ranked.where and self._ranking.counted:
            ranked = describe(self._ranking, ranked, shelf.parts(ranked.row))
        where = ranked.where or "name"
        line: int | None = None
        snippet = ""
        matches: tuple[tuple[int, int], ...] = ()
        if where == "body":
            place = self._place(shelf, ranked.row)
            if place is not None:
                line, snippet, matches = place.line, place.snippet, tuple(place.matches)
            else:  # the file is another one by now
                where = "name"
        if where != "body":
            snippet = trim(getattr(topic, where))
            matches = tuple(mark(snippet, self._ranking.terms, self._query.literal))
        return Hit(
            topic=topic,
            where=where,
            snippet=snippet,
            line=line,
            score=ranked.score,
            matches=matches,
            why=tuple((part, tuple(words)) for part, words in ranked.why),
            note=ranked.note,
        )

    def _place(self, shelf: Shelf, row: int) -> Passage | None:
        try:
            data = shelf.data(row)
        except PimemError:
            return None
        found = places_in(data, self._query, self._ranking, 1)
        return found[0] if found else None


def find(
    shelves: Sequence[Shelf],
    text: str,
    *,
    typing: bool = False,
    cancelled: Cancelled = never,
    progress: Progress = unwatched,
    unread: Unread = ignored,
) -> Found:
    """Find topics of one store or several, in one order.

    Args:
        shelves: The topics of each store; what `FolderStore.shelf` gives.
        text: The query as it was typed.
        typing: Whether its last word may be unfinished.
        cancelled: Whether nobody waits any more; then nothing is found.
        progress: Told how many topics have been looked at, of how many.
        unread: Told of files that cannot be read.
    """
    own = [field for field in fields_in(text) if field not in FIELDS]
    extra = {field for field in own if any(_have(shelf, field) for shelf in shelves)}
    query = parse(text, typing=typing, fields=FIELDS | extra)
    by_row = {row: shelf for shelf in shelves for row in shelf.rows}
    if not text.strip():  # everything, as a list has it
        return Found(query, Ranking(list(by_row)), by_row)
    if query.empty:
        return Found(query, Ranking(), {})
    gathered = None
    for shelf in shelves:
        found = shelf.gather(query, cancelled, progress, unread)
        if found is None or cancelled():
            return Found(query, Ranking(), {})
        gathered = found if gathered is None else join(gathered, found)
    if gathered is None:
        return Found(query, Ranking(), {})

    def order(wanted: Iterable[int]) -> Sequence[int]:
        rows = sorted(wanted, key=places.__getitem__)
        return [rows[place] for place in order_of([by_row[row].age(row) for row in rows])]

    places = {row: place for place, row in enumerate(by_row)}
    allowed: Container[int] = by_row
    if query.filters:
        allowed = {row for row, shelf in by_row.items() if _passes(shelf, row, query)}
    ranking = rank(query, gathered, by_row, order, lambda row: by_row[row].parts(row), allowed)
    return Found(query, ranking, by_row)


def places_in(data: bytes, query: Query, ranking: Ranking, most: int) -> list[Passage]:
    """The best places in the body of a file; lines count from its beginning."""
    start = body_start(data)
    text = data[start:].decode("utf-8", "replace")
    first_line = data.count(b"\n", 0, start) + 1
    return passages(text, ranking.terms, query.literal, most, first_line)


def _have(shelf: Shelf, field: str) -> bool:
    return any(may_have(shelf.front(row), field) for row in shelf.rows)


def _passes(shelf: Shelf, row: int, query: Query) -> bool:
    return passes(lambda: shelf.topic(row), lambda: shelf.front(row), query.filters)
