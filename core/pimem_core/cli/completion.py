"""The completion command; shtab makes the scripts from the parser, so they never lag behind."""

from __future__ import annotations

from .parser import build

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from ..paths import Places
    from .output import Output


def completion(options: argparse.Namespace, places: Places, output: Output) -> int:
    """Print a completion script for a shell."""
    import shtab

    del places
    output.text(shtab.complete(build(), options.shell))
    return 0
