"""Garbage collection that does not stop the keys."""

from __future__ import annotations

import gc


def collect_seldom() -> None:
    """Collect young objects in larger lots, and all objects almost never.

    Looking through ten thousand topics for cycles, which they never have, would take longer than
    the time between two keys. What a list drops is still freed at once.
    """
    gc.freeze()  # the first collection would look through all that was imported
    gc.enable()
    gc.set_threshold(25_000, 200, 100)


def keep_out() -> None:
    """Leave what there is now out of every collection to come."""
    gc.freeze()
