"""One word of a query, and which words of a text it means."""

from __future__ import annotations

from itertools import islice

from .stemming import common_start, relatives, stem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

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

    __slots__ = (
        "_fits",
        "_probes",
        "_row",
        "_same",
        "instead",
        "least",
        "text",
        "unfinished",
        "word",
    )

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
        self._same = f" {self.word} ".encode()
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
    def probes(self) -> tuple[bytes, ...]:
        """Parts of a folded text; what holds none of them has no word that fits."""
        return self._probes

    @property
    def plain(self) -> bytes:
        """What is in a folded text, or in one that is not folded, only where the word fits best."""
        if self._row:
            return self._row
        return self._same[:-1] if self.unfinished else self._same

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
        if not self.instead and self._same in folded:
            return SAME
        best = 0.0
        for probe in self._probes:
            for _start, _end, fit in self._walk(folded, probe):
                if fit > best:
                    best = fit
                    if best >= _WHOLE:
                        return best
        return best

    def places(self, folded: bytes) -> list[tuple[int, int, float]]:
        """Where the term is in a folded text, start, end and fit; at most some hundred places."""
        if self._row:
            return list(islice(self._walk_rows(folded), _MOST_PLACES))
        found = [
            place
            for probe in self._probes
            for place in islice(self._walk(folded, probe), _MOST_PLACES)
        ]
        return found if len(self._probes) == 1 else sorted(set(found))

    def _walk_rows(self, folded: bytes) -> Iterator[tuple[int, int, float]]:
        at = folded.find(self._row)
        while at >= 0:
            end = at + len(self._row) - 1
            if folded[end : end + 1] != b" ":
                end = folded.find(b" ", end)
            yield at + 1, end, SAME
            at = folded.find(self._row, end)  # two rows may share the space between them

    def _walk(self, folded: bytes, probe: bytes) -> Iterator[tuple[int, int, float]]:
        led = probe[:1] == b" "
        fits, least = self._fits, self.least
        at = folded.find(probe)
        while at >= 0:
            start = at + 1 if led else folded.rfind(b" ", 0, at) + 1
            end = folded.find(b" ", start)
            word = folded[start:end]
            fit = fits.get(word)
            if fit is None:
                fit = fits[word] = self._judge(word.decode())
            if fit >= least:
                yield start, end, fit
            at = folded.find(probe, end)


def is_whole(fit: float) -> bool:
    """Whether a fit is the word itself or a form of it, not a part of a longer word."""
    return fit >= _WHOLE
