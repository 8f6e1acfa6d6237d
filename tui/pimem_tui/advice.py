"""What the core says, as the manager says it: keys in place of commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

#: What a command is here: the key that does the same, and the store in which it does.
_KEYS = {
    "pimem init global": ("layer.init", "global"),
    "pimem init workspace": ("layer.init", "workspace"),
    "pimem checkpoint": ("inbox.new", "inbox"),
}


#: The manager names the key instead, see `Notices.way_back`.
_UNDO = "; undo brings it back"


def homely(text: str, home: str) -> str:
    """The text with `~` for the home folder, wherever a path is in it."""
    start = home.rstrip("/") + "/"
    return text if start == "/" else text.replace(start, "~/")


def in_keys(text: str, key_for: Callable[[str], str]) -> str:
    """The text with keys in the place of commands.

    Args:
        text: What the core says.
        key_for: Gives the first key of a binding.
    """
    for command, (key_id, where) in _KEYS.items():
        if command in text:
            text = text.replace(command, f"{key_for(key_id)} in the {where}")
    return text.replace(_UNDO, "")
