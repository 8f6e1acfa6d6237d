"""Pastes that stay text, whatever is in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual._xterm_parser import XTermParser

if TYPE_CHECKING:
    from collections.abc import Iterable

    from textual.message import Message

_ESCAPE, _SIGN = "\x1b", "\u241b"
_START, _END = "\x1b[200~", "\x1b[201~"


class PasteParser(XTermParser):
    """Takes escape characters inside a paste as text.

    Textual reads a sequence there as keys, which then pin, remove or quit. Most terminals leave
    such characters out of a paste; tmux does not.
    """

    def __init__(self, debug: bool = False) -> None:
        super().__init__(debug)
        self._pasting = False
        #: The last characters outside a paste, of which one may have begun.
        self._seen = ""
        #: The last characters inside one, of which its end may have come.
        self._held = ""

    def feed(self, data: str) -> Iterable[Message]:
        """Read what the terminal sent."""
        safe = self.made_safe(data)
        return () if data and not safe else super().feed(safe)  # nothing would mean the end

    def made_safe(self, data: str) -> str:
        """The same with signs for escape characters in a paste; a part may wait for the rest."""
        data, self._held = self._held + data, ""
        safe: list[str] = []
        while data:
            if not self._pasting:
                start = (self._seen + data).find(_START)
                if start < 0:
                    self._seen = (self._seen + data)[1 - len(_START) :]
                    safe.append(data)
                    break
                after = start + len(_START) - len(self._seen)
                safe.append(data[:after])
                data, self._seen, self._pasting = data[after:], "", True
                continue
            text, end, data = data.partition(_END)
            if not end:
                parts = (_END[:length] for length in range(len(_END) - 1, 0, -1))
                self._held = next(filter(text.endswith, parts), "")
                text = text.removesuffix(self._held)
            safe += (text.replace(_ESCAPE, _SIGN), end)
            self._pasting = not end
        return "".join(safe)
