"""One word of a query, and which words of a text it means."""

from __future__ import annotations

from .stemming import common_start, relatives, stem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

#: How well a word of a text fits a word of a query.
SAME, FORM, START, INSIDE = 1.0, 0.9, 0.5, 0.25
#: From here on a fit is the word itself, below it is part of a longer one.
_WHOLE = 0.8
#: Shorter ones are inside of nearly every word.
_SHORTEST_INSIDE = 3
#: A single letter begins too many.
_SHORTEST_START = 2
_MOST_PLACES = 400


class Term:
    """A word and its forms; or characters that stand in a row, of scripts without spaces.

    Args:
        words: The word, folded; more than one are characters in a row.
        unfinished: Whether it is still being typed, so that longer words fit as well.
        instead: Words that stand in for one that is nowhere, and how well each does.
    """

    __slots__ = ("_fits", "_probes", "_row", "instead", "least", "text", "unfinished", "word")

    def __init__(
        self,
        words: tuple[str, ...],
        *,
        unfinished: bool = False,
        instead: Mapping[str, float] | None = None,
    ) -> None:
        self.text = words[0] if len(words) == 1 else "".join(words)
        self.word = " ".join(words)
        self.unfinished = unfinished
        self.instead = instead or {}
        #: The weakest fit that counts; `fit` leaves out what is below.
        self.least = INSIDE
        row = len(words) > 1
        end = "" if unfinished and row else " "
        self._row = f" {self.word}{end}".encode() if row else b""
        self._fits: dict[bytes, float] = {}
        if instead:
            self._probes: tuple[bytes, ...] = tuple(f" {word} ".encode() for word in instead)
        elif row:
            self._probes = (self._row,)
        else:
            start = common_start(stem(self.word))
            start = start if self.word.startswith(start) else self.word
            plain = start if len(self.word) >= _SHORTEST_INSIDE else f" {self.word}"
            others = [f" {common_start(stem(word))}" for word in relatives(self.word)]
            self._probes = (plain.encode(), *(other.encode() for other in others))

    @property
    def starts(self) -> tuple[str, ...]:
        """What the words that fit begin with, apart from those that hold the word inside."""
        if self.instead:
            return tuple(self.instead)
        if self._row:
            return ()
        start = common_start(stem(self.word))
        start = start if self.word.startswith(start) else self.word
        return (start, *(common_start(stem(word)) for word in relatives(self.word)))

    @property
    def opens(self) -> bool:
        """Whether longer words that begin with the term may fit."""
        return self.unfinished or len(self.word) >= _SHORTEST_START

    @property
    def row(self) -> bytes:
        """The folded characters in a row; empty for a word."""
        return self._row

    def fit(self, word: bytes) -> float:
        """How well a folded word of a text fits, 0 to 1."""
        known = self._fits.get(word)
        if known is None:
            known = self._fits[word] = self._judge(word.decode())
        return known if known >= self.least else 0.0

    def _judge(self, word: str) -> float:
        if self.instead:
            return self.instead.get(word, 0.0)
        if word == self.word:
            return SAME
        if stem(word) == stem(self.word) or word in relatives(self.word):
            return FORM
        if any(stem(word) == stem(other) for other in relatives(self.word)):
            return FORM
        if word.startswith(self.word):
            return _WHOLE if self.unfinished else START if self.opens else 0.0
        long = len(self.word) >= _SHORTEST_INSIDE
        return INSIDE if long and self.word in word else 0.0

    def best_in(self, folded: bytes) -> float:
        """The best fit in a folded text, loosely folded or not; stops at a whole word."""
        if self._row:
            return SAME if self._row in folded else 0.0
        best = 0.0
        for number, probe in enumerate(self._probes):
            if probe not in folded:
                continue
            if number == 0 and b" %b " % self.word.encode() in folded and not self.instead:
                return SAME
            for _at, _end, fit in self._places(folded, probe):
                if fit > best:
                    best = fit
                    if best >= _WHOLE:
                        return best
        return best

    def places(self, folded: bytes) -> list[tuple[int, int, float]]:
        """Where the term is in a folded text, start, end and fit; at most some hundred places."""
        if len(self._probes) == 1:
            return self._places(folded, self._probes[0])
        found = [place for probe in self._probes for place in self._places(folded, probe)]
        return sorted(set(found))

    def _places(self, folded: bytes, probe: bytes) -> list[tuple[int, int, float]]:
        found: list[tuple[int, int, float]] = []
        at = folded.find(probe)
        if self._row:
            # Two rows may share the space between them.
            while at >= 0 and len(found) < _MOST_PLACES:
                end = at + len(probe) - 1
                if folded[end : end + 1] != b" ":
                    end = folded.find(b" ", end)
                found.append((at + 1, end, SAME))
                at = folded.find(probe, end)
            return found
        led = probe[:1] == b" "
        fits, least = self._fits, self.least
        while at >= 0:
            start = at + 1 if led else folded.rfind(b" ", 0, at) + 1
            end = folded.find(b" ", start)
            word = folded[start:end]
            fit = fits.get(word)
            if fit is None:
                fit = fits[word] = self._judge(word.decode())
            if fit >= least:
                found.append((start, end, fit))
                if len(found) >= _MOST_PLACES:
                    break
            at = folded.find(probe, end)
        return found


def is_whole(fit: float) -> bool:
    """Whether a fit is the word itself or a form of it, not a part of a longer word."""
    return fit >= _WHOLE
