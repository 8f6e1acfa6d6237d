"""Stretches of a text in which the words of a query stand close together."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    #: Start, end, number of the term, fit.
    Place = tuple[int, int, int, float]

#: Length of a passage, in bytes or characters.
_WIDTH = 400
#: Words near each other have this much room for each.
_NEAR_EACH = 30


class Window:
    """A stretch of places, from the first to the one before the last."""

    __slots__ = ("first", "last", "score")

    def __init__(self, first: int, last: int, score: float) -> None:
        self.first = first
        self.last = last
        self.score = score


def best_window(places: Sequence[Place], weights: Sequence[float], width: int = _WIDTH) -> Window:
    """The stretch with the most of the rarest terms; the first of equals.

    Args:
        places: Where terms are, in order.
        weights: What each term is worth.
        width: How long a stretch may be.
    """
    best = Window(0, 0, 0.0)
    fits: list[list[float]] = [[] for _ in weights]
    worth = [0.0] * len(weights)
    score = 0.0
    last = 0
    count = len(places)
    for first in range(count):
        start, _end, leaving, _fit = places[first]
        while last < count and (places[last][1] - start <= width or last == first):
            _start, _end, term, fit = places[last]
            fits[term].append(fit)
            now = _worth(weights[term], fits[term])
            score += now - worth[term]
            worth[term] = now
            last += 1
        if score > best.score + 1e-9:
            best = Window(first, last, score)
        del fits[leaving][0]
        now = _worth(weights[leaving], fits[leaving])
        score += now - worth[leaving]
        worth[leaving] = now
    return best


def _worth(weight: float, fits: list[float]) -> float:
    """What a term adds to a stretch: once in full, then a little."""
    count = len(fits)
    if count == 0:
        return 0.0
    if count == 1:
        return weight * fits[0]
    return weight * (max(fits) + (0.1 if count == 2 else 0.2 if count == 3 else 0.3))


def is_near(places: Sequence[Place], terms: int) -> bool:
    """Whether all terms stand near each other somewhere."""
    width = _NEAR_EACH * terms
    last: dict[int, int] = {}
    for start, end, term, _fit in places:
        last[term] = start
        if len(last) == terms and end - min(last.values()) <= width:
            return True
    return False
