"""Estimating what a text costs a model, without a tokenizer's tables.

The estimate counts what a cl100k tokenizer would cut: words with their space, digits in threes,
runs of punctuation, other scripts by character. benchmarks/ compares it with the real one.
"""

from __future__ import annotations

import re

_PIECE = re.compile(
    r"(?P<word> ?[A-Za-z]+)|(?P<digits>[0-9]{1,3})|(?P<space>\s+)"
    r"|(?P<other>[^\x00-\x7f])|(?P<mark> ?[!-/:-@\[-`{-~]{1,3})|."
)
#: A word up to this many letters is usually one token.
_WORD = 7


def estimate(text: str) -> int:
    """About how many cl100k tokens a text is."""
    count = 0.0
    for match in _PIECE.finditer(text):
        kind = match.lastgroup
        if kind == "word":
            count += max(1, round(len(match.group().strip()) / _WORD))
        elif kind == "space":
            count += 0 if match.group() == " " else 1
        elif kind == "other":
            count += 0.9
        else:
            count += 1
    return round(count)
