"""Where the words of a search stand in a text that is drawn."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

from rich.cells import cell_len

from .cells import clean, cut

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pimem_core.search.finding import Found
    from pimem_core.search.term import Term

#: Lines that are looked through at a time: of a word a stretch of text marks only so many places.
_STRETCH = 50


class Words:
    """The words of a search as it took them in the end, those for misspelt ones included."""

    __slots__ = ("_literal", "_terms")

    def __init__(self, terms: Sequence[Term] = (), literal: bytes = b"") -> None:
        self._terms = terms
        self._literal = literal

    @classmethod
    def of(cls, found: Found) -> Words:
        """The words that something was found with."""
        return cls(found.terms, found.literal)

    def __bool__(self) -> bool:
        """Whether there is a word to mark; a filter by type alone has none."""
        return bool(self._terms)

    def places(self, text: str) -> list[tuple[int, int]]:
        """Where they stand in a text: start and end in characters, in order and apart."""
        if not self._terms or not text:
            return []
        from pimem_core.search.excerpts import mark  # the first frame needs nothing of searches

        return mark(text, self._terms, self._literal)

    def share(self, text: str) -> int:
        """How many of them are in a text; one more than all where they stand as they were typed."""
        if not self._terms or not text:
            return 0
        from pimem_core.search.excerpts import covered

        return covered(text, self._terms, self._literal)

    def marks(self, lines: Sequence[str]) -> Marks:
        """Where they stand in the lines of a text, and the best place to begin to read at.

        Call it in a worker: the work grows with the text.
        """
        if not self._terms:
            return NO_MARKS
        from pimem_core.search.excerpts import passages

        places: list[Place] = []
        for first in range(0, len(lines), _STRETCH):
            part = lines[first : first + _STRETCH]
            starts = list(accumulate((len(line) + 1 for line in part), initial=0))
            for start, end in self.places("\n".join(part)):
                number = bisect_right(starts, start) - 1
                at = starts[number]
                last = min(end, at + len(part[number]))  # words in a row may go on below
                places.append(Place(first + number, start - at, last - at))
                while last < end:
                    number += 1
                    at, last = starts[number], min(end, starts[number] + len(part[number]))
                    places.append(Place(first + number, 0, last - at))
        best = passages("\n".join(lines), self._terms, self._literal)
        line = best[0].line - 1 if best else 0
        return Marks(places, next((n for n, place in enumerate(places) if place.line >= line), 0))


NO_WORDS = Words()


class Place(NamedTuple):
    """A match in a laid-out text, in characters of its line."""

    line: int
    start: int
    end: int


class Marks:
    """The matches in a laid-out text, in order; `best` is the number of the one to begin at."""

    __slots__ = ("_by_line", "best", "places")

    def __init__(self, places: Sequence[Place] = (), best: int = 0) -> None:
        self.places = places
        self.best = best
        self._by_line: dict[int, list[tuple[int, int]]] = {}
        for place in places:
            self._by_line.setdefault(place.line, []).append((place.start, place.end))

    def __len__(self) -> int:
        return len(self.places)

    def in_line(self, number: int) -> Sequence[tuple[int, int]]:
        """The start and end of each match in a line."""
        return self._by_line.get(number, ())


NO_MARKS = Marks()


def cleaned(text: str, places: Sequence[tuple[int, int]]) -> tuple[str, list[tuple[int, int]]]:
    """A text made safe to draw, with the places in it moved along."""
    pieces: list[str] = []
    moved: list[tuple[int, int]] = []
    length = at = 0
    for start, end in places:
        before, match = clean(text[at:start]), clean(text[start:end])
        moved.append((length + len(before), length + len(before) + len(match)))
        pieces += [before, match]
        length, at = moved[-1][1], end
    return "".join((*pieces, clean(text[at:]))), moved


def around(
    text: str, places: Sequence[tuple[int, int]], cells: int
) -> tuple[str, list[tuple[int, int]]]:
    """As much of a clean text as fits, with the first place in view; the places move along."""
    begin, lead = 0, ""
    if places and cell_len(text[: places[0][1]]) > cells - 1:
        first, room = places[0][0], cells // 3
        begin, lead = first, "…"
        while begin > 0 and room >= cell_len(text[begin - 1]):
            begin -= 1
            room -= cell_len(text[begin])
        space = text.find(" ", max(begin - 1, 0), first)
        begin = begin if space < 0 or begin == 0 else space + 1
    shown = cut(lead + text[begin:], cells)
    by = len(lead) - begin
    last = len(shown) - 1 if shown.endswith("…") and len(shown) <= len(text) + by else len(shown)
    moved = [(start + by, min(end + by, last)) for start, end in places if start + by < last]
    return shown, moved


def set_off(text: str, places: Sequence[tuple[int, int]], kind: str) -> list[tuple[str, str]]:
    """The text in parts with their styles: that of matches in its places, else the given one."""
    parts: list[tuple[str, str]] = []
    at = 0
    for start, end in places:
        parts += [(text[at:start], kind), (text[start:end], "match")]
        at = end
    return [part for part in (*parts, (text[at:], kind)) if part[0]]
