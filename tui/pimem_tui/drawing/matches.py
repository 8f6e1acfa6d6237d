"""Where the words of a search stand in a text that is drawn."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from pimem_core.search.excerpts import covered, mark
from pimem_core.search.query import parse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pimem_core.search.query import Query


@lru_cache(maxsize=16)
def _parsed(query: str) -> Query:
    return parse(query, typing=True)


def find_matches(text: str, query: str) -> list[tuple[int, int]]:
    """Where the words of a query stand in a text: start and end in characters, in order."""
    asked = _parsed(query)
    return mark(text, asked.terms, asked.literal) if asked.terms and text else []


def best_line(lines: Sequence[str], query: str) -> int | None:
    """The line with the most of a query, the first of equals; None where no line has any."""
    asked = _parsed(query)
    best, most = None, 0
    for number, line in enumerate(lines):
        share = covered(line, asked.terms, asked.literal) if line else 0
        if share > most:
            best, most = number, share
    return best
