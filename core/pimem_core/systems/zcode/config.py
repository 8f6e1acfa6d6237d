"""`zcode-memory.json`: one for the user, one for the project, the project's going before."""

from __future__ import annotations

import os

from ...errors import ConfigError, PimemError, TopicNotFoundError
from ...files.read import read_bytes
from ...value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from ...model import Setting
    from ...paths import Places
    from ...settings.config import Settings

_NAME = "zcode-memory.json"
_KEYS: Mapping[str, type] = {"enabled": bool, "dir": str, "injectIndex": bool}
_WANTED = {bool: "true or false", str: "a text"}


class Config(Value):
    """What the files say, with defaults for what they leave out.

    `dir` is absolute or None. `waiting_dir` is the one that the project's own file names, while the
    person has not agreed to use it: a clone must not choose what the model is given, nor where it
    writes.
    """

    enabled: bool = True
    dir: str | None = None
    inject_index: bool = True
    waiting_dir: str | None = None


def root(places: Places) -> str:
    """The project that the person's answer is about."""
    from ...files.git_root import work_tree_root

    return work_tree_root(places.cwd) or places.cwd


def storage_roots(places: Places) -> list[tuple[str, str]]:
    """The folders that ZCode may keep its data in, and what names each; the first counts most.

    Its versions differ: `ZCODE_STORAGE_DIR` is the folder itself, `ZCODE_DATA_BASE_DIR` and
    `dataBaseDir` of its settings the one above it, `ZCODE_HOME` either.
    """
    env, default = places.env, os.path.join(places.home, ".zcode")
    found: dict[str, str] = {}

    def add(path: str, source: str) -> None:
        if path.startswith("~/"):
            path = places.home + path[1:]
        if os.path.isabs(path):
            found.setdefault(os.path.normpath(path), source)

    if env.get("ZCODE_STORAGE_DIR"):
        add(os.path.abspath(env["ZCODE_STORAGE_DIR"]), "ZCODE_STORAGE_DIR")
    if env.get("ZCODE_DATA_BASE_DIR"):
        add(os.path.join(env["ZCODE_DATA_BASE_DIR"], ".zcode"), "ZCODE_DATA_BASE_DIR")
    for file, base, folder in _own_settings(default):
        add(os.path.join(base, ".zcode") if base else folder, file)
    home = env.get("ZCODE_HOME", "")
    if home:
        is_itself = os.path.basename(os.path.normpath(home)) in (".zcode", "cli")
        below = os.path.join(home, ".zcode")
        add(below if not is_itself and os.path.isdir(below) else home, "ZCODE_HOME")
    add(default, "")
    return list(found.items())


def _own_settings(root: str) -> list[tuple[str, str, str]]:
    """ZCode's settings files with the `dataBaseDir` or the `storage.dir` that each names."""
    if not os.path.isdir(root):
        return []  # so it is for most people
    found = []
    for name in ("settings.json", "setting.json", "config.json"):
        for path in (os.path.join(root, name), os.path.join(root, "v2", name)):
            try:
                raw = _read(path)
            except ConfigError:
                continue
            storage = raw.get("storage")
            base = raw.get("dataBaseDir")
            folder = storage.get("dir") if isinstance(storage, dict) else None
            if isinstance(base, str) and base:
                found.append((path, base, ""))
            if isinstance(folder, str) and folder:
                found.append((path, "", folder))
    return found


def storage_root(places: Places) -> str:
    """ZCode's folder where none of them has a memory of the project yet."""
    return storage_roots(places)[0][0]


def paths(places: Places) -> tuple[str, str]:
    """The user's file and the project's."""
    return (
        os.path.join(places.agent_dir, "extensions", _NAME),
        os.path.join(places.cwd, ".pi", _NAME),
    )


def load(places: Places, *, project: bool = True) -> tuple[Config, ConfigError | None]:
    """The configuration that holds, and what is wrong with the files if anything is.

    Args:
        places: Where the files are.
        project: Whether the project's own file counts; a project that is not trusted has no say.
    """
    merged: dict[str, Any] = {}
    wrong: list[str] = []
    waiting: str | None = None
    for path in paths(places)[: 2 if project else 1]:
        try:
            read, ignored = _usable(path, _read(path), places)
        except ConfigError as error:
            wrong.append(str(error))
            continue
        wrong += ignored
        if path == paths(places)[1] and "dir" in read and not _is_agreed(places):
            waiting = read.pop("dir")
        merged = _merge(merged, read)
    config = Config(
        enabled=merged.get("enabled", True),
        dir=merged.get("dir"),
        inject_index=merged.get("injectIndex", True),
        waiting_dir=waiting,
    )
    return config, ConfigError(" ".join(wrong)) if wrong else None


def _is_agreed(places: Places) -> bool:
    from ...settings import trust  # hardly any project names a folder

    return trust.answer(places, root(places)) is True


def _merge(below: Mapping[str, Any], above: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(below)
    for key, value in above.items():
        old = merged.get(key)
        if isinstance(old, dict) and isinstance(value, dict):
            value = _merge(old, value)
        merged[key] = value
    return merged


def _read(path: str) -> dict[str, Any]:
    """What a file holds; nothing when it is absent.

    Raises:
        ConfigError: It cannot be read, or is not a JSON object.
    """
    try:
        data = read_bytes(path, follow=True)
    except TopicNotFoundError:
        return {}
    except PimemError as error:
        raise ConfigError(f"{error} It is ignored until it is fixed.") from error
    import json  # most people have no such file

    try:
        raw = json.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise ConfigError(
            f"{path} is not UTF-8 at byte {error.start}. It is ignored until it is fixed."
        ) from error
    except json.JSONDecodeError as error:
        raise ConfigError(
            f"{path}, line {error.lineno}, column {error.colno}: {error.msg}. "
            "It is ignored until it is fixed."
        ) from error
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path}: {error}. It is ignored until it is fixed.") from error
    if not isinstance(raw, dict):
        raise ConfigError(
            f"{path}, line 1, column 1: the file must hold an object. "
            "It is ignored until it is fixed."
        )
    return raw


def _usable(
    path: str, raw: Mapping[str, Any], places: Places
) -> tuple[dict[str, Any], Sequence[str]]:
    """The keys that can be used, and a sentence for each that cannot."""
    found: dict[str, Any] = {}
    wrong = []
    for key, value in raw.items():
        kind = _KEYS.get(key)
        if kind is None or value is None:
            continue
        if not isinstance(value, kind) or value == "":
            wrong.append(f'{path}: "{key}" must be {_WANTED[kind]}; it is ignored.')
        elif key == "dir":
            folder = _folder(str(value), places)
            if folder is None:
                wrong.append(f'{path}: "dir" {value} is a path of another system; it is ignored.')
            else:
                found[key] = folder
        else:
            found[key] = value
    return found, wrong


def _folder(value: str, places: Places) -> str | None:
    """`dir` as an absolute path. This is the only place where `~` is expanded."""
    if os.name != "nt" and (value[1:3] in (":\\", ":/") or value.startswith("\\\\")):
        return None
    if value == "~" or value.startswith(("~/", "~\\")):
        value = places.home + value[1:]
    return os.path.abspath(os.path.join(places.cwd, value))


def settings(places: Places) -> list[Setting]:
    """Each key with the value that holds and its source; unknown keys are listed too.

    Of a broken file nothing comes: `load` says why.
    """
    from ...model import Setting
    from ...settings import trust

    config, _error = load(places)
    values = {"enabled": config.enabled, "dir": config.dir, "injectIndex": config.inject_index}
    sources = dict.fromkeys(values, "default")
    unknown: list[Setting] = []
    for path in paths(places):
        try:
            raw = _read(path)
        except ConfigError:
            continue
        usable, _wrong = _usable(path, raw, places)
        for key, value in raw.items():
            if key == "dir" and config.waiting_dir is not None and path == paths(places)[1]:
                if sources[key] == "default":
                    sources[key] = f"{path} (not used before you agree)"
            elif key in usable:
                sources[key] = path
            elif key not in _KEYS:
                source = f"{path} (unknown key, kept)"
                unknown.append(Setting(key=f"zcode.{key}", value=value, source=source))
            elif sources[key] == "default" and value is not None:
                sources[key] = f"{path} (not usable as written)"
    known = [Setting(key=f"zcode.{k}", value=v, source=sources[k]) for k, v in values.items()]
    asked = root(places) if config.waiting_dir is not None else ""
    if asked and trust.answer(places, asked) is None:  # answers that there are show elsewhere
        agreed = Setting(key=f"trust.{asked}", value=False, source="default", kind="switch")
        known.append(agreed)
    return [*known, *unknown]


def is_active(places: Places, settings: Settings) -> bool:
    """Whether the system takes part for this user and folder.

    By itself it does where ZCode was used or its memory configured, unless that turned it off.
    """
    word = settings.systems.get("zcode", "auto")
    if word != "auto":
        return word == "on"
    return is_in_use(places) and load(places)[0].enabled


def is_in_use(places: Places) -> bool:
    """Whether ZCode was ever used here, or its memory configured."""
    roots = [root for root, _source in storage_roots(places)]
    return any(map(os.path.lexists, (*roots, *paths(places))))
