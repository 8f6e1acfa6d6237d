"""Changes that a kill left unfinished, for readers: they load nothing that only changes need."""

from __future__ import annotations

import os

from ...history.intents import has_intents
from .folder import SYSTEM

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...history.record import Record
    from ...paths import Places


def lock_path(places: Places) -> str:
    """The lock of both layers."""
    return os.path.join(places.state_dir, "locks", f"{SYSTEM}.lock")


def unfinished(state_dir: str) -> list[Record]:
    """The changes of this system that a kill left, in whatever folder."""
    from ...history import recovery

    return [left for left in recovery.unfinished(state_dir) if left.about.system == SYSTEM]


def as_before(places: Places) -> dict[str, bytes | None]:
    """What readers show instead of the disk while a change is unfinished."""
    if not has_intents(places.state_dir):
        return {}
    from ...history import recovery

    shown: dict[str, bytes | None] = {}
    for folder in {left.about.folder for left in unfinished(places.state_dir)}:
        shown.update(recovery.as_before(places.state_dir, folder))
    return shown
