"""What the core says for the command line, in the manager's words: keys in place of commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pimem_core.errors import PinnedError

if TYPE_CHECKING:
    from collections.abc import Callable

    from pimem_core.errors import PimemError

#: The key that does what a command does, and the store in which it does it.
_KEYS = {
    "pimem init global": ("layer.init", "global"),
    "pimem init workspace": ("layer.init", "workspace"),
    "pimem checkpoint": ("inbox.new", "inbox"),
}
#: A notice names the key instead, see `Notices.way_back`.
_UNDO = "; undo brings it back"


def shorten_paths(text: str, home: str) -> str:
    """The text with `~` for the home folder, wherever a path is in it."""
    start = home.rstrip("/") + "/"
    return text if start == "/" else text.replace(start, "~/")


def name_keys(text: str, key_for: Callable[[str], str]) -> str:
    """The text with keys in place of commands.

    Args:
        text: What the core says.
        key_for: Gives the first key of a binding.
    """
    for command, (key_id, where) in _KEYS.items():
        if command in text:
            text = text.replace(command, f"{key_for(key_id)} in the {where}")
    return text.replace(_UNDO, "")


def refusal(error: PimemError, key_for: Callable[[str], str]) -> str:
    """Why something was refused, with the key that helps where the core has a command."""
    if isinstance(error, PinnedError):
        return f'"{error.name}" is pinned; {key_for("topic.pin")} unpins it.'
    reason, advice, _rest = str(error).partition("; pimem list ")
    return f"{reason}." if advice else reason
