"""What the status of a store means for the person."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pimem_core.model import StoreStatus


def read_only(status: StoreStatus | None) -> bool:
    """Whether a store is in a format that pimem must not change."""
    return bool(
        status and status.format and status.format.partition(":")[0] in ("foreign", "unknown")
    )
