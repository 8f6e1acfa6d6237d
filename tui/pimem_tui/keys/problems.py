"""What is wrong with the keys that a person bound: unknown names, and keys bound twice."""

from __future__ import annotations

from .table import KEYS, where

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_MODIFIERS = {"ctrl", "shift", "alt", "super", "hyper", "meta"}
# As Textual 8.2 names keys. Any other sign goes by its Unicode name, with `_` between the words.
_NAMED = {
    *("enter", "escape", "tab", "space", "backspace", "delete", "insert"),
    *("home", "end", "pageup", "pagedown", "up", "down", "left", "right"),
    *(f"f{number}" for number in range(1, 25)),
    *("slash", "backslash", "at", "minus", "plus", "underscore"),
    *("less_than_sign", "greater_than_sign"),
}


def flaws(changed: Mapping[str, str]) -> Iterator[str]:
    """Sentences about the keys of the settings, by their ids; none when all of them work.

    Args:
        changed: Keys by id, separated by commas.
    """
    for key_id in sorted(changed):
        if key_id not in KEYS:
            yield f"keys.{key_id}: unknown key id; `pimem keys` lists them."
            continue
        for key in _split(changed[key_id]):
            if not _is_key(key):
                yield f'keys.{key_id}: unknown key "{key}"; names are like "ctrl+b", "f5", "slash".'
    taken: set[tuple[str, frozenset[str]]] = set()
    for key_id in sorted(changed.keys() & KEYS.keys()):
        for key in _split(changed[key_id]):
            if key in _split(KEYS[key_id].keys):
                continue
            for other in KEYS:
                pair = (key, frozenset((key_id, other)))
                if other == key_id or pair in taken or not _meet(key_id, other):
                    continue
                if key in _split(changed.get(other, KEYS[other].keys)):
                    taken.add(pair)
                    reason = f'"{key}" is the key of {other} too; only one of them gets it.'
                    yield f"keys.{key_id}: {reason}"


def _split(keys: str) -> list[str]:
    return [_named(key.strip()) for key in keys.split(",")]


def _named(key: str) -> str:
    """A sign by its name, since the table has names."""
    signs = {"/": "slash", "?": "question_mark", " ": "space"}
    return signs.get(key, key)


def _is_key(key: str) -> bool:
    *modifiers, base = key.split("+") if len(key) > 1 else [key]
    if not set(modifiers) <= _MODIFIERS or (modifiers and base != base.lower()):
        return False
    if len(base) == 1 or base in _NAMED:
        return base.isprintable()
    import unicodedata

    try:
        return bool(unicodedata.lookup(base.replace("_", " "))) and base == base.lower()
    except KeyError:
        return False


def _meet(one: str, other: str) -> bool:
    """Whether both keys work in one place."""
    places = where(one), where(other)
    return any("anywhere" in place for place in places) or not places[0].isdisjoint(places[1])
