"""A host for the hook tests: it asks the runner as the shim does."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from asking import answer_of
from pimem_core.hooks.protocol import dump_answer, parse
from pimem_core.hooks.runner import Runner
from waiting import PATIENCE_S

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pimem_core.paths import Places


class Host:
    """Asks the hooks, in this process, in one-shot processes or in a served one."""

    def __init__(self, places: Places, form: str) -> None:
        self.places = places
        self.form = form
        self.features = ["sections"]
        self.mode = "print"
        self.ids: Iterator[int] = itertools.count(1)
        self.runner = Runner(in_background=False)
        self.served: subprocess.Popen[bytes] | None = None

    def request(self, event: str, session: str, **more: Any) -> dict[str, Any]:
        about: dict[str, Any] = {"id": session, "cwd": self.places.cwd, "mode": self.mode}
        about["features"] = self.features
        return {"id": next(self.ids), "event": event, "session": about, **more}

    def ask(self, event: str, session: str = "s", **more: Any) -> dict[str, Any]:
        """The answer to a request."""
        answer: dict[str, Any] = json.loads(self._raw(event, session, more))
        return answer

    def _raw(self, event: str, session: str, more: dict[str, Any]) -> bytes:
        request = self.request(event, session, **more)
        data = json.dumps(request).encode()
        if self.form == "here":
            return dump_answer(answer_of(self.runner, parse(data)))
        command = [sys.executable, "-m", "pimem_tui", "hook"]
        if self.form == "one-shot":
            done = subprocess.run([*command, event], input=data, capture_output=True, check=True)
            return done.stdout
        if self.served is None:
            self.served = subprocess.Popen(
                [*command, "serve"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
            )
        assert self.served.stdin is not None
        assert self.served.stdout is not None
        self.served.stdin.write(data + b"\n")
        self.served.stdin.flush()
        return self.served.stdout.readline()

    def start(
        self, session: str = "s", payload: dict[str, Any] | None = None
    ) -> list[dict[str, Any]]:
        return self.actions("session_start", session, reason="startup", **(payload or {}))

    def prompt(self, session: str = "s", *, kind: str = "user", missed: Any = ()) -> Any:
        """The actions for a prompt."""
        payload = {"messageType": kind}
        answer = self.ask("before_agent_start", session, payload=payload, missed=list(missed))
        return answer["actions"]

    def tool(self, name: str, **params: Any) -> dict[str, Any]:
        """The result of a tool call."""
        (result,) = self.actions("tool", name=name, params=params, toolCallId="c")
        return result

    def command(self, args: str) -> list[dict[str, Any]]:
        return self.actions("command", name="memory", args=args)

    def actions(self, event: str, session: str = "s", **payload: Any) -> list[dict[str, Any]]:
        answer = self.ask(event, session, payload=payload)
        assert "error" not in answer, answer
        return list(answer["actions"])

    def close(self) -> None:
        if self.served is not None:
            self.served.communicate(timeout=PATIENCE_S)


@pytest.fixture
def host(places: Places) -> Host:
    """The runner in this process."""
    return Host(places, "here")


@pytest.fixture(params=["one-shot", "served"])
def real_host(places: Places, request: pytest.FixtureRequest) -> Any:
    """The runner as a process, in both forms."""
    made = Host(places, request.param)
    yield made
    made.close()
