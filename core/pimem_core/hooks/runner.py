"""Answering requests: each goes where it waits for nothing that it need not wait for."""

from __future__ import annotations

from _thread import allocate_lock
from functools import partial

from ..paths import find_places
from .apart import Watch, new_thread
from .calls import Process
from .events import EventCall
from .lanes import Session
from .protocol import RequestError, failure, response

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _thread import LockType
    from collections.abc import Callable, Mapping
    from typing import Any

    from .apart import Spawn
    from .calls import Call
    from .describe import Offers
    from .protocol import Request

    #: Takes the answer to a request.
    Answer = Callable[[Mapping[str, Any]], None]

_CANCELS_KEPT = 100
_SESSIONS_KEPT = 50
#: Requests that the events of their session do not wait for.
_BESIDE = frozenset({"describe", "tool", "command", "complete", "answer"})


class Runner:
    """Answers requests of any number of sessions.

    Events of one session are answered one after the other, everything else at once. Somebody has
    to `look` while requests are under way, since that is what gives up systems that are late.

    Args:
        in_background: Whether the slow part of a session's start goes on after the answer.
        spawn: Has work done by another thread.
        begin: Has a request begun; `spawn` does when it is left out.
    """

    def __init__(
        self, *, in_background: bool, spawn: Spawn = new_thread, begin: Spawn | None = None
    ) -> None:
        self._begin = begin or spawn
        self._spawn = spawn
        self._watch = Watch()
        self._process = Process(spawn, self._watch, in_background=in_background)
        self._sessions: dict[str, Session] = {}
        self._lock = allocate_lock()
        self._offering: dict[str, LockType] = {}
        self._cancelled: list[str] = []

    def submit(self, request: Request, answer: Answer) -> None:
        """Have a request answered, by whichever thread has the answer; never raises."""
        if request.event == "cancel":
            self._cancel(request.payload.get("request"))
            answer(response(request.id))
        elif request.event in _BESIDE:
            self._begin(lambda: answer(self._answered(request)))
        else:
            session = self._session(request)
            session.lane.submit(partial(self._event, request, session, answer))

    def look(self) -> float:
        """Give up systems that are late; the seconds until the next look."""
        return self._watch.look()

    def _cancel(self, request_id: object) -> None:
        """Have a request stop before it changes anything; one that is done stays done."""
        self._cancelled = [*self._cancelled, repr(request_id)][-_CANCELS_KEPT:]

    def _session(self, request: Request) -> Session:
        with self._lock:
            found = self._sessions.pop(request.session.id, None) or Session(
                self._begin, self._spawn
            )
            self._sessions[request.session.id] = found
            if len(self._sessions) > _SESSIONS_KEPT:
                del self._sessions[next(iter(self._sessions))]
        return found

    def _event(
        self, request: Request, session: Session, answer: Answer, free: Callable[[], None]
    ) -> None:
        def finish(value: Mapping[str, Any]) -> None:
            try:
                answer(value)
            finally:
                free()

        try:
            EventCall(request, session, self._process, finish).begin()
        except RequestError as error:
            finish(failure(request.id, error.code, str(error)))
        except Exception as error:
            finish(_unexpected(request, error))

    def _answered(self, request: Request) -> Mapping[str, Any]:
        try:
            if request.event == "describe":
                return self._describe(request)
            from .requests import RequestCall

            key = repr(request.id)
            return RequestCall(
                request,
                self._session(request),
                self._process,
                self._offered,
                lambda: key in self._cancelled,
            ).answer()
        except RequestError as error:
            return failure(request.id, error.code, str(error))
        except Exception as error:
            return _unexpected(request, error)

    def _describe(self, request: Request) -> Mapping[str, Any]:
        from ..pi import documents
        from ..settings.config import load_settings
        from ..settings.switch import why_off
        from .describe import Offers, offers

        places = find_places(cwd=request.session.cwd)
        config = load_settings(places)[0]
        if why_off(places, config, is_subagent=request.session.is_subagent):
            # Another run, or another agent, may take part: what it is told first stays.
            return response(request.id, result=Offers({}, ()).document())
        found = offers(places, config, self._offering)
        for system, offer in found.by_system.items():
            for row in offer.events:
                awaited = row["deadline_ms"] if row["awaited"] else None
                self._process.deadlines[system, row["name"]] = awaited
        document = found.document()
        if not found.missing:  # else the next pi would not know of their tools
            documents.store(places, document)
        return response(request.id, result=document)

    def _offered(self, call: Call) -> Offers:
        """What the systems offer in a session's folder."""
        from .describe import offers

        return offers(call.places, call.settings, self._offering)


def _unexpected(request: Request, error: Exception) -> Mapping[str, Any]:
    from ..log import write_log

    where = write_log(find_places(cwd=request.session.cwd), error)
    return failure(request.id, "internal", f"{type(error).__name__}: {error}. {where}")
