"""Parsing the command line and running the command; every exit passes here."""

from __future__ import annotations

import os
import sys

from ..errors import EXIT_CODES, PimemError
from ..paths import find_places
from .output import Output

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence

    from ..paths import Places

    #: Opens the manager: store, folder, demo; gives the exit code.
    OpenManager = Callable[[str | None, str | None, bool], int]


def main(argv: Sequence[str] | None = None, *, open_manager: OpenManager) -> int:
    """Run one command, or the manager when none is named.

    Args:
        argv: The arguments without the program's name; the process's own when left out.
        open_manager: Called without a command; the core knows no screen.

    Returns:
        The exit code of the contract.
    """
    from .parser import build

    # Memory is UTF-8 whatever the locale says; bytes that are none pass through unharmed.
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="surrogateescape")
    try:
        words = sys.argv[1:] if argv is None else argv
        options = build(words).parse_args(words)
    except SystemExit as stop:
        return stop.code if isinstance(stop.code, int) else 2
    store, folder = getattr(options, "store", None), getattr(options, "dir", None)
    try:
        if options.command is None:
            return open_manager(store, folder, getattr(options, "demo", False))
        code = _run(options)
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader has seen enough. Python would complain once more while flushing at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130
    return code


def _run(options: argparse.Namespace) -> int:
    places = find_places()
    output = Output(as_json=getattr(options, "json", False))
    try:
        return _command(options)(options, places, output)
    except PimemError as error:
        name = error.name or getattr(options, "topic", "")
        output.refusal(error, name=name, store=_store_name(options, places))
        return EXIT_CODES[error.outcome]
    except (BrokenPipeError, KeyboardInterrupt):
        raise
    except Exception as error:
        from ..log import write_log

        path = write_log(places, error)
        output.notice(f"Something unexpected happened ({type(error).__name__}: {error}). {path}")
        return EXIT_CODES["storage_error"]


def _store_name(options: argparse.Namespace, places: Places) -> str:
    """The store that a refused command was about, as far as it can be told."""
    from ..systems import registry
    from .reading import chosen

    try:
        return (chosen(options, places) or registry.active_store(places)).name
    except PimemError:
        return getattr(options, "store", None) or getattr(options, "dir", None) or ""


def _command(options: argparse.Namespace) -> Callable[..., int]:
    """The function behind a command; only its own module is loaded."""
    import importlib

    module, function = options.runs.split(":")
    found: Callable[..., int] = getattr(
        importlib.import_module(f".{module}", __package__), function
    )
    return found
