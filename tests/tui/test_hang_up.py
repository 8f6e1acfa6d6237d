"""A terminal that is closed takes the manager with it, also while it starts."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import struct
import sys
import termios
import time

import pytest
from waiting import PATIENCE_S


def wait(pid: int) -> int | None:
    """The exit status of a process, None when it has not ended in time."""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        ended, status = os.waitpid(pid, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status)
        select.select([], [], [], 0.02)
    return None


@pytest.mark.parametrize("wanted_bytes", [1, 2_000, 12_000])
def test_closing_the_terminal_ends_the_manager(wanted_bytes: int) -> None:
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ["TERM"] = "xterm-256color"
        os.execv(sys.executable, [sys.executable, "-m", "pimem_tui", "--demo"])
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    seen = 0
    end = time.monotonic() + PATIENCE_S
    while seen < wanted_bytes and time.monotonic() < end:
        if select.select([terminal], [], [], 0.1)[0]:
            seen += len(os.read(terminal, 65_536))
    os.close(terminal)
    code = wait(pid)
    if code is None:
        os.kill(pid, 9)
        os.waitpid(pid, 0)
    assert code in (129, -1)
