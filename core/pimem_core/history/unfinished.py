"""Whether kills left changes unfinished, for readers: the usual no costs a look at one folder."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

#: The folder of the state that holds a record of every change under way.
INTENTS = "intents"


def may_be_any(state_dir: str) -> bool:
    """Whether a change is under way or was left, in any store; only its record tells which."""
    try:
        return bool(os.listdir(os.path.join(state_dir, INTENTS)))
    except OSError:
        return False


def as_before(state_dir: str, folder: str) -> Mapping[str, bytes | None]:
    """What readers of a folder show instead of the disk; see `recovery.as_before`."""
    if not may_be_any(state_dir):
        return {}
    from . import recovery

    return recovery.as_before(state_dir, folder)
