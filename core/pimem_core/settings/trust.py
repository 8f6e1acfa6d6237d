"""What the person said about using a project's own memory in prompts.

Answers are kept in the state folder, one file for each project, never in the project: a clone
must not bring its own permission.
"""

from __future__ import annotations

import json
import os

from ..errors import PimemError
from ..files.publish import explained, private_folder, publish
from ..files.read import read_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ..paths import Places

_FOLDER = "trust"


def _path(places: Places, root: str) -> str:
    import hashlib  # most people have no layered memory to trust

    name = hashlib.sha256(os.fsencode(os.path.realpath(root))).hexdigest()[:32]
    return os.path.join(places.state_dir, _FOLDER, f"{name}.json")


def answer(places: Places, root: str) -> bool | None:
    """Yes or no for a project's root, None when the person was not asked yet."""
    found = _read(_path(places, root))
    # The root is compared as well: a file that was copied about must say nothing.
    if found is None or found.get("root") != os.path.realpath(root):
        return None
    value = found.get("answer")
    return value if isinstance(value, bool) else None


def _read(path: str) -> dict[str, Any] | None:
    try:
        raw = json.loads(read_bytes(path))
    except (PimemError, ValueError):
        return None
    return raw if isinstance(raw, dict) else None


def keep(places: Places, root: str, value: bool) -> None:
    """Keep an answer.

    Raises:
        StorageError: The state folder cannot be written.
    """
    from ..clock import now, stamp

    path = _path(places, root)
    raw = {"root": os.path.realpath(root), "answer": value, "time": stamp(now())}
    with explained(path):
        private_folder(os.path.dirname(path))
        publish(path, json.dumps(raw, ensure_ascii=False).encode("utf-8", "surrogatepass"))


def answers(places: Places) -> list[tuple[str, bool, str]]:
    """Every answer: root, yes or no, and the file that holds it."""
    folder = os.path.join(places.state_dir, _FOLDER)
    try:
        names = sorted(os.listdir(folder))
    except OSError:
        return []
    found = []
    for name in names:
        path = os.path.join(folder, name)
        raw = _read(path) if name.endswith(".json") else None
        if raw is not None and isinstance(raw.get("root"), str):
            value = answer(places, raw["root"])
            if value is not None:
                found.append((raw["root"], value, path))
    return sorted(found)
