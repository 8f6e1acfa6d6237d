"""Things to choose one from, as the screen that asks lists them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .branches import EntryRow


class Option(NamedTuple):
    """One of the things to choose from: its value, its label, and a note beside it."""

    value: str
    label: str
    note: str = ""


def entry_options(rows: Sequence[EntryRow]) -> list[Option]:
    """Entries to choose from, by their handles."""
    return [Option(row.file, row.entry.heading, f"{row.of}, {row.standing}") for row in rows]
