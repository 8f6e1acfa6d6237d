"""Whether memory takes part in the host at all: off for everybody, a project, a run, subagents.

Reading and changing memories from the command line and in the manager goes on.
"""

from __future__ import annotations

import os

from ..errors import PimemError
from ..files.git_root import work_tree_root

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..paths import Places
    from .config import Settings

#: The environment variable that switches memory off for whatever is started with it.
VARIABLE = "PIMEM_OFF"
#: Below the state folder: a file for each project.
FOLDER = "off"
_NO = frozenset({"", "0", "no", "off", "false"})


def why_off(places: Places, settings: Settings, *, is_subagent: bool = False) -> str:
    """Why memory takes no part in a session of this folder, as a sentence; empty when it does."""
    if places.env.get(VARIABLE, "").strip().lower() not in _NO:
        return f"Memory is off in pi: {VARIABLE} is set."
    if settings.pi_memory == "off":
        return "Memory is off in pi; pimem on switches it on."
    if is_subagent and settings.pi_subagents == "off":
        return 'Memory is off in subagents; pi.subagents = "on" in config.toml allows it.'
    # Hashing takes a while to load; hardly anybody has such a project.
    if os.path.isdir(os.path.join(places.state_dir, FOLDER)) and os.path.exists(_path(places)):
        return f"Memory is off in pi for {project(places)}; pimem on --project switches it on."
    return ""


def project(places: Places) -> str:
    """The project that the working folder belongs to: its git work tree, else the folder."""
    return work_tree_root(places.cwd) or os.path.realpath(places.cwd)


def switch_project(places: Places, *, on: bool) -> bool:
    """Switch memory in a project; whether that changed anything.

    Raises:
        StorageError: The state folder cannot be written.
    """
    from ..files.publish import explained, private_folder, publish

    path = _path(places)
    if on != os.path.exists(path):
        return False
    with explained(path):
        if on:
            os.unlink(path)
        else:
            private_folder(os.path.dirname(path))
            publish(path, os.fsencode(project(places)) + b"\n")
    return True


def projects(places: Places) -> list[str]:
    """The projects in which memory is off."""
    from ..files.read import read_bytes

    folder = os.path.join(places.state_dir, FOLDER)
    found = []
    try:
        for name in sorted(os.listdir(folder)):
            found.append(os.fsdecode(read_bytes(os.path.join(folder, name))).rstrip("\n"))
    except (OSError, PimemError):
        return found
    return found


def _path(places: Places) -> str:
    import hashlib

    name = hashlib.sha256(os.fsencode(project(places))).hexdigest()[:32]
    return os.path.join(places.state_dir, FOLDER, name)
