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

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ..paths import Places

_RECORD = "pi-install.json"
_KEYS = ("packages", "extensions")
#: The name of our package's folder, wherever it is installed.
_PACKAGE = "pimem_pi"


class Provider(Value):
    """Another extension that offers a system's tools: where pi's settings name it."""

    system: str
    source: str
    key: str
    index: int
    off: bool


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


def _entries(raw: dict[str, Any], key: str) -> list[Any]:
    found = raw.get(key)
    return found if isinstance(found, list) else []


def _source(entry: Any) -> str:
    if isinstance(entry, dict):
        entry = entry.get("source")
    return entry if isinstance(entry, str) else ""


def _folder_of(entry: Any, places: Places) -> str:
    """The folder that an entry names, empty where it names none."""
    source = _source(entry)
    if not source or ":" in source.split("/", 1)[0]:
        return ""
    # A relative one counts from pi's agent folder.
    return os.path.realpath(os.path.join(places.agent_dir, os.path.expanduser(source)))


def _is_a_pimem(entry: Any, places: Places) -> bool:
    """Whether an entry names our package, in this installation or another, there or gone."""
    return os.path.basename(_folder_of(entry, places)) == _PACKAGE


def registered(places: Places) -> bool:
    """Whether pi loads this installation's package: its settings name it, and no other one."""
    return [_folder_of(entry, places) for entry in _ours(_read(places), places)] == [
        os.path.realpath(package_folder())
    ]


def other_installations(places: Places) -> list[str]:
    """The packages of other installations that pi's settings name, there or gone."""
    folder = os.path.realpath(package_folder())
    found = [_folder_of(entry, places) for entry in _ours(_read(places), places)]
    return [path for path in found if path != folder]


def _ours(raw: dict[str, Any], places: Places) -> list[Any]:
    return [entry for entry in _entries(raw, "packages") if _is_a_pimem(entry, places)]


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


def providers(places: Places, known: Sequence[tuple[str, Sequence[str]]]) -> list[Provider]:
    """Other extensions in pi's settings that offer what a system does.

    Args:
        places: With pi's agent folder.
        known: Each system's name with parts of the sources of its other providers.
    """
    return _providers(_read(places), known)


def _providers(raw: dict[str, Any], known: Sequence[tuple[str, Sequence[str]]]) -> list[Provider]:
    found = []
    for key in _KEYS:
        for index, entry in enumerate(_entries(raw, key)):
            source = _source(entry)
            for system, parts in known:
                if any(part in source for part in parts) and not source.startswith(("-", "!")):
                    off = isinstance(entry, dict) and entry.get("extensions") == []
                    found.append(
                        Provider(system=system, source=source, key=key, index=index, off=off)
                    )
    return found


def install(
    places: Places, known: Sequence[tuple[str, Sequence[str]]], *, take_over: bool
) -> Installed:
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
            for provider in _providers(raw, known) if take_over else ():
                if provider.off:
                    continue
                written = jsonedit.raw_item(wanted, provider.key, provider.index)
                off = _switched_off(provider, json.loads(jsonc.blank(written)))
                wanted = jsonedit.set_item(wanted, provider.key, provider.index, off)
                record.append({"key": provider.key, "was": written, "off": json.dumps(off)})
        except ValueError as error:
            raise ConfigError(f"{path}: {error}. Nothing was changed.") from error
        if wanted != text:
            _keep_record(places, record)
        return wanted

    others = providers(places, known)
    return _done(path, *rewrite(path, edit), others)


def _with_package(text: str, raw: dict[str, Any], places: Places, folder: str) -> str:
    """The settings with one entry for our package, in the place of any older one."""
    entries = _entries(raw, "packages")
    ours = [n for n, entry in enumerate(entries) if _is_a_pimem(entry, places)]
    right = [n for n in ours if _folder_of(entries[n], places) == os.path.realpath(folder)]
    if not ours:
        return jsonedit.add_item(text, "packages", folder)
    kept = (right or ours)[0]
    if not right:
        text = jsonedit.set_item(text, "packages", kept, folder)
    for index in reversed(ours):
        if index != kept:
            text = jsonedit.remove_item(text, "packages", index)
    return text


def _switched_off(provider: Provider, entry: Any) -> Any:
    """The entry with nothing of it loaded."""
    if provider.key == "extensions":
        return f"-{provider.source}"
    kept = dict(entry) if isinstance(entry, dict) else {"source": entry}
    return {**kept, "extensions": [], "skills": []}


def uninstall(places: Places) -> Installed:
    """Take our package out of pi's settings and put back what `install` switched off."""
    record = _record(places)
    path = settings_path(places)

    def edit(text: str) -> str:
        wanted = text
        try:
            entries = _entries(_parse(text, path), "packages")
            ours = [n for n, entry in enumerate(entries) if _is_a_pimem(entry, places)]
            for index in reversed(ours):
                wanted = jsonedit.remove_item(wanted, "packages", index)
            if ours and len(ours) == len(entries):
                wanted = jsonedit.remove_key(wanted, "packages")
            for kept in record:
                current = _entries(_parse(wanted, path), kept["key"])
                for index, entry in enumerate(current):
                    if entry == json.loads(kept["off"]):
                        wanted = jsonedit.replace_raw(wanted, kept["key"], index, kept["was"])
                        break
        except (ValueError, KeyError, TypeError) as error:
            raise ConfigError(f"{path}: {error}. Nothing was changed.") from error
        return wanted

    done = _done(path, *rewrite(path, edit), [])
    _keep_record(places, [])
    return done


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
