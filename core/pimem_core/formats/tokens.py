"""Estimating what a text costs a model, without a tokenizer's tables.

The estimate counts what a cl100k tokenizer would cut: words with their space, digits in threes,
runs of punctuation, other scripts by character. benchmarks/ compares it with the real one.
"""

from __future__ import annotations

import re

# A word of up to ten letters is usually one token; letters beyond ASCII are one each.
_PIECE = re.compile(
    r" ?[A-Za-z]{1,10}|[0-9]{1,3}| ?[!-/:-@\[-`{-~]{1,3}|[^\x00-\x7f]|\s+|[\x00-\x7f]"
)


def estimate(text: str) -> int:
    """About how many cl100k tokens a text is."""
    return len(_PIECE.findall(text))
