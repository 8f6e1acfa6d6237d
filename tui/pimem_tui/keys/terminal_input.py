"""What a terminal sends, read so that nothing in it can end the manager."""

from __future__ import annotations

import codecs
import contextlib
import re
from typing import TYPE_CHECKING

from textual.events import Key
from textual.keys import Keys

from .pasting import PasteParser

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from textual.message import Message

#: What begins and ends a paste, and what begins a mouse report of the oldest kind.
_MARK = re.compile(rb"\x1b\[(?:200~|201~|M)")
_START, _MOUSE = b"\x1b[200~", b"\x1b[M"
#: Bytes behind the beginning of such a report: the button, the column and the row.
_REPORT_BYTES = 3
_LATIN_1 = "pimem: others as Latin-1"


def _as_latin_1(error: UnicodeError) -> tuple[str, int]:
    """Take bytes that are no UTF-8 for Latin-1, its control characters for unknown ones."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    wrong = error.object[error.start : error.end]
    return "".join(chr(byte) if byte > 0x9F else "\ufffd" for byte in wrong), error.end


codecs.register_error(_LATIN_1, _as_latin_1)


class TerminalDecoder:
    """Decodes UTF-8 as it comes in pieces; other bytes are taken for Latin-1.

    A mouse report of the oldest kind has three bytes of any value: each becomes one character, as
    the parser expects, so that none of them joins the next key.
    """

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")(_LATIN_1)
        #: The last bytes that came, in which a mark may have begun.
        self._seen = b""
        self._pasting = False
        self._of_report = 0

    def decode(self, data: bytes, final: bool = False) -> str:
        """The text of the next bytes; a character that is not complete waits for the rest."""
        before = len(self._seen)
        whole = self._seen + data
        self._seen = whole[-(len(_START) - 1) :]
        found: list[str] = []
        at = before
        for mark in _MARK.finditer(whole):
            if mark.end() > before:
                found += self._plain(whole[at : mark.end()])
                at = mark.end()
                if mark[0] != _MOUSE:
                    self._pasting = mark[0] == _START
                elif not self._pasting:
                    self._of_report = _REPORT_BYTES
        found += self._plain(whole[at:])
        if final:
            found.append(self._decoder.decode(b"", True))
        return "".join(found)

    def _plain(self, data: bytes) -> Iterable[str]:
        if self._of_report and data:
            report, data = data[: self._of_report], data[self._of_report :]
            self._of_report -= len(report)
            yield self._decoder.decode(b"", True)
            yield report.decode("latin-1")
        yield self._decoder.decode(data)


class TerminalParser(PasteParser):
    """Ignores keys and mouse reports with numbers that mean nothing."""

    def parse_mouse_code(self, code: str) -> Message | None:
        """A mouse event, None for a report that is none."""
        try:
            return super().parse_mouse_code(code)
        except (ArithmeticError, ValueError):
            return None

    def _sequence_to_key_events(self, sequence: str, alt: bool = False) -> Iterable[Key]:
        try:
            return list(super()._sequence_to_key_events(sequence, alt))
        except (ArithmeticError, ValueError):
            return [Key(Keys.Ignore, None)]


def guard_input() -> None:
    """Have the terminal read with these."""
    with contextlib.suppress(ImportError):  # not on this system
        from textual.drivers import linux_driver

        def decoders(_encoding: str) -> Callable[[], TerminalDecoder]:
            return TerminalDecoder

        linux_driver.XTermParser = TerminalParser  # type: ignore[attr-defined]
        linux_driver.getincrementaldecoder = decoders  # type: ignore[attr-defined,assignment]
