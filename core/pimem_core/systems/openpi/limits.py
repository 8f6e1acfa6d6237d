"""How much of an index the model is given, and what a change says when that is crossed."""

from __future__ import annotations

from ...formats.text import plural
from .injection import MAX_BYTES


def crossed(before: bytes | None, after: str, max_lines: float) -> list[str]:
    """A warning when this change took the index over a limit."""
    old, new = before or b"", after.encode()
    lines_before, lines_after = old.count(b"\n") + 1, new.count(b"\n") + 1
    if len(new) > MAX_BYTES and len(old) <= MAX_BYTES:
        return [
            f"The index is over {MAX_BYTES // 1024} KiB now; the model is not given all of it. "
            "Shorten summaries or remove topics."
        ]
    if lines_after > max_lines and lines_before <= max_lines:
        return [
            f"The index has {plural(lines_after, 'line')} now, more than max_lines "
            f"({max_lines:g}); the model is not given all of it."
        ]
    return []
