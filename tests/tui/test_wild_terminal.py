"""A terminal that sends what no terminal should, and signals that end programs."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import sys
import termios
import time
from typing import TYPE_CHECKING

import pytest
from pimem_tui.keys.terminal_input import TerminalDecoder, TerminalParser
from textual import events
from waiting import PATIENCE_S

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

START, END = b"\x1b[200~", b"\x1b[201~"


def read(*pieces: bytes) -> list[str]:
    """What is made of bytes of the terminal: keys, and texts of pastes."""
    decoder, parser, found = TerminalDecoder(), TerminalParser(), []
    for piece in pieces:
        text = decoder.decode(piece)
        for event in parser.feed(text) if text else ():
            if isinstance(event, events.Paste):
                found.append(event.text)
            elif isinstance(event, events.Key):
                found.append(event.character or event.key)
    return found


@pytest.mark.parametrize(
    ("sent", "wanted"),
    [
        (b"a\x1b[M\x20\xa0\x21b", ["a", "b"]),
        (b"a\x1b[M\x20\xc3\xa9b", ["a", "b"]),  # UTF-8, were it text
        (b"a\x1b[M\x20\xf0\x9fb\xc3\xa9", ["a", "b", "é"]),
        (b"a\xff\xfe\x80b", ["a", "ÿ", "þ", "\ufffd", "b"]),
        (b"caf\xe9 au", ["c", "a", "f", "é", " ", "a", "u"]),
        (START + b"Z\xfcrich \xa7" + END + b"x", ["Zürich §", "x"]),
        (START + b"\x1b[M" + "日本".encode() + END + b"x", ["␛[M日本", "x"]),
        ("日本é".encode(), ["日", "本", "é"]),
        (b"a\xe6\x97q", ["a", "æ", "\ufffd", "q"]),
        (b"a\x1b[99999999ub", ["a", "b"]),
        (b"a\x1b[1114112;1:1ub", ["a", "b"]),
        (b"a\x1b[<0;99999999999999999999;1Mb", ["a", "b"]),
    ],
)
def test_every_byte_is_survived_and_what_is_around_it_kept(sent: bytes, wanted: list[str]) -> None:
    assert read(sent) == wanted
    assert read(*(sent[at : at + 1] for at in range(len(sent)))) == wanted
    assert read(sent[:3], sent[3:5], sent[5:]) == wanted


class Terminal:
    """A manager in a terminal of its own, on the sample unless Python is given other words."""

    def __init__(self, *words: str) -> None:
        # This end stays open beside it: it says how the terminal was left.
        self.ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.theirs = theirs
        self.before = termios.tcgetattr(theirs)
        self.seen = b""
        self.pid = os.fork()
        if self.pid == 0:
            os.login_tty(theirs)
            os.environ["TERM"] = "xterm-256color"
            os.execv(sys.executable, [sys.executable, *(words or ("-m", "pimem_tui", "--demo"))])

    def until(self, condition: Callable[[bytes], object]) -> None:
        end = time.monotonic() + PATIENCE_S
        while not condition(self.seen):
            assert time.monotonic() < end, self.seen[-2_000:]
            if select.select([self.ours], [], [], 0.1)[0]:
                self.seen += os.read(self.ours, 65_536)

    def send(self, data: bytes, until: bytes) -> None:
        self.seen = b""
        os.write(self.ours, data)
        self.until(lambda seen: until in seen)

    def ended(self) -> int:
        """The exit code, once it has ended."""
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            if select.select([self.ours], [], [], 0.02)[0]:
                self.seen += os.read(self.ours, 65_536)
            found, status = os.waitpid(self.pid, os.WNOHANG)
            if found:
                self.pid = 0
                return os.waitstatus_to_exitcode(status)
        raise AssertionError("it goes on")

    def close(self) -> None:
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.ours)
        os.close(self.theirs)


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    made = Terminal()
    made.until(lambda seen: b"help" in seen)
    yield made
    made.close()


def test_the_manager_goes_on_after_wild_bytes(terminal: Terminal) -> None:
    for wild in (b"\x1b[M\x20\xa0\x21", b"\xff\xfe\x80", START + b"Z\xfcrich" + END):
        os.write(terminal.ours, wild)
    os.write(terminal.ours, b"\x1b[99999999u\xff")
    terminal.send(b"?", until=b"Edit the topic here")
    terminal.send(b"q", until=b"Deploy")
    os.write(terminal.ours, b"q")
    assert terminal.ended() == 0
    assert termios.tcgetattr(terminal.theirs) == terminal.before


@pytest.mark.parametrize(
    "number",
    ["SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGINT", "SIGTERM", "SIGALRM", "SIGABRT", "SIGXCPU"],
)
def test_a_signal_that_ends_it_leaves_the_terminal_as_it_was(
    terminal: Terminal, number: str
) -> None:
    assert termios.tcgetattr(terminal.theirs) != terminal.before
    os.kill(terminal.pid, signal.Signals[number])
    assert terminal.ended() == 128 + signal.Signals[number]
    assert termios.tcgetattr(terminal.theirs) == terminal.before
    left = terminal.seen.rindex(b"\x1b[?1049l")
    assert b"\x1b[?1049h" not in terminal.seen[left:]
    assert b"\x1b[?25h" in terminal.seen
