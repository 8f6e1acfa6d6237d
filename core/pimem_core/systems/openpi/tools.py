"""The three tools: how the model sees them, and what a call does."""

from __future__ import annotations

import os

from ...errors import Hint, InvalidArgumentError, PimemError
from .. import tool_results
from ..stores import WriteRequest
from .index import INDEX_NAME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ...model import Change
    from ..actions import Action
    from .store import OpenpiStore

#: What to do about an error: the tools are all that a model has.
_HINTS = {
    Hint.LIST: "The memory index in your prompt shows what is there.",
    Hint.WRITE: "write_memory creates it.",
    Hint.UNPIN: "pin_memory with pin false unpins it.",
    Hint.SECRET: "Leave the value out and say where it is kept instead.",
}
_TOPIC = {"type": "string", "description": "Topic name or file, or a part only it has"}


def descriptions(folder: str) -> list[dict[str, Any]]:
    """The tools for the describe document. `folder` is the active store."""
    queue = [os.path.join(folder, INDEX_NAME)]
    return [
        {
            "name": "write_memory",
            "label": "Write Memory",
            "description": "Create or extend a memory topic and keep the index in step. Use it "
            "instead of editing memory files.",
            "parameters": {
                "type": "object",
                "required": ["topic", "content", "summary"],
                "properties": {
                    "topic": {
                        "type": "string",
                        "description": 'Topic name, e.g. "PostgreSQL Setup"; the same name '
                        "extends the topic",
                    },
                    "content": {"type": "string", "description": "Markdown to store"},
                    "summary": {"type": "string", "description": "One line for the index"},
                    "pin": {"type": "boolean", "description": "Never stale, never removed"},
                    "mode": {
                        "type": "string",
                        "enum": ["append", "replace"],
                        "description": "append (default) adds a dated section; replace "
                        "overwrites the body",
                    },
                },
            },
            "promptSnippet": "Save a lasting fact, preference, config or fix",
            "promptGuidelines": [
                "Call write_memory when a durable fact, preference, config or fix comes up; "
                "follow the Memory Rules, in doubt save.",
                "write_memory: mode replace for current state, append (default) for new facts.",
            ],
            "queue": queue,
        },
        {
            "name": "remove_memory",
            "label": "Remove Memory",
            "description": "Take a topic out of the memory index. Its file stays; pinned topics "
            "are refused.",
            "parameters": {
                "type": "object",
                "required": ["topic"],
                "properties": {"topic": _TOPIC},
            },
            "promptSnippet": "Take a topic out of the memory index",
            "promptGuidelines": [],
            "queue": queue,
        },
        {
            "name": "pin_memory",
            "label": "Pin Memory",
            "description": "Pin a topic, so that it is never stale and never removed, or unpin it.",
            "parameters": {
                "type": "object",
                "required": ["topic", "pin"],
                "properties": {"topic": _TOPIC, "pin": {"type": "boolean"}},
            },
            "promptSnippet": "Pin or unpin a topic",
            "promptGuidelines": [],
            "queue": queue,
        },
    ]


def run(name: str, params: Mapping[str, Any], store: OpenpiStore) -> list[Action]:
    """Run a tool call and say what happened in words that a model can act on."""
    try:
        change = _call(name, params, store)
    except PimemError as error:
        return [tool_results.refused(error, _HINTS)]
    store.announce()
    return [tool_results.changed(change)]


def _call(name: str, params: Mapping[str, Any], store: OpenpiStore) -> Change:
    problem = _wrong_type(name, params)
    if problem is not None:
        raise InvalidArgumentError(problem)
    if name == "remove_memory":
        return store.remove(params["topic"])
    if name == "pin_memory":
        return store.pin(params["topic"], params["pin"])
    # What older versions of the tool had in place of the mode; a resumed session may know it yet.
    is_replacing = params.get("overwrite") is True
    return store.write(
        WriteRequest(
            topic=params["topic"],
            content=params["content"],
            summary=params["summary"],
            pin=params.get("pin") or False,
            mode="replace" if is_replacing else params.get("mode") or "append",
        )
    )


def _wrong_type(name: str, params: Mapping[str, Any]) -> str | None:
    """The first field that is missing or of the wrong type; a schema may not have been checked."""
    texts = ("topic", "content", "summary") if name == "write_memory" else ("topic",)
    for field in texts:
        if not isinstance(params.get(field), str):
            return f"{field} is missing or not a text; nothing was changed."
    pin = params.get("pin")
    if not isinstance(pin, bool) and (name == "pin_memory" or pin is not None):
        return "pin must be true or false; nothing was changed."
    if params.get("mode") not in (None, "append", "replace"):
        return 'mode must be "append" or "replace"; nothing was changed.'
    return None
