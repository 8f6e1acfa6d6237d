"""Hints of the core in the words of the command line."""

from __future__ import annotations

import shlex

from ..errors import Hint, Note

_SENTENCES = {
    Hint.LIST: "pimem list{store} shows what is there.",
    Hint.HISTORY: "pimem history lists the changes.",
    Hint.WRITE: "pimem write{store} creates it.",
    Hint.UNPIN: "Unpin it first: pimem unpin {topic}{store}.",
    Hint.EDIT: "Edit it: pimem edit {topic}{store}.",
    Hint.OPEN: "pimem --dir {topic} opens it.",
    Hint.INIT: "pimem init {topic} creates it.",
    Hint.AGREE: "pimem init {topic} says yes.",
    Hint.CHECKPOINT: "pimem checkpoint puts a file there.",
    Hint.PROMOTE: "Run pimem promote {topic} workspace decisions.md.",
    Hint.SECRET: "Take it out, or pass --allow-secret if it is meant to be kept.",
    Hint.UNDO: "pimem undo brings it back.",
    Hint.TAKE_OVER: "pimem pi install --take-over turns the other one off.",
}


def in_commands(hint: Hint) -> str:
    """A hint as a sentence that names the command to run."""
    if hint.text:
        return hint.text
    store = f" --store {shlex.quote(hint.store)}" if hint.store else ""
    return _SENTENCES[hint.do].format(topic=shlex.quote(hint.topic), store=store)


def with_hint(message: str, hint: Hint | None = None) -> str:
    """A message, or a note with a hint of its own, and what to do about it, as two sentences."""
    hint = message.hint if isinstance(message, Note) else hint
    return message if hint is None else f"{message} {in_commands(hint)}"
