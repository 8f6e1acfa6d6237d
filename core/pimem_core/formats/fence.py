"""Text that is put into a section of a prompt."""

from __future__ import annotations

import re

_OWN_TAGS = re.compile(r"</(?=(?:memory|pi_memory|openviking)\b)", re.IGNORECASE)


def neutral(text: str) -> str:
    """Keep stored text from closing the tag that fences it."""
    return _OWN_TAGS.sub("&lt;/", text)
