"""pimem's own settings, `config.toml`, and what is wrong with it if anything is."""

from __future__ import annotations

import os
import re

from ..errors import ConfigError, PimemError, TopicNotFoundError
from ..files.read import read_bytes
from ..value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from ..model import Setting
    from ..paths import Places

SETTINGS_NAME = "config.toml"
SYSTEM_NAMES = ("openpi", "layered", "zcode", "openviking")


class Settings(Value):
    """What config.toml says, with defaults for what it leaves out.

    `systems` maps a system to `on`, `off` or `auto`. `inject_mode` is `auto`, `sticky` or
    `scheduled`, `stamps` is `day` or `full`. `pi_memory` and `pi_subagents` are `on` or `off`:
    whether memory takes part in pi, and in agents that another pi started. The undo journal keeps
    at most `undo_max_mb` megabytes and `undo_max_days` days.
    `secrets_extra` are regular expressions of further credentials, `secrets_allowed` of values
    that only look like one. `theme` is `light`, `dark`, `terminal` or a Textual theme, None for
    the default. `keys` maps ids of bindings to their keys, separated by commas.

    Layered memory: `layered_global_dir` is None for the usual place, `layered_workspace_dir` is
    relative to the project, `layered_always_inject` are folders of the global layer, the limits
    count characters, and `layered_worktree` is `own` or `shared`: whose memory a linked git
    worktree has.
    """

    systems: Mapping[str, str] = {}
    inject_mode: str = "auto"
    stamps: str = "day"
    pi_memory: str = "on"
    pi_subagents: str = "off"
    undo_max_mb: float = 100
    undo_max_days: float = 180
    secrets_extra: Sequence[str] = ()
    secrets_allowed: Sequence[str] = ()
    theme: str | None = None
    keys: Mapping[str, str] = {}
    layered_global_dir: str | None = None
    layered_workspace_dir: str = ".pi/memory"
    layered_always_inject: Sequence[str] = ("user", "knowledge")
    layered_max_file_chars: int = 4000
    layered_max_total_chars: int = 8000
    layered_worktree: str = "own"


def _texts(value: Any) -> Sequence[str] | None:
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return tuple(value)
    return None


def _patterns(value: Any) -> Sequence[str] | None:
    """Those of a list's regular expressions that are none broken."""
    texts = _texts(value)
    return None if texts is None else tuple(text for text in texts if _flaw(text) is None)


def _flaw(pattern: str) -> str | None:
    try:
        re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as error:
        return str(error)
    return None


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _positive(value: Any) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return value if is_number and value >= 0 else None


def _count(value: Any) -> int | None:
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return value if is_number and value > 0 else None


def _folder(value: Any) -> str | None:
    """A folder of the person's own; a relative one would mean another place in every project."""
    if isinstance(value, str) and (value.startswith("~/") or os.path.isabs(value)):
        return value
    return None


def _folder_below(value: Any) -> str | None:
    """A folder inside a project: nothing that leads out of it."""
    if not isinstance(value, str) or os.path.isabs(value) or "\0" in value:
        return None
    path = os.path.normpath(value)
    return None if path == "." or path.split(os.sep)[0] == ".." else path


def _one_of(*words: str) -> Callable[[Any], str | None]:
    return lambda value: value if value in words else None


def _switches(value: Any) -> Mapping[str, str] | None:
    if not isinstance(value, dict):
        return None
    return {key: word for key, word in value.items() if word in ("on", "off", "auto")}


def _bound(value: Any) -> Mapping[str, str]:
    """Keys by the id of their binding: one text, or a list of them; dots may nest tables."""
    bound: dict[str, str] = {}
    for key, keys in _flat(value) if isinstance(value, dict) else ():
        if isinstance(keys, str) and keys:
            bound[key] = keys
        elif _texts(keys):
            bound[key] = ",".join(keys)
    return bound


#: Dotted key: the field, and what makes a usable value of what the file holds.
_KEYS: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "inject.mode": ("inject_mode", _one_of("auto", "sticky", "scheduled")),
    "inject.stamps": ("stamps", _one_of("day", "full")),
    "undo.max_mb": ("undo_max_mb", _positive),
    "undo.max_days": ("undo_max_days", _positive),
    "secrets.extra": ("secrets_extra", _patterns),
    "secrets.allowed": ("secrets_allowed", _patterns),
    "layered.global_dir": ("layered_global_dir", _folder),
    "layered.workspace_dir": ("layered_workspace_dir", _folder_below),
    "layered.always_inject": ("layered_always_inject", _texts),
    "layered.max_file_chars": ("layered_max_file_chars", _count),
    "layered.max_total_chars": ("layered_max_total_chars", _count),
    "layered.worktree": ("layered_worktree", _one_of("own", "shared")),
    "pi.memory": ("pi_memory", _one_of("on", "off")),
    "pi.subagents": ("pi_subagents", _one_of("off", "on")),
    "theme": ("theme", _text),
}


#: What a usable value is, in words, and how a front edits it: see `Setting.kind`.
_WANTED: dict[str, tuple[str, str]] = {
    "inject.mode": ("choice", "auto, sticky or scheduled"),
    "inject.stamps": ("choice", "day or full"),
    "pi.memory": ("choice", "on or off"),
    "pi.subagents": ("choice", "off or on"),
    "undo.max_mb": ("number", "a number, 0 or more"),
    "undo.max_days": ("number", "a number, 0 or more"),
    "secrets.extra": ("texts", "a list of regular expressions"),
    "secrets.allowed": ("texts", "a list of regular expressions"),
    "layered.global_dir": ("text", "an absolute path, or one that begins with ~/"),
    "layered.workspace_dir": ("text", "a path inside the project"),
    "layered.always_inject": ("texts", "a list of folders"),
    "layered.max_file_chars": ("number", "a whole number above 0"),
    "layered.max_total_chars": ("number", "a whole number above 0"),
    "layered.worktree": ("choice", "own or shared"),
    "theme": ("choice", "the name of a theme"),
}
_CHOICES: dict[str, Sequence[str]] = {
    "inject.mode": ("auto", "sticky", "scheduled"),
    "inject.stamps": ("day", "full"),
    "pi.memory": ("on", "off"),
    "pi.subagents": ("off", "on"),
    "layered.worktree": ("own", "shared"),
    "theme": ("dark", "light", "terminal"),
}
_SWITCH = ("auto", "on", "off")


def requirement(key: str, value: Any) -> str | None:
    """What a value of a key must be, in words, where the given one cannot be used; else None."""
    if key.startswith("systems.") and key.partition(".")[2] in SYSTEM_NAMES:
        return None if value in _SWITCH else "auto, on or off"
    if key not in _KEYS:
        return f"one of the known keys: {', '.join(_KEYS)}"
    used = _KEYS[key][1](value)
    is_whole = used is not None and (not isinstance(value, list) or len(used) == len(value))
    return None if is_whole else _WANTED[key][1]


def settings_path(places: Places) -> str:
    """The file."""
    return os.path.join(places.config_dir, SETTINGS_NAME)


def load_settings(places: Places) -> tuple[Settings, ConfigError | None]:
    """The settings that hold, and what is wrong with the file if anything is."""
    try:
        raw = _read(places)
    except ConfigError as error:
        return Settings(), error
    if not raw:
        return Settings(), None
    values: dict[str, Any] = {
        "systems": _switches(raw.get("systems")) or {},
        "keys": _bound(raw.get("keys")),
    }
    for key, (field, usable) in _KEYS.items():
        value = usable(_at(raw, key))
        if value is not None:
            values[field] = value
    return Settings(**values), _broken_pattern(raw, settings_path(places))


def _broken_pattern(raw: Mapping[str, Any], path: str) -> ConfigError | None:
    for key in ("secrets.extra", "secrets.allowed"):
        for pattern in _texts(_at(raw, key)) or ():
            flaw = _flaw(pattern)
            if flaw is not None:
                return ConfigError(
                    f"{path}: {key} holds a broken pattern, {pattern!r}: {flaw}. "
                    "It is left out until it is fixed."
                )
    return None


def _read(places: Places) -> Mapping[str, Any]:
    path = settings_path(places)
    try:
        data = read_bytes(path, follow=True)
    except TopicNotFoundError:
        return {}
    except PimemError as error:
        raise ConfigError(f"{error} Defaults are used until it can be read.") from error
    import tomllib  # only a person who has the file pays for it

    try:
        return tomllib.loads(data.decode())
    except UnicodeDecodeError as error:
        raise ConfigError(
            f"{path} is not UTF-8 at byte {error.start}. Defaults are used until it is fixed."
        ) from error
    except (ValueError, RecursionError) as error:
        raise ConfigError(f"{path}: {error}. Defaults are used until it is fixed.") from error


def _at(raw: Mapping[str, Any], key: str) -> Any:
    value: Any = raw
    for part in key.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return value


def setting_rows(places: Places) -> list[Setting]:
    """Each setting with the value that holds and its source; unknown keys are listed too.

    Of a broken file nothing comes: `load_settings` says why.
    """
    from ..model import Setting

    try:
        raw = _read(places)
    except ConfigError:
        raw = {}
    current, _error = load_settings(places)
    path = settings_path(places)
    found = []
    for key, (field, usable) in _KEYS.items():
        value = getattr(current, field)
        written = _at(raw, key)
        source = "default"
        if written is not None:
            source = path if usable(written) is not None else f"{path} (not usable as written)"
        plain = list(value) if isinstance(value, tuple) else value
        kind = _WANTED[key][0]
        row = Setting(key=key, value=plain, source=source, kind=kind, choices=_CHOICES.get(key, ()))
        found.append(row)
    for system in SYSTEM_NAMES:
        word = current.systems.get(system)
        key = f"systems.{system}"
        source = "default" if _at(raw, key) is None else path
        if _at(raw, key) is not None and word is None:
            source = f"{path} (not usable as written)"
        row = Setting(key=key, value=word or "auto", source=source, kind="choice", choices=_SWITCH)
        found.append(row)
    for key, keys in current.keys.items():
        found.append(Setting(key=f"keys.{key}", value=keys, source=path))
    known = {
        *_KEYS,
        *(f"systems.{name}" for name in SYSTEM_NAMES),
        *(f"keys.{key}" for key in current.keys),
    }
    found.extend(
        Setting(key=key, value=value, source=f"{path} (unknown key, kept)")
        for key, value in _flat(raw)
        if key not in known
    )
    return found


def _flat(raw: Mapping[str, Any], prefix: str = "") -> list[tuple[str, Any]]:
    flat: list[tuple[str, Any]] = []
    for key, value in raw.items():
        if isinstance(value, dict):
            flat.extend(_flat(value, f"{prefix}{key}."))
        else:
            flat.append((prefix + key, value))
    return flat
