"""Where the openpi stores are, and which of them pi uses now."""

from __future__ import annotations

import os

from . import config

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...paths import Places

SYSTEM = "openpi"
#: The names of the two stores: pi's own, and the one that pi and OpenCode share.
LOCAL = "local"
SHARED = "shared"


def local_folder(places: Places) -> str:
    """The folder of pi's own store."""
    return os.path.join(places.agent_dir, "memory")


def shared_folder(places: Places) -> str:
    """The folder that pi and OpenCode share."""
    return os.path.join(places.shared_home, ".agents", "memory")


def active_folder(places: Places) -> str:
    """The folder that openpi uses now: the shared one under `shared_dir`, else pi's own."""
    settings, _error = config.load(places)
    return shared_folder(places) if settings.shared_dir else local_folder(places)
