"""The hook command when options stand before it; `main` takes the short way otherwise."""

from __future__ import annotations

from ..hooks.serve import main

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from ..paths import Places
    from .output import Output


def hook(options: argparse.Namespace, places: Places, output: Output) -> int:
    """Answer a host."""
    del places, output
    return main([options.event])
