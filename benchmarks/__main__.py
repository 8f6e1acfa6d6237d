"""Run every measurement and print a table; nothing is asserted here."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from . import manager, speed, tokens

if TYPE_CHECKING:
    from collections.abc import Callable


def _tokens(_root: Path) -> list[tuple[str, str, str]]:
    return tokens.rows()


def _cache(root: Path) -> list[tuple[str, str, str]]:
    from . import cache  # it needs the pi of the tests

    return cache.rows(root)


_GROUPS: dict[str, Callable[[Path], list[tuple[str, str, str]]]] = {
    "start": speed.start_up,
    "served": speed.served,
    "search": speed.search,
    "write": speed.write,
    "manager": manager.manager,
    "tokens": _tokens,
    "cache": _cache,
}


def main() -> None:
    """Measure the groups that are named, all when none is."""
    wanted = sys.argv[1:] or list(_GROUPS)
    print("| what | measured | bound |\n| --- | --- | --- |")
    with tempfile.TemporaryDirectory(prefix="pimem-bench-") as folder:
        for name in wanted:
            for what, measured, bound in _GROUPS[name](Path(folder) / name):
                print(f"| {what} | {measured} | {bound} |", flush=True)


if __name__ == "__main__":
    main()
