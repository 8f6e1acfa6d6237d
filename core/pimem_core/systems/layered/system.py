"""Layered memory as a memory system: its two stores, its format, its settings."""

from __future__ import annotations

import functools
import os

from ...errors import PimemError
from ..system import GLOBAL, WORKSPACE, System
from .folder import ARCHIVE, INBOX, INDEX_NAME, SYSTEM, TASK_FILE, find_layers, is_own_link

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...errors import ConfigError
    from ...model import Setting
    from ...paths import Places
    from ...settings.config import Settings
    from ..hosting import Hooks
    from .store import LayeredStore


class LayeredSystem(System):
    """The system of the pi-memory-extension: a global and a workspace layer."""

    name = SYSTEM
    providers = ("pi-memory-extension", "pi-memory.ts")
    commands = {
        "memory:status": "What of global and workspace memory is used, and what is not",
        "memory:list": "Count the files of both memories",
        "memory:refresh": "Read all memory files again and say what changed",
        "memory:checkpoint": "Put an empty session summary into the workspace inbox",
        "memory:promote": "Move a reviewed inbox file into memory: <file> <dir> <target>",
        "memory:init": "Create a memory: global or workspace",
        "memory:clear-task": "Empty the task state",
    }

    def is_active(self, places: Places, settings: Settings) -> bool:
        """When a layer has its index, or there is a task to go on with."""
        word = settings.systems.get(SYSTEM, "auto")
        if word != "auto":
            return word == "on"
        layers = find_layers(places, settings)
        task = os.path.join(layers.global_dir, TASK_FILE)
        return layers.has_global or layers.has_workspace or os.path.lexists(task)

    @functools.cached_property
    def hooks(self) -> Hooks:
        """What the system does inside a host."""
        from .hooks import LayeredHooks  # reading a store needs none of it

        return LayeredHooks(self.commands)

    def stores(self, places: Places) -> Sequence[LayeredStore]:
        """Both layers once one of them has a folder or the system is switched on, else none."""
        from ...settings.config import load_settings

        config = load_settings(places)[0]
        layers = find_layers(places, config)
        found = [(GLOBAL, layers.global_dir)]
        if layers.unusable is None:
            found.append((WORKSPACE, layers.workspace_dir))
        is_on = config.systems.get(SYSTEM) == "on"
        if not is_on and not any(os.path.lexists(path) for _kind, path in found):
            return []
        from .store import LayeredStore

        return [LayeredStore.at(kind, path, places, kind) for kind, path in found]

    def offered(self, places: Places) -> Sequence[LayeredStore]:
        """Both layers, there or not; no workspace where there is no project to have one."""
        stores = list(self.stores(places))
        for name in (GLOBAL, WORKSPACE):
            try:
                layer = self.named(name, places)
                if layer is not None and all(store.name != name for store in stores):
                    stores.append(layer)
            except PimemError:
                pass
        return stores

    def active(self, places: Places) -> LayeredStore:
        """The workspace where there is one, else the global layer, there or not."""
        from .layer import active_layer
        from .store import LayeredStore

        return LayeredStore(active_layer(places))

    def named(self, name: str, places: Places) -> LayeredStore | None:
        """The layer with a name."""
        return self.active(places).layer(name) if name in (GLOBAL, WORKSPACE) else None

    def recognise(self, folder: str) -> str | None:
        """`layered` for a folder with an index and the folders or the place of a layer."""
        if not os.path.lexists(os.path.join(folder, INDEX_NAME)):
            return None
        if os.path.lexists(os.path.join(folder, "MEMORY.md")):
            return None
        inside = (INBOX, ARCHIVE, "user", "knowledge", TASK_FILE)
        if any(os.path.exists(os.path.join(folder, name)) for name in inside):
            return SYSTEM
        parts = os.path.abspath(folder).split(os.sep)
        return SYSTEM if parts[-2:] == [".pi", "memory"] else None

    def open(self, folder: str, places: Places) -> LayeredStore:
        """Any folder of this shape, under its own name where it has one."""
        from .store import LayeredStore

        active = self.active(places)
        for kind in (GLOBAL, WORKSPACE):
            if os.path.abspath(folder) == active.folder(kind):
                return active.sibling(kind)
        inside = ("user", "knowledge", TASK_FILE)
        is_global = any(os.path.exists(os.path.join(folder, name)) for name in inside)
        # A person's own link is followed once, here; links below are refused.
        path = os.path.realpath(folder) if is_own_link(folder) else folder
        return LayeredStore.at(folder, path, places, GLOBAL if is_global else WORKSPACE)

    def settings(self, places: Places) -> Sequence[Setting]:
        """The person's answers about the memories of projects."""
        from ...model import Setting
        from ...settings import trust

        return [
            Setting(key=f"trust.{root}", value=value, source=path, kind="switch")
            for root, value, path in trust.answers(places)
        ]

    def wanted(self, key: str, value: object) -> str | None:
        """Every answer is yes or no."""
        return None if isinstance(value, bool) else "true or false"

    def change_setting(self, places: Places, key: str, value: object) -> None:
        """Change the answer about a project's memory."""
        from ...errors import InvalidArgumentError, UnsupportedError
        from ...settings import trust

        root = key.removeprefix("trust.")
        if root == key or trust.answer(places, root) is None:
            raise UnsupportedError(f"{key} is not changed here.")
        if not isinstance(value, bool):
            raise InvalidArgumentError(f"{key} must be true or false.")
        trust.keep(places, root, value)

    def trouble(self, places: Places) -> ConfigError | None:
        """Nothing: the system has no configuration file of its own."""
        del places
        return None
