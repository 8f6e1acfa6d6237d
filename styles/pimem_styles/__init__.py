"""The look of the manager: one sheet per screen, and `base.tcss` for what they share."""

from pathlib import Path

__all__ = ["stylesheet"]


def stylesheet(name: str) -> Path:
    """Locate a sheet of this package by its file name.

    `importlib.resources` would do the same and take as long to load as all the sheets.
    """
    return Path(__file__).with_name(name)
