"""Going through texts for the words of a query: which topics have them, before any is ranked."""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import accumulate

from .bodies import body_start
from .folding import tighten
from .nearby import pieces_of, similarity
from .term import START, is_whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from .query import Query
    from .term import Term

#: Places looked at for words that are like a misspelt one, and bytes that are read for them.
_MOST_LOOKS, _MOST_READ = 4_000, 1 << 19


class Rows:
    """The topics that have one term, by number.

    Args:
        whole: Those with the word itself or a form of it.
        start: Those that have only longer words which begin with it.
        inside: Those that have only longer words which hold it.
        head: Those with the whole word in name, file or summary.
        like: Of a term that no topic has in any way: similar words, and who has them.
    """

    __slots__ = ("head", "inside", "like", "start", "whole")

    def __init__(
        self,
        whole: Sequence[int] = (),
        start: Sequence[int] = (),
        inside: Sequence[int] = (),
        head: Sequence[int] = (),
        like: dict[str, list[int]] | None = None,
    ) -> None:
        self.whole = whole
        self.start = start
        self.inside = inside
        self.head = head
        self.like = like or {}

    @property
    def any(self) -> bool:
        """Whether a topic has the term at all."""
        return bool(self.whole or self.start or self.inside)


class Gathered:
    """What a query finds in all topics: rows for each term, each phrase and each unwanted part.

    `size` is the length of all files, in bytes, `count` the number of topics.
    """

    __slots__ = ("count", "literal", "phrases", "size", "terms", "without")

    def __init__(
        self,
        terms: list[Rows],
        phrases: Sequence[Sequence[int]],
        without: Sequence[Sequence[int]],
        literal: Sequence[int],
        count: int,
        size: int,
    ) -> None:
        self.terms = terms
        self.phrases = phrases
        self.without = without
        self.literal = literal
        self.count = count
        self.size = size


class Joined:
    """Short texts in one, which is looked through much faster than each by itself."""

    def __init__(self, texts: Iterable[bytes]) -> None:
        pieces = [text + b"\n" for text in texts]
        self._all = b"".join(pieces)
        self._ends = list(accumulate(map(len, pieces)))

    def with_part(self, part: bytes) -> list[int]:
        """The places of the texts that hold a part, in order."""
        found = []
        place, at = 0, self._all.find(part)
        while at >= 0:
            place = bisect_right(self._ends, at, place)
            found.append(place)
            at = self._all.find(part, self._ends[place])
        return found


class Texts:
    """Heads and bodies of topics, folded as far as a search has to.

    Plain English has to be lowered only to see whether a word may be in it.

    Args:
        rows: A number for each topic, in their order.
        heads: Their heads, folded or lowered.
        bodies: By place, the files that may hold a part of the query, folded or lowered.
        size: The length of all files, in bytes.
        fold_heads: Folds the heads in some places.
        fold_body: Folds the body in a place.
        body_in: Gives the body in any place, folded or lowered.
    """

    def __init__(
        self,
        rows: Sequence[int],
        heads: Sequence[bytes],
        bodies: Mapping[int, bytes],
        size: int,
        fold_heads: Callable[[Sequence[int]], Sequence[bytes]],
        fold_body: Callable[[int], bytes],
        body_in: Callable[[int], bytes],
    ) -> None:
        self.rows = rows
        self.size = size
        self._heads = Joined(heads)
        self._bodies = bodies
        self._body_in = body_in
        self._fold_heads = fold_heads
        self.body = fold_body

    def heads_with(self, parts: Iterable[bytes]) -> dict[int, bytes]:
        """The folded heads that may hold one of some parts, by place."""
        places = sorted({place for part in parts for place in self._heads.with_part(part.strip())})
        return dict(zip(places, self._fold_heads(places), strict=True))

    def bodies_with(self, parts: Iterable[bytes]) -> list[int]:
        """The places whose bodies may hold one of some parts of the query, in order."""
        wanted = {part.strip() for part in parts}
        found = [[place for place, body in self._bodies.items() if part in body] for part in wanted]
        return sorted(found[0] if len(found) == 1 else {at for places in found for at in places})

    def has_plainly(self, place: int, part: bytes) -> bool:
        """Whether a body is seen to hold a part though it has not been folded."""
        body = self._bodies[place]
        return body.find(part, body_start(body)) >= 0

    def first_with(self, parts: Iterable[bytes], most: int) -> set[int]:
        """The places of the first bodies that may hold one of some parts, of so many bytes."""
        found = set()
        read = 0
        for place in range(len(self.rows)):
            if read > most:
                break
            body = self._body_in(place)
            read += len(body)
            if any([part in body for part in parts]):
                found.add(place)
        return found


def parts_of(query: Query) -> list[bytes]:
    """Parts of bodies: what a query finds in one holds one of them, folded or lowered."""
    parts: set[bytes] = set()
    for wanted in (*query.terms, *query.without, *query.phrases, query.literal):
        if isinstance(wanted, bytes):
            parts.update(_longest(wanted))
        else:
            parts.update([probe.strip() for probe in wanted.probes])
    return sorted(parts)


def gather(query: Query, texts: Texts) -> Gathered:
    """Go through texts."""
    terms = [_rows_of(term, texts) for term in query.terms]
    phrases = [_with_phrase(phrase, texts) for phrase in query.phrases]
    without = [
        _with_phrase(part, texts) if isinstance(part, bytes) else _rows_of(part, texts).whole
        for part in query.without
    ]
    literal = _with_phrase(query.literal, texts) if query.literal else []
    return Gathered(terms, phrases, without, literal, len(texts.rows), texts.size)


def join(first: Gathered, second: Gathered) -> Gathered:
    """Put together what was gathered of two halves."""
    terms = []
    for one, other in zip(first.terms, second.terms, strict=True):
        like = {word: list(rows) for word, rows in one.like.items()}
        for word, rows in other.like.items():
            like.setdefault(word, []).extend(rows)
        terms.append(
            Rows(
                [*one.whole, *other.whole],
                [*one.start, *other.start],
                [*one.inside, *other.inside],
                [*one.head, *other.head],
                like,
            )
        )
    return Gathered(
        terms,
        [[*one, *other] for one, other in zip(first.phrases, second.phrases, strict=True)],
        [[*one, *other] for one, other in zip(first.without, second.without, strict=True)],
        [*first.literal, *second.literal],
        first.count + second.count,
        first.size + second.size,
    )


def as_plain(gathered: Gathered) -> list[object]:
    """The same as lists that marshal can send to another process."""
    return [
        [
            [list(t.whole), list(t.start), list(t.inside), list(t.head), t.like]
            for t in gathered.terms
        ],
        [list(rows) for rows in gathered.phrases],
        [list(rows) for rows in gathered.without],
        list(gathered.literal),
        gathered.count,
        gathered.size,
    ]


def from_plain(plain: list[object]) -> Gathered:
    """Take `as_plain` back."""
    terms, *others = plain
    return Gathered([Rows(*lists) for lists in terms], *others)  # type: ignore[attr-defined, arg-type]


def _rows_of(term: Term, texts: Texts) -> Rows:
    fits = {place: term.best_in(head) for place, head in texts.heads_with(term.probes).items()}
    in_head = [place for place, fit in fits.items() if is_whole(fit)]
    for place in texts.bodies_with(term.probes):
        before = fits.get(place, 0.0)
        if is_whole(before):
            continue
        if texts.has_plainly(place, term.plain):
            fits[place] = 1.0
        else:
            fits[place] = max(before, term.best_in(texts.body(place)))
    whole: list[int] = []
    start: list[int] = []
    inside: list[int] = []
    for place, best in sorted(fits.items()):
        if best:
            found = whole if is_whole(best) else start if best >= START else inside
            found.append(texts.rows[place])
    rows = Rows(whole, start, inside, [texts.rows[place] for place in in_head])
    if not rows.any:
        rows.like = _like(term, texts)
    return rows


def _with_phrase(phrase: bytes, texts: Texts) -> list[int]:
    """Rows with words in a row."""
    words = phrase.split()
    longest = _longest(phrase)
    pattern = re.compile(b" +".join([re.escape(word) for word in words]))
    found = {place for place, head in texts.heads_with(longest).items() if phrase in head}
    for place in texts.bodies_with(longest):
        if place not in found and (
            texts.has_plainly(place, phrase) or _has(phrase, pattern, texts.body(place))
        ):
            found.add(place)
    return [texts.rows[place] for place in sorted(found)]


def _longest(phrase: bytes) -> list[bytes]:
    """The longest word of a folded text, which tells most; none of an empty one."""
    return sorted(phrase.split(), key=len)[-1:]


def _has(phrase: bytes, pattern: re.Pattern[bytes], body: bytes) -> bool:
    """Whether a loosely folded text has words in a row; the pattern is quick and takes more."""
    return phrase in body or (pattern.search(body) is not None and phrase in tighten(body))


def _like(term: Term, texts: Texts) -> dict[str, list[int]]:
    """Words that are like a term, and where they are; not all bodies of a large store are read."""
    pieces = [piece.encode() for piece in pieces_of(term.word)]
    if not pieces:
        return {}
    heads = texts.heads_with(pieces)
    bodies = texts.first_with(pieces, _MOST_READ)
    found: dict[str, dict[int, None]] = {}
    judged: dict[bytes, bool] = {}
    looks = 0
    for place in sorted({*heads, *bodies}):
        text = heads.get(place, b"") + (texts.body(place) if place in bodies else b"")
        for piece in pieces:
            at = text.find(piece)
            while at >= 0 and looks < _MOST_LOOKS:
                looks += 1
                end = text.find(b" ", at)
                word = text[text.rfind(b" ", 0, at) + 1 : end]
                fits = judged.get(word)
                if fits is None:
                    fits = judged[word] = similarity(term.word, word.decode()) > 0
                if fits:
                    found.setdefault(word.decode(), {})[texts.rows[place]] = None
                at = text.find(piece, end)
    return {word: list(rows) for word, rows in found.items()}
