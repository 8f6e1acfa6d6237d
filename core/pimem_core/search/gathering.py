"""Going through texts for the words of a query: which topics have them, before any is ranked."""

from __future__ import annotations

from .folding import tighten
from .nearby import pieces_of, similarity
from .term import START, is_whole

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .query import Query
    from .term import Term

#: Places looked at for words that are like a misspelt one.
_MOST_LOOKS = 8_000


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

    `size` is the length of all bodies, in bytes, `count` the number of topics.
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


def gather(
    query: Query, heads: Sequence[bytes], bodies: Sequence[bytes], rows: Sequence[int]
) -> Gathered:
    """Go through loosely folded texts, each with its row."""
    triples = list(zip(rows, heads, bodies, strict=True))
    terms = [_rows_of(term, triples) for term in query.terms]
    phrases = [_with_phrase(phrase, triples) for phrase in query.phrases]
    without = [
        _with_phrase(part, triples)
        if isinstance(part, bytes)
        else [row for row, head, body in triples if is_whole(_best(part, head, body))]
        for part in query.without
    ]
    literal = _with_phrase(query.literal, triples) if query.literal else []
    return Gathered(terms, phrases, without, literal, len(bodies), sum(map(len, bodies)))


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


def _rows_of(term: Term, triples: list[tuple[int, bytes, bytes]]) -> Rows:
    whole: list[int] = []
    start: list[int] = []
    inside: list[int] = []
    in_head: list[int] = []
    best_in = term.best_in
    for row, head, body in triples:
        heads = best_in(head)
        best = heads
        if is_whole(heads):
            in_head.append(row)
        else:
            best = max(heads, best_in(body))
        if best:
            (whole if is_whole(best) else start if best >= START else inside).append(row)
    found = Rows(whole, start, inside, in_head)
    if not found.any:
        found.like = _like(term, triples)
    return found


def _best(term: Term, head: bytes, body: bytes) -> float:
    return max(term.best_in(head), term.best_in(body))


def _with_phrase(phrase: bytes, triples: list[tuple[int, bytes, bytes]]) -> list[int]:
    """Rows with words in a row."""
    words = sorted(set(phrase.split()), key=len, reverse=True)
    # Only where one of the words has more than one space after it do they have to be taken out.
    gaps = [b" %b  " % word for word in phrase.split()[:-1]]
    found = []
    for row, head, body in triples:
        if phrase in head:
            found.append(row)
            continue
        for word in words:
            if word not in body:
                break
        else:
            if phrase in body or (_has_any(gaps, body) and phrase in tighten(body)):
                found.append(row)
    return found


def _has_any(parts: list[bytes], text: bytes) -> bool:
    return any(part in text for part in parts)


def _like(term: Term, triples: list[tuple[int, bytes, bytes]]) -> dict[str, list[int]]:
    """Words that are like a term, and where they are."""
    pieces = [piece.encode() for piece in pieces_of(term.word)]
    found: dict[str, list[int]] = {}
    judged: dict[bytes, bool] = {}
    looks = 0
    for row, head, body in triples if pieces else ():
        here = set()
        for text in (head, body):
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
                        here.add(word.decode())
                    at = text.find(piece, end)
        for like in here:
            found.setdefault(like, []).append(row)
        if looks >= _MOST_LOOKS:
            break
    return found
