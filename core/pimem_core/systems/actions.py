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


def block(reason: str) -> Action:
    """Refuse a tool call of the model."""
    return {"do": "block", "reason": reason}


def context(edits: Sequence[Mapping[str, Any]]) -> Action:
    """Edit the messages of this request only.

    An edit is `{"op": "replace_before", "entry", "message"}` or `{"op": "prepend", "entry",
    "text"}`; `entry` is an id of `@entry_ids`, None for the newest message of the person.
    """
    return {"do": "context", "edits": [dict(edit) for edit in edits]}


def compaction(
    summary: str, first_kept: str, tokens_before: int, *, details: Mapping[str, Any] | None = None
) -> Action:
    """Use this as the host's compaction; `first_kept` is the id of the first entry that stays."""
    return {
        "do": "compaction",
        "summary": summary,
        "firstKeptEntryId": first_kept,
        "tokensBefore": tokens_before,
        "details": dict(details or {}),
    }


def status(key: str, text: str) -> Action:
    """Show something in the host's status line; an empty text takes it away."""
    return {"do": "status", "key": key, "text": text}


def emit(channel: str, data: Mapping[str, Any]) -> Action:
    """Tell other extensions something."""
    return {"do": "emit", "channel": channel, "data": dict(data)}


def notify(text: str, level: str = "info") -> Action:
    """Tell the person something; `level` is info, warning or error."""
    return {"do": "notify", "message": text, "level": level}


def confirm(key: str, title: str, text: str, *, yes: str = "") -> Action:
    """Ask the person; the answer comes as the event `answer` with the same key.

    `yes` names what a yes does where that cannot be taken back lightly, such as "Remove": the host
    then offers Cancel first.
    """
    action = {"do": "confirm", "key": key, "title": title, "message": text}
    return {**action, "yes": yes} if yes else action


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
