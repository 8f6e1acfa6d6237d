"""Differences between two texts for people, in the unified form."""

from __future__ import annotations

import difflib

_UNTERMINATED = "\\ No newline at end of file"


def unified(before: str, after: str, *, old: str, new: str, context: int = 3) -> str:
    """The difference of two texts; empty where they are equal.

    Args:
        before: The old text.
        after: The new text.
        old: What the old text is called.
        new: What the new text is called.
        context: Lines around each change.

    Returns:
        Lines that each end with a newline; a text without a final one is marked as by `diff -u`.
    """
    lines = difflib.unified_diff(
        before.splitlines(keepends=True), after.splitlines(keepends=True), old, new, n=context
    )
    return "".join(line if line.endswith("\n") else f"{line}\n{_UNTERMINATED}\n" for line in lines)
