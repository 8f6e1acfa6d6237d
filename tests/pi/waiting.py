"""Waiting for what other processes do."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


def wait_for(condition: Callable[[], T], what: str, within_s: float = 30) -> T:
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
