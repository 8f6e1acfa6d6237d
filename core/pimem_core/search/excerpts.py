"""The place in a text that fits a query best: its line, and a snippet with the matches marked."""

from __future__ import annotations

import re

from .folding import fold_loosely, spans
from .windows import best_window

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .term import Term
    from .windows import Place

#: Longest snippet and what it shows before its first match, in characters.
_LONGEST = 160
_BEFORE = 30
#: How far apart matches may be to be in one snippet.
_WIDTH = 110
_BLANKS = re.compile(r"\s+")
_CUT = "…"


class Passage:
    """A stretch of a text around matches.

    `line` counts from 1; `matches` are start and end of each in the snippet, in characters.
    """

    __slots__ = ("line", "matches", "snippet", "start")

    def __init__(
        self, line: int, start: int, snippet: str, matches: Sequence[tuple[int, int]]
    ) -> None:
        self.line = line
        self.start = start
        self.snippet = snippet
        self.matches = matches


class Mapped:
    """A text and its folded form, with the way back from places in one to places in the other."""

    __slots__ = ("_ends", "_starts", "_tokens", "folded")

    def __init__(self, text: str) -> None:
        self._tokens: list[tuple[str, int, int]] | None = None
        if text.isascii():
            self.folded = fold_loosely(text.encode())
            return
        self._tokens = list(spans(text))
        self._starts: dict[int, int] = {}
        self._ends: dict[int, int] = {}
        at = 1
        words = []
        for number, (word, _start, _end) in enumerate(self._tokens):
            encoded = word.encode()
            words.append(encoded)
            self._starts[at] = number
            at += len(encoded)
            self._ends[at] = number
            at += 1
        self.folded = b" %b " % b" ".join(words)

    def original(self, start: int, end: int) -> tuple[int, int]:
        """Where folded words, from the start of one to the end of one, stand in the text."""
        if self._tokens is None:
            return start - 1, end - 1
        return self._tokens[self._starts[start]][1], self._tokens[self._ends[end]][2]


def passages(
    text: str, terms: Sequence[Term], literal: bytes = b"", most: int = 1, first_line: int = 1
) -> list[Passage]:
    """The best places of a text, best first; none where no term is in it.

    Args:
        text: What to look in.
        terms: What to look for; the first weigh no more than the others.
        literal: Folded words that are best in a row, when the text has them so.
        most: How many places at most, none overlapping another.
        first_line: The number of the text's first line.
    """
    mapped = Mapped(text)
    places = _places(mapped, terms)
    whole = _literal_places(mapped, literal, len(terms)) if literal else []
    places = sorted([*places, *whole])
    weights = [_weight(places, number) for number in range(len(terms))]
    weights.append(2 * sum(weights) + 1.0)
    found: list[Passage] = []
    while places and len(found) < most:
        window = best_window(places, weights, _WIDTH)
        chosen = places[window.first : window.last]
        if not chosen:
            break
        found.append(_passage(text, [mapped.original(p[0], p[1]) for p in chosen], first_line))
        low, high = chosen[0][0], max(place[1] for place in chosen)
        places = [place for place in places if place[1] <= low or place[0] >= high]
    return found


def mark(text: str, terms: Sequence[Term], literal: bytes = b"") -> list[tuple[int, int]]:
    """Every match in a text, as start and end in characters, in order and apart."""
    mapped = Mapped(text)
    places = [*_places(mapped, terms)]
    if literal:
        places += _literal_places(mapped, literal, len(terms))
    return _apart([mapped.original(place[0], place[1]) for place in places])


def covered(text: str, terms: Sequence[Term], literal: bytes = b"") -> int:
    """How many of the terms a text has; one more than all where it has them literally."""
    mapped = Mapped(text)
    if literal and _literal_places(mapped, literal, 0):
        return len(terms) + 1
    return sum(1 for term in terms if term.places(mapped.folded))


def _places(mapped: Mapped, terms: Sequence[Term]) -> list[Place]:
    return [
        (start, end, number, fit)
        for number, term in enumerate(terms)
        for start, end, fit in term.places(mapped.folded)
    ]


def _literal_places(mapped: Mapped, literal: bytes, number: int) -> list[Place]:
    words = literal.split()
    pattern = b" +".join(re.escape(word) for word in words)
    ending = b"(?= )" if literal.endswith(b" ") else b"[^ ]*"
    found = re.finditer(b"(?<= )" + pattern + ending, mapped.folded)
    return [(match.start(), match.end(), number, 1.0) for match in found]


def _weight(places: Sequence[Place], number: int) -> float:
    """Rare words of a text tell more of it than frequent ones."""
    count = sum(1 for place in places if place[2] == number)
    return 1.0 / (1 + count) + 0.5


def _apart(matches: list[tuple[int, int]]) -> list[tuple[int, int]]:
    joined: list[tuple[int, int]] = []
    for start, end in sorted(matches):
        if joined and start < joined[-1][1]:
            joined[-1] = joined[-1][0], max(end, joined[-1][1])
        else:
            joined.append((start, end))
    return joined


def _passage(text: str, matches: list[tuple[int, int]], first_line: int) -> Passage:
    matches = _apart(matches)
    first = matches[0][0]
    line = text.count("\n", 0, first) + first_line
    start = _start_of(text, first)
    end = _end_of(text, start, matches[0][1])
    shown = [(low, min(high, end)) for low, high in matches if low < end]
    pieces: list[str] = []
    marks: list[tuple[int, int]] = []
    length = 0
    at = start

    def add(piece: str) -> None:
        nonlocal length
        pieces.append(piece)
        length += len(piece)

    if text[:start].strip():
        add(_CUT)
    for number, (low, high) in enumerate(shown):
        between = _BLANKS.sub(" ", text[at:low])
        add(between.lstrip() if number == 0 else between)
        match = _BLANKS.sub(" ", text[low:high])
        marks.append((length, length + len(match)))
        add(match)
        at = high
    add(_BLANKS.sub(" ", text[at:end]).rstrip())
    if text[end:].strip():
        add(_CUT)
    return Passage(line, first, "".join(pieces), marks)


def _start_of(text: str, first: int) -> int:
    """Where a snippet begins: its line's start when that is near, else a word's start."""
    line = text.rfind("\n", 0, first) + 1
    if first - line <= 2 * _BEFORE:
        return line
    at = first - _BEFORE
    blank = text.find(" ", at, first)
    return blank + 1 if blank >= 0 else at


def _end_of(text: str, start: int, least: int) -> int:
    end = start + _LONGEST
    if end >= len(text):
        return len(text)
    if end <= least:
        return max(end, start + 1)
    blank = max(text.rfind(" ", least, end), text.rfind("\n", least, end))
    return blank if blank > 0 else end
