"""Telling cheaply that something was changed through pimem, by whatever front."""

from __future__ import annotations

import os

#: Sorts before every journal entry.
_START = "0"


def since(state_dir: str, seen: str | None) -> tuple[str, set[str]]:
    """The newest journal entry's name, and the store folders changed after the entry `seen`.

    With nothing seen yet no folder counts as changed.
    """
    folder = os.path.join(state_dir, "undo")
    try:
        names = [name for name in os.listdir(folder) if name.endswith(".json")]
    except OSError:
        names = []
    newest = max(names, default=_START)
    if seen is None or newest <= seen:
        return max(newest, seen or _START), set()
    from ..errors import PimemError
    from ..files.read import read_bytes
    from .record import load

    folders = set()
    for name in names:
        if name > seen:
            try:
                record = load(read_bytes(os.path.join(folder, name)))
            except (PimemError, ValueError):
                continue  # pruned or broken; the schedule injects the change
            folders.add(record.about.folder)
    return newest, folders
