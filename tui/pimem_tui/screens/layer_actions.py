"""What can be done to the layer of a memory that shows as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pimem_core.systems.layers import LayerStore

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..rows.browsing import Browsing
    from ..rows.layer_state import LayerState
    from ..services.layer_changes import LayerChanges

#: Layers that a person can create.
_CREATED = ("global", "workspace")


class LayerActions:
    """The actions by the names that the table of keys has for them."""

    def __init__(self, changes: LayerChanges, browsing: Browsing) -> None:
        self._changes = changes
        self._browsing = browsing
        self._actions: dict[str, Callable[[LayerStore, LayerState], None]] = {
            "init": self._init,
            "edit_task": self._edit_task,
            "clear_task": self._clear_task,
        }

    def check(self, name: str) -> bool | None:
        """False for what needs another store, None for what cannot be done now."""
        assert name in self._actions, name
        store, found = self._browsing.store, self._browsing.view.layer
        if found is None or not isinstance(store, LayerStore):
            return False
        if name == "init":
            if not found.missing or store.name not in _CREATED:
                return False
            return None if found.refusal else True
        if name == "clear_task":
            return True if found.task else None
        return True

    def run(self, name: str) -> None:
        """Do it, once the layer is known."""
        store, found = self._browsing.store, self._browsing.view.layer
        if isinstance(store, LayerStore) and found is not None:
            self._actions[name](store, found)

    def _init(self, layer: LayerStore, _found: LayerState) -> None:
        """Create the layer."""
        self._changes.init(layer)

    def _edit_task(self, layer: LayerStore, found: LayerState) -> None:
        """Edit the current task."""
        self._changes.edit_task(layer, found.load.task_file)

    def _clear_task(self, layer: LayerStore, found: LayerState) -> None:
        """Clear the current task, after a question."""
        self._changes.clear_task(layer, found.task)
