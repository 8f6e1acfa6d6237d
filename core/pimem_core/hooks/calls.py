"""What a request of a session needs to be answered: its folders, its settings, its state."""

from __future__ import annotations

from ..paths import find_places
from ..settings.config import load_settings
from ..settings.switch import why_off
from ..systems.actions import notify
from ..systems.hosting import HookContext
from .state import SessionState, copied

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from ..paths import Places
    from ..progress import Cancelled
    from ..settings.config import Settings
    from ..systems.actions import Action
    from ..systems.system import System
    from .apart import Spawn, Watch
    from .lanes import Session
    from .protocol import Request


class Process:
    """What all sessions of this process share.

    With `in_background` the slow part of a session's start goes on after the answer, and the
    first prompt waits for it; otherwise it is part of the answer. `deadlines` has how long the
    host waits for an event on a system's behalf, in milliseconds, None where it does not wait.
    `unsaved` is state that the disk refused, by file.
    """

    def __init__(self, spawn: Spawn, watch: Watch, *, in_background: bool) -> None:
        self.spawn = spawn
        self.watch = watch
        self.in_background = in_background
        self.deadlines: dict[tuple[str, str], int | None] = {}
        self.unsaved: dict[str, str] = {}
        self.has_prompted = False
        self.has_told_of_disk = False


class Asked:
    """What a system did: its actions, and its state before and after."""

    def __init__(self, context: HookContext, before: Mapping[str, Any]) -> None:
        self.context = context
        self.before = before
        self.actions: Sequence[Action] | None = ()


class Call:
    """A request of a session. `places` are its folders, `settings` what config.toml says now.

    `why_off` says why memory takes no part in the session, empty when it does."""

    def __init__(self, request: Request, session: Session, process: Process) -> None:
        self.request = request
        self.session = session
        self.process = process
        self.places: Places = find_places(cwd=request.session.cwd)
        self.settings: Settings = load_settings(self.places)[0]
        self.why_off = why_off(self.places, self.settings, is_subagent=request.session.is_subagent)

    def state(self, system: str = "") -> SessionState:
        """The session's state as it is on disk now, or the one that a system has for itself.

        Hold the session's lock.
        """
        if not system and self.session.saved is not None:
            # Who takes it has it alone.
            saved, self.session.saved = self.session.saved, None
            if saved.is_current():
                return saved
        return SessionState(
            self.places.state_dir, self.request.session.id, self.process.unsaved, system
        )

    def asked(
        self,
        system: System,
        state: SessionState,
        *,
        deadline: float | None = None,
        missed: Sequence[Any] = (),
        cancelled: Cancelled | None = None,
    ) -> Asked:
        """A system about to be asked, with a copy of its state to change."""
        before = state.system(system.name)
        context = HookContext(
            self.places,
            self.request.session,
            self.settings,
            copied(before),
            dict(state.texts),
            deadline=deadline,
            missed=missed,
        )
        if cancelled is not None:
            context.cancelled = cancelled
        return Asked(context, before)

    def keep(self, asked: Asked, system: str, state: SessionState) -> None:
        """Put what a system changed into the state."""
        state.merge(system, asked.before, asked.context.state, asked.context.texts)

    def keep_now(self, asked: Asked, system: System) -> None:
        """Put what a system changed into the state on disk."""
        with self.session.lock:
            state = self.state(system.name if system.hooks.slow else "")
            self.keep(asked, system.name, state)
            self.session.leave(self.save(state))

    def save(self, state: SessionState) -> list[Action]:
        """Write the state; a notice when the disk refuses, once in this process."""
        refused = state.save()
        self.session.version += 1
        if not refused or self.process.has_told_of_disk:
            return []
        self.process.has_told_of_disk = True
        text = (
            f"{self.places.state_dir} cannot be written: {refused.rstrip('.')}. Memory is given to "
            "the model all the same, but nothing can be changed, and a new pi may repeat what "
            "this one has given."
        )
        return [notify(text, "warning")]

    def left_out(
        self, system: str, error: Exception | None, state: SessionState
    ) -> Sequence[Action]:
        """The notice that a system failed, or did not answer in time; once in a session."""
        where = ""
        if error is not None:
            from ..log import write_log

            where = write_log(self.places, error)
        if state.was_told(system):
            return ()
        why = "does not answer in time"
        if error is not None:
            why = f"fails ({type(error).__name__}: {error})"
        text = f"pimem's {system} memory {why} and is left out of this session for now. {where}"
        return [notify(text.rstrip(), "warning")]
