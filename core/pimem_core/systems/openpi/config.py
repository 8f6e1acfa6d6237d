"""`memory.jsonc`: the rules and numbers of openpi, read afresh at every use."""

from __future__ import annotations

import functools
import json
import math
import os

from ...errors import ConfigError, InvalidArgumentError, InvalidTopicError, PimemError
from ...files.read import is_there, read_bytes
from ...formats import jsonc
from ...value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from ...model import Setting
    from ...paths import Places

CONFIG_NAME = "memory.jsonc"
_LEGACY_NAME = "RULES.jsonc"
#: Length of an index, in lines, that the model is given at most; a person may set 50 to 1000.
_LINES = (50, 1000)


class Config(Value):
    """What memory.jsonc says, with defaults for what it leaves out.

    `stale_after_days` 0 turns stale marks off, `handoff_keep` 0 the handoff.
    """

    always_persist: Sequence[Any] = ()
    never_persist: Sequence[Any] = ()
    always_ask: Sequence[Any] = ()
    max_lines: float = 300
    stale_after_days: float = 180
    inject_every_n_turns: float = 5
    handoff_keep: float = 3
    auto_resume_after_threshold_compaction: bool = False
    consolidate_on_compact: bool = False
    shared_dir: bool = False


_RULES = ("always_persist", "never_persist", "always_ask")
_BOUNDS: dict[str, tuple[float, float]] = {
    "max_lines": _LINES,
    "stale_after_days": (0, math.inf),
    "inject_every_n_turns": (1, math.inf),
    "handoff_keep": (0, math.inf),
}
_SWITCHES = ("auto_resume_after_threshold_compaction", "consolidate_on_compact", "shared_dir")
KEYS = (*_RULES, *_BOUNDS, *_SWITCHES)

_DEFAULT = """\
{
  // What is worth keeping without being asked. One rule per line, in plain words.
  // The rules go into the prompt, so short ones are worth it.
  "always_persist": [
    "Solved problems: cause and working fix",
    "Preferences the user states",
    "Server or infrastructure setup, found or changed",
    "Commands and workflows needed again",
    "Facts on hardware, models, environment"
  ],

  // What never belongs in memory.
  "never_persist": [
    "What code or git history shows",
    "Step-by-step debugging notes",
    "Task state that ends with the session",
    "What AGENTS.md or CLAUDE.md say",
    "Long code: summarize or name the file"
  ],

  // What may be kept only after the user agreed.
  "always_ask": [
    "Credentials, tokens, keys",
    "Personal data",
    "Anything private or short-lived"
  ],

  // Lines of the index that the model is given at most (50 to 1000).
  "max_lines": 300,

  // Days after which an unpinned topic is marked as stale; 0 turns the mark off.
  "stale_after_days": 180,

  // The index is injected on the first prompt and then on every n-th.
  "inject_every_n_turns": 5,

  // Compaction handoffs to keep in HANDOFF.md; 0 turns them off.
  "handoff_keep": 3,

  // Say "Continue." after a compaction that the context limit forced, whatever the handoff says.
  "auto_resume_after_threshold_compaction": false,

  // After such a compaction, have the model save what is worth keeping.
  "consolidate_on_compact": false,

  // Use ~/.agents/memory, together with other tools, instead of pi's own folder.
  "shared_dir": false
}
"""

_last_good: dict[str, Config] = {}


def config_path(places: Places) -> str:
    """The file; it is never shared between tools."""
    return os.path.join(places.agent_dir, CONFIG_NAME)


def load(places: Places) -> tuple[Config, ConfigError | None]:
    """The configuration that holds, and what is wrong with the file if anything is.

    A missing file means defaults, or the older `RULES.jsonc` where that still exists. A broken one
    means the last good values, as this process read them or as the state folder has them, else
    defaults without rules.
    """
    path = config_path(places)
    try:
        if not is_there(path, follow=True):
            legacy = _legacy_path(places)
            if is_there(path):
                return _broken(places, path, f"{path} is a link to nothing")
            if not is_there(legacy, follow=True):
                return default(), None
            path = legacy
        raw = jsonc.parse(read_bytes(path, follow=True).decode())
    except json.JSONDecodeError as error:
        where = f"{path}, line {error.lineno}, column {error.colno}"
        return _broken(places, path, f"{where}: {error.msg}")
    except UnicodeDecodeError as error:
        return _broken(places, path, f"{path} is not UTF-8 at byte {error.start}")
    except InvalidTopicError as error:
        # As openpi-memory: what is no file has no values, old ones neither. The store stays.
        held, _said = _broken(places, path, "")
        text = f"{str(error).rstrip('.')}. Defaults are used until it is fixed."
        return Config(shared_dir=held.shared_dir), ConfigError(text)
    except PimemError as error:
        return _broken(places, path, str(error).rstrip("."))
    if raw is None:
        text = f"{path}, line 1, column 1: the file holds null where an object belongs"
        return _broken(places, path, text)
    config = from_json(raw if isinstance(raw, dict) else {})
    _last_good[path] = config
    return config, None


def _broken(places: Places, path: str, what: str) -> tuple[Config, ConfigError]:
    """What holds while the file is broken, and the sentence about it with the store in use."""
    config = _last_good.get(path) or _kept(places, path)
    holds = "Defaults are used" if config is None else "The last good values are used"
    config = config or Config()
    store = "shared" if config.shared_dir else "local"
    return config, ConfigError(f"{what}. {holds} until it is fixed, in the {store} store.")


def keep_good(places: Places) -> None:
    """Keep the values that hold now for a later process that finds the file broken.

    Belongs to changes and hooks, never to reads. A disk that refuses does no harm.
    """
    config, error = load(places)
    path = config_path(places)
    if error is not None or _kept(places, path) == config:
        return
    from ...files.publish import private_folder, publish

    kept = {key: getattr(config, key) for key in KEYS}
    target = _kept_path(places, path)
    try:
        private_folder(os.path.dirname(target))
        publish(target, json.dumps({"path": path, **kept}).encode(), durable=False)
    except (OSError, PimemError):
        pass


def _kept(places: Places, path: str) -> Config | None:
    try:
        raw = json.loads(read_bytes(_kept_path(places, path)))
    except (PimemError, ValueError, RecursionError):
        return None
    # The path is compared as well: another agent folder has its own configuration.
    if not isinstance(raw, dict) or raw.get("path") not in (path, config_path(places)):
        return None
    return from_json(raw)


def _kept_path(places: Places, path: str) -> str:
    import hashlib  # takes 2 ms to load; only a broken file and a session's start need it

    folder = os.path.dirname(path) if path == config_path(places) else places.agent_dir
    name = hashlib.sha256(os.fsencode(folder)).hexdigest()[:16]
    return os.path.join(places.state_dir, "good", f"{name}.json")


@functools.cache
def default() -> Config:
    """The configuration that a fresh installation starts with."""
    return from_json(jsonc.parse(_DEFAULT))


def from_json(raw: Mapping[str, Any]) -> Config:
    """Take what has the right type, clamp it, and leave the rest at its default."""
    values: dict[str, Any] = {}
    for key in _RULES:
        if isinstance(raw.get(key), list):
            values[key] = tuple(raw[key])
    for key, (least, most) in _BOUNDS.items():
        number = raw.get(key)
        if isinstance(number, int | float) and not isinstance(number, bool):
            values[key] = min(max(number, least), most)
    for key in _SWITCHES:
        if isinstance(raw.get(key), bool):
            values[key] = raw[key]
    return Config(**values)


def bootstrap(places: Places) -> None:
    """Create memory.jsonc where it is missing: from the older RULES.jsonc, else our default.

    A file that another process creates first stays. Belongs to changes and hooks, never to reads.

    Raises:
        StorageError: It cannot be written.
    """
    path = config_path(places)
    if is_there(path):
        return
    from ...files.publish import explained, make_folder

    data = _DEFAULT.encode()
    legacy = _legacy_path(places)
    with explained(path):
        make_folder(places.agent_dir)
        if is_there(legacy, follow=True):
            data = read_bytes(legacy, follow=True)
            _publish_new(legacy + ".bak", data)
        _publish_new(path, data)


def _publish_new(path: str, data: bytes) -> None:
    from ...files.publish import publish

    if not is_there(path):
        try:
            publish(path, data, exclusive=True)
        except FileExistsError:
            pass


def _legacy_path(places: Places) -> str:
    return os.path.join(places.agent_dir, "memory", _LEGACY_NAME)


def settings(places: Places) -> list[Setting]:
    """Each key with the value that holds and where it comes from; unknown keys are listed too.

    Of a broken file nothing comes: `load` says why.
    """
    from ...model import Setting

    config, error = load(places)
    path = config_path(places)
    raw: Any = {}
    if error is None and not is_there(path, follow=True):
        path = _legacy_path(places)
    if error is None and is_there(path, follow=True):
        raw = jsonc.parse(read_bytes(path, follow=True).decode())
    raw = raw if isinstance(raw, dict) else {}
    found = []
    for key in KEYS:
        value = getattr(config, key)
        plain = list(value) if isinstance(value, tuple) else value
        source = "default"
        if key in raw:
            source = path if raw[key] == plain else f"{path} (not usable as written)"
        kind = "texts" if key in _RULES else "number" if key in _BOUNDS else "switch"
        found.append(Setting(key=key, value=plain, source=source, kind=kind))
    found.extend(
        Setting(key=key, value=raw[key], source=f"{path} (unknown key, kept)")
        for key in raw
        if key not in KEYS
    )
    return found


def wanted(key: str, value: Any) -> str | None:
    """What a value of a key must be, in words, where the given one cannot be used; else None."""
    if key in _RULES:
        is_list = isinstance(value, list)
        if is_list and all(isinstance(rule, str) and rule.strip() for rule in value):
            return None
        return "a list of rules, none of them blank"
    if key in _SWITCHES:
        return None if isinstance(value, bool) else "true or false"
    if key not in _BOUNDS:
        return f"one of the known keys: {', '.join(KEYS)}"
    least, most = _BOUNDS[key]
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if is_number and least <= value <= most and value != math.inf:  # JSON has no infinity
        return None
    return f"a number, {least:g} {'or more' if math.isinf(most) else f'to {most:g}'}"


def change(places: Places, key: str, value: Any) -> None:
    """Set a key of memory.jsonc; comments and every other byte stay.

    Raises:
        InvalidArgumentError: The value cannot be used; the message says what can.
        ConfigError: The file is broken; the message names line and column.
        StorageError: It cannot be written.
    """
    from ...files.rewrite import rewrite
    from ...formats import jsonedit

    needed = wanted(key, value)
    if needed is not None:
        raise InvalidArgumentError(f"{key} must be {needed}.")
    bootstrap(places)
    path = config_path(places)

    def edit(text: str) -> str:
        try:
            return jsonedit.set_value(text, key, value)
        except json.JSONDecodeError as error:
            raise ConfigError(
                f"{path}, line {error.lineno}, column {error.colno}: {error.msg}. "
                "Fix it first; nothing was changed."
            ) from error
        except ValueError as error:
            raise ConfigError(f"{path}: {error}. Fix it first; nothing was changed.") from error

    rewrite(path, edit)
    keep_good(places)


def render_rules(config: Config) -> str:
    """The rules as Markdown: persist, never, ask; empty lists are left out."""
    parts = (
        ("## Always persist", config.always_persist),
        ("## Never persist", config.never_persist),
        ("## Always ask before persisting", config.always_ask),
    )
    return "\n\n".join(
        "\n".join([heading, *(f"- {_as_text(rule)}" for rule in rules)])
        for heading, rules in parts
        if rules
    )


def _as_text(rule: Any) -> str:
    """A rule of any JSON type as JavaScript would say it."""
    if isinstance(rule, str):
        return rule
    if isinstance(rule, list):
        return ",".join("" if item is None else _as_text(item) for item in rule)
    if isinstance(rule, dict):
        return "[object Object]"
    if isinstance(rule, float) and rule.is_integer():
        return str(int(rule))
    return json.dumps(rule)
