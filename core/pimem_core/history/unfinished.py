"""What readers show while a change is unfinished; without one they load nothing further."""

from __future__ import annotations

from .intents import has_intents

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def as_before(state_dir: str, folder: str) -> Mapping[str, bytes | None]:
    """What readers of a folder show instead of the disk; see `recovery.as_before`."""
    if not has_intents(state_dir):
        return {}
    from . import recovery

    return recovery.as_before(state_dir, folder)
