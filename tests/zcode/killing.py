"""Runs a change over and over, killed one step later each time, and prints how the store is.

A process of its own, because it forks: `killing.py FILES-AS-JSON COMMAND…`.
"""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING, Any

from pimem_core.cli import main
from pimem_core.paths import find_places
from pimem_core.systems.zcode.system import ZcodeSystem

if TYPE_CHECKING:
    from pimem_core.systems.zcode.store import ZcodeStore

_STEPS = 60


def files(folder: str) -> dict[str, str]:
    found = {}
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
        with open(os.path.join(folder, name), encoding="utf-8") as stream:
            found[name] = stream.read()
    return found


def fill(folder: str, wanted: dict[str, str]) -> None:
    os.makedirs(folder, exist_ok=True)
    for name in os.listdir(folder):
        os.unlink(os.path.join(folder, name))
    for name, text in wanted.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as stream:
            stream.write(text)


def deadly(step: int) -> None:
    """End this process at the n-th of the calls that change the disk."""
    left = step

    def wrap(real: Any) -> Any:
        def call(*args: Any, **more: Any) -> Any:
            nonlocal left
            left -= 1
            if left == 0:
                os._exit(9)
            return real(*args, **more)

        return call

    for name in ("rename", "unlink", "mkdir", "fsync"):
        setattr(os, name, wrap(getattr(os, name)))


def run(step: int, command: list[str]) -> int:
    child = os.fork()
    if child == 0:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        deadly(step)
        os._exit(main(["--store", "zcode", *command], open_manager=lambda *_: 2))
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def attempt(store: ZcodeStore, start: dict[str, str], step: int, command: list[str]) -> Any:
    fill(store.path, start)
    code = run(step, command)
    seen = sorted(t.file for t in store.list() if t.problem is None)
    said = list(store.recover())
    return {"code": code, "seen": seen, "said": said, "files": files(store.path)}


def everything(start: dict[str, str], command: list[str]) -> list[Any]:
    store = ZcodeSystem().active(find_places())
    rows = []
    for step in range(_STEPS):
        rows.append(attempt(store, start, step, command))
        if step and rows[-1]["code"] == 0:
            break
    return rows


if __name__ == "__main__":
    sys.stdout.write(json.dumps(everything(json.loads(sys.argv[1]), sys.argv[2:])))
