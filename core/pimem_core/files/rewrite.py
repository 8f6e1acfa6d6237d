"""Changing a text file that other processes change too, such as a configuration file."""

from __future__ import annotations

import contextlib
import fcntl
import os
import stat
import time
from typing import TYPE_CHECKING

from ..errors import ConflictError, StoreBusyError
from .publish import confirm_names, discard, explained, make_folder, stage, swap
from .read import content, decode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

#: Seconds that one of our own processes waits for another, and between two looks.
_WAIT_S = 2.0
_POLL_S = 0.02
#: How often an edit is made again because a program that knows no lock came in between.
_TIMES = 5


def rewrite(path: str, edit: Callable[[str], str]) -> tuple[str, str]:
    """Change the text of a file; a missing one is empty, and is made unless it stays so.

    Of our own processes one at a time reads and writes. What another program wrote between the two
    is read again and edited again. The file may be a link: people link such files.

    Args:
        path: The file.
        edit: Gives the new text for the old one. It may be called several times.

    Returns:
        The text before and after.

    Raises:
        ConflictError: Another program does not stop changing it.
        StoreBusyError: Another process of ours keeps it.
        StorageError: It cannot be read or written.
    """
    path = os.path.realpath(path)
    folder = os.path.dirname(path)
    with explained(path):
        make_folder(folder)
    with _alone(folder, path):
        for _ in range(_TIMES):
            before = content(path)
            old = "" if before is None else decode(before, path)
            new = edit(old)
            if new == old or _replaced(path, before, new.encode()):
                return old, new
    raise ConflictError(
        f"{path} keeps being changed by another program; nothing was changed. Try again.",
        file=os.path.basename(path),
    )


def _replaced(path: str, before: bytes | None, after: bytes) -> bool:
    """Publish the new bytes unless the file is no longer what was read."""
    with explained(path):
        mode = 0o600 if before is None else stat.S_IMODE(os.stat(path).st_mode)
        temporary = stage(path, after, mode=mode)
        try:
            if content(path) != before:
                return False
            swap(temporary, path)
        finally:
            with contextlib.suppress(OSError):
                discard(temporary)
        confirm_names(os.path.dirname(path))
    return True


@contextlib.contextmanager
def _alone(folder: str, path: str) -> Iterator[None]:
    """Hold the folder among our own processes; where the file system has no locks, do without."""
    with explained(path):
        descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        end = time.monotonic() + _WAIT_S
        while True:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                if time.monotonic() > end:
                    raise StoreBusyError(
                        f"Another pimem is changing {path}; try again in a moment."
                    ) from error
                time.sleep(_POLL_S)
                continue
            except OSError:
                pass  # the comparison before the rename is left
            break
        yield
    finally:
        os.close(descriptor)
