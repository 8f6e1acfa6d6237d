"""Handing the terminal over to the person's own editor, and taking it back."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from typing import TYPE_CHECKING, NamedTuple

from pimem_core.history.editors import editor_command, may_be_open

from .ending import ENDING

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable, Iterator
    from types import FrameType

    from pimem_core.history.drafts import Draft
    from textual.app import App


class EditorEnd(NamedTuple):
    """How an editor ended: its exit code, or why it could not start, and a signal to obey.

    `may_be_open` says that it has a window which may still have the text.
    """

    code: int
    error: str = ""
    signum: int | None = None
    may_be_open: bool = False


def run_editor(app: App[None], draft: Draft) -> EditorEnd:
    """Suspend the app, run the editor on a draft and come back.

    The app's own loop stands still meanwhile, so signals are passed on here: an order to end goes
    to the editor first, and `signum` tells the app to follow.
    """
    import subprocess

    command = editor_command(os.environ)
    begun = time.monotonic()
    with app.suspend(), _signals_for_the_editor() as relay:
        try:
            child = subprocess.Popen([*command, draft.path])
        except OSError as error:
            reason = error.strerror or str(error)
            return EditorEnd(-1, f"Cannot start the editor {command[0]}: {reason}.")
        relay.adopt(child)
        code = child.wait()
    is_open = code == 0 and may_be_open(command, draft, time.monotonic() - begun)
    return EditorEnd(code, signum=relay.signum, may_be_open=is_open)


class _Relay:
    """Passes an order to end on to the editor and remembers it."""

    def __init__(self) -> None:
        self._child: subprocess.Popen[bytes] | None = None
        self.signum: int | None = None

    def adopt(self, child: subprocess.Popen[bytes]) -> None:
        """Pass signals on to this process, also one that came while it started."""
        self._child = child
        if self.signum is not None:
            child.send_signal(self.signum)

    def __call__(self, signum: int, _frame: FrameType | None) -> None:
        self.signum = signum
        if self._child is not None:
            self._child.send_signal(signum)


@contextlib.contextmanager
def _signals_for_the_editor() -> Iterator[_Relay]:
    relay = _Relay()
    handlers: dict[signal.Signals, Callable[[int, FrameType | None], None]] = {
        **dict.fromkeys(ENDING, relay),
        # ctrl+c and ctrl+\ in the editor's terminal reach this process too. A handler that does
        # nothing, unlike SIG_IGN, is not inherited by the editor.
        signal.SIGINT: _nothing,
        signal.SIGQUIT: _nothing,
    }
    old = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    try:
        yield relay
    finally:
        for number, handler in old.items():
            signal.signal(number, handler)


def _nothing(_signum: int, _frame: FrameType | None) -> None:
    pass
