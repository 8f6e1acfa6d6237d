"""Words for errors that nobody foresaw."""

from __future__ import annotations


def unexpected(error: BaseException) -> str:
    """A sentence for the person; the log gets the rest."""
    from .log import logger

    logger.error("An unexpected error", exc_info=error)
    detail = " ".join(str(error).split())[:200]
    return f"Something unexpected went wrong: {type(error).__name__} {detail}".rstrip() + "."
