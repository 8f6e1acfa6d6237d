"""openpi as a memory system: its stores, its format, its settings."""

from __future__ import annotations

import functools
import os

from ...files.read import read_text
from ..system import System
from . import config
from .index import INDEX_NAME
from .location import LOCAL, SHARED, SYSTEM, active_folder, local_folder, shared_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...errors import ConfigError
    from ...model import Setting
    from ...paths import Places
    from ...settings.config import Settings
    from ..hosting import Hooks
    from .store import OpenpiStore


class OpenpiSystem(System):
    """The system of openpi-memory (pi) and openclaude-memory (OpenCode)."""

    name = SYSTEM
    providers = ("openpi-memory",)
    tools = frozenset({"write_memory", "remove_memory", "pin_memory"})
    commands = ("memory",)

    def is_active(self, places: Places, settings: Settings) -> bool:
        """Always, unless the settings turn it off."""
        del places
        return settings.systems.get(self.name) != "off"

    @functools.cached_property
    def hooks(self) -> Hooks:
        """What openpi does inside a host."""
        from .hooks import OpenpiHooks  # reading a store needs none of it

        return OpenpiHooks(self.tools, self.commands)

    def stores(self, places: Places) -> Sequence[OpenpiStore]:
        """The local and the shared store."""
        from .store import OpenpiStore  # a host's events need none

        return [
            OpenpiStore(LOCAL, local_folder(places), places),
            OpenpiStore(SHARED, shared_folder(places), places),
        ]

    def active(self, places: Places) -> OpenpiStore:
        """The shared store under `shared_dir`, else the local one."""
        return self.open(active_folder(places), places)

    def named(self, name: str, places: Places) -> OpenpiStore | None:
        """The local or the shared store."""
        return next((store for store in self.stores(places) if store.name == name), None)

    def recognise(self, folder: str) -> str | None:
        """The format of a folder; `unknown` when its index is somebody else's prose."""
        from . import detection

        return detection.detect(folder, read_text(os.path.join(folder, INDEX_NAME), {}))

    def open(self, folder: str, places: Places) -> OpenpiStore:
        """Any folder of this shape, under its own name where it has one."""
        from .store import OpenpiStore

        for store in self.stores(places):
            if os.path.abspath(folder) == store.path:
                return store
        return OpenpiStore(folder, folder, places)

    def settings(self, places: Places) -> Sequence[Setting]:
        """The keys of memory.jsonc."""
        return config.settings(places)

    def wanted(self, key: str, value: object) -> str | None:
        """What a value of a key of memory.jsonc must be."""
        return config.wanted(key, value)

    def change_setting(self, places: Places, key: str, value: object) -> None:
        """Set a key of memory.jsonc."""
        config.change(places, key, value)

    def trouble(self, places: Places) -> ConfigError | None:
        """What is wrong with memory.jsonc, for a notice; None when nothing is."""
        return config.load(places)[1]
