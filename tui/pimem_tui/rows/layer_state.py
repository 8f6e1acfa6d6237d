"""What is known of a layer of a memory beside its rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pimem_core.files.git import GitState
    from pimem_core.systems.layers import LoadStatus
    from pimem_core.systems.stores import Store


class LayerState(NamedTuple):
    """How a layer is.

    `task` is what the person is working on, `missing` says that the layer was not created yet, and
    `refusal` why it cannot be; empty when it can.
    """

    store: Store
    load: LoadStatus
    task: str
    git: GitState | None
    missing: bool
    refusal: str
