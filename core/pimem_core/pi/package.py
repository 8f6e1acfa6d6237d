"""Registering pimem's package with pi, and finding other extensions that do the same.

pi's settings.json is changed by exactly one entry; what an entry was before is kept in the state
folder, so that uninstalling puts it back.
"""

from __future__ import annotations

import json
import os

from ..errors import ConfigError, StorageError, TopicNotFoundError
from ..files.publish import explained, make_folder, publish
from ..files.read import decode, read_bytes
from ..files.rewrite import rewrite
from ..formats import jsonc, jsonedit
from ..formats.diff import unified
from ..value import Value
from .providers import code_folder, entries, find

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ..paths import Places
    from ..systems.system import System
    from .providers import Provider

_RECORD = "pi-install.json"
#: The name of our package's folder, wherever it is installed.
_PACKAGE = "pimem_pi"


class Installed(Value):
    """What `install` or `uninstall` did: whether anything changed, and the difference."""

    changed: bool
    path: str
    difference: str
    providers: Sequence[Provider]


def package_folder() -> str:
    """The pi package inside this installation."""
    import importlib.util

    found = importlib.util.find_spec("pimem_pi")
    if found is None or found.origin is None:
        raise StorageError("This installation lacks the package for pi; install pimem again.")
    return os.path.dirname(os.path.abspath(found.origin))


def settings_path(places: Places) -> str:
    """pi's settings."""
    return os.path.join(places.agent_dir, "settings.json")


def _read(places: Places) -> dict[str, Any]:
    path = settings_path(places)
    try:
        return _parse(decode(read_bytes(path, follow=True), path), path)
    except TopicNotFoundError:
        return {}


def _parse(text: str, path: str) -> dict[str, Any]:
    try:
        raw = jsonc.parse(text) if text.strip() else {}
    except json.JSONDecodeError as error:
        raise ConfigError(
            f"{path}, line {error.lineno}, column {error.colno}: {error.msg}. Nothing was changed."
        ) from error
    if not isinstance(raw, dict):
        raise ConfigError(f"{path} holds no JSON object. Nothing was changed.")
    return raw


def _is_a_pimem(entry: Any, places: Places) -> bool:
    """Whether an entry names our package, in this installation or another, there or gone."""
    return os.path.basename(code_folder(entry, places)) == _PACKAGE


def registered(places: Places) -> bool:
    """Whether pi loads this installation's package: its settings name it, and no other one."""
    return [code_folder(entry, places) for entry in _ours(_read(places), places)] == [
        os.path.realpath(package_folder())
    ]


def other_installations(places: Places) -> list[str]:
    """The packages of other installations that pi's settings name, there or gone."""
    folder = os.path.realpath(package_folder())
    found = [code_folder(entry, places) for entry in _ours(_read(places), places)]
    return [path for path in found if path != folder]


def _ours(raw: dict[str, Any], places: Places) -> list[Any]:
    return [entry for entry in entries(raw, "packages") if _is_a_pimem(entry, places)]


def why_unread(places: Places) -> str:
    """Why pi cannot read its settings, though we can; empty when it can.

    pi takes JSON alone: with a comment or a trailing comma in them it has no settings at all.
    """
    path = settings_path(places)
    try:
        text = decode(read_bytes(path, follow=True), path)
        if text.strip():
            json.loads(text)
    except TopicNotFoundError:
        return ""
    except json.JSONDecodeError as error:
        where = f"{path}, line {error.lineno}, column {error.colno}"
        return f"pi cannot read its settings, so it loads no package: {where}: {error.msg}."
    return ""


def providers(places: Places, systems: Sequence[System]) -> list[Provider]:
    """Other extensions that pi loads and that offer what one of these systems does."""
    return find(places, _read(places), systems)


def install(places: Places, systems: Sequence[System], *, take_over: bool) -> Installed:
    """Name our package in pi's settings; with `take_over` switch other providers off.

    Raises:
        ConfigError: The settings are broken.
        StorageError: They cannot be written.
    """
    folder = package_folder()
    before = _record(places)
    path = settings_path(places)

    def edit(text: str) -> str:
        raw = _parse(text, path)
        record = list(before)
        wanted = text
        try:
            wanted = _with_package(wanted, raw, places, folder)
            others = find(places, raw, systems) if take_over else ()
            on = {(one.key, one.index, one.source) for one in others if not one.off}
            for key, index, source in sorted(on, key=str):
                written, off = "", f"-{source}"
                if index is None:
                    wanted = jsonedit.add_item(wanted, key, off)
                else:
                    written = jsonedit.raw_item(wanted, key, index)
                    off = _switched_off(key, source, json.loads(jsonc.blank(written)))
                    wanted = jsonedit.set_item(wanted, key, index, off)
                record.append({"key": key, "was": written, "off": json.dumps(off)})
        except ValueError as error:
            raise ConfigError(f"{path}: {error}. Nothing was changed.") from error
        if wanted != text:
            _keep_record(places, record)
        return wanted

    return _done(path, *rewrite(path, edit), providers(places, systems))


def _with_package(text: str, raw: dict[str, Any], places: Places, folder: str) -> str:
    """The settings with one entry for our package, in the place of any older one."""
    there = entries(raw, "packages")
    ours = [n for n, entry in enumerate(there) if _is_a_pimem(entry, places)]
    right = [n for n in ours if code_folder(there[n], places) == os.path.realpath(folder)]
    if not ours:
        return jsonedit.add_item(text, "packages", folder)
    kept = (right or ours)[0]
    if not right:
        text = jsonedit.set_item(text, "packages", kept, folder)
    for index in reversed(ours):
        if index != kept:
            text = jsonedit.remove_item(text, "packages", index)
    return text


def _switched_off(key: str, source: str, entry: Any) -> Any:
    """The entry with nothing of it loaded."""
    if key == "extensions":
        return f"-{source}"
    kept = dict(entry) if isinstance(entry, dict) else {"source": entry}
    return {**kept, "extensions": [], "skills": []}


def uninstall(places: Places) -> Installed:
    """Take our package out of pi's settings and put back what `install` switched off."""
    record = _record(places)
    path = settings_path(places)

    def edit(text: str) -> str:
        wanted = text
        try:
            there = entries(_parse(text, path), "packages")
            ours = [n for n, entry in enumerate(there) if _is_a_pimem(entry, places)]
            for index in reversed(ours):
                wanted = jsonedit.remove_item(wanted, "packages", index)
            if ours and len(ours) == len(there):
                wanted = jsonedit.remove_key(wanted, "packages")
            for kept in record:
                current = entries(_parse(wanted, path), kept["key"])
                for index, entry in enumerate(current):
                    if entry == json.loads(kept["off"]):
                        wanted = _put_back(wanted, kept["key"], index, kept["was"])
                        break
        except (ValueError, KeyError, TypeError) as error:
            raise ConfigError(f"{path}: {error}. Nothing was changed.") from error
        return wanted

    done = _done(path, *rewrite(path, edit), [])
    _keep_record(places, [])
    return done


def _put_back(text: str, key: str, index: int, was: str) -> str:
    """The settings with an entry as it was; one that was not there goes."""
    if was:
        return jsonedit.replace_raw(text, key, index, was)
    is_last = len(entries(jsonc.parse(text), key)) == 1
    return jsonedit.remove_key(text, key) if is_last else jsonedit.remove_item(text, key, index)


def _done(path: str, text: str, wanted: str, others: Sequence[Provider]) -> Installed:
    difference = unified(text, wanted, old=path, new=path)
    return Installed(changed=wanted != text, path=path, difference=difference, providers=others)


def _record_path(places: Places) -> str:
    return os.path.join(places.state_dir, _RECORD)


def _record(places: Places) -> list[dict[str, str]]:
    """What `install --take-over` replaced, oldest first.

    Raises:
        StorageError: The record is there and cannot be read: forgetting it would leave another
            extension switched off for good.
    """
    path = _record_path(places)
    try:
        raw = json.loads(read_bytes(path))
    except TopicNotFoundError:
        return []
    except (ValueError, RecursionError) as error:
        raise StorageError(_BROKEN_RECORD.format(path=path)) from error
    if not isinstance(raw, list) or not all(_is_record(entry) for entry in raw):
        raise StorageError(_BROKEN_RECORD.format(path=path))
    return raw


_BROKEN_RECORD = (
    "{path} is broken: it says what pi install switched off in pi's settings. Fix it, or remove it "
    "and switch on by hand what is off; nothing was changed."
)


def _is_record(entry: object) -> bool:
    return isinstance(entry, dict) and all(
        isinstance(entry.get(key), str) for key in ("key", "was", "off")
    )


def _keep_record(places: Places, record: Sequence[dict[str, str]]) -> None:
    path = _record_path(places)
    with explained(path):
        if record:
            make_folder(places.state_dir)
            publish(path, json.dumps(record).encode())
        elif os.path.exists(path):
            os.unlink(path)
