"""The pi package: what pi loads to reach pimem."""

from __future__ import annotations

import os


def folder() -> str:
    """The absolute path of the pi package, as `pi install` takes it."""
    return os.path.dirname(os.path.abspath(__file__))
