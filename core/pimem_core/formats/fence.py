"""Text that is put into a section of a prompt: data inside a fence, which nothing may close."""

from __future__ import annotations

import re

from .text import visible_cell

# Not compiled at import: hardly any text has a closing tag.
_OWN_TAGS = r"(?i)</(?=(?:memory|pi_memory|zcode_memory|openviking)\b)"


def neutral(text: str) -> str:
    """Keep stored text from closing the tag that fences it."""
    return re.sub(_OWN_TAGS, "&lt;/", text) if "</" in text else text


def neutral_name(name: str) -> str:
    """A file's, folder's or topic's name for a prompt, given whole, as its path is shown.

    It stays on one line, control characters are drawn as signs, and it closes no fence.
    """
    return neutral(visible_cell(name))
