"""The describe documents kept for the shim, so that pi knows the tools before pimem runs.

`describe/<16 hex of sha256 of the folder>.json` and `describe/last.json` in the state folder hold
`{"command": [...], "describe": {...}}`. The command of an installation stands in last.json.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys

from ..errors import PimemError
from ..files.read import read_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from ..paths import Places


def _folder(places: Places) -> str:
    return os.path.join(places.state_dir, "describe")


def _paths(places: Places) -> tuple[str, str]:
    import hashlib

    name = hashlib.sha256(places.cwd.encode("utf-8", "replace")).hexdigest()[:16]
    return os.path.join(_folder(places), f"{name}.json"), os.path.join(_folder(places), "last.json")


def runner_command() -> list[str]:
    """How this very installation is started, with an absolute path."""
    program = os.path.abspath(sys.argv[0])
    if os.path.basename(program) == "pimem" and os.access(program, os.X_OK):
        return [program]
    return [sys.executable, "-P", "-m", "pimem_tui"]  # nothing of the working folder


def installed_command(places: Places) -> list[str] | None:
    """The command that `pi install` wrote, None when there is none."""
    try:
        command = json.loads(read_bytes(_paths(places)[1]))["command"]
    except (PimemError, ValueError, KeyError, TypeError):
        return None
    return command if isinstance(command, list) and command else None


def forget_folders(places: Places) -> None:
    """Remove the descriptions of single folders; the newest is left."""
    newest = _paths(places)[1]
    with contextlib.suppress(OSError):
        for entry in os.scandir(_folder(places)):
            if entry.path != newest:
                os.unlink(entry.path)


def store(
    places: Places,
    document: Mapping[str, Any],
    command: Sequence[str] | None = None,
    *,
    only_here: bool = False,
) -> None:
    """Keep a description for its folder and as the newest; a disk that refuses does no harm.

    Args:
        places: With the folder that the description is for.
        document: What `describe` answered.
        command: How to start pimem; the installed command when left out.
        only_here: Whether the newest description stays, since this one holds for its folder only.
    """
    from ..files.publish import make_folder, publish

    command = list(command or installed_command(places) or runner_command())
    data = json.dumps({"command": command, "describe": document}, ensure_ascii=False)
    for path in _paths(places)[: 1 if only_here else 2]:
        try:
            if _current(path) == data.encode():
                continue
            make_folder(_folder(places))
            publish(path, data.encode(), durable=False)
        except (OSError, PimemError):
            return


def _current(path: str) -> bytes | None:
    try:
        return read_bytes(path)
    except PimemError:
        return None
