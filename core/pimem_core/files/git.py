"""What git says about a folder, in bounded time and without a trace: it only ever reads."""

from __future__ import annotations

import os

from ..value import Value
from .git_root import work_tree_root

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

#: Longest wait for git, in seconds.
_WAIT_S = 1.0


class GitState(Value):
    """The files below a folder that differ from what is committed, relative to the folder.

    `ignored` says that git ignores the folder itself.
    """

    changed: Sequence[str] = ()
    untracked: Sequence[str] = ()
    ignored: bool = False


def state(folder: str) -> GitState | None:
    """How git sees a folder; None outside a work tree, and where git is missing or slow."""
    root = work_tree_root(folder) if os.path.isdir(folder) else None
    if root is None:
        return None
    import subprocess

    command = [
        "git",
        # The repository may be anybody's: nothing that its configuration names is run.
        *("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"),
        *("-C", folder, "status", "--porcelain=v1", "-z", "--untracked-files=all"),
        *("--ignored=matching", "--no-renames", "--", "."),
    ]
    environment = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
    environment["GIT_OPTIONAL_LOCKS"] = "0"
    try:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=_WAIT_S,
            check=False,
            env=environment,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    if done.returncode != 0:
        return None
    rows = [os.fsdecode(row) for row in done.stdout.split(b"\0") if row]
    here = os.path.relpath(os.path.realpath(folder), os.path.realpath(root))
    return GitState(
        changed=[os.path.relpath(r[3:], here) for r in rows if r[:2] not in ("??", "!!")],
        untracked=[os.path.relpath(r[3:], here) for r in rows if r[:2] == "??"],
        ignored=any(row[:2] == "!!" and _covers(row[3:], folder) for row in rows),
    )


def _covers(ignored: str, folder: str) -> bool:
    """Whether an ignored path is the folder or one above it."""
    return f"/{ignored.rstrip('/')}/" in f"{os.path.realpath(folder)}/"
