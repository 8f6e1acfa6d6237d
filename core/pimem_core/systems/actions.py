"""The actions that a hook can ask a host for; docs/hook-protocol.md describes each."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    Action = dict[str, Any]


def section(name: str, text: str) -> Action:
    """Set a section of the system prompt; the host adds the tag."""
    return {"do": "section", "name": name, "text": text}


def append_prompt(text: str) -> Action:
    """Append to the system prompt of this run only."""
    return {"do": "append_prompt", "text": text}


def message(custom_type: str, content: str, *, details: Mapping[str, Any] | None = None) -> Action:
    """A stored message with this prompt that the person does not see."""
    return {
        "do": "message",
        "customType": custom_type,
        "content": content,
        "display": False,
        "details": dict(details or {}),
    }


def send_user_message(text: str) -> Action:
    """A message in the person's name, after what runs now."""
    return {"do": "send_user_message", "text": text, "deliverAs": "followUp"}


def append_entry(custom_type: str, data: Mapping[str, Any]) -> Action:
    """Keep something in the session that no model sees."""
    return {"do": "append_entry", "customType": custom_type, "data": dict(data)}


def emit(channel: str, data: Mapping[str, Any]) -> Action:
    """Tell other extensions something."""
    return {"do": "emit", "channel": channel, "data": dict(data)}


def notify(text: str, level: str = "info") -> Action:
    """Tell the person something; `level` is info, warning or error."""
    return {"do": "notify", "message": text, "level": level}


def confirm(key: str, title: str, text: str) -> Action:
    """Ask the person; the answer comes as the event `answer` with the same key."""
    return {"do": "confirm", "key": key, "title": title, "message": text}


def open_manager(args: Sequence[str] = ()) -> Action:
    """Open the manager over the host's screen."""
    return {"do": "open_manager", "args": list(args)}


def tool_result(
    text: str, *, details: Mapping[str, Any] | None = None, failed: bool = False
) -> Action:
    """The answer to a tool call. A refused call is plain text, a failed one an error."""
    return {
        "do": "tool_result",
        "content": [{"type": "text", "text": text}],
        "details": dict(details or {}),
        "isError": failed,
    }
