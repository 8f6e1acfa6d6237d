"""Asking several systems one question apart: one that hangs or fails costs its own part only.

The systems are asked one after the other by one thread, which costs next to nothing. When one of
them takes long, another thread asks the rest; when its time is up, the answer goes without it.
"""

from __future__ import annotations

from _thread import allocate_lock, start_new_thread
from functools import partial
from time import monotonic

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    #: Has work done by another thread.
    Spawn = Callable[[Callable[[], None]], object]
    #: Takes the outcome of a job.
    Settle = Callable[["Outcome"], None]

#: How long a system may take before the rest are asked beside it, in seconds.
_PATIENCE_S = 0.04
#: Longest time between two looks at what is under way, in seconds.
LOOK_S = 0.25
#: Workers that are kept waiting for work.
_IDLE_WORKERS = 4


class Outcome:
    """What one system answered, or why it did not.

    `value` is None without an answer. `error` is what it raised. `skipped` is True when it was not
    asked, since an earlier question keeps it busy.
    """

    __slots__ = ("error", "skipped", "value")

    def __init__(
        self, value: Any = None, error: Exception | None = None, *, skipped: bool = False
    ) -> None:
        self.value = value
        self.error = error
        self.skipped = skipped


class Job:
    """One system's part of a question.

    Args:
        name: The system.
        work: Asks it and hands over the outcome, once, now or later and from any thread.
        deadline: When the answer goes without it, by the monotonic clock.
        late: Gets the outcome when it comes after that.
    """

    __slots__ = ("deadline", "late", "name", "work")

    def __init__(
        self,
        name: str,
        work: Callable[[Settle], None],
        deadline: float,
        late: Callable[[Outcome], None] = lambda _outcome: None,
    ) -> None:
        self.name = name
        self.work = work
        self.deadline = deadline
        self.late = late


class Round:
    """One question to several systems.

    `outcomes` has what came in time, by the system's name. `finish` is called once, by whichever
    thread has the last outcome or sees the last deadline pass.
    """

    def __init__(self, jobs: Sequence[Job], spawn: Spawn, finish: Callable[[Round], None]) -> None:
        self.outcomes: dict[str, Outcome] = {}
        self._names = [job.name for job in jobs]
        self._unasked = list(jobs)
        self._open = {job.name: job for job in jobs}
        self._is_over = False
        self._asked_at = monotonic()
        self._spawn = spawn
        self._finish = finish
        self._lock = allocate_lock()

    def begin(self) -> None:
        """Ask; returns when this thread has nothing left to do."""
        self._ask()

    def late(self) -> list[str]:
        """The systems without an outcome."""
        return [name for name in self._names if name not in self.outcomes]

    def look(self, now: float) -> float | None:
        """Give up what is overdue; say when to look again, None when all is over."""
        with self._lock:
            if self._is_over:
                return None
            for job in list(self._open.values()):
                if job.deadline <= now:
                    del self._open[job.name]
            self._unasked = [job for job in self._unasked if job.name in self._open]
            self._is_over = is_over = not self._open
            is_stuck = bool(self._unasked) and now - self._asked_at >= _PATIENCE_S
            if is_stuck:
                self._asked_at = now
            again = min((job.deadline for job in self._open.values()), default=now)
            if self._unasked:
                again = min(again, self._asked_at + _PATIENCE_S)
        if is_over:
            self._finish(self)
            return None
        if is_stuck:
            self._spawn(self._ask)
        return again

    def _ask(self) -> None:
        while True:
            with self._lock:
                if not self._unasked:
                    return
                job = self._unasked.pop(0)
                self._asked_at = monotonic()
            job.work(partial(self._settle, job))

    def _settle(self, job: Job, outcome: Outcome) -> None:
        with self._lock:
            is_late = self._open.pop(job.name, None) is None
            if not is_late:
                self.outcomes[job.name] = outcome
            is_last = not is_late and not self._open
            self._is_over = self._is_over or is_last
        if is_late:
            job.late(outcome)
        elif is_last:
            self._finish(self)


class Watch:
    """The rounds under way; somebody has to `look` now and then."""

    def __init__(self) -> None:
        self._rounds: list[Round] = []

    def begin(self, round_: Round) -> None:
        """Ask, and watch over it."""
        self._rounds.append(round_)
        round_.begin()

    def look(self) -> float:
        """Give up what is overdue; the seconds until the next look."""
        if not self._rounds:
            return LOOK_S
        now = monotonic()
        again = now + LOOK_S
        for round_ in list(self._rounds):
            at = round_.look(now)
            if at is None:
                self._rounds.remove(round_)
            else:
                again = min(again, at)
        return max(again - now, 0.001)


def ask_each(jobs: Sequence[Job]) -> Round:
    """Ask and wait until every system has answered or is late."""
    done = allocate_lock()
    done.acquire()
    round_ = Round(jobs, new_thread, lambda _round: done.release())
    new_thread(round_.begin)
    while not done.acquire(timeout=_PATIENCE_S):
        round_.look(monotonic())
    return round_


def new_thread(work: Callable[[], None]) -> None:
    """Have work done by a thread of its own."""
    start_new_thread(work, ())


class Workers:
    """Threads that do work as it comes: as many as there is work at once."""

    def __init__(self) -> None:
        from _queue import SimpleQueue

        self._queue: SimpleQueue[Callable[[], None]] = SimpleQueue()
        self._free = 0
        self._lock = allocate_lock()

    def spawn(self, work: Callable[[], None]) -> None:
        """Have work done."""
        with self._lock:
            needs_one = self._free == 0
            if not needs_one:
                self._free -= 1
        self._queue.put(work)
        if needs_one:
            start_new_thread(self._serve, ())

    def _serve(self) -> None:
        while True:
            self._queue.get()()
            with self._lock:
                if self._free >= _IDLE_WORKERS:
                    return
                self._free += 1
