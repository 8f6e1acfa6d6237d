"""The names of keys as people write them."""

from __future__ import annotations

_KEY_NAMES = {
    "escape": "esc",
    "question_mark": "?",
    "slash": "/",
    "pageup": "pgup",
    "pagedown": "pgdn",
    "shift+tab": "shift+tab",
    "f1": "F1",
}


def key_names(keys: str) -> str:
    """The keys of a binding as people write them."""
    return " ".join(_KEY_NAMES.get(key, key) for key in keys.split(","))
