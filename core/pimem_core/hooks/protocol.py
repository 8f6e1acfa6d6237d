"""Requests and responses as typed values; product contract, section 5."""

from __future__ import annotations

import functools
import json
import os

from ..systems import actions
from ..systems.hosting import SessionInfo
from ..value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from ..systems.actions import Action

PROTOCOL = 1
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
#: Longest request in bytes.
MAX_BYTES = 8 << 20
TOO_LONG = f"A request can have at most {MAX_BYTES} bytes."
#: pi's own events; one that no system wants gets an empty answer, any other name is an error.
HOST_EVENTS = frozenset(
    (
        "after_provider_response",
        "agent_before_settle",
        "agent_end",
        "agent_settled",
        "agent_start",
        "before_agent_start",
        "before_provider_headers",
        "before_provider_request",
        "context",
        "context_with_system",
        "input",
        "message_end",
        "message_start",
        "message_update",
        "model_select",
        "project_trust",
        "resources_discover",
        "session_before_compact",
        "session_before_fork",
        "session_before_switch",
        "session_before_tree",
        "session_compact",
        "session_compact_failed",
        "session_info_changed",
        "session_shutdown",
        "session_start",
        "session_tree",
        "thinking_level_select",
        "tool_call",
        "tool_execution_end",
        "tool_execution_start",
        "tool_execution_update",
        "tool_result",
        "turn_end",
        "turn_start",
        "ui_prompt_end",
        "ui_prompt_start",
        "user_bash",
    )
)


#: What a number such as 1e999 becomes; no answer could carry it.
_INFINITE = (float("inf"), float("-inf"))


class RequestError(Exception):
    """A request that cannot be answered; `code` is one of the contract's words."""

    def __init__(self, code: str, message: str, request_id: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.request_id = request_id


class Request(Value):
    """One request. `id` is any JSON scalar; `missed` are ids of answers that came too late."""

    id: Any
    event: str
    session: SessionInfo
    payload: Mapping[str, Any]
    missed: Sequence[Any] = ()


def parse(data: bytes, *, event: str | None = None) -> Request:
    """Read a request.

    Args:
        data: One JSON document.
        event: The event of the one-shot form, which a request then need not name.

    Raises:
        RequestError: It is too long, not valid JSON, or lacks a field.
        EventMismatchError: It names another event than the one-shot form does.
    """
    if len(data) > MAX_BYTES:
        raise RequestError("too_long", TOO_LONG)
    try:
        raw = json.loads(data, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise RequestError("bad_json", f"Invalid JSON: {error}.") from error
    if not isinstance(raw, dict):
        raise RequestError("bad_json", "The request is not a JSON object.")
    request_id = raw.get("id")
    if isinstance(request_id, dict | list) or request_id in _INFINITE:
        raise RequestError("bad_json", "id must be a string, number, boolean or null.")
    named = raw.get("event", event)
    if not isinstance(named, str) or not named:
        raise RequestError("missing_field", "event is missing.", request_id)
    if event is not None and named != event:
        raise EventMismatchError(f'The request is for "{named}", the command line for "{event}".')
    missed = raw.get("missed")
    payload = raw.get("payload")
    return Request(
        id=request_id,
        event=named,
        session=_session(raw.get("session"), request_id),
        payload=payload if isinstance(payload, dict) else {},
        missed=missed if isinstance(missed, list) else (),
    )


def _refuse(word: str) -> None:
    """Python would take NaN and Infinity, which JSON does not have."""
    raise ValueError(f"{word} is not a JSON value")


class EventMismatchError(Exception):
    """The one-shot form and its request name different events."""


def _session(raw: Any, request_id: Any) -> SessionInfo:
    if not isinstance(raw, dict):
        raise RequestError("missing_field", "session is missing.", request_id)
    for field in ("id", "cwd"):
        if not isinstance(raw.get(field), str) or not raw[field]:
            raise RequestError("missing_field", f"session.{field} is missing.", request_id)
    if not _is_path(raw["cwd"]):
        raise RequestError("missing_field", "session.cwd is not a path.", request_id)
    trusted, mode, version = raw.get("trusted"), raw.get("mode"), raw.get("pi")
    features = raw.get("features")
    return SessionInfo(
        id=raw["id"],
        cwd=raw["cwd"],
        file=raw.get("file") if isinstance(raw.get("file"), str) else None,
        trusted=trusted if isinstance(trusted, bool) else None,
        mode=mode if isinstance(mode, str) else "print",
        is_subagent=raw.get("subagent") is True,
        pi=version if isinstance(version, str) else None,
        features=frozenset(f for f in features or () if isinstance(f, str))
        if isinstance(features, list)
        else frozenset(),
    )


def _is_path(text: str) -> bool:
    """Whether a file system can have it: no NUL, no half of a character."""
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        return False
    return "\0" not in text


def response(
    request_id: Any,
    actions: Sequence[Action] = (),
    *,
    result: Any = None,
    keep: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """An answer. `keep` is what the host gives back in computed fields."""
    answer: dict[str, Any] = {"id": request_id, "actions": list(actions)}
    if result is not None:
        answer["result"] = result
    if keep:
        answer["keep"] = keep
    return answer


def failure(request_id: Any, code: str, message: str) -> dict[str, Any]:
    """An answer that says what went wrong."""
    return {"id": request_id, "actions": [], "error": {"code": code, "message": message}}


def dump(document: Mapping[str, Any]) -> bytes:
    """A JSON document as one line. What UTF-8 cannot hold is escaped."""
    try:
        return f"{_encode(document)}\n".encode()
    except UnicodeEncodeError:
        return json.dumps(document, separators=(",", ":")).encode() + b"\n"


def dump_answer(answer: Mapping[str, Any]) -> bytes:
    """The same of an answer, whose sections are encoded once."""
    done = ",".join(
        _section(action["name"], action["text"]) if action["do"] == "section" else _encode(action)
        for action in answer["actions"]
    )
    rest = {key: value for key, value in answer.items() if key not in ("id", "actions")}
    end = f",{_encode(rest)[1:]}" if rest else "}"
    try:
        return f'{{"id":{_encode(answer["id"])},"actions":[{done}]{end}\n'.encode()
    except UnicodeEncodeError:
        return dump(answer)


@functools.lru_cache(maxsize=8)
def _section(name: str, text: str) -> str:
    # Sections are long and stay as they are from prompt to prompt.
    return _encode(actions.section(name, text))
