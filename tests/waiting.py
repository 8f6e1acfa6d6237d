"""Waiting for what other threads and processes do."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")

PATIENCE_S = 120.0
"""Seconds after which something counts as hung, on a machine with ten other busy processes too.

It limits the wait of a test that fails anyway and is no bound on how long anything may take.
"""


def wait_for(condition: Callable[[], T], what: str, within_s: float = PATIENCE_S) -> T:
    """The first true value of the condition; fails when there is none in time."""
    end = time.monotonic() + within_s
    while not (value := condition()):
        if time.monotonic() > end:
            raise AssertionError(f"waited {within_s} s in vain for {what}")
        time.sleep(0.01)
    return value


def alive(pid: int) -> bool:
    """Whether the process runs; one that only waits to be collected does not."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as stat:
            return stat.read().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return not os.path.isdir("/proc/self")
