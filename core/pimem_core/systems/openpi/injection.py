"""The index as the model is given it: bounded at whole lines, newest and pinned lines kept."""

from __future__ import annotations

from ...text import plural
from .index import INITIAL, parse_line
from .limits import MAX_BYTES
from .stamps import instant

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def index_text(text: str | None, max_lines: float) -> str:
    """The index for a prompt; that of an absent index is the initial content.

    Over a limit, unpinned entry lines with the oldest stamps go first; the file's order stays and
    a comment at the end says how many are missing.
    """
    if text is None:
        return INITIAL
    lines = text.split("\n")
    limit = int(max_lines)
    if len(text.encode()) <= MAX_BYTES and len(lines) <= limit:
        return text
    # Room for the comment and the blank line before it.
    budget = MAX_BYTES - 200
    kept = set(range(len(lines)))
    size = sum(len(line.encode()) + 1 for line in lines)
    gone = 0
    for position in _expendable(lines):
        if size <= budget and len(kept) <= limit:
            break
        kept.discard(position)
        size -= len(lines[position].encode()) + 1
        gone += 1
    # Prose alone can be too much as well: then the end is cut, at whole lines.
    for position in sorted(kept, reverse=True):
        if size <= budget and len(kept) <= limit:
            break
        kept.discard(position)
        size -= len(lines[position].encode()) + 1
        gone += parse_line(lines[position]) is not None
    body = "\n".join(lines[position] for position in sorted(kept))
    return (
        f"{body}\n\n<!-- {plural(gone, 'memory entry')} left out: MEMORY.md is over "
        f"{limit} lines or {MAX_BYTES // 1024} KiB. Shorten it. -->"
    )


def _expendable(lines: Sequence[str]) -> list[int]:
    """Unpinned entry lines, oldest stamp first; lines without a stamp count as oldest."""
    found = []
    for position, line in enumerate(lines):
        entry = parse_line(line)
        if entry is not None and not entry.pinned:
            moment = instant(entry.stamp) if entry.stamp else None
            found.append((moment.timestamp() if moment else 0.0, position))
    return [position for _, position in sorted(found)]
