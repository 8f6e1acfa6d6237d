"""Line patches: how a file got from its old bytes to its new ones, and back.

A patch goes both ways exactly when the file is as one side left it. When somebody else changed
other lines since, each hunk is found again by its own lines and their neighbours.
"""

from __future__ import annotations

import hashlib

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    #: First line, the lines before the change, the lines after it, the line above them.
    Hunk = tuple[int, list[bytes], list[bytes], bytes | None]


def digest(data: bytes | None) -> str:
    """A file's content as a short text to compare; `absent` for no file."""
    return "absent" if data is None else hashlib.sha256(data).hexdigest()


def lines_of(data: bytes) -> list[bytes]:
    """Split at LF only; joining with LF gives the bytes back."""
    return data.split(b"\n")


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
    if not inner_old and not inner_new:
        return []
    if len(inner_old) == len(inner_new):
        spans = _aligned(inner_old, inner_new)
    elif not inner_old or not inner_new or len(inner_old) * len(inner_new) > 250_000:
        spans = [(0, len(inner_old), 0, len(inner_new))]
    else:
        import difflib

        matcher = difflib.SequenceMatcher(None, inner_old, inner_new, autojunk=False)
        spans = [
            (a1, a2, b1, b2) for tag, a1, a2, b1, b2 in matcher.get_opcodes() if tag != "equal"
        ]
    return [
        (
            start + a1,
            inner_old[a1:a2],
            inner_new[b1:b2],
            old[start + a1 - 1] if start + a1 else None,
        )
        for a1, a2, b1, b2 in spans
    ]


def _aligned(old: list[bytes], new: list[bytes]) -> list[tuple[int, int, int, int]]:
    """The changed spans where the number of lines stayed, as marking entries stale does."""
    spans: list[tuple[int, int, int, int]] = []
    for at, (one, other) in enumerate(zip(old, new, strict=True)):
        if one == other:
            continue
        if spans and spans[-1][1] == at:
            first = spans.pop()[0]
            spans.append((first, at + 1, first, at + 1))
        else:
            spans.append((at, at + 1, at, at + 1))
    return spans


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
    for start, old, new, above in hunks:
        place = _place(lines, old, above, start + shift)
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
        `before` or `after`, or `neither` when it cannot be told.
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


def _place(lines: list[bytes], old: list[bytes], above: bytes | None, expected: int) -> int | None:
    """Where the old lines stand now: the place nearest to where they were expected.

    New lines go below the line that was above them, where that is still there.
    """
    if not old:
        places = [i + 1 for i, line in enumerate(lines) if line == above]
        if places:
            return min(places, key=lambda i: abs(i - expected))
        return max(0, min(expected, len(lines)))
    found = _find(lines, old)
    return min(found, key=lambda i: abs(i - expected)) if found else None
