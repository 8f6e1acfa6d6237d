"""The root of a git work tree, found by looking alone: no process is started."""

from __future__ import annotations

import os

from ..errors import PimemError
from ..value import Value
from .read import read_bytes

_MOST = 4096


def work_tree_root(folder: str, *, shared_worktree: bool = False) -> str | None:
    """The root of the git work tree that a folder is in, resolved; None outside of any.

    Args:
        folder: Any folder.
        shared_worktree: For a linked worktree give the main checkout.
    """
    return root_above(os.path.realpath(folder), shared_worktree=shared_worktree)


def root_above(folder: str, *, shared_worktree: bool = False) -> str | None:
    """The same for a folder that is resolved already."""
    while True:
        marker = os.path.join(folder, ".git")
        if os.path.isdir(marker):
            if os.path.lexists(os.path.join(marker, "HEAD")):
                return folder
        elif os.path.lexists(marker):
            repository = _git_dir(marker)
            if repository is not None:
                return (_main_checkout(repository) if shared_worktree else None) or folder
        above = os.path.dirname(folder)
        if above == folder:
            return None
        folder = above


def _git_dir(marker: str) -> str | None:
    """Where the `.git` file of a linked worktree or submodule leads."""
    text = _first_line(marker)
    if text is None or not text.startswith("gitdir:"):
        return None
    return os.path.join(os.path.dirname(marker), text.removeprefix("gitdir:").strip())


class GitFolders(Value):
    """Where a work tree's repository is: its own part, and what linked work trees share."""

    own: str
    common: str


def git_folders(root: str) -> GitFolders | None:
    """The repository of a work tree's root; None where there is none."""
    marker = os.path.join(root, ".git")
    own = marker if os.path.isdir(marker) else _git_dir(marker)
    if own is None:
        return None
    common = _first_line(os.path.join(own, "commondir"))
    return GitFolders(own=own, common=own if common is None else os.path.join(own, common))


def _main_checkout(repository: str) -> str | None:
    """The main checkout of a linked worktree; None for a submodule or a bare repository."""
    common = _first_line(os.path.join(repository, "commondir"))
    if common is None:
        return None
    path = os.path.realpath(os.path.join(repository, common))
    return os.path.dirname(path) if os.path.basename(path) == ".git" else None


def _first_line(path: str) -> str | None:
    """What is in the first line; None where no regular file is, a pipe for one."""
    try:
        data = read_bytes(path, limit=_MOST, follow=True)
    except PimemError:
        return None
    line = os.fsdecode(data.partition(b"\n")[0])
    return None if "\0" in line else line
