"""The person's own editor: which one, the draft it gets, and the terminal handed over to it."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import signal
import subprocess
import tempfile
from typing import TYPE_CHECKING, NamedTuple

from pimem_core.text import encode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from types import FrameType

    from textual.app import App

_SAFE = re.compile(r"[^A-Za-z0-9._-]+")


class EditorEnd(NamedTuple):
    """How an editor ended: its exit code, or why it could not start, and a signal to obey."""

    code: int
    error: str = ""
    signum: int | None = None


def editor_command(env: Mapping[str, str] | None = None) -> list[str]:
    """The editor as a list of arguments: `$VISUAL`, else `$EDITOR`, else `vi`."""
    env = os.environ if env is None else env
    for name in ("VISUAL", "EDITOR"):
        value = env.get(name, "").strip()
        if value:
            try:
                return shlex.split(value)
            except ValueError:  # an open quote: take it as a plain path
                return [value]
    return ["vi"]


def write_draft(state_dir: str, file: str, text: str) -> str:
    """Write a text where only its owner can read it, and return the path.

    Raises:
        OSError: The draft cannot be written.
    """
    folder = os.path.join(state_dir, "drafts")
    os.makedirs(folder, mode=0o700, exist_ok=True)
    os.chmod(folder, 0o700)
    stem, extension = os.path.splitext(os.path.basename(file))
    prefix = _SAFE.sub("-", stem)[:60].lstrip("-.") or "topic"
    suffix = extension if not _SAFE.search(extension) else ".md"
    handle, path = tempfile.mkstemp(prefix=f"{prefix}-", suffix=suffix, dir=folder)
    try:
        with open(handle, "wb") as stream:
            os.fchmod(stream.fileno(), 0o600)
            stream.write(encode(text))
    except OSError:
        discard_draft(path)
        raise
    return path


def read_draft(path: str) -> str:
    """Read an edited draft; every line end stays as the editor wrote it.

    Raises:
        OSError: The draft is gone or cannot be read.
        UnicodeDecodeError: The editor saved something that is not UTF-8.
    """
    with open(path, "rb") as stream:
        return stream.read().decode()


def discard_draft(path: str) -> None:
    """Delete a draft that nobody needs any more."""
    with contextlib.suppress(OSError):
        os.unlink(path)


def run_editor(app: App[None], path: str) -> EditorEnd:
    """Suspend the app, run the editor on a file and come back.

    The app's own loop stands still meanwhile, so signals are passed on here: an order to end goes
    to the editor first, and `signum` tells the app to follow.
    """
    command = editor_command()
    with app.suspend(), _signals_for_the_editor() as relay:
        try:
            child = subprocess.Popen([*command, path])
        except OSError as error:
            reason = error.strerror or str(error)
            return EditorEnd(-1, f"Cannot start the editor {command[0]}: {reason}.")
        relay.adopt(child)
        code = child.wait()
    return EditorEnd(code, signum=relay.signum)


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
        signal.SIGTERM: relay,
        signal.SIGHUP: relay,
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
