"""A session while its host runs: what waits its turn, what is under way, what came too late."""

from __future__ import annotations

from _thread import allocate_lock

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from ..systems.actions import Action
    from .apart import Spawn
    from .state import SessionState

    #: Work that calls what it is given once the next in its lane may begin.
    Turn = Callable[[Callable[[], None]], None]

#: What still makes sense when the answer that it belongs to is gone.
_EVER_GOOD = frozenset({"notify", "status", "append_entry"})


class Lane:
    """Work that is done one after the other, whichever thread does it."""

    def __init__(self, spawn: Spawn) -> None:
        self._spawn = spawn
        self._waiting: list[Turn] = []
        self._is_busy = False
        self._lock = allocate_lock()

    @property
    def is_busy(self) -> bool:
        """Whether some work in it is under way."""
        return self._is_busy

    def submit(self, turn: Turn) -> None:
        """Have work done when all before it has freed the lane."""
        with self._lock:
            self._waiting.append(turn)
            if self._is_busy:
                return
            self._is_busy = True
        self._spawn(self._next)

    def _next(self) -> None:
        with self._lock:
            turn = self._waiting.pop(0)
        turn(self._free)

    def _free(self) -> None:
        with self._lock:
            self._is_busy = is_busy = bool(self._waiting)
        if is_busy:
            self._spawn(self._next)


class SystemInSession:
    """What one system is doing for one session.

    `asked` is held while it answers an event, `starting` until the slow part of the session's
    start is done. A system that waits for others takes its turns in `lane`; `missed` has the ids
    of requests that were answered without it. `sections` is what it last gave a prompt.
    """

    def __init__(self, spawn: Spawn) -> None:
        self.asked = allocate_lock()
        self.starting = allocate_lock()
        self.lane = Lane(spawn)
        self.missed: list[Any] = []
        self.sections: Sequence[Action] = ()


class Session:
    """What this process knows of a session, beside the state on disk.

    `lane` keeps its events in order. `lock` is held while its state is read or written, `version`
    counts how often it was written. `saved` is the state that the last event wrote, until a request
    takes it.

    Args:
        begin: Has an event begun.
        spawn: Has work done by another thread.
    """

    def __init__(self, begin: Spawn, spawn: Spawn) -> None:
        self.lane = Lane(begin)
        self.lock = allocate_lock()
        self.version = 0
        self.saved: SessionState | None = None
        self._spawn = spawn
        self._systems: dict[str, SystemInSession] = {}
        self._left: list[Action] = []

    def system(self, name: str) -> SystemInSession:
        """A system's part."""
        return self._systems.setdefault(name, SystemInSession(self._spawn))

    def leave(self, actions: Sequence[Action]) -> None:
        """Keep actions for the next answer."""
        self._left += actions

    def leave_late(self, actions: Sequence[Action]) -> None:
        """Keep of an answer that came too late what makes sense with the next one."""
        self._left += [action for action in actions if action["do"] in _EVER_GOOD]

    def take(self) -> list[Action]:
        """What goes with the next answer."""
        taken, self._left = self._left, []
        return taken
