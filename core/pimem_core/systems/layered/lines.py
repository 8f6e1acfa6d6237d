"""Adding to a text in its own line ends."""

from __future__ import annotations

import re

from ...formats.lines import line_end


def appended(text: str, added: str) -> str:
    """A text with another one behind it, after one blank line, in the first one's line ends."""
    end = line_end(text)
    added = re.sub(r"\r\n|\r|\n", end, added.strip("\r\n")) + end
    kept = text.rstrip("\r\n")
    return f"{kept}{end}{end}{added}" if kept.removeprefix("\ufeff").strip() else added
