"""Work done ahead by a child process, so that a long search uses a second processor."""

from __future__ import annotations

import contextlib
import marshal
import os
import sys
from mmap import mmap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any


class Ahead:
    """A function's result, worked out in a child that was forked for it.

    Forking is safe only without other threads, and worth it only with a second processor:
    `possible` says whether both hold.
    """

    def __init__(self, work: Callable[[], Any]) -> None:
        self._reader, self._child = -1, 0
        try:
            self._reader, writer = os.pipe()
        except OSError:
            return  # no descriptor is left
        try:
            self._child = os.fork()
        except OSError:
            os.close(writer)
            return
        if self._child == 0:
            status = 1
            try:
                os.close(self._reader)
                with os.fdopen(writer, "wb") as pipe:
                    pipe.write(marshal.dumps(work()))
                status = 0
            finally:
                # Nothing of the parent's may run twice: no handler, no buffer, no trace.
                os._exit(status)
        os.close(writer)

    def result(self) -> Any:
        """The result, None when the child came to nothing."""
        if self._reader < 0:
            return None
        with os.fdopen(self._reader, "rb") as pipe:
            self._reader = -1
            data = pipe.read()
        if self._child:
            # Where SIGCHLD is ignored there is no status to wait for.
            with contextlib.suppress(ChildProcessError):
                os.waitpid(self._child, 0)
            self._child = 0
        try:
            return marshal.loads(data)
        except (EOFError, ValueError, TypeError):
            return None  # the child did not come to its end

    def close(self) -> None:
        """End the child when nobody wants its result any more."""
        if self._reader >= 0:
            os.close(self._reader)
            self._reader = -1
        if self._child:
            import signal  # most searches are read to their end

            with contextlib.suppress(OSError):
                os.kill(self._child, signal.SIGKILL)
                os.waitpid(self._child, 0)
            self._child = 0


class Ends:
    """Places that two processes take in steps, from the front and from the back, until they meet.

    So the faster one takes more. Where both reach for the same step at once it may be left out.
    """

    def __init__(self, total: int, step: int) -> None:
        self._step = step
        # Where the front has come to, and where the back has.
        self._reached = memoryview(mmap(-1, 16)).cast("q")
        self._reached[0], self._reached[1] = 0, total

    def from_front(self) -> Iterator[range]:
        """The steps of the process at the front, in order."""
        at = 0
        while at < self._reached[1]:
            self._reached[0] = stop = at + self._step
            end = min(stop, self._reached[1])
            if at < end:
                yield range(at, end)
            at = stop

    def from_back(self) -> Iterator[range]:
        """The steps of the process at the back, the last places first."""
        at = self._reached[1]
        while at > self._reached[0]:
            self._reached[1] = start = max(0, at - self._step)
            begin = max(start, self._reached[0])
            if begin < at:
                yield range(begin, at)
            at = start


def possible() -> bool:
    """Whether work can go to a child: a second processor, and no thread besides this one."""
    threading = sys.modules.get("threading")
    alone = threading is None or threading.active_count() == 1
    return alone and hasattr(os, "sched_getaffinity") and len(os.sched_getaffinity(0)) > 1
