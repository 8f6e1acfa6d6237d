"""Line patches: how a file got from its old bytes to its new ones, and back.

A patch goes both ways exactly when the file is as one side left it. When somebody else changed
other lines since, each hunk is found again by its own lines and their neighbours.
"""

from __future__ import annotations

import difflib
import hashlib
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    #: First line, the lines before the change, the lines after it, the line above them.
    Hunk = tuple[int, list[bytes], list[bytes], bytes | None]
    #: First line and end of a changed part in the old text, and in the new one.
    Span = tuple[int, int, int, int]

#: How many lines further on, in both texts together, they may meet again.
_WINDOW = 60
_COMMON = re.compile(
    rb"---|#|\s*node_type:|metadata:|name:|description:|last_updated:|created:|- \[", re.IGNORECASE
)


def digest(data: bytes | None) -> str:
    """A file's content as a short text to compare; `absent` for no file."""
    return "absent" if data is None else hashlib.sha256(data).hexdigest()


def lines_of(data: bytes) -> list[bytes]:
    """Split at LF only; joining with LF gives the bytes back."""
    return data.split(b"\n")


def distinctive(lines: Iterable[bytes]) -> set[bytes]:
    """The lines that set a text apart from others: headings and front matter occur everywhere."""
    return {line for line in lines if len(line.strip()) > 3 and not _COMMON.match(line)}


def diff(before: bytes, after: bytes) -> list[Hunk]:
    """The hunks that turn one text into another, in order, with positions in `before`."""
    old, new = lines_of(before), lines_of(after)
    start = 0
    while start < len(old) and start < len(new) and old[start] == new[start]:
        start += 1
    end = 0
    most = min(len(old), len(new)) - start
    while end < most and old[-1 - end] == new[-1 - end]:
        end += 1
    inner_old, inner_new = old[start : len(old) - end], new[start : len(new) - end]
    return [
        (
            start + a1,
            inner_old[a1:a2],
            inner_new[b1:b2],
            old[start + a1 - 1] if start + a1 else None,
        )
        for a1, a2, b1, b2 in _spans(inner_old, inner_new)
    ]


def _spans(old: list[bytes], new: list[bytes]) -> Iterator[Span]:
    """The changed spans, in a time that grows with the text and not with its square.

    Changes of memory are short and far apart: after each, the texts meet again within a few lines.
    """
    i = j = 0
    while i < len(old) and j < len(new):
        if old[i] == new[j]:
            i, j = i + 1, j + 1
            continue
        met = _meeting(old, new, i, j)
        if met is None:
            yield from _rest(old, new, i, j)
            return
        yield i, met[0], j, met[1]
        i, j = met
    if i < len(old) or j < len(new):
        yield i, len(old), j, len(new)


def _meeting(old: list[bytes], new: list[bytes], i: int, j: int) -> tuple[int, int] | None:
    """The nearest place where three lines are the same again."""
    for distance in range(1, _WINDOW):
        for skipped in range(distance + 1):
            a, b = i + skipped, j + distance - skipped
            count = min(3, len(old) - a, len(new) - b)
            if count > 0 and old[a] == new[b] and old[a : a + count] == new[b : b + count]:
                return a, b
    return None


def _rest(old: list[bytes], new: list[bytes], i: int, j: int) -> Iterator[Span]:
    """The spans of the ends of two texts that have little in common."""
    if len(old) - i == len(new) - j:
        yield from _aligned(old, new, i, j)
    elif (len(old) - i) * (len(new) - j) > 40_000:
        yield i, len(old), j, len(new)
    else:
        matcher = difflib.SequenceMatcher(None, old[i:], new[j:], autojunk=False)
        for tag, a1, a2, b1, b2 in matcher.get_opcodes():
            if tag != "equal":
                yield i + a1, i + a2, j + b1, j + b2


def _aligned(old: list[bytes], new: list[bytes], i: int, j: int) -> Iterator[Span]:
    """Line by line where their number stayed, as marking entries stale does.

    Each line goes back by itself then, whatever happened to its neighbours.
    """
    for at in range(len(old) - i):
        if old[i + at] != new[j + at]:
            yield i + at, i + at + 1, j + at, j + at + 1


def reverse(hunks: Sequence[Hunk]) -> list[Hunk]:
    """The hunks that lead back."""
    shift = 0
    back: list[Hunk] = []
    for start, old, new, above in hunks:
        back.append((start + shift, new, old, above))
        shift += len(new) - len(old)
    return back


def apply(data: bytes, hunks: Sequence[Hunk]) -> bytes:
    """Apply hunks to exactly the text they were made from."""
    lines = lines_of(data)
    for start, old, new, _above in reversed(hunks):
        lines[start : start + len(old)] = new
    return b"\n".join(lines)


def apply_nearby(
    data: bytes, hunks: Sequence[Hunk], needed: Callable[[Sequence[bytes]], bool]
) -> bytes | None:
    """Apply hunks to a text that others changed elsewhere.

    Args:
        data: The text now.
        hunks: From `diff` or `reverse`.
        needed: Whether a hunk's lines must apply; others are left out when they cannot.

    Returns:
        The new text, or None when a needed hunk's lines are no longer there.
    """
    lines = lines_of(data)
    shift = 0
    for hunk in hunks:
        start, old, new, _above = hunk
        place = _place(lines, hunk, start + shift)
        if place is None:
            if needed([*old, *new]):
                return None
            continue
        lines[place : place + len(old)] = new
        shift += len(new) - len(old)
    return b"\n".join(lines)


def side(data: bytes, hunks: Sequence[Hunk]) -> str:
    """Which side of a patch a text comes from that others changed elsewhere.

    Returns:
        `before` or `after`, or `neither` when the text does not show it.
    """
    lines = lines_of(data)
    sides = {_side(lines, hunk) for hunk in hunks}
    return sides.pop() if len(sides) == 1 else "neither"


def _side(lines: list[bytes], hunk: Hunk) -> str:
    _start, old, new, above = hunk
    lead = [] if above is None else [above]
    if not old:
        return "after" if _find(lines, [*lead, *new]) else "before"
    if not new:
        return "before" if _find(lines, [*lead, *old]) else "after"
    is_old, is_new = bool(_find(lines, old)), bool(_find(lines, new))
    if is_old == is_new:
        # Lines that occur elsewhere too: what stands above them decides.
        is_old, is_new = bool(_find(lines, [*lead, *old])), bool(_find(lines, [*lead, *new]))
    return "neither" if is_old == is_new else "before" if is_old else "after"


def _find(lines: list[bytes], wanted: list[bytes]) -> list[int]:
    """Where some lines stand together."""
    first, count = wanted[0], len(wanted)
    return [i for i, line in enumerate(lines) if line == first and lines[i : i + count] == wanted]


def _place(lines: list[bytes], hunk: Hunk, expected: int) -> int | None:
    """Where the old lines stand now: the place nearest to where they were expected.

    New lines go below the line that was above them, where that is still there.
    """
    _start, old, new, above = hunk
    if not old:
        places = [i + 1 for i, line in enumerate(lines) if line == above]
        if places:
            return min(places, key=lambda i: abs(i - expected))
        # At the end they go before the final line end, unless they bring their own.
        end = len(lines) - (not lines[-1] and bool(new and new[-1]))
        return max(0, min(expected, end))
    if lines[expected : expected + len(old)] == old:
        return expected
    found = _find(lines, old)
    return min(found, key=lambda i: abs(i - expected)) if found else None
