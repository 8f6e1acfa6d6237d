"""Where things are. Nothing here touches the disk or creates a folder."""

from __future__ import annotations

import os
import sys

from .value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


class Places(Value):
    """The folders that everything else is found from; all absolute.

    `env` is the environment they were found in: a system looks its own variables up there, so that
    places made by hand, such as the demo's, depend on nothing else.
    """

    home: str
    cwd: str
    agent_dir: str
    shared_home: str
    config_dir: str
    state_dir: str
    env: Mapping[str, str] = {}


def find_places(env: Mapping[str, str] | None = None, cwd: str | None = None) -> Places:
    """Work out the folders of this user.

    `PI_CODING_AGENT_DIR` moves pi's agent folder, `PI_SHARED_MEMORY_HOME` the home of the shared
    store; `HOME` and the XDG variables move the rest.

    Args:
        env: The environment; the process's own when left out.
        cwd: The working folder; the process's own when left out.
    """
    env = os.environ if env is None else env
    home = os.path.abspath(env.get("HOME") or os.path.expanduser("~"))

    def from_env(name: str, default: str) -> str:
        value = env.get(name, "")
        if not value:
            return default
        if value == "~" or value.startswith("~/"):
            value = home + value[1:]
        return os.path.abspath(value)

    return Places(
        home=home,
        cwd=cwd or _working_folder(env),
        agent_dir=from_env("PI_CODING_AGENT_DIR", os.path.join(home, ".pi", "agent")),
        shared_home=from_env("PI_SHARED_MEMORY_HOME", home),
        config_dir=_user_dir(env, "XDG_CONFIG_HOME", home, ".config", "config"),
        state_dir=_user_dir(env, "XDG_STATE_HOME", home, ".local/state", "state"),
        env=env,
    )


def _working_folder(env: Mapping[str, str]) -> str:
    try:
        return os.getcwd()
    except FileNotFoundError:  # the folder was deleted under us
        return env.get("PWD") or "/"


def _user_dir(env: Mapping[str, str], variable: str, home: str, below_home: str, kind: str) -> str:
    base = env.get(variable, "")
    # The XDG rule: a relative path counts as unset.
    if os.path.isabs(base):
        return os.path.join(base, "pimem")
    if sys.platform in ("darwin", "win32"):
        import platformdirs

        if kind == "config":
            return platformdirs.user_config_dir("pimem", appauthor=False)
        return platformdirs.user_state_dir("pimem", appauthor=False)
    return os.path.join(home, below_home, "pimem")


def tilde(path: str, home: str) -> str:
    """Shorten a path below the home folder for people: `~/.agents/memory`."""
    if path == home:
        return "~"
    return "~" + path[len(home) :] if path.startswith(home.rstrip("/") + "/") else path
