"""What a person asks for: words, "exact phrases", -words, field:value."""

from __future__ import annotations

import re
from itertools import pairwise

from .folding import fold, is_unspaced, spans
from .term import Term
from .words import COMMON

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

#: The fields that every store knows.
FIELDS = frozenset({"store", "type", "status", "pinned", "stale", "name", "file", "is"})
#: Distinct words of a query that count; nobody types more, but somebody pastes a page.
_MOST_TERMS = 24
_MOST_SIGNS = 4_000
_QUOTES = str.maketrans("“”„‟«»", '""""""')
_PART = re.compile(
    r'(?P<minus>-?)(?:(?P<field>[A-Za-z_][\w.-]*):(?=\S))?(?:"(?P<phrase>[^"]*)(?:"|\Z)|(?P<word>\S+))'
)
_QUESTION_WORDS = 2
_LONG_QUESTION = 5
#: Characters of a script without spaces that are looked for as one word.
_LONGEST_ROW = 3
#: What looks like an option of a command is a word, not an unwanted one.
_OPTION = re.compile(r"-|[A-Za-z]?\d*(?:\W|\Z)")


class Filter:
    """A field and the value it must have, or must not."""

    __slots__ = ("field", "unwanted", "value")

    def __init__(self, field: str, value: str, *, unwanted: bool) -> None:
        self.field = field
        self.value = value
        self.unwanted = unwanted


class Query:
    """A query taken apart.

    `terms` are the words that count; `phrases` must be there as they are, folded; `without` must
    not; `literal` is the whole as it was typed, folded, empty for a single word. `natural` is a
    question rather than a few words: not all of its words can be expected in one text.
    """

    __slots__ = ("filters", "literal", "natural", "phrases", "terms", "without")

    def __init__(self) -> None:
        self.terms: list[Term] = []
        self.phrases: list[bytes] = []
        self.without: list[Term | bytes] = []
        self.filters: list[Filter] = []
        self.literal = b""
        self.natural = False

    @property
    def empty(self) -> bool:
        """Whether nothing is asked for."""
        return not (self.terms or self.phrases or self.without or self.filters)


def parse(text: str, *, typing: bool = False, fields: Collection[str] = FIELDS) -> Query:
    """Take a query apart; every text has a meaning, if only that nothing is asked for.

    Args:
        text: The query.
        typing: Whether its last word may be unfinished.
        fields: What can stand before a colon; anything else there is a word like others.
    """
    query = Query()
    text = text[:_MOST_SIGNS].translate(_QUOTES)
    said: list[tuple[str, bool]] = []  # words in order, and whether the last may go on
    wanted: dict[tuple[str, ...], bool] = {}
    for found in _PART.finditer(text):
        field, phrase, word = found["field"], found["phrase"], found["word"]
        minus = bool(found["minus"])
        if field is not None and field.lower() not in fields:
            word, phrase, field = f"{field}:{word or phrase}", None, None
        value = word if phrase is None else phrase
        if field is not None:
            query.filters.append(Filter(field.lower(), value, unwanted=minus))
        elif phrase is not None:
            _take_phrase(query, phrase, minus, wanted)
            said.append((phrase, False))
        elif minus and not _OPTION.match(value):
            query.without += [Term(words) for words in _groups(value)]
            said.append((value, False))
        else:
            open_end = value.endswith("*") or (typing and found.end() == len(text))
            said.append((value, open_end))
            groups = _groups(value)
            for number, words in enumerate(groups):
                last = number == len(groups) - 1
                wanted[words] = wanted.get(words, False) or (open_end and last)
    _settle(query, wanted, " ".join(value for value, _open in said), text)
    return query


def fields_in(text: str) -> list[str]:
    """What stands before a colon in a query, as a field might."""
    found = _PART.finditer(text[:_MOST_SIGNS].translate(_QUOTES))
    return [part["field"].lower() for part in found if part["field"] is not None]


def _take_phrase(
    query: Query, phrase: str, minus: bool, wanted: dict[tuple[str, ...], bool]
) -> None:
    folded = fold(phrase)
    if folded == b" ":
        return
    if minus:
        query.without.append(folded)
        return
    query.phrases.append(folded)
    for words in _groups(phrase):
        wanted.setdefault(words, False)


def _settle(query: Query, wanted: dict[tuple[str, ...], bool], said: str, text: str) -> None:
    """Keep the words that say something; all of them when none does."""
    telling = {words: open_end for words, open_end in wanted.items() if words[0] not in COMMON}
    dropped = len(wanted) - len(telling)
    counted = list((telling or wanted).items())[:_MOST_TERMS]
    query.terms = [Term(words, unfinished=open_end) for words, open_end in counted]
    literal = fold(said)
    if len(literal.split()) > 1:
        query.literal = literal
    question = dropped >= _QUESTION_WORDS or "?" in text
    query.natural = len(query.terms) > _LONG_QUESTION or (question and len(query.terms) > 1)


def _groups(text: str) -> list[tuple[str, ...]]:
    """The words of a text; characters of scripts without spaces stay together in a row."""
    groups: list[tuple[str, ...]] = []
    row: list[str] = []
    last = 0
    for word, start, end in spans(text):
        joins = is_unspaced(word)
        if row and not (joins and start <= last):
            groups += _rows(row)
            row = []
        last = end
        if joins:
            row.append(word)
        else:
            groups.append((word,))
    return groups + _rows(row)


def _rows(row: list[str]) -> list[tuple[str, ...]]:
    """A short row as it is, the pairs of a longer one, which holds several words."""
    if len(row) <= _LONGEST_ROW:
        return [tuple(row)] if row else []
    return list(pairwise(row))
