"""Orders of the list. A worker sorts, since the work grows with the topics."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pimem_core.model import Topic

_OLDEST = datetime.min.replace(tzinfo=UTC)


def _moment(topic: Topic) -> datetime:
    try:
        moment = datetime.fromisoformat(topic.stamp or "")
    except ValueError:
        return _OLDEST
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)


#: Name for the header, key and whether the greatest comes first; None is the store's own order.
ORDERS: tuple[tuple[str, Callable[[Topic], object] | None, bool], ...] = (
    ("index order", None, False),
    ("by name", lambda topic: topic.name.casefold(), False),
    ("newest first", _moment, True),
    ("oldest first", _moment, False),
    ("pinned first", lambda topic: not topic.pinned, False),
    ("by tokens", lambda topic: topic.tokens, True),
)


def places_of(topics: Sequence[Topic], order: int) -> list[int]:
    """The numbers of the topics in an order; equal ones stay as the store has them."""
    _name, key, greatest_first = ORDERS[order]
    if key is None:
        return list(range(len(topics)))
    keys = [key(topic) for topic in topics]
    # Sorting backwards would turn equal ones around.
    return sorted(range(len(topics)), key=keys.__getitem__, reverse=greatest_first)  # type: ignore[arg-type]
