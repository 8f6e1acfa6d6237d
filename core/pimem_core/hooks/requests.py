"""Answering tool calls, slash commands, completions and answers to questions.

They may wait for a store's lock, and the session's prompts must not wait with them. So they run
beside its events, and only what they changed in the state is put into the newest.
"""

from __future__ import annotations

from functools import partial
from time import monotonic

from ..progress import Cancellable, CancelledError, refuse_cancelled
from ..systems import registry
from ..systems.actions import notify, tool_result
from .apart import Job, Outcome, ask_each
from .calls import Asked, Call
from .protocol import RequestError, response

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from ..progress import Cancelled
    from ..systems.actions import Action
    from ..systems.system import System
    from .apart import Settle
    from .calls import Process
    from .describe import Offers
    from .lanes import Session
    from .protocol import Request

    #: Asks one system, in a context of its own.
    Question = Callable[[System, Asked], object]

#: How long a system may take for a command; a store's lock is waited for 10 seconds.
_COMMAND_S = 15.0
#: How long a system may take for completions, in seconds.
_COMPLETE_S = 0.2
#: Actions that a command asks for once, however many systems share it.
_ONCE = frozenset({"send_user_message", "open_manager"})


class RequestCall(Call):
    """A tool call, command, completion or answer while it is answered.

    Args:
        request: The request.
        session: Its session.
        process: What all sessions share.
        offers: Gives what the systems offer in the session's folder.
        cancelled: Whether the host has cancelled it.
    """

    def __init__(
        self,
        request: Request,
        session: Session,
        process: Process,
        offers: Callable[[Call], Offers],
        cancelled: Cancelled,
    ) -> None:
        super().__init__(request, session, process)
        self._offers = offers
        self._cancelled = cancelled
        with session.lock:
            self._state = self.state()
            if request.missed:
                self._state.take_back(request.missed)
                self.save(self._state)

    def answer(self) -> dict[str, Any]:
        """Do it; raises what only this request is about."""
        event = self.request.event
        if self.why_off:
            return response(self.request.id, self._while_off())
        if event == "complete":
            return response(self.request.id, result={"items": self._completions()})
        do = {"tool": self._tool, "command": self._command, "answer": self._answered}[event]
        return response(self.request.id, do())

    def _while_off(self) -> list[Action]:
        """What a tool or command says that pi registered before memory was switched off."""
        if self.request.event == "tool":
            return [tool_result(f"{self.why_off} Nothing was done.")]
        return [notify(self.why_off)] if self.request.event == "command" else []

    def _word(self, key: str) -> str:
        value = self.request.payload.get(key)
        return value if isinstance(value, str) else ""

    def _owners(self, kind: str, name: str) -> list[System]:
        """The systems that have a tool or command of this name and take part in the session."""
        found = self._offers(self)
        offers = found.commands if kind == "commands" else found.by_system
        return [
            system
            for system in registry.SYSTEMS
            if system.name in offers
            and any(row["name"] == name for row in getattr(offers[system.name], kind))
            # Somebody else offers the same; the system stays out of the session.
            and not self._state.system(system.name).get("passive")
        ]

    def _tool(self) -> list[Action]:
        name, params = self._word("name"), self.request.payload.get("params")
        owners = self._owners("tools", name)
        if not owners:
            raise RequestError("unknown_tool", f'Unknown tool "{name}".')
        asked = self._about_to_ask(owners[0])
        given = params if isinstance(params, dict) else {}
        try:
            with Cancellable(self._cancelled):
                refuse_cancelled()
                actions = owners[0].hooks.tool(name, given, asked.context)
        except CancelledError as error:
            text = "The call was cancelled; nothing was changed."
            raise RequestError("cancelled", text) from error
        self.keep_now(asked, owners[0])
        return actions

    def _command(self) -> list[Action]:
        name, words = self._word("name"), self._word("args")
        owners = self._owners("commands", name)
        if not owners:
            raise RequestError("unknown_command", f'There is no command "/{name}" here.')
        answers = self._each(
            owners,
            lambda system, asked: system.hooks.command(name, words, asked.context),
            limit_s=_COMMAND_S,
        )
        if all(answer is None for answer in answers):
            return [notify(f"No memory here knows /{name} {words}.", "warning")]
        actions: list[Action] = []
        for action in (action for answer in answers for action in answer or ()):
            # The model is asked and the manager opened once.
            if action["do"] not in _ONCE or all(action["do"] != known["do"] for known in actions):
                actions.append(action)
        if any(action["do"] == "open_manager" for action in actions):
            # It shows what one system has; that another has nothing is no news beside it.
            actions = [one for one in actions if one["do"] != "notify" or one["level"] != "info"]
        if self.request.payload.get("@busy") is True and any(
            action["do"] == "send_user_message" for action in actions
        ):
            actions.insert(0, notify("The agent is busy; it gets this when it is done."))
        return actions

    def _answered(self) -> list[Action]:
        key, value = self.request.payload.get("key"), self.request.payload.get("value")
        if not isinstance(key, str):
            raise RequestError("missing_field", "payload.key is missing.")
        wanted = value if isinstance(value, bool) else None
        active = [
            system for system in registry.SYSTEMS if system.name in self._offers(self).by_system
        ]
        answers = self._each(
            active,
            lambda system, asked: system.hooks.answer(key, wanted, asked.context),
            limit_s=_COMMAND_S,
        )
        return next((list(answer) for answer in answers if answer is not None), [])

    def _completions(self) -> list[dict[str, str]]:
        name, prefix = self._word("name"), self._word("prefix")
        answers = self._each(
            self._owners("commands", name),
            lambda system, asked: system.hooks.complete(name, prefix, asked.context),
            limit_s=_COMPLETE_S,
            is_quiet=True,
        )
        items = [item for answer in answers for item in answer or ()]
        unique = {item["value"]: item for item in reversed(items)}
        return [item for item in items if unique[item["value"]] is item]

    # Asking systems apart

    def _each(
        self,
        systems: Sequence[System],
        question: Question,
        *,
        limit_s: float,
        is_quiet: bool = False,
    ) -> list[Any]:
        """What each system answers, None where it has nothing to say; a notice where it fails."""
        deadline = monotonic() + limit_s

        def ask(system: System, settle: Settle) -> None:
            try:
                asked = self._about_to_ask(system)
                with Cancellable(self._cancelled):
                    outcome = Outcome(question(system, asked))
                self.keep_now(asked, system)
            except CancelledError:
                outcome = Outcome([])
            except Exception as error:
                outcome = Outcome(error=error)
            settle(outcome)

        jobs = [Job(system.name, partial(ask, system), deadline) for system in systems]
        outcomes = ask_each(jobs).outcomes
        answers: list[Any] = []
        for system in systems:
            outcome = outcomes.get(system.name)
            if outcome is not None and outcome.error is None:
                answers.append(outcome.value)
            elif is_quiet:
                answers.append(None)
            else:
                answers.append(self._failed(system.name, outcome.error if outcome else None))
        return answers

    def _failed(self, system: str, error: Exception | None) -> Sequence[Action]:
        with self.session.lock:
            state = self.state()
            actions = self.left_out(system, error, state)
            self.save(state)
        return actions

    def _about_to_ask(self, system: System) -> Asked:
        with self.session.lock:
            state = self.state(system.name if system.hooks.slow else "")
        return self.asked(system, state, cancelled=self._cancelled)
