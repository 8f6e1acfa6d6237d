"""Merging two edits of one text, by merge3 (the three-way merge of the Breezy project)."""

from __future__ import annotations

import re

from .errors import ConflictError


def merge(base: str, *, mine: str, theirs: str, file: str) -> str:
    """The text with both sides' changes.

    Raises:
        ConflictError: Both changed the same lines; it carries both texts and a marked draft.
    """
    from merge3 import Merge3

    three = Merge3(_lines(base), _lines(mine), _lines(theirs))
    if any(group[0] == "conflict" for group in three.merge_groups()):
        draft = "".join(
            line if line.endswith("\n") else line + "\n"
            for line in three.merge_lines(
                name_a="yours", name_b="on disk", start_marker="<<<<<<<", mid_marker="======="
            )
        )
        raise ConflictError(
            f"{file} was changed on disk in the same lines; nothing was saved.",
            file=file,
            theirs=theirs,
            mine=mine,
            merged=draft,
        )
    return "".join(three.merge_lines())


def _lines(text: str) -> list[str]:
    # `splitlines` would cut at a dozen further characters.
    return re.findall(r"[^\n]*\n|[^\n]+", text)
