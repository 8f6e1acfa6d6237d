"""Which process wrote a record: a number alone may belong to another one by now."""

from __future__ import annotations

import os

from ..value import Value
from .holder import is_alive

#: Seconds after which a process of another machine counts as gone: no change takes as long.
_FOREIGN_S = 60


class Process(Value):
    """A process, distinct from a later one with the same number.

    `started` is None where the system does not say.
    """

    host: str
    pid: int
    started: str | None = None

    def is_gone(self, age_s: float) -> bool:
        """Whether the process has ended.

        Args:
            age_s: Seconds since it was seen alive; what decides about another machine's process.
        """
        if self.host != host():
            return abs(age_s) > _FOREIGN_S
        if not is_alive(self.pid):
            return True
        now = started(self.pid)
        return self.started is not None and now is not None and now != self.started


def this_process() -> Process:
    """The running process."""
    return Process(host=host(), pid=os.getpid(), started=started(os.getpid()))


def host() -> str:
    """The machine, and where the system has them the namespace in which process ids count.

    A container may have the host's name and folders, and process ids of its own.
    """
    name = os.uname().nodename
    try:
        return f"{name} {os.readlink('/proc/self/ns/pid')}"
    except OSError:
        return name


def boot() -> str:
    """This start of the machine; empty where the system does not say."""
    try:
        with open("/proc/sys/kernel/random/boot_id", encoding="ascii") as file:
            return file.read().strip()
    except OSError:
        return ""


def started(pid: int) -> str | None:
    """When a process started, as a text to compare: the boot and the clock tick."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            # The name in parentheses may hold spaces; the start is the 20th field after it.
            tick = file.read().rpartition(b")")[2].split()[19].decode()
    except (OSError, IndexError):
        return None
    return f"{boot()} {tick}"
