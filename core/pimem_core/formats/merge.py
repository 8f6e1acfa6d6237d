"""Merging two edits of one text, by merge3 (the three-way merge of the Breezy project)."""

from __future__ import annotations

from merge3 import Merge3

from ..errors import ConflictError
from ..files.read import decode
from ..value import Value
from .lines import lines_of


def merge(base: str, *, mine: str, theirs: str, file: str) -> str:
    """The text with both sides' changes.

    Raises:
        ConflictError: Both changed the same lines; it carries both texts and a marked draft.
    """
    three = Merge3(lines_of(base), lines_of(mine), lines_of(theirs))
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


def merge_into(
    before: bytes | None, *, opened: str, mine: str, path: str, file: str
) -> tuple[str, str]:
    """What a file holds, and what to save there: my text, with what others changed meanwhile.

    Args:
        before: The file's bytes; None when it was deleted.
        opened: The text as it was opened.
        mine: The text as it was edited.
        path: The file.
        file: Its name in the store.

    Raises:
        ConflictError: Both changed the same lines, or the file is gone; it carries the texts.
        StorageError: What the file holds is not UTF-8.
    """
    if before is None:
        raise ConflictError(
            f"{path} was deleted while it was edited; save the text under a new name.",
            file=file,
            mine=mine,
            merged=mine,
        )
    current = decode(before, path)
    if current == opened:
        return current, mine
    return current, merge(opened, mine=mine, theirs=current, file=file)


class Region(Value):
    """A stretch of a merged text. `merged` is None where both sides changed the same lines."""

    merged: str | None
    theirs: str = ""
    mine: str = ""


def regions(base: str, *, mine: str, theirs: str) -> list[Region]:
    """Both edits of a text, cut into what merges by itself and what somebody has to decide."""
    found: list[Region] = []
    for group in Merge3(lines_of(base), lines_of(mine), lines_of(theirs)).merge_groups():
        if group[0] == "conflict":
            _kind, _base, ours, others = group
            found.append(Region(merged=None, theirs="".join(others), mine="".join(ours)))
        else:
            text = "".join(group[1])
            found.append(Region(merged=text, theirs=text, mine=text))
    return found


def both(region: Region) -> str:
    """Both sides of a region, the one on disk first, each ending in a line end."""
    theirs = region.theirs
    if theirs and region.mine and not theirs.endswith("\n"):
        theirs += "\n"
    return theirs + region.mine
