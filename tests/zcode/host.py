"""A host of zcode's hooks, for tests."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from asking import answer_of
from pimem_core.hooks.protocol import parse
from pimem_core.hooks.runner import Runner

if TYPE_CHECKING:
    from pimem_core.paths import Places

MARKER = "zcode-memory/injected"
ENTRIES = f"@entries:{MARKER}"
TAIL = "@tail_has:zcode-memory"


class Host:
    """A session of a host that keeps what the shim would compute from its entries."""

    def __init__(self, places: Places, session: str = "s1", **more: Any) -> None:
        self.session = {"id": session, "cwd": places.cwd, "features": ["sections"], **more}
        self.marker: dict[str, Any] | None = None
        self.in_tail = False
        self.runner = Runner(in_background=False)

    def ask(self, event: str, **payload: Any) -> list[dict[str, Any]]:
        request = {"id": 1, "event": event, "session": self.session, "payload": payload}
        answer = answer_of(self.runner, parse(json.dumps(request).encode()))
        assert "error" not in answer, answer
        actions: list[dict[str, Any]] = answer["actions"]
        for action in actions:
            if action["do"] == "append_entry":
                assert action["customType"] == MARKER
                self.marker = action["data"]
            if action["do"] == "message" and action["customType"] == "zcode-memory":
                self.in_tail = True
        return actions

    def start(self, reason: str = "startup", /, **more: Any) -> list[str]:
        fields = {ENTRIES: self.marker, TAIL: self.in_tail}
        actions = self.ask("session_start", reason=reason, **fields, **more)
        return [a["message"] for a in actions if a["do"] == "notify"]

    def prompt(self, kind: str = "user") -> list[str]:
        """The hidden messages that a prompt brings."""
        fields = {ENTRIES: self.marker, TAIL: self.in_tail}
        actions = self.ask("before_agent_start", messageType=kind, **fields)
        for action in actions:
            if action["do"] == "message":
                assert action["display"] is False
        return [a["content"] for a in actions if a["do"] == "message"]

    def tool(self, tool: str, /, **params: Any) -> tuple[str, dict[str, Any], list[dict[str, Any]]]:
        actions = self.ask("tool", name=tool, params=params, toolCallId="c")
        result = next(a for a in actions if a["do"] == "tool_result")
        others = [a for a in actions if a["do"] != "tool_result"]
        return result["content"][0]["text"], result, others

    def command(self, args: str) -> list[dict[str, Any]]:
        return self.ask("command", name="memory", args=args)
