"""Parsing the command line and running the command; every exit passes here."""

from __future__ import annotations

import os
import sys

from ..errors import EXIT_CODES, OutputError, PimemError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from ..paths import Places

    #: Given the keys that the settings change: the manager's bindings as rows, and what is wrong.
    Keys = Callable[[Mapping[str, str]], tuple[Iterable[dict[str, str]], Iterable[str]]]

    #: Opens the manager: store, folder, demo, what to search for; gives the exit code.
    OpenManager = Callable[[str | None, str | None, bool, str], int]


def main(
    argv: Sequence[str] | None = None, *, open_manager: OpenManager, keys: Keys = lambda _: ((), ())
) -> int:
    """Run one command, or the manager when none is named.

    Args:
        argv: The arguments without the program's name; the process's own when left out.
        open_manager: Called without a command; the core knows no screen.
        keys: Called for the manager's table of keys.

    Returns:
        The exit code of the contract.
    """
    words = sys.argv[1:] if argv is None else argv
    _open_streams()
    code = 0
    try:
        from .parser import parse

        try:
            options = parse(words)
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else 2
        else:
            if options.command is None:
                store, folder = getattr(options, "store", None), getattr(options, "dir", None)
                return open_manager(store, folder, options.demo, options.search or "")
            options.keys = keys
            code = _run(options)
        sys.stdout.flush()
    except BrokenPipeError:
        _drop_output()  # the reader has seen enough
    except KeyboardInterrupt:
        return 130
    except (OutputError, OSError) as error:
        _drop_output()
        why = error.strerror if isinstance(error, OSError) else error
        sys.stderr.write(f"The output cannot be written: {why}.\n")
        return EXIT_CODES["storage_error"]
    return code


def _open_streams() -> None:
    """Memory is UTF-8 whatever the locale says; bytes that are none pass through unharmed."""
    # A stream is None when the process was started with it closed.
    if sys.stdin is None:
        os.open(os.devnull, os.O_RDONLY)  # or the next file would be taken for standard input
    sys.stdout = sys.stdout or os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    sys.stderr = sys.stderr or os.fdopen(os.open(os.devnull, os.O_WRONLY), "w")
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="surrogateescape")


def _drop_output() -> None:
    """Python would complain once more while flushing at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _run(options: argparse.Namespace) -> int:
    from ..paths import find_places
    from ..systems import registry
    from .output import Output

    places = find_places()
    output = Output(as_json=getattr(options, "json", False))
    try:
        try:
            return _command(options)(options, places, output)
        finally:
            for said in registry.failures():
                output.notice(said)
    except PimemError as error:
        import contextlib

        name = error.name or getattr(options, "topic", None) or ""
        with contextlib.suppress(BrokenPipeError):  # it is a refusal, read or not
            asked, folder = _store_of(options, places)
            output.refusal(error, name=name, store=error.store or asked, folder=folder)
        return EXIT_CODES[error.outcome]
    except (BrokenPipeError, KeyboardInterrupt, OutputError):
        raise
    except Exception as error:
        from ..log import write_log

        path = write_log(places, error)
        output.notice(f"Something unexpected happened ({type(error).__name__}: {error}). {path}")
        return EXIT_CODES["storage_error"]


def _store_of(options: argparse.Namespace, places: Places) -> tuple[str, str]:
    """The name and folder of the store a refused command was about, as far as it is known."""
    from ..systems import registry
    from ..systems.stores import folder_of
    from .reading import chosen

    try:
        store = chosen(options, places)
        if store is None and options.runs.startswith("curating:"):  # commands of layered memory
            store = registry.active_layer(places)
        store = store or registry.active_store(places)
    except PimemError:
        return getattr(options, "store", None) or getattr(options, "dir", None) or "", ""
    return store.name, folder_of(store)


def _command(options: argparse.Namespace) -> Callable[..., int]:
    """The function behind a command; only its own module is loaded."""
    import importlib

    module, function = options.runs.split(":")
    found: Callable[..., int] = getattr(
        importlib.import_module(f".{module}", __package__), function
    )
    return found
