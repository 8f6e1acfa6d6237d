"""Where changes under way leave their records. Looking costs one listing of one folder."""

from __future__ import annotations

import os

#: The folder of the state that holds a record of every change under way.
INTENTS = "intents"


def has_intents(state_dir: str) -> bool:
    """Whether a change is under way or was left, in any store; only its record says which."""
    try:
        return bool(os.listdir(os.path.join(state_dir, INTENTS)))
    except OSError:
        return False
