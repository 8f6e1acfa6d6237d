"""ZCode's project memory as a memory system: its store, its formats, its settings."""

from __future__ import annotations

import functools
import os

from ...errors import UnsupportedError
from ...settings.config import load_settings
from ..system import System

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...errors import ConfigError
    from ...model import Setting
    from ...paths import Places
    from ...settings.config import Settings
    from ..hosting import Hooks
    from .store import ZcodeStore


class ZcodeSystem(System):
    """The memory that ZCode and pi share, by project; Claude Code's folders have its shape too."""

    name = "zcode"
    providers = ("pi-zcode-memory",)
    tools = frozenset({"memory_list", "memory_read", "memory_write"})

    # Every command and hook loads this module; what it is for loads with its first use.

    def is_active(self, places: Places, settings: Settings) -> bool:
        """Where ZCode was used or its memory configured, unless that turned it off."""
        from . import config

        return config.is_active(places, settings)

    @functools.cached_property
    def hooks(self) -> Hooks:
        """What zcode does inside a host."""
        from .hooks import ZcodeHooks

        return ZcodeHooks(self.tools)

    def stores(self, places: Places) -> Sequence[ZcodeStore]:
        """The store of the working folder's project; none for a person who has no ZCode."""
        from . import config

        if config.is_in_use(places) or config.is_active(places, load_settings(places)[0]):
            return [self.active(places)]
        return []

    def active(self, places: Places) -> ZcodeStore:
        """The store of the working folder's project, there or not."""
        from . import config
        from .store import project_store

        return project_store(places, config.load(places)[0])

    def named(self, name: str, places: Places) -> ZcodeStore | None:
        """The project's store has the system's name."""
        return self.active(places) if name == self.name else None

    def recognise(self, folder: str) -> str | None:
        """`zcode` or `claude`, None when the folder is neither."""
        from . import detection

        return detection.recognise(folder)

    def open(self, folder: str, places: Places) -> ZcodeStore:
        """Any folder of this shape; the project's own under its name."""
        from .store import ZcodeStore

        own = self.active(places)
        return own if os.path.abspath(folder) == own.path else ZcodeStore(folder, folder, places)

    def settings(self, places: Places) -> Sequence[Setting]:
        """The keys of the two zcode-memory.json."""
        from . import config

        return config.settings(places)

    def wanted(self, key: str, value: object) -> str | None:
        """An answer about a project is yes or no."""
        return None if isinstance(value, bool) else "true or false"

    def change_setting(self, places: Places, key: str, value: object) -> None:
        """Keep an answer about the project; the files are those of another program too."""
        from ...settings import trust
        from . import config

        if key != f"trust.{config.root(places)}":
            raise UnsupportedError(f"{key} is not changed here.")
        trust.keep(places, config.root(places), value is True)

    def trouble(self, places: Places) -> ConfigError | None:
        """What is wrong with the configuration files; None when nothing is."""
        from . import config

        return config.load(places)[1]
