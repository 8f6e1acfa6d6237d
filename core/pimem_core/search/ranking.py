"""The order of what a query finds: first by what all topics have, then by a closer look."""

from __future__ import annotations

import math

from .nearby import closest, is_slip, similarity
from .ranked import Counted, Ranked, Ranking
from .term import INSIDE, START, Term
from .windows import best_window, is_near

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Sequence

    from .bodies import Parts
    from .gathering import Gathered, Rows
    from .query import Query
    from .windows import Place

#: Bytes of bodies that are looked at closely, and topics at least.
_CLOSE_BYTES = 3 << 18
_CLOSE_LEAST = 40
#: What a place of a term costs there, as bytes that are read: a letter begins a word in each line.
_PLACE_BYTES = 64
#: What a term adds for being in a part of a topic, beside the body, where a few words were given.
_PART_WEIGHTS = (("name", 5.0), ("summary", 4.0), ("file", 0.5), ("heading", 0.8))
#: A question is rather about what is told than about what it is called.
_QUESTION_WEIGHTS = (("name", 2.0), ("summary", 1.2), ("file", 0.5), ("heading", 0.8))
_PASSAGE_WEIGHT = 1.6
_COVER_WEIGHT = 0.5
_K1, _B = 1.2, 0.6
#: A corrected word counts less than one that is there.
_CORRECTED = 0.5
_MUCH_LIKE = 0.6
#: Of what the best topic has, in rarity, the others must have so much to be found at all.
_LEAST_SHARE = 0.3
_LEAST_SHARE_OF_QUESTION = 0.1
#: A shorter folded text has no word.
_SHORTEST = 3
_PARTLY, _ALL, _NEAR, _LITERAL = range(4)


def rank(
    query: Query,
    gathered: Gathered,
    everything: Iterable[int],
    order: Callable[[Iterable[int]], Sequence[int]],
    parts: Callable[[int], Parts],
    allowed: Container[int],
) -> Ranking:
    """Put in order what a query finds.

    Args:
        query: What is asked for.
        gathered: Which topics have which of its terms.
        everything: The rows of all topics.
        order: Puts rows in the order of those that fit equally well.
        parts: The folded parts of a topic.
        allowed: The rows that may be found; what was gathered may have come since.
    """
    counted = _count(query, gathered)
    rough = _rough(query, gathered, counted) if query.terms else dict.fromkeys(everything, 0.0)
    if gathered.phrases:
        having = set(gathered.phrases[0]).intersection(*gathered.phrases[1:])
        rough = {row: rough.get(row, 0.0) for row in having}
    # Who types a command with its options, as it stands in a topic, means that topic.
    literal = frozenset(gathered.literal)
    for unwanted in gathered.without:
        for row in unwanted:
            if row not in literal:
                rough.pop(row, None)
    rows = order(row for row in rough if row in allowed)
    if not rows:
        return Ranking(counted=counted, suggestions=_suggestions(query, gathered))
    places = {row: place for place, row in enumerate(rows)}
    rows = sorted(rows, key=rough.__getitem__, reverse=True)
    if not counted:
        return Ranking(rows)
    average = max(1.0, gathered.size / max(1, gathered.count))
    close: list[Ranked] = []
    looked = 0
    for row in rows:
        if looked > _CLOSE_BYTES and len(close) >= _CLOSE_LEAST:
            break
        found = parts(row)
        ranked, places_seen = _look(query, counted, row, found, row in literal, average)
        close.append(ranked)
        looked += len(found.body) + _PLACE_BYTES * places_seen
    rest = rows[len(close) :]
    close.sort(key=lambda one: (-one.score, places[one.row]))
    last, total = close[-1].score, _total(counted)
    return Ranking(
        [*[one.row for one in close], *rest],
        {one.row: one for one in close},
        lambda row: min(last, 0.999 * rough[row] / total),
        counted,
    )


def describe(ranking: Ranking, ranked: Ranked, parts: Parts) -> Ranked:
    """Say where and why of a topic that was ranked without a closer look."""
    if ranked.where:
        return ranked
    seen = _see(ranking.counted, parts, 1.0, _PART_WEIGHTS)
    return Ranked(
        ranked.row, ranked.score, seen.where, seen.why, _note(ranking.counted, parts, seen.cover)
    )


def _count(query: Query, gathered: Gathered) -> list[Counted]:
    """How each term counts: longer words, or ones like it, only where it is nowhere itself."""
    total = gathered.count
    alone = len(query.terms) == 1
    others = any(rows.any for rows in gathered.terms)
    counted = []
    for term, rows in zip(query.terms, gathered.terms, strict=True):
        term.least = INSIDE
        if not rows.any:
            replaced = _corrected(term, rows, only_slips=others)
            if replaced is None:
                counted.append(Counted(term, _rarity(0, total), rows))
                continue
            better, found = replaced
            rarity = _CORRECTED * _rarity(len(found.whole), total)
            counted.append(Counted(better, rarity, found, term.text))
            continue
        if rows.whole and not alone:
            term.least = 0.8
            known = len(rows.whole)
        elif rows.start and not alone:
            term.least = START
            known = len(rows.start)
        else:
            known = len(rows.whole) or len(rows.start) or len(rows.inside)
        counted.append(Counted(term, _rarity(known, total), rows))
    return counted


def _corrected(term: Term, rows: Rows, *, only_slips: bool) -> tuple[Term, Rows] | None:
    from .gathering import Rows as Found

    words = [word for word in rows.like if is_slip(term.word, word)]
    if not words and not only_slips:
        words = [word for word in rows.like if _is_much_like(term.word, word)]
    best = closest(term.word, words)
    if not best:
        return None
    instead = {word: similarity(term.word, word) for word in best}
    have = sorted({row for word in best for row in rows.like[word]})
    return Term((term.word,), instead=dict.fromkeys(instead, 0.9)), Found(whole=have)


def _is_much_like(word: str, other: str) -> bool:
    # Hardly anybody gets the first letter wrong.
    return word[0] == other[0] and similarity(word, other) >= _MUCH_LIKE


def _rarity(known: int, total: int) -> float:
    return math.log(1 + (total - known + 0.5) / (known + 0.5))


def _rough(query: Query, gathered: Gathered, counted: list[Counted]) -> dict[int, float]:
    """A score of every topic that has a term, from what is known of all."""
    rough: dict[int, float] = {}
    alone = len(query.terms) == 1
    for one in counted:
        weight, least, rows = one.rarity, one.term.least, one.rows
        for have, share in ((rows.whole, 1.0), (rows.start, START), (rows.inside, INSIDE)):
            if have and (alone or share >= least):
                add = weight * share
                if not rough:
                    rough = dict.fromkeys(have, add)
                    continue
                for row in have:
                    rough[row] = rough.get(row, 0.0) + add
    if not alone and rough:
        share = _LEAST_SHARE_OF_QUESTION if query.natural else _LEAST_SHARE
        least = share * max(rough.values())
        rough = {row: score for row, score in rough.items() if score >= least}
    for one in counted:
        extra = 0.3 * one.rarity
        for row in one.rows.head:
            if row in rough:
                rough[row] += extra
    everything = sum(one.rarity for one in counted) + 1.0
    for row in gathered.literal:
        rough[row] = rough.get(row, 0.0) + 2 * everything
    return rough


def _look(
    query: Query,
    counted: list[Counted],
    row: int,
    parts: Parts,
    literal: bool,
    average: float,
) -> tuple[Ranked, int]:
    """A topic with its score, and in how many places it has the terms.

    The whole part of a score is its class, from literal to partly.
    """
    seen = _see(counted, parts, average, _QUESTION_WEIGHTS if query.natural else _PART_WEIGHTS)
    covered = sum(counted[number].rarity for number in seen.cover) / _total(counted)
    window = best_window(seen.places, [one.rarity for one in counted])
    score = seen.score + _PASSAGE_WEIGHT * window.score
    score *= 1 - _COVER_WEIGHT + _COVER_WEIGHT * covered
    tier = _PARTLY
    if literal:
        tier = _LITERAL
    elif len(seen.cover) == len(counted) and not query.natural:
        tier = _NEAR if _all_near(seen, len(counted)) else _ALL
    share = score / (score + 10)
    if tier == _PARTLY and not query.natural:
        share = 0.99 * round(covered, 2) + 0.009 * share
    note = _note(counted, parts, seen.cover)
    ranked = Ranked(row, round(tier + share, 6), seen.where, seen.why, note)
    return ranked, len(seen.places)


def _total(counted: Sequence[Counted]) -> float:
    return sum(one.rarity for one in counted) or 1.0


class _Seen:
    """What a closer look at a topic tells.

    Args:
        places: Where terms are in the body.
        why: The words by part.
        where: The part that says most.
        score: What all words add up to.
        cover: The numbers of the terms there are.
    """

    __slots__ = ("cover", "places", "score", "where", "why")

    def __init__(
        self,
        places: list[Place],
        why: list[tuple[str, Sequence[str]]],
        where: str,
        score: float,
        cover: set[int],
    ) -> None:
        self.places = places
        self.why = why
        self.where = where
        self.score = score
        self.cover = cover


def _all_near(seen: _Seen, terms: int) -> bool:
    if any(len(words) == terms for part, words in seen.why if part != "body"):
        return True
    return is_near(seen.places, terms)


def _see(
    counted: Sequence[Counted],
    parts: Parts,
    average: float,
    weights: Sequence[tuple[str, float]],
) -> _Seen:
    """Look at every part of a topic."""
    cover: set[int] = set()
    why: list[tuple[str, Sequence[str]]] = []
    by_part: dict[str, float] = {}
    score = 0.0
    for part, weight in weights:
        text: bytes = getattr(parts, part)
        if len(text) < _SHORTEST:
            continue
        words = []
        for number, one in enumerate(counted):
            fit = one.term.best_in(text)
            if fit and fit >= one.term.least:
                words.append(one.term.text)
                cover.add(number)
                score += weight * one.rarity * fit
                by_part[part] = by_part.get(part, 0.0) + one.rarity
        if words:
            why.append((part, words))
    places: list[Place] = []
    words = []
    room = _K1 * (1 - _B + _B * len(parts.body) / average)
    body = 0.0
    for number, one in enumerate(counted):
        found = one.term.places(parts.body)
        if found:
            cover.add(number)
            words.append(one.term.text)
            often = sum([fit for _start, _end, fit in found])
            score += one.rarity * often * (_K1 + 1) / (often + room)
            body += one.rarity
            places += [(start, end, number, fit) for start, end, fit in found]
    places.sort()
    if words:
        why.append(("body", words))
    where, most = "body", body
    for part in ("summary", "file", "name"):  # of parts that say as much the last counts
        if by_part.get(part, 0.0) >= most and part in by_part:
            where, most = part, by_part[part]
    return _Seen(places, why, where, score, cover)


def _note(counted: Sequence[Counted], parts: Parts, cover: Container[int]) -> str:
    """Which words were taken for others."""
    return ", ".join(
        f"{_instead(one.term, parts)} for {one.corrected}"
        for number, one in enumerate(counted)
        if one.corrected and number in cover
    )


def _instead(term: Term, parts: Parts) -> str:
    """The word that stands in for one in a topic."""
    for text in (parts.name, parts.summary, parts.file, parts.body):
        for start, end, _fit in term.places(text):
            return text[start:end].decode()
    return term.text


def _suggestions(query: Query, gathered: Gathered) -> list[str]:
    """Words that exist and are like those that were asked for."""
    said: list[str] = []
    for term, rows in zip(query.terms, gathered.terms, strict=True):
        said += [word for word in closest(term.word, rows.like) if word not in said]
    return said
