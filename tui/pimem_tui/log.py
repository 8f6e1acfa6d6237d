"""The log of the manager: what went wrong inside it, for whoever has to mend it."""

from __future__ import annotations

import contextlib
import logging
import logging.handlers
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from io import TextIOWrapper

logger = logging.getLogger("pimem.manager")


class _PrivateFile(logging.handlers.RotatingFileHandler):
    """A log file that is made when the first line comes, for its owner only."""

    def _open(self) -> TextIOWrapper:
        os.makedirs(os.path.dirname(self.baseFilename), mode=0o700, exist_ok=True)
        handle = os.open(self.baseFilename, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        return open(handle, "a", encoding="utf-8", errors="backslashreplace")

    def handleError(self, record: logging.LogRecord) -> None:
        """Say nothing: a full disk must not write over the screen."""


@contextlib.contextmanager
def logging_to(state_dir: str) -> Iterator[str]:
    """Log below the state folder while the manager runs."""
    path = os.path.join(state_dir, "log", "manager.log")
    handler = _PrivateFile(path, maxBytes=1_000_000, backupCount=1, delay=True)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    logger.addHandler(handler)
    logger.propagate = False
    try:
        yield path
    finally:
        logger.removeHandler(handler)
        handler.close()
