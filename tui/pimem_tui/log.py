"""The log of the manager: what went wrong inside it, for whoever has to fix it."""

from __future__ import annotations

import contextlib
import logging
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from io import TextIOWrapper

logger = logging.getLogger("pimem.manager")


def unexpected(error: BaseException) -> str:
    """Log an error that nothing handles, and return the sentence about it for the person."""
    logger.error("An unexpected error", exc_info=error)
    detail = " ".join(str(error).split())[:200]
    return f"Something unexpected went wrong: {type(error).__name__} {detail}".rstrip() + "."


class _Log(logging.Handler):
    """Makes the file, and loads what it takes, when the first line comes: most runs have none."""

    def __init__(self, path: str) -> None:
        super().__init__()
        self._path = path
        self._file: logging.Handler | None = None

    def emit(self, record: logging.LogRecord) -> None:
        """Write a record."""
        if self._file is None:
            self._file = _private_file(self._path)
        self._file.handle(record)

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()
        super().close()


def _private_file(path: str) -> logging.Handler:
    """A file for its owner only, which turns over."""
    from logging.handlers import RotatingFileHandler

    class PrivateFile(RotatingFileHandler):
        def _open(self) -> TextIOWrapper:
            os.makedirs(os.path.dirname(self.baseFilename), mode=0o700, exist_ok=True)
            handle = os.open(self.baseFilename, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            return open(handle, "a", encoding="utf-8", errors="backslashreplace")

        def handleError(self, record: logging.LogRecord) -> None:
            """Say nothing: a full disk must not write over the screen."""

    file = PrivateFile(path, maxBytes=1_000_000, backupCount=1, delay=True)
    file.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    return file


@contextlib.contextmanager
def logging_to(state_dir: str) -> Iterator[str]:
    """Log below the state folder while the manager runs."""
    path = os.path.join(state_dir, "log", "manager.log")
    log = _Log(path)
    logger.addHandler(log)
    logger.propagate = False
    try:
        yield path
    finally:
        logger.removeHandler(log)
        log.close()
