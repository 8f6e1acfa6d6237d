"""How alike two words are, for words that were misspelt."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

#: Shorter words are like too many others.
_SHORTEST = 4
_LONGEST = 40
#: Least share of common trigrams of a word that is worth a mention.
_LEAST = 0.3
_THIRDS_FROM = 7
#: Longer words may have two letters wrong.
_TWO_FROM = 8


def pieces_of(word: str) -> list[str]:
    """Parts of a word of which one stays whole when a letter or two are wrong."""
    size = len(word)
    if not _SHORTEST <= size <= _LONGEST or " " in word:
        return []
    if size < _THIRDS_FROM:
        pieces = {word[: size // 2], word[size // 2 :]}
    else:
        third = size // 3
        pieces = {word[:third], word[third : 2 * third], word[2 * third :]}
    return sorted(piece for piece in pieces if len(piece) > 1)


def similarity(word: str, other: str) -> float:
    """How alike two words are by their trigrams, 0 to 1; 0 where it is not worth a mention."""
    if abs(len(word) - len(other)) > max(2, len(word) // 3) or len(other) > _LONGEST:
        return 0.0
    ours, theirs = _trigrams(word), _trigrams(other)
    share = 2 * len(ours & theirs) / (len(ours) + len(theirs))
    return share if share >= _LEAST else 0.0


def is_slip(word: str, other: str) -> bool:
    """Whether one word is the other with a letter wrong, or two in a longer word."""
    most = 1 if len(word) < _TWO_FROM else 2
    return abs(len(word) - len(other)) <= most and _distance(word, other) <= most


def closest(word: str, others: Iterable[str], most: int = 3) -> list[str]:
    """The words most like one, best first."""
    ranked = sorted((-similarity(word, other), _distance(word, other), other) for other in others)
    return [other for share, _distance, other in ranked[:most] if share < 0]


def _trigrams(word: str) -> set[str]:
    padded = f"  {word} "
    return {padded[at : at + 3] for at in range(len(padded) - 2)}


def _distance(word: str, other: str) -> int:
    """Letters changed, left out, put in or swapped with the next, at least."""
    before: list[int] = []
    last = list(range(len(other) + 1))
    for row, letter in enumerate(word, start=1):
        line = [row]
        for column, sign in enumerate(other, start=1):
            cost = min(line[-1] + 1, last[column] + 1, last[column - 1] + (letter != sign))
            if row > 1 and column > 1 and letter == other[column - 2] and sign == word[row - 2]:
                cost = min(cost, before[column - 2] + 1)
            line.append(cost)
        before, last = last, line
    return last[-1]
