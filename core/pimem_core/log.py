"""The log of what should not have happened: tracebacks go there, never to the screen."""

from __future__ import annotations

import os
import time
import traceback
from typing import TYPE_CHECKING

from .files.publish import make_folder

if TYPE_CHECKING:
    from .paths import Places

#: Size at which the log starts anew, in bytes.
_MOST = 1 << 20


def write_log(places: Places, error: BaseException) -> str:
    """Append a traceback to the log and say where it is; never fails."""
    return append_to_log(places.state_dir, "".join(traceback.format_exception(error)))


def append_to_log(state_dir: str, text: str) -> str:
    """Append a text to the log and say where it is; never fails."""
    folder = os.path.join(state_dir, "log")
    path = os.path.join(folder, "pimem.log")
    try:
        make_folder(folder)
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW
        if os.path.exists(path) and os.path.getsize(path) > _MOST:
            flags |= os.O_TRUNC
        descriptor = os.open(path, flags, 0o600)
        try:
            os.write(descriptor, f"{time.strftime('%Y-%m-%dT%H:%M:%S%z')} {text}\n".encode())
        finally:
            os.close(descriptor)
    except OSError as failure:
        return f"The log {path} cannot be written: {failure.strerror}."
    return f"Details are in {path}."
