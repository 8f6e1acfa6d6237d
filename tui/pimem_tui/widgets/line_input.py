"""A field of one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.widgets import Input

if TYPE_CHECKING:
    from textual import events


class LineInput(Input):
    """Takes all of a pasted text, as one line."""

    def on_paste(self, event: events.Paste) -> None:
        """Join the lines of what is pasted; Textual would keep the first and drop the others."""
        lines = event.text.splitlines()
        if lines[1:]:
            event.text = " ".join(filter(None, map(str.strip, lines)))
