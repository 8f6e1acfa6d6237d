"""Text in terminal cells: cleaned, cut, filled and searched for matches."""

from __future__ import annotations

import re

from pimem_core.formats.text import visible_cell
from rich.cells import cell_len, set_cell_size

# Terminals disagree how wide a sign is with one of these after it, a selector or a colour of skin,
# which would shift every column after it. Without them they agree.
_WIDTH_CHANGERS = re.compile("[\ufe0f\U0001f3fb-\U0001f3ff]")


def clean(text: str, limit: int = 2_000) -> str:
    """One line that is safe to draw and whose width every terminal agrees on.

    Args:
        text: Any text from a memory or the system.
        limit: Characters to look at; nobody sees more than a line of them.
    """
    return _WIDTH_CHANGERS.sub("", visible_cell(text[:limit]))


def cut(text: str, width: int) -> str:
    """Shorten a clean text to at most `width` cells, ending in `…` when something is missing."""
    if width <= 0:
        return ""
    # Every cell needs a character at least, apart from combining marks.
    if len(text) <= width and cell_len(text) <= width:
        return text
    if cell_len(text) <= width:
        return text
    return set_cell_size(text, width - 1).rstrip() + "…"


def fit(text: str, width: int) -> str:
    """Cut a clean text or fill it with spaces to exactly `width` cells."""
    short = cut(text, width)
    return short + " " * (width - cell_len(short))
