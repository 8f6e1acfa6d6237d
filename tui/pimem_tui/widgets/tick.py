"""A box to tick that shows without colour whether it is ticked."""

from __future__ import annotations

from textual.widgets import Checkbox


class Tick(Checkbox):
    """`[x]` or `[ ]` before its label."""

    BUTTON_LEFT = ""
    BUTTON_RIGHT = ""

    @property
    def BUTTON_INNER(self) -> str:  # type: ignore[override]
        """The box. Textual's own differs by colour alone."""
        return "[x]" if self.value else "[ ]"
