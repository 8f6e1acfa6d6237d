"""The look of the manager: one sheet per screen, and `base.tcss` for what they share."""

from importlib.resources import files
from pathlib import Path

__all__ = ["stylesheet"]


def stylesheet(name: str) -> Path:
    """Locate a sheet of this package by its file name."""
    return Path(str(files(__name__) / name))
