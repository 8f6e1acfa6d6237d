"""Hints of the core in the words of pi's slash commands."""

from __future__ import annotations

from ..errors import Hint, Note, PimemError

_SENTENCES = {
    Hint.LIST: "/memory shows what is there.",
    Hint.HISTORY: "The manager's history lists the changes.",
    Hint.WRITE: "/memory with a text has it stored.",
    Hint.UNPIN: "/memory unpin {topic} unpins it.",
    Hint.EDIT: "Edit {topic} in the manager: /memory.",
    Hint.OPEN: "Open {topic} with pimem --dir.",
    Hint.INIT: "/memory:init {topic} creates it.",
    Hint.AGREE: "/memory:init {topic} says yes.",
    Hint.CHECKPOINT: "/memory:checkpoint puts a file there.",
    Hint.PROMOTE: "/memory:promote {topic} workspace decisions.md promotes it.",
    Hint.SECRET: "Leave the value out and say where it is kept instead.",
    Hint.UNDO: "The manager brings it back with undo.",
    Hint.TAKE_OVER: "pimem pi install --take-over turns the other one off.",
}


def in_pi(hint: Hint) -> str:
    """A hint as a sentence that names the slash command to use."""
    return hint.text or _SENTENCES[hint.do].format(topic=hint.topic)


def said_in_pi(said: str | PimemError) -> str:
    """A sentence, or an error, with what to do about it in pi."""
    hint = said.hint if isinstance(said, PimemError | Note) else None
    return str(said) if hint is None else f"{said} {in_pi(hint)}"
