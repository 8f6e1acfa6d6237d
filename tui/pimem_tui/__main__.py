"""The console entry point.

It imports the core's command line only: a headless command must not pay for the interface.
"""

from __future__ import annotations

import gc
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import NoReturn


def run() -> NoReturn:
    """Be the process: run a command and end.

    A command is short, so it collects no garbage and leaves the interpreter's clean-up to the
    system: together they would be a sixth of a hook's time.
    """
    if sys.getfilesystemencoding() != "utf-8":
        # Memory is UTF-8 whatever the locale: read as Latin-1, `Zürich` would be stored mangled.
        os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])
    gc.disable()
    code = main()
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (AttributeError, OSError, ValueError):
            code = code or 4  # closed, or full: what was to be said is lost
    os._exit(code)


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command, or open the manager when there is none.

    Returns:
        The exit code of the process.
    """
    try:
        import fcntl  # noqa: F401 - what every lock here stands on
    except ImportError:
        sys.stderr.write("pimem runs on Linux and macOS; on Windows use it in WSL.\n")
        return 4
    words = sys.argv[1:] if argv is None else argv
    if words[:1] == ["hook"]:
        # Hooks run on every prompt; the rest of the command line would take half of their time.
        from pimem_core.hooks.serve import main as hook

        if words[1:2] == ["serve"]:
            gc.enable()
        return hook(words[1:])
    from pimem_core.cli import main as command

    return command(words, open_manager=_open_manager, keys=_keys)


def _keys(changed: Mapping[str, str]) -> tuple[Iterable[dict[str, str]], Iterable[str]]:
    from .keys.problems import flaws
    from .keys.table import rows

    return rows(changed), flaws(changed)


def _open_manager(store: str | None, folder: str | None, demo: bool, search: str = "") -> int:
    if not (_is_terminal(sys.stdin) and _is_terminal(sys.stdout)):
        sys.stderr.write(
            "pimem: the manager needs a terminal; `pimem --help` lists the commands that do not.\n"
        )
        return 2
    # The manager collects again once it is painted: until then all that is made stays.
    from .app import run_manager

    return run_manager(store, folder, demo=demo, search=search)


def _is_terminal(stream: object) -> bool:
    # A stream is None when the process was started with it closed.
    isatty = getattr(stream, "isatty", None)
    return bool(isatty and isatty())


if __name__ == "__main__":
    run()
