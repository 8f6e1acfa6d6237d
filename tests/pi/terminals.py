"""Terminals for a real pi: a tmux server each, typed into and read as a person would."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from typing import TYPE_CHECKING

from waiting import PATIENCE_S, alive, wait_for

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def _come(done: Callable[[], object], within_s: float) -> object:
    """What the condition gives at last, true or not."""
    until = time.monotonic() + within_s
    while not (result := done()) and time.monotonic() < until:
        time.sleep(0.01)
    return result


class Terminal:
    """A tmux server of its own with one window."""

    def __init__(self, socket: Path) -> None:
        self._socket = socket
        self.pid = 0

    def _tmux(self, *args: str) -> str:
        command = ["tmux", "-S", str(self._socket), "-f", "/dev/null", *args]
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=PATIENCE_S, check=False
        )
        return done.stdout

    def start(self, argv: list[str], cwd: Path, env: dict[str, str], errors: Path) -> None:
        """Run a command in the window; its process is the window's own."""
        script = errors.with_suffix(".sh")
        words = " ".join(f"'{word}'" for word in argv)
        settings = " ".join(f"{key}='{value}'" for key, value in env.items())
        script.write_text(f"cd '{cwd}' && exec env -i {settings} {words} 2>'{errors}'\n")
        self._tmux("new-session", "-d", "-x", "100", "-y", "30", f"exec sh '{script}'")
        self.pid = int(self._tmux("display-message", "-p", "#{pane_pid}"))

    @property
    def screen(self) -> str:
        """What is on the screen now."""
        return self._tmux("capture-pane", "-p")

    def wait(self, text: str) -> str:
        """The screen, once the text is on it."""
        return wait_for(lambda: self.screen if text in self.screen else "", f"{text!r} on screen")

    def shows(self, text: str) -> Callable[[], bool]:
        """Whether the text is on the screen."""
        return lambda: text in self.screen

    def type(self, text: str) -> None:
        """Type text as it is."""
        self._tmux("send-keys", "-l", text)

    def press(self, *keys: str) -> None:
        """Press named keys."""
        self._tmux("send-keys", *keys)

    def enter(
        self, text: str, done: Callable[[], object], within_s: float = 10, end: str = " "
    ) -> None:
        """Type a line into pi's editor and send it off, until that had its effect.

        An old pi that is still starting takes what is typed and forgets it. The space ends the
        list of completions, which would take Enter for itself; `end` is for a command whose
        arguments are completed as well.
        """

        def attempt() -> object:
            self.type(text + end)
            self.wait(text)
            self.press("Enter")
            return _come(done, within_s)

        wait_for(attempt, f"what {text!r} does")

    def offers(self, text: str, offer: str, within_s: float = 10) -> None:
        """Type the beginning of a line until pi offers how it may go on; see `enter`."""

        def attempt() -> object:
            self.type(text)
            found = _come(self.shows(offer), within_s)
            if not found:
                self.press("C-u")
            return found

        wait_for(attempt, f"{offer!r} for {text!r}")

    def answer(self, key: str, done: Callable[[], object], within_s: float = 10) -> None:
        """Press a key until it had its effect; see `enter`."""

        def attempt() -> object:
            self.press(key)
            return _come(done, within_s)

        wait_for(attempt, f"what {key} does")

    def hang_up(self) -> None:
        """Close the terminal under the program."""
        self._tmux("kill-session")

    def end(self) -> None:
        """End the server and what still runs in it."""
        self._tmux("kill-server")
        if self.pid and alive(self.pid):
            os.kill(self.pid, signal.SIGKILL)
        self._socket.unlink(missing_ok=True)


def have_tmux() -> bool:
    """Whether terminals can be had."""
    return shutil.which("tmux") is not None
