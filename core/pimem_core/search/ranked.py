"""What a search found, best first, and what is known of each."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from .gathering import Rows
    from .term import Term


class Counted:
    """A term as it counts in one search: how rare it is, and who has it."""

    __slots__ = ("corrected", "rarity", "rows", "term")

    def __init__(self, term: Term, rarity: float, rows: Rows, corrected: str = "") -> None:
        self.term = term
        self.rarity = rarity
        self.rows = rows
        self.corrected = corrected


class Ranked:
    """A topic in its place. `where` is the part that says most, `why` the words by part.

    `note` says when a word was taken for another one.
    """

    __slots__ = ("note", "row", "score", "where", "why")

    def __init__(
        self,
        row: int,
        score: float,
        where: str = "",
        why: Sequence[tuple[str, Sequence[str]]] = (),
        note: str = "",
    ) -> None:
        self.row = row
        self.score = score
        self.where = where
        self.why = why
        self.note = note


class Ranking:
    """What a query finds, best first, and the terms it was found with.

    Args:
        rows: The topics, best first.
        seen: What a closer look told of the first of them.
        score: The score of one without.
        counted: The terms.
        suggestions: Words that exist, where nothing was found.
    """

    __slots__ = ("_score", "_seen", "counted", "rows", "suggestions")

    def __init__(
        self,
        rows: Sequence[int] = (),
        seen: Mapping[int, Ranked] | None = None,
        score: Callable[[int], float] = lambda _row: 0.0,
        counted: Sequence[Counted] = (),
        suggestions: Sequence[str] = (),
    ) -> None:
        self.rows = rows
        self.counted = counted
        self.suggestions = suggestions
        self._seen = seen or {}
        self._score = score

    def __getitem__(self, place: int) -> Ranked:
        """The topic in a place."""
        row = self.rows[place]
        seen = self._seen.get(row)
        return Ranked(row, self._score(row)) if seen is None else seen

    def only(self, wanted: Callable[[int], bool]) -> Ranking:
        """The topics whose rows are wanted."""
        rows = [row for row in self.rows if wanted(row)]
        return Ranking(rows, self._seen, self._score, self.counted, self.suggestions)

    @property
    def terms(self) -> Sequence[Term]:
        """The terms, as they were taken in the end."""
        return [one.term for one in self.counted]
