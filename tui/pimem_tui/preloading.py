"""Loading the other screens once the list shows, so that the first key for one is not held up."""

from __future__ import annotations

import importlib
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .services.loop import Loop
    from .services.sheets import Sheets

#: Seconds after the first paint before it begins, and between two sheets.
_LATER_S = 0.8
_SHEET_S = 0.03
_SCREENS = (
    *("confirm", "detail", "edit", "help", "injection", "history", "settings", "search"),
    *("handoff", "conflict", "inbox", "choice", "promotion"),
)


class Preloading:
    """Imports the modules of screens in a worker, then parses their sheets bit by bit."""

    def __init__(self, loop: Loop, sheets: Sheets) -> None:
        self._loop = loop
        self._sheets = sheets

    def begin_later(self) -> None:
        """Begin when the list had its turn."""
        self._loop.call_in(_LATER_S, self._begin)

    def _begin(self) -> None:
        def work() -> None:
            for name in _SCREENS:
                importlib.import_module(f"{__package__}.screens.{name}")
            self._loop.call(self._bring_sheets, _SCREENS)

        self._loop.run(work, group="screens")

    def _bring_sheets(self, names: Sequence[str]) -> None:
        """Parse the next sheet now and the rest later: parsing them all would hold keys up."""
        self._sheets.bring(names[0])
        if names[1:]:
            self._loop.call_in(_SHEET_S, partial(self._bring_sheets, names[1:]))
