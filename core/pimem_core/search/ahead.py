"""Work done ahead by a child process, so that a long search uses a second processor."""

from __future__ import annotations

import contextlib
import marshal
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


class Ahead:
    """A function's result, worked out in a child that was forked for it.

    Forking is safe only without other threads, and worth it only with a second processor:
    `possible` says whether both hold.
    """

    def __init__(self, work: Callable[[], Any]) -> None:
        self._work = work
        self._reader, self._child = -1, 0
        try:
            self._reader, writer = os.pipe()
        except OSError:
            return  # no descriptor is left: `result` does the work
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
        """The result; worked out here when the child came to nothing."""
        if self._reader < 0:
            return self._work()
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
            return self._work()  # the child did not come to its end

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


def possible() -> bool:
    """Whether work can go to a child: a second processor, and no thread besides this one."""
    threading = sys.modules.get("threading")
    alone = threading is None or threading.active_count() == 1
    return alone and hasattr(os, "sched_getaffinity") and len(os.sched_getaffinity(0)) > 1
