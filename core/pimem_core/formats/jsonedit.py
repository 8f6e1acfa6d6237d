"""Changing one item of a JSON file and no other byte of it.

The libraries for it either rewrite the whole file or need a JavaScript runtime.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from . import jsonc

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_SPACE = " \t\r\n"


def _skip(text: str, at: int) -> int:
    while at < len(text) and text[at] in _SPACE:
        at += 1
    return at


def _members(text: str, start: int) -> Iterator[tuple[str, int, int]]:
    """The keys of the object at `start`, with where their values begin and end."""
    decoder = json.JSONDecoder()
    at = _skip(text, start + 1)
    while at < len(text) and text[at] != "}":
        key, at = decoder.raw_decode(text, at)
        begin = _skip(text, _skip(text, at) + 1)
        _value, end = decoder.raw_decode(text, begin)
        yield key, begin, end
        at = _skip(text, end)
        if at < len(text) and text[at] == ",":
            at = _skip(text, at + 1)


def _items(text: str, start: int) -> list[tuple[int, int]]:
    """Where the items of the array at `start` begin and end."""
    decoder = json.JSONDecoder()
    found = []
    at = _skip(text, start + 1)
    while at < len(text) and text[at] != "]":
        _value, end = decoder.raw_decode(text, at)
        found.append((at, end))
        at = _skip(text, end)
        if at < len(text) and text[at] == ",":
            at = _skip(text, at + 1)
    return found


def _array(text: str, key: str) -> tuple[str, int, int] | None:
    """The blanked text, and where the array under a top-level key begins and ends."""
    plain = jsonc.blank(text)
    start = _skip(plain, 0)
    # Of a key that is there several times the last one counts, for every program that reads it.
    for name, begin, end in reversed(list(_members(plain, start))):
        if name == key:
            if plain[begin] != "[":
                raise ValueError(f'"{key}" is not an array')
            return plain, begin, end
    return None


def add_item(text: str, key: str, item: Any) -> str:
    """Append an item to the array under a top-level key, making the array where it is missing.

    Raises:
        ValueError: The text is not a JSON object, or the key holds something else.
    """
    value = json.dumps(item, ensure_ascii=False)
    if not text.strip():
        return f'{{\n  "{key}": [{value}]\n}}\n'
    if not isinstance(jsonc.parse(text), dict):
        raise ValueError("the file holds no JSON object")
    found = _array(text, key)
    if found is None:
        plain = jsonc.blank(text)
        last = [end for _name, _begin, end in _members(plain, _skip(plain, 0))]
        at = last[-1] if last else plain.index("{") + 1
        comma = "," if last else ""
        return (
            f'{text[:at]}{comma}\n  "{key}": [{value}]{text[at:] if last else _closed(text[at:])}'
        )
    plain, begin, _end = found
    items = _items(plain, begin)
    if not items:
        return text[: begin + 1] + value + text[begin + 1 :]
    first, _ = items[0]
    gap = text[begin + 1 : first] if not text[begin + 1 : first].strip() else " "
    at = items[-1][1]
    return f"{text[:at]},{gap or ' '}{value}{text[at:]}"


def _closed(rest: str) -> str:
    return rest if rest.startswith("\n") else f"\n{rest}"


def set_value(text: str, key: str, value: Any) -> str:
    """Set a top-level key, or add it; of an array only the items that differ change.

    Raises:
        ValueError: The text is not a JSON object.
    """
    written = json.dumps(value, ensure_ascii=False)
    if not text.strip():
        return f'{{\n  "{key}": {written}\n}}\n'
    old = jsonc.parse(text)
    if not isinstance(old, dict):
        raise ValueError("the file holds no JSON object")
    known = old.get(key)
    if isinstance(known, list) and isinstance(value, list):
        return _patched(text, key, known, value)
    plain = jsonc.blank(text)
    places = list(_members(plain, _skip(plain, 0)))
    for name, begin, end in reversed(places):  # the last of several counts
        if name == key:
            return text[:begin] + written + text[end:]
    at = places[-1][2] if places else plain.index("{") + 1
    comma = "," if places else ""
    rest = text[at:] if places else _closed(text[at:])
    return f'{text[:at]}{comma}\n  "{key}": {written}{rest}'


def _patched(text: str, key: str, old: list[Any], new: list[Any]) -> str:
    left = list(old)
    while len(left) > len(new):
        at = next((n for n, item in enumerate(new) if left[n] != item), len(new))
        text = remove_item(text, key, at)
        del left[at]
    for at, item in enumerate(new):
        if at >= len(left):
            text = add_item(text, key, item)
        elif left[at] != item:
            text = set_item(text, key, at, item)
    return text


def set_item(text: str, key: str, index: int, item: Any) -> str:
    """Replace an item of the array under a top-level key.

    Raises:
        ValueError: There is no such item.
    """
    _plain, begin, end = _item(text, key, index)
    return text[:begin] + json.dumps(item, ensure_ascii=False) + text[end:]


def raw_item(text: str, key: str, index: int) -> str:
    """An item of the array under a top-level key, as it is written."""
    _plain, begin, end = _item(text, key, index)
    return text[begin:end]


def replace_raw(text: str, key: str, index: int, written: str) -> str:
    """Put an item as it was written before in the place of another."""
    _plain, begin, end = _item(text, key, index)
    return text[:begin] + written + text[end:]


def remove_item(text: str, key: str, index: int) -> str:
    """Take an item out of the array under a top-level key, with its comma.

    Raises:
        ValueError: There is no such item.
    """
    plain, begin, end = _item(text, key, index)
    found = _array(text, key)
    assert found is not None
    items = _items(plain, found[1])
    if index > 0:
        return text[: items[index - 1][1]] + text[end:]
    after = items[1][0] if len(items) > 1 else end
    return text[:begin] + text[after:]


def remove_key(text: str, key: str) -> str:
    """Take a top-level key out, with its comma; the text as it is where there is none."""
    plain = jsonc.blank(text)
    found = [row for row in _members(plain, _skip(plain, 0)) if row[0] == key]
    if not found:
        return text
    _name, begin, end = found[-1]
    start = plain.rfind(json.dumps(key, ensure_ascii=False), 0, begin)
    if start < 0:
        return text  # written with escapes
    after = _skip(plain, end)
    if plain[after : after + 1] == ",":
        return text[:start] + text[after + 1 :].lstrip(_SPACE)
    before = len(plain[:start].rstrip(_SPACE))
    if plain[before - 1] == ",":
        return text[: before - 1] + text[before:start].rstrip(_SPACE) + text[end:]
    return text[:before] + text[before:start].rstrip(_SPACE) + text[end:].lstrip(_SPACE)


def _item(text: str, key: str, index: int) -> tuple[str, int, int]:
    found = _array(text, key)
    items = _items(found[0], found[1]) if found else []
    if found is None or index >= len(items):
        raise ValueError(f'"{key}" has no item {index}')
    return found[0], *items[index]
