"""Answering a host's events: each system is asked apart, in the order of a session's events."""

from __future__ import annotations

from functools import partial
from time import monotonic

from ..systems import registry
from ..systems.hosting import Hooks
from .apart import Job, Outcome, Round
from .calls import Asked, Call
from .protocol import HOST_EVENTS, RequestError, failure, response

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from ..systems.actions import Action
    from ..systems.system import System
    from .apart import Settle
    from .calls import Process
    from .lanes import Session, SystemInSession
    from .protocol import Request
    from .state import SessionState

#: Events whose answers take something from the state that is put back when they came too late.
_CONSUMING = frozenset({"before_agent_start", "session_compact"})
#: How long the host waits for a process's first prompt, and for whatever it was not told about:
#: one that waits less has asked for the document that states deadlines.
_LONGEST_MS = 2_000
#: What the way to the host and back takes of that.
_PIPE_MS = 50
#: How long an event may take that nobody waits for, in seconds.
_UNWATCHED_S = 30.0
#: Longest wait for the slow part of a session's start, in seconds.
_START_S = 3.5


class EventCall(Call):
    """An event while it is answered."""

    def __init__(
        self,
        request: Request,
        session: Session,
        process: Process,
        answer: Callable[[Mapping[str, Any]], None],
    ) -> None:
        super().__init__(request, session, process)
        self._answer = answer
        self._begun = monotonic()
        event = request.event
        self._is_first = event == "before_agent_start" and not process.has_prompted
        process.has_prompted = process.has_prompted or self._is_first
        with session.lock:
            self._state = self._loaded()
            self._version = session.version

    def begin(self) -> None:
        """Ask the systems; the answer comes from whichever thread has the last of theirs.

        Raises:
            RequestError: There is no such event.
        """
        if self.request.event not in HOST_EVENTS:
            with self.session.lock:
                self.save(self._state)
            raise RequestError("unknown_event", f'Unknown event "{self.request.event}".')
        if self.why_off:
            with self.session.lock:
                self.save(self._state)
            self._answer(response(self.request.id))
            return
        jobs = [
            Job(
                system.name,
                partial(self._ask, system),
                self._begun + self._limit_s(system.name),
                partial(self._came_late, system),
            )
            for system in registry.SYSTEMS
        ]
        self.process.watch.begin(Round(jobs, self.process.spawn, self._finish))

    def _loaded(self) -> SessionState:
        state = self.state()
        if self.request.missed:
            state.take_back(self.request.missed)
        if self.request.event == "session_start":
            state.begin()
        if self.request.event in _CONSUMING:
            state.remember(self.request.id)
        return state

    def _limit_s(self, system: str) -> float:
        """How long a system may take to answer."""
        event = self.request.event
        limit = self.process.deadlines.get((system, event), _LONGEST_MS)
        if limit is None:
            return _UNWATCHED_S
        if not self.process.in_background and event == "session_start":
            return _START_S  # the slow part is in it
        if self._is_first or not self.process.in_background:
            limit = max(limit, _LONGEST_MS)
        return max(limit - _PIPE_MS, limit / 2) / 1000

    # One system

    def _ask(self, system: System, settle: Settle) -> None:
        """Ask a system, or have it take its turn where it may wait for others."""
        part = self.session.system(system.name)
        if not part.asked.acquire(False):
            settle(Outcome(skipped=True))  # it hangs in an earlier event
            return
        try:
            outcome: Outcome | None = Outcome()
            if system.is_active(self.places, self.settings):
                if self.request.event in system.hooks.slow:
                    part.lane.submit(partial(self._in_lane, system, settle))
                    outcome = None
                else:
                    outcome = Outcome(self._asked(system, part))
        except Exception as error:
            outcome = Outcome(error=error)
        finally:
            part.asked.release()
        if outcome is not None:
            settle(outcome)

    def _in_lane(self, system: System, settle: Settle, free: Callable[[], None]) -> None:
        try:
            outcome = Outcome(self._asked(system, self.session.system(system.name)))
        except Exception as error:
            outcome = Outcome(error=error)
        finally:
            free()
        settle(outcome)

    def _asked(self, system: System, part: SystemInSession) -> Asked:
        hooks, name = system.hooks, self.request.event
        deadline = self._begun + self._limit_s(system.name)
        if name == "before_agent_start" and not hooks.slow:
            _await(part, deadline)
        missed: list[Any] = []
        state = self._state
        if hooks.slow:
            missed, part.missed = [*part.missed, *self.request.missed], []
            with self.session.lock:
                state = self.state(system.name)
        asked = self.asked(system, state, deadline=deadline, missed=missed)
        actions = list(hooks.event(name, self.request.payload, asked.context))
        if name == "session_start" and not self.process.in_background:
            actions += hooks.start(asked.context)
        asked.actions = actions
        if hooks.slow:
            self.keep_now(asked, system)
        return asked

    def _came_late(self, system: System, outcome: Outcome) -> None:
        """Save what can be saved of an answer that the host got without this system.

        What it took from its state stays there: the part is not put into it.
        """
        asked: Asked | None = outcome.value
        if asked is None:
            return
        if system.hooks.slow:
            self.session.system(system.name).missed.append(self.request.id)
        elif self.request.event in _CONSUMING:
            return
        else:
            self.keep_now(asked, system)
        self.session.leave_late(asked.actions or ())

    # The answer

    def _finish(self, round_: Round) -> None:
        try:
            answer = self._answered(round_)
        except Exception as error:
            answer = failure(self.request.id, "internal", f"{type(error).__name__}: {error}")
        self._answer(answer)

    def _answered(self, round_: Round) -> Mapping[str, Any]:
        keep: dict[str, Any] = {}
        with self.session.lock:
            state = self._state
            if self.session.version != self._version:
                state = self._loaded()  # a command or a tool wrote it meanwhile
            actions = self.session.take()
            for system in registry.SYSTEMS:
                actions += self._part(system, round_.outcomes.get(system.name), state, keep)
            actions += self.save(state)
            # A system that is late may still look into it.
            self.session.saved = None if round_.late() else state
        if self.request.event == "session_start" and self.process.in_background:
            self._start_later()
        return response(self.request.id, actions, keep=keep)

    def _part(
        self, system: System, outcome: Outcome | None, state: SessionState, keep: dict[str, Any]
    ) -> list[Action]:
        """A system's part of the answer."""
        part = self.session.system(system.name)
        is_prompt = self.request.event == "before_agent_start"
        if outcome is not None and outcome.error is None and not outcome.skipped:
            asked: Asked | None = outcome.value
            actions = [] if asked is None else list(asked.actions or ())
            if asked is not None:
                keep |= asked.context.keep
                if not system.hooks.slow:
                    self.keep(asked, system.name, state)
            if is_prompt:
                part.sections = [action for action in actions if action["do"] == "section"]
            return actions
        # The same bytes as last time, so that the prompt's prefix does not change.
        actions = list(part.sections) if is_prompt else []
        if outcome is None and part.lane.is_busy:
            return actions  # it waits for others, and says itself what is wrong with them
        if outcome is None or not outcome.skipped:
            actions += self.left_out(system.name, outcome.error if outcome else None, state)
        return actions

    # The slow part of a session's start

    def _start_later(self) -> None:
        self.process.spawn(self._prune)
        for system in registry.SYSTEMS:
            part = self.session.system(system.name)
            if part.starting.acquire(False):
                self.process.spawn(partial(self._start, system, part))

    def _start(self, system: System, part: SystemInSession) -> None:
        """Do it, or have it done in the system's lane."""
        is_over = True
        try:
            hooks = system.hooks
            if type(hooks).start is Hooks.start or not system.is_active(self.places, self.settings):
                return
            if hooks.slow:
                is_over = False
                part.lane.submit(partial(self._started, system, part))
            else:
                self._run_start(system)
        except Exception as error:
            self._start_failed(system, error)
        finally:
            if is_over:
                part.starting.release()

    def _started(self, system: System, part: SystemInSession, free: Callable[[], None]) -> None:
        try:
            self._run_start(system)
        except Exception as error:
            self._start_failed(system, error)
        finally:
            part.starting.release()
            free()

    def _run_start(self, system: System) -> None:
        with self.session.lock:
            state = self.state(system.name if system.hooks.slow else "")
        asked = self.asked(system, state)
        self.session.leave(system.hooks.start(asked.context))
        self.keep_now(asked, system)

    def _start_failed(self, system: System, error: Exception) -> None:
        with self.session.lock:
            state = self.state()
            self.session.leave(self.left_out(system.name, error, state))
            self.save(state)

    def _prune(self) -> None:
        try:
            self.state().prune()
        except Exception:
            return  # old files stay until the next start


def _await(part: SystemInSession, deadline: float) -> None:
    """Wait for the slow part of the session's start, as long as an answer still comes in time."""
    left = deadline - monotonic()
    if part.starting.acquire(timeout=max(0.0, min(_START_S, max(left - 0.25, left / 2)))):
        part.starting.release()
