"""Choosing for a new entry: its file, and the older entry that it supersedes."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from pimem_core.errors import PimemError

from ..rows.branches import entry_rows
from ..rows.options import entry_options
from ..rows.targets import file_options

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pimem_core.systems.layers import LayerStore, Target
    from textual.screen import Screen

    from ..rows.branches import EntryRow
    from ..services.navigation import Navigation
    from ..services.notices import Notices
    from ..widgets.entry_fields import EntryFields


_Found = TypeVar("_Found")


class EntryChoices:
    """Reads what there is to choose from in a worker, asks, and fills the fields in."""

    def __init__(
        self,
        screen: Screen[None],
        store: LayerStore,
        fields: EntryFields,
        *,
        navigation: Navigation,
        notices: Notices,
    ) -> None:
        """Let fields be chosen.

        Args:
            screen: The screen that has them: once it is gone, nothing is asked any more.
            store: The layer that the entry goes into.
            fields: Take what was chosen.
            navigation: Asks.
            notices: Says when there is nothing to choose from.
        """
        self._screen = screen
        self._store = store
        self._fields = fields
        self._navigation = navigation
        self._notices = notices

    def file(self) -> None:
        """Choose the file from those that are there and the usual ones."""
        self._look(self._store.targets, self._ask_file)

    def older(self) -> None:
        """Choose the entry that the new one supersedes."""
        store = self._store
        self._look(lambda: entry_rows(store, store.entries()), self._ask_older)

    def _look(self, read: Callable[[], _Found], ask: Callable[[_Found], object]) -> None:
        def work() -> None:
            try:
                found = read()
            except PimemError as error:
                self._screen.call_later(self._notices.say_error, self._notices.explain(error))
            else:
                self._screen.call_later(ask, found)

        self._screen.run_worker(
            work, thread=True, exclusive=True, exit_on_error=False, group="look"
        )

    def _ask_file(self, targets: Sequence[Target]) -> None:
        options = file_options(targets, self._store.name)
        at = self._fields.name_field.value
        self._navigation.choose(
            "Which file?", options, self._fields.choose_file, at=at, search=True
        )

    def _ask_older(self, found: Sequence[EntryRow]) -> None:
        headings = {row.file: row.entry.heading for row in found}
        if not headings:
            self._notices.say("There is no older entry.")
            return
        rows = sorted(found, key=lambda row: row.of != self._fields.name_field.value)
        self._navigation.choose(
            "Which entry does this one supersede?",
            entry_options(rows),
            lambda file: self._fields.choose_older(headings[file]),
            search=True,
        )
