"""Answering requests: which systems are asked, and what is kept of a session."""

from __future__ import annotations

import contextlib

from .. import __version__
from ..paths import find_places
from ..progress import never
from ..settings.config import load_settings
from ..systems import registry
from ..systems.actions import notify
from ..systems.hosting import HookContext
from ..value import Value
from .protocol import HOST_EVENTS, PROTOCOL, Request, RequestError, failure, response
from .state import SessionState

TYPE_CHECKING = False
if TYPE_CHECKING:
    import threading
    from collections.abc import Mapping, Sequence
    from typing import Any

    from ..paths import Places
    from ..progress import Cancelled
    from ..settings.config import Settings
    from ..systems.actions import Action
    from ..systems.system import System

_CANCELS_KEPT = 100
#: Events whose answers take something from the state that is put back when they came too late.
_CONSUMING = frozenset({"before_agent_start", "session_compact"})
#: Longest wait of a prompt for the start-up work of its session, in seconds.
_START_WAIT_S = 3.5
#: Actions that a command asks for once.
_ONCE = frozenset({"send_user_message", "open_manager"})


class Call(Value):
    """A request with what it needs to be answered."""

    request: Request
    places: Places
    settings: Settings
    systems: Sequence[System]
    state: SessionState

    def context(self, system: System, cancelled: Cancelled = never) -> HookContext:
        """What a system's hook gets."""
        return HookContext(
            self.places,
            self.request.session,
            self.settings,
            self.state.system(system.name),
            self.state.texts,
            cancelled,
        )


class Runner:
    """Answers requests of any number of sessions. `handle` may be called from several threads.

    With `in_background` the slow part of a session's start goes on after the answer, and the
    first prompt waits for it; otherwise it is part of the answer.
    """

    def __init__(self, *, in_background: bool) -> None:
        self._in_background = in_background
        self._starting: dict[str, threading.Thread] = {}
        self._started: dict[str, list[Action]] = {}
        self._cancelled: list[str] = []
        self._saving: contextlib.AbstractContextManager[object] = contextlib.nullcontext()
        if in_background:
            import threading

            self._saving = threading.RLock()

    def cancel(self, request_id: object) -> None:
        """Have a request stop before it changes anything; one that is done stays done."""
        self._cancelled = [*self._cancelled, repr(request_id)][-_CANCELS_KEPT:]

    def handle(self, request: Request) -> dict[str, Any]:
        """The answer to a request; never raises."""
        try:
            return self._answer(request)
        except RequestError as error:
            return failure(request.id, error.code, str(error))
        except Exception as error:
            from ..log import write_log

            where = write_log(find_places(cwd=request.session.cwd), error)
            return failure(request.id, "internal", f"{type(error).__name__}: {error}. {where}")

    def _answer(self, request: Request) -> dict[str, Any]:
        if request.event == "cancel":
            self.cancel(request.payload.get("request"))
            return response(request.id)
        places = find_places(cwd=request.session.cwd)
        config, _trouble = load_settings(places)
        systems = [s for s in registry.SYSTEMS if s.is_active(places, config)]
        if request.event == "describe":
            document = describe(places, systems)
            from ..pi import documents

            documents.store(places, document)
            return response(request.id, result=document)
        if request.missed:
            self._take_back(request, places)
        beside = {
            "tool": self._tool,
            "complete": self._complete,
            "command": self._slow,
            "answer": self._slow,
        }.get(request.event)
        if beside is not None:
            return beside(self._call(request, places, config, systems))
        with self._saving:
            call = self._call(request, places, config, systems)
            if request.event == "session_start":
                call.state.begin()
            if request.event in _CONSUMING:
                call.state.remember(request.id)
            actions = self._event(call)
            call.state.save()
        return response(request.id, actions)

    def _call(
        self, request: Request, places: Places, config: Settings, systems: Sequence[System]
    ) -> Call:
        return Call(
            request=request,
            places=places,
            settings=config,
            systems=systems,
            state=SessionState(places.state_dir, request.session.id),
        )

    def _take_back(self, request: Request, places: Places) -> None:
        """Whatever is asked for next says which answers came too late, a tool call as well."""
        with self._saving:
            state = SessionState(places.state_dir, request.session.id)
            state.take_back(request.missed)
            state.save()

    def _slow(self, call: Call) -> dict[str, Any]:
        """A command may wait for a store's lock; the session's prompts must not wait with it.

        So it runs beside them, and only what it changed in the state is put into the newest.
        """
        run = self._command if call.request.event == "command" else self._person_answered
        before = {s.name: dict(call.state.system(s.name)) for s in call.systems}
        actions = run(call)
        with self._saving:
            newest = SessionState(call.places.state_dir, call.request.session.id)
            for system in call.systems:
                for key, value in call.state.system(system.name).items():
                    if before[system.name].get(key) != value:
                        newest.system(system.name)[key] = value
            newest.save()
        return response(call.request.id, actions)

    def _event(self, call: Call) -> list[Action]:
        request = call.request
        if request.event == "session_start":
            return self._session_start(call)
        if request.event not in HOST_EVENTS:
            raise RequestError("unknown_event", f'There is no event "{request.event}" here.')
        actions = self._started_actions(request.session.id)
        for system in call.systems:
            actions += system.hooks.event(request.event, request.payload, call.context(system))
        return actions

    # A session's start

    def _session_start(self, call: Call) -> list[Action]:
        actions: list[Action] = []
        for system in call.systems:
            context = call.context(system)
            actions += system.hooks.event("session_start", call.request.payload, context)
        if not self._in_background:
            return [*actions, *self._start(call)]
        session = call.request.session.id
        import threading

        thread = threading.Thread(target=self._start_later, args=(session, call), daemon=True)
        self._starting[session] = thread
        thread.start()
        return actions

    def _start(self, call: Call) -> list[Action]:
        return [a for system in call.systems for a in system.hooks.start(call.context(system))]

    def _start_later(self, session: str, call: Call) -> None:
        try:
            self._started[session] = self._start(call)
            call.state.prune()
        except Exception as error:
            from ..log import write_log

            write_log(call.places, error)

    def _started_actions(self, session: str) -> list[Action]:
        """Wait for the session's start-up work and give what it has to say."""
        thread = self._starting.pop(session, None)
        if thread is not None:
            thread.join(_START_WAIT_S)
        return self._started.pop(session, [])

    # Tools and commands

    def _tool(self, call: Call) -> dict[str, Any]:
        request = call.request
        name = request.payload.get("name")
        params = request.payload.get("params")
        for system in self._taking_part(call):
            if any(tool["name"] == name for tool in system.hooks.offer(call.places).tools):
                break
        else:
            raise RequestError("unknown_tool", f'There is no tool "{name}" here.')
        if repr(request.id) in self._cancelled:
            raise RequestError("cancelled", "The call was cancelled; nothing was changed.")
        context = call.context(system, lambda: repr(request.id) in self._cancelled)
        actions = system.hooks.tool(str(name), params if isinstance(params, dict) else {}, context)
        return response(request.id, actions)

    def _command(self, call: Call) -> list[Action]:
        name = str(call.request.payload.get("name"))
        args = call.request.payload.get("args")
        owners = self._owners(call, name)
        if not owners:
            raise RequestError("unknown_command", f'There is no command "/{name}" here.')
        words = args if isinstance(args, str) else ""
        answers = [system.hooks.command(name, words, call.context(system)) for system in owners]
        if all(answer is None for answer in answers):
            return [notify(f"No memory here knows /{name} {words}.", "warning")]
        actions: list[Action] = []
        for action in (action for answer in answers for action in answer or ()):
            # However many systems share a command, the model is asked and the manager opened once.
            if action["do"] not in _ONCE or all(action["do"] != known["do"] for known in actions):
                actions.append(action)
        return actions

    def _owners(self, call: Call, name: str) -> list[System]:
        """The systems that have a command of this name."""
        return [
            system
            for system in self._taking_part(call)
            if any(row["name"] == name for row in system.hooks.offer(call.places).commands)
        ]

    def _taking_part(self, call: Call) -> list[System]:
        """All but those that stay out of the session, since somebody else offers the same."""
        return [s for s in call.systems if not call.state.system(s.name).get("passive")]

    def _person_answered(self, call: Call) -> list[Action]:
        key, value = call.request.payload.get("key"), call.request.payload.get("value")
        if not isinstance(key, str):
            raise RequestError("missing_field", "payload.key is missing.")
        for system in call.systems:
            wanted = value if isinstance(value, bool) else None
            done = system.hooks.answer(key, wanted, call.context(system))
            if done is not None:
                return done
        return []

    def _complete(self, call: Call) -> dict[str, Any]:
        name = str(call.request.payload.get("name"))
        prefix = call.request.payload.get("prefix")
        items = [
            item
            for system in self._owners(call, name)
            for item in system.hooks.complete(
                name, prefix if isinstance(prefix, str) else "", call.context(system)
            )
        ]
        unique = {item["value"]: item for item in reversed(items)}
        items = [item for item in items if unique[item["value"]] is item]
        return response(call.request.id, result={"items": items})


def describe(places: Places, systems: Sequence[System] | None = None) -> Mapping[str, Any]:
    """What a host registers: tools, commands and events of the active systems."""
    if systems is None:
        config, _trouble = load_settings(places)
        systems = [s for s in registry.SYSTEMS if s.is_active(places, config)]
    tools: list[Mapping[str, Any]] = []
    commands: dict[str, Mapping[str, Any]] = {}
    events: dict[str, dict[str, Any]] = {}
    for system in systems:
        offer = system.hooks.offer(places)
        tools += [{**row, "system": system.name} for row in offer.tools]
        for row in offer.commands:
            commands.setdefault(row["name"], {**row, "system": system.name})
        for row in offer.events:
            _join(events, row)
    return {
        "protocol": PROTOCOL,
        "version": __version__,
        "systems": [system.name for system in systems],
        "tools": tools,
        "commands": list(commands.values()),
        "events": list(events.values()),
    }


def _join(events: dict[str, dict[str, Any]], row: Mapping[str, Any]) -> None:
    """Several systems may want one event: all fields, and the longest deadline."""
    known = events.setdefault(row["name"], {**row, "fields": []})
    known["fields"] += [field for field in row["fields"] if field not in known["fields"]]
    known["deadline_ms"] = max(known["deadline_ms"], row["deadline_ms"])
    known["awaited"] = known["awaited"] or row["awaited"]
