"""Ending when the app itself cannot: a terminal that went away must not leave a process behind."""

from __future__ import annotations

import contextlib
import os
import sys
import termios
import threading
from typing import Any

#: How long an ordered end may take, in seconds.
_PATIENCE_S = 2.0
# Mouse reports off, bracketed paste off, the cursor shown, the main screen back.
_RESTORE = (
    b"\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1015l\x1b[?2004l\x1b[?25h\x1b[?1049l\x1b[m"
)


class LastResort:
    """Ends the process by force when it was told to end and did not.

    It remembers the terminal's modes from before the app, and gives them back.
    """

    def __init__(self) -> None:
        self._modes: list[Any] | None = None
        with contextlib.suppress(termios.error, ValueError, OSError):
            self._modes = termios.tcgetattr(sys.__stdin__.fileno())  # type: ignore[union-attr]

    def order(self, code: int) -> None:
        """Wait a little in the background, then end with an exit code."""
        timer = threading.Timer(_PATIENCE_S, self._end, (code,))
        timer.daemon = True
        timer.start()

    def _end(self, code: int) -> None:
        try:
            # The terminal may be gone, or nobody may read it: neither can hold this up.
            descriptor = os.open("/dev/tty", os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY)
            os.write(descriptor, _RESTORE)
            if self._modes is not None:
                termios.tcsetattr(descriptor, termios.TCSANOW, self._modes)
        except (OSError, termios.error):
            pass
        finally:
            os._exit(code)
