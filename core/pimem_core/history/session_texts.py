"""What sessions were given, as the hooks keep it: it goes when what it was made of goes."""

from __future__ import annotations

import os

#: Below the state folder; the end of the names of files with texts.
SESSIONS = "sessions"
TEXTS = ".texts.json"


def forget_session_texts(state_dir: str) -> None:
    """Remove the texts of all sessions; a session that goes on makes its own again.

    A file that cannot be removed stays, at most for as long as the session's state.
    """
    try:
        for entry in os.scandir(os.path.join(state_dir, SESSIONS)):
            if TEXTS in entry.name:
                try:
                    os.unlink(entry.path)
                except OSError:
                    pass
    except OSError:
        pass
