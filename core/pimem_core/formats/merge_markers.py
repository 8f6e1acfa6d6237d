"""The marks that an unfinished merge leaves in a file."""

from __future__ import annotations

import re

# Both sides and the line between them; a base may stand there too.
_MARKED = r"(?ms)^<{7}(?: [^\n]*)?\r?$.*?^={7}\r?$.*?^>{7}(?: [^\n]*)?\r?$"


def is_unmerged(text: str) -> bool:
    """Whether a text holds two sides of a merge that nobody has decided on."""
    return "<<<<<<<" in text and ">>>>>>>" in text and re.search(_MARKED, text) is not None
