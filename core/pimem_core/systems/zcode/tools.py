"""The three tools: how the model sees them, and what a call does."""

from __future__ import annotations

import collections
import os

from ...errors import Hint, InvalidArgumentError, PimemError, StorageError
from ...formats.text import plural
from .. import tool_results
from ..actions import emit, tool_result
from ..stores import WriteRequest
from . import lookup, names, revision
from .facts import INDEX_NAME, TYPES
from .rows import rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ..actions import Action
    from .folder import View
    from .store import ZcodeStore

#: What memory_read gives at most.
READ_LINES = 200
READ_BYTES = 4096
_CHANNEL = "read-guard/file-read"
_LIST_CHARS = 40_000
#: What to do about an error: the tools are all that a model has.
_HINTS = {
    Hint.LIST: "memory_list shows what is there.",
    Hint.SECRET: "Leave the value out and say where it is kept instead.",
}
_TYPE = {"type": "string", "enum": list(TYPES)}


def descriptions(folder: str) -> list[dict[str, Any]]:
    """The tools for the describe document. `folder` is the project's."""
    fact = os.path.join(folder, "{name}.md")
    return [
        {
            "name": "memory_list",
            "label": "List Memory",
            "description": "List the facts of this project's memory (shared with ZCode), those "
            "that the index misses too.",
            "parameters": {"type": "object", "properties": {"type": _TYPE}},
            "promptSnippet": "List project memory facts",
            "promptGuidelines": [],
            "queue": [],
        },
        {
            "name": "memory_read",
            "label": "Read Memory",
            "description": f"Read one fact, at most {READ_LINES} lines or {READ_BYTES} bytes.",
            "parameters": {
                "type": "object",
                "required": ["name"],
                "properties": {"name": {"type": "string", "description": "Name or file"}},
            },
            "promptSnippet": "Read a project memory fact",
            "promptGuidelines": [],
            "queue": [fact],
        },
        {
            "name": "memory_write",
            "label": "Write Memory",
            "description": "Create a fact or replace its body, and keep the index in step. Use it "
            "instead of write and edit for memory files.",
            "parameters": {
                "type": "object",
                "required": ["name", "description", "type", "content"],
                "properties": {
                    "name": {
                        "type": "string",
                        "description": "Slug of a-z, 0-9 and hyphens; an existing one is replaced",
                    },
                    "description": {"type": "string", "description": "One line for the index"},
                    "type": _TYPE,
                    "content": {
                        "type": "string",
                        "description": "Markdown, one fact; for feedback and project add "
                        "**Why:** and **How to apply:**; link others as [[name]]",
                    },
                    "title": {"type": "string", "description": "Title in the index"},
                },
            },
            "promptSnippet": "Save a lasting fact of this project",
            "promptGuidelines": [
                "Read and change project memory files with memory_read and memory_write only: "
                "they keep its index right.",
            ],
            "queue": [os.path.join(folder, INDEX_NAME), fact],
        },
    ]


def run(name: str, params: Mapping[str, Any], store: ZcodeStore) -> list[Action]:
    """Run a tool call and say what happened in words that a model can act on."""
    try:
        if name == "memory_list":
            return _list(params, store)
        if name == "memory_read":
            return _read(params, store)
        return _write(params, store)
    except PimemError as error:
        return [tool_results.refused(error, _HINTS)]


def _list(params: Mapping[str, Any], store: ZcodeStore) -> list[Action]:
    wanted = params.get("type")
    if wanted is not None:
        names.check_type(wanted)
    view, trouble = _view(store)
    topics = [topic for topic in rows(store.folder, view) if wanted is None or topic.type == wanted]
    if not topics:
        kind = f" of type {wanted}" if wanted else ""
        return [tool_result(f"There are no facts{kind} yet.", details={"count": 0})]
    lines: list[str] = []
    size = 0
    count = collections.Counter(topic.name for topic in topics)
    for topic in topics:
        marks = [topic.type] if topic.type else []
        marks += [] if topic.listed or trouble else ["not in the index"]
        marks += [topic.problem] if topic.problem else []
        called = topic.file if count[topic.name] > 1 else topic.name
        kind = f" [{', '.join(marks)}]" if marks else ""
        line = f"- {called}{kind}: {topic.summary}"
        size += len(line) + 1
        if size > _LIST_CHARS:
            lines.append(f"… and {len(topics) - len(lines)} more; ask for one type.")
            break
        lines.append(line)
    head = f"{plural(len(topics), 'fact')} in {store.path}:"
    said = [f"By their files, since the index cannot be read: {trouble}"] if trouble else []
    return [tool_result("\n".join([*said, head, *lines]), details={"count": len(topics)})]


def _view(store: ZcodeStore) -> tuple[View, str]:
    """The facts, and why only by their files; a broken index hides none of them from the model."""
    try:
        return store.folder.view(), ""
    except StorageError as error:
        return store.folder.view_of_files(), str(error)


def _read(params: Mapping[str, Any], store: ZcodeStore) -> list[Action]:
    wanted = params.get("name")
    if not isinstance(wanted, str) or not wanted.strip():
        raise InvalidArgumentError("name is missing or not a text.")
    view, _trouble = _view(store)
    name = wanted.strip().removeprefix("[[").removesuffix("]]")
    topic = lookup.topic(store.folder, view, name)
    data = store.read_bytes(topic.file)
    text, limit = capped(data)
    details: dict[str, Any] = {"name": topic.name, "file": topic.file, "path": topic.path}
    details |= {"truncated": limit is not None}
    event: dict[str, Any] = {"path": topic.path, "kind": "full" if limit is None else "truncated"}
    if limit is None:
        # Only who has seen all of a file knows what it would write over.
        event["contentHash"] = revision.digest_of(data)
    else:
        text = (
            f"{text.rstrip()}\n\n> This memory file was truncated ({limit}). "
            f"Use the read tool to view the complete file at: {topic.path}"
        )
    return [tool_result(text, details=details), emit(_CHANNEL, event)]


def capped(data: bytes) -> tuple[str, str | None]:
    """The start of a file that memory_read gives, and the limit that cut it, None when none did."""
    lines = data.split(b"\n", READ_LINES)
    limit = None
    if len(lines) > READ_LINES and lines[-1]:
        data = b"\n".join(lines[:-1]) + b"\n"
        limit = f"first {READ_LINES} lines"
    if len(data) > READ_BYTES:
        end = READ_BYTES
        while end > READ_BYTES - 3 and data[end] & 0xC0 == 0x80:
            end -= 1
        data, limit = data[:end], f"{READ_BYTES} byte limit"
    return data.decode("utf-8", "replace"), limit


def _write(params: Mapping[str, Any], store: ZcodeStore) -> list[Action]:
    name, title = params.get("name"), params.get("title")
    if not isinstance(name, str):
        raise InvalidArgumentError("name is missing or not a text.")
    change = store.write(
        WriteRequest(
            topic=name,
            content=names.check_content(params.get("content")),
            summary=names.check_description(params.get("description")),
            mode="replace",
            type=names.check_type(params.get("type")),
            title=title if title is None else names.check_title(title),
        )
    )
    store.announce()
    return [tool_results.changed(change)]
