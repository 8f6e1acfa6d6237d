"""Ending when the app itself cannot: a terminal that went away must not leave a process behind."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
import termios
import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

#: How long an ordered end may take, in seconds.
_PATIENCE_S = 2.0
#: Signals that end a process which does nothing about them, where a handler in Python can help:
#: not those of faults in the process itself, which come again as soon as a handler returns.
ENDING = tuple(
    number
    for name in (
        *("SIGTERM", "SIGHUP", "SIGINT", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGALRM", "SIGVTALRM"),
        *("SIGPROF", "SIGXCPU", "SIGABRT", "SIGTRAP", "SIGSYS", "SIGIO", "SIGPWR", "SIGSTKFLT"),
    )
    if (number := getattr(signal, name, None)) is not None
)
# Mouse reports off, bracketed paste off, the cursor shown, the main screen back.
_RESTORE = (
    b"\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1006l\x1b[?1015l\x1b[?2004l\x1b[?25h\x1b[?1049l\x1b[m"
)


class LastResort:
    """Obeys an order to end, by force when the app cannot.

    A terminal that went away, or that nobody reads, holds up whoever writes to it: then the app's
    own loop hears no signal any more. So Python's handlers are used, which run even then.
    """

    def __init__(self) -> None:
        self._modes: list[Any] | None = None
        with contextlib.suppress(termios.error, ValueError, OSError):
            self._modes = termios.tcgetattr(sys.__stdin__.fileno())  # type: ignore[union-attr]

    def watch(self, end: Callable[[int], object]) -> None:
        """Have every signal that would end the process, and a terminal that hangs up, end the app.

        Args:
            end: Asks the app to end with an exit code; may be called from another thread.
        """

        def obey(number: int, _frame: object = None) -> None:
            timer = threading.Timer(_PATIENCE_S, self._end, (128 + number,))
            timer.daemon = True
            timer.start()
            with contextlib.suppress(RuntimeError):  # the app's loop has ended already
                end(128 + number)

        for number in ENDING:
            signal.signal(number, obey)
        if self._modes is not None:
            threading.Thread(target=self._until_hang_up, args=(obey,), daemon=True).start()

    def _until_hang_up(self, obey: Callable[[int], None]) -> None:
        waiting = select.poll()
        waiting.register(sys.__stdin__.fileno(), 0)  # type: ignore[union-attr]
        with contextlib.suppress(OSError):
            waiting.poll()
            obey(signal.SIGHUP)

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
