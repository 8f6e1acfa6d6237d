"""The hits of a search, made as they are drawn: the snippet of each costs a look at its file."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pimem_core.model import Hit
    from pimem_core.search.finding import Found


class Hits(Protocol):
    """Why each row is in a list."""

    def __len__(self) -> int: ...

    def __getitem__(self, row: int, /) -> Hit: ...


class FoundHits:
    """The hits of a search, best first, each made once."""

    def __init__(self, found: Found) -> None:
        self._found = found
        self._made: dict[int, Hit] = {}

    def __len__(self) -> int:
        return len(self._found)

    def __getitem__(self, row: int) -> Hit:
        """The hit in this row."""
        hit = self._made.get(row)
        if hit is None:
            hit = self._made[row] = self._found[row]
        return hit


class Reordered:
    """Hits in another order.

    Args:
        hits: The hits.
        places: For each row the place of its hit among them.
    """

    def __init__(self, hits: Hits, places: Sequence[int]) -> None:
        self._hits = hits
        self._places = places

    def __len__(self) -> int:
        return len(self._places)

    def __getitem__(self, row: int) -> Hit:
        """The hit in this row."""
        return self._hits[self._places[row]]
