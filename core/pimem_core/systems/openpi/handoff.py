"""What follows a compaction: the decision that the handoff and the configuration make."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .config import Config

_UNFINISHED = re.compile(
    r"\b(?:need to|waiting for|next step|pending|not done|incomplete|unfinished)\b",
    re.IGNORECASE | re.ASCII,
)


def decide(config: Config, handoff: str) -> str:
    """What to do after a threshold compaction: `consolidate`, `continue` or `none`.

    Without a setting for it, only explicit words about unfinished work continue.
    """
    if config.consolidate_on_compact:
        return "consolidate"
    if config.auto_resume_after_threshold_compaction or _UNFINISHED.search(handoff):
        return "continue"
    return "none"
