"""The look of the manager: one sheet per screen, and `base.tcss` for what they share."""

from pathlib import Path, PurePath

__all__ = ["stylesheet", "stylesheets"]


def stylesheet(name: str) -> Path:
    """Locate a sheet of this package by its file name.

    `importlib.resources` would do the same and take as long to load as all the sheets.
    """
    return Path(__file__).with_name(name)


def stylesheets(*names: str) -> list[str | PurePath]:
    """The sheets of a screen: what screens have in common, then its own."""
    return [stylesheet(f"{name}.tcss") for name in ("parts", *names)]
