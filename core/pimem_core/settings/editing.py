"""Changing a key of `config.toml`, by tomlkit: every other byte of the file stays."""

from __future__ import annotations

import os
import tomllib
from typing import TYPE_CHECKING

import tomlkit
from tomlkit.exceptions import TOMLKitError

from ..errors import ConfigError, InvalidArgumentError, StorageError
from ..files.rewrite import rewrite
from .config import requirement, settings_path

if TYPE_CHECKING:
    from typing import Any

    from ..paths import Places


def change_setting(places: Places, key: str, value: Any) -> None:
    """Set a key, such as `theme` or `undo.max_mb`; the file is made where it is missing.

    Raises:
        InvalidArgumentError: The value cannot be used; the message says what can.
        ConfigError: The file is broken; the message names line and column.
        StorageError: It cannot be written, or is in a form that cannot be changed safely.
    """
    needed = requirement(key, value)
    if needed is not None:
        raise InvalidArgumentError(f"{key} must be {needed}.")
    rewrite(settings_path(places), lambda text: with_key(text, key, value, settings_path(places)))


def with_key(text: str, key: str, value: Any, path: str) -> str:
    """The text of the file with a key set; raises as `change_setting`."""
    try:
        wanted_data = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path}: {error}. Fix it first; nothing was changed.") from error
    if _put(wanted_data, key, value):
        for made in (_beside(text, key, value), _by_tomlkit(text, key, value)):
            if made is not None and _means(made, wanted_data):
                return made
    raise StorageError(
        f"{path} is in a form in which {key} cannot be changed safely; change it by hand.",
        file=os.path.basename(path),
    )


def _means(text: str, data: dict[str, Any]) -> bool:
    try:
        return tomllib.loads(text) == data
    except ValueError:
        return False


def _put(data: Any, key: str, value: Any) -> bool:
    """Set the key in what the file means; whether there is a place for it."""
    *tables, last = key.split(".")
    for table in tables:
        data = data.setdefault(table, {})
        if not isinstance(data, dict):
            return False
    data[last] = value
    return True


def _beside(text: str, key: str, value: Any) -> str | None:
    """A new key without a table below the last one; tomlkit would part a table from its comment."""
    if "." in key or key in tomllib.loads(text):
        return None
    lines = text.splitlines(keepends=True)
    tables = (n for n, line in enumerate(lines) if line.lstrip().startswith("["))
    first = next(tables, len(lines))
    keys = [n for n, line in enumerate(lines[:first]) if line.strip() and line.lstrip()[0] != "#"]
    place = keys[-1] + 1 if keys else 0
    if place and not lines[place - 1].endswith("\n"):
        lines[place - 1] += "\n"
    gap = "\n" if not place and lines and lines[0].strip() else ""
    lines.insert(place, f"{key} = {tomlkit.item(value).as_string()}\n{gap}")
    return _same_ends(text, "".join(lines))


def _by_tomlkit(text: str, key: str, value: Any) -> str | None:
    try:
        document = tomlkit.parse(text)
        place: Any = document
        *tables, last = key.split(".")
        for table in tables:
            place = place.setdefault(table, tomlkit.table())
        known = place.get(last)
        if isinstance(known, list) and isinstance(value, list):
            _patch(known, value)
        else:
            place[last] = value
        return _same_ends(text, tomlkit.dumps(document))
    except (TOMLKitError, AttributeError, TypeError):
        return None


def _patch(old: list[Any], new: list[Any]) -> None:
    """Change only the items that differ, so that comments beside the others stay."""
    while len(old) > len(new):
        at = next((n for n, item in enumerate(new) if old[n] != item), len(new))
        del old[at]
    for at, item in enumerate(new):
        if at == len(old):
            old.append(item)
        elif old[at] != item:
            old[at] = item


def _same_ends(old: str, new: str) -> str:
    """The new text with the line ends of the old one."""
    if "\r\n" in old and old.count("\n") == old.count("\r\n"):
        return new.replace("\r\n", "\n").replace("\n", "\r\n")
    return new
