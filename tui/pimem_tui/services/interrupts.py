"""ctrl+c, which people press to leave whatever it is."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from textual.app import App

    from .notices import Notices

_KEY = "ctrl+c"
#: Seconds within which it is pressed again to leave.
_AGAIN_S = 3.0


class Interrupts:
    """Ends the app when ctrl+c comes twice, from any screen; with text selected it copies."""

    def __init__(self, app: App[None], notices: Notices) -> None:
        self._app = app
        self._notices = notices
        self._last = float("-inf")

    def ends(self, key: str) -> bool:
        """Take a key before anything else does; whether it ended the app.

        What is typed is kept as a draft, as at any end that nobody was asked about.
        """
        if key != _KEY or self._copies():
            self._last = float("-inf")
            return False
        now = time.monotonic()
        if now - self._last < _AGAIN_S:
            self._app.exit()
            return True
        self._last = now
        self._notices.say(f"{_KEY} again quits; unsaved text is kept as a draft.")
        return False

    def _copies(self) -> bool:
        """Whether the key copies a selected text here."""
        # Fields and editors have it; their classes are not loaded for the first frame.
        selected = getattr(self._app.focused, "selected_text", "")
        return bool(selected or self._app.screen.get_selected_text())
