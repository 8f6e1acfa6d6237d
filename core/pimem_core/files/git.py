"""What git says about a folder, in bounded time and without a trace.

A repository may be anybody's, and its configuration names commands: clean filters, a file system
monitor, a remote to fetch missing objects from. So git never sees it. It works in an empty
repository of our own that lasts as long as the question, and is lent index and objects to read.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import tempfile
from typing import TYPE_CHECKING

from ..errors import PimemError
from ..value import Value
from .git_root import GitFolders, git_folders, work_tree_root
from .read import read_bytes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

#: Longest wait for git, in seconds.
_WAIT_S = 1.0
#: Most bytes that are read of a file that names a commit, and of one that lists what is ignored.
_MOST_REF, _MOST_REFS = 4096, 1 << 22
_HEX = frozenset("0123456789abcdef")


class GitState(Value):
    """The files below a folder that differ from what is committed, relative to the folder.

    `ignored` says that git ignores the folder itself.
    """

    changed: Sequence[str] = ()
    untracked: Sequence[str] = ()
    ignored: bool = False


def state(folder: str) -> GitState | None:
    """How git sees a folder; None outside a work tree, and where git is missing or slow.

    Nothing that the repository names is run. Whoever asks makes sure that the person trusts it
    all the same: a hostile index is still read by git.
    """
    root = work_tree_root(folder) if os.path.isdir(folder) else None
    found = None if root is None else git_folders(root)
    if root is None or found is None:
        return None
    try:
        with _lent(found) as environment:
            output = _status(folder, {**environment, "GIT_WORK_TREE": root})
    except (OSError, PimemError, subprocess.SubprocessError):
        return None
    rows = [os.fsdecode(row) for row in output.split(b"\0") if row]
    here = os.path.relpath(os.path.realpath(folder), root)
    return GitState(
        changed=[os.path.relpath(r[3:], here) for r in rows if r[:2] not in ("??", "!!")],
        untracked=[os.path.relpath(r[3:], here) for r in rows if r[:2] == "??"],
        ignored=any(row[:2] == "!!" and _covers(row[3:], folder) for row in rows),
    )


def _covers(ignored: str, folder: str) -> bool:
    """Whether an ignored path is the folder or one above it."""
    return f"/{ignored.rstrip('/')}/" in f"{os.path.realpath(folder)}/"


def _status(folder: str, environment: dict[str, str]) -> bytes:
    command = [
        "git",
        *("--no-pager", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"),
        # What a repository of ours cannot know of the file system that the files are on.
        *("-c", "core.fileMode=false", "-c", "core.untrackedCache=false"),
        *("-C", folder, "status", "--porcelain=v1", "-z", "--untracked-files=all"),
        # A submodule has a configuration of its own.
        *("--ignored=matching", "--no-renames", "--ignore-submodules=all", "--", "."),
    ]
    return subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        timeout=_WAIT_S,
        check=True,
        env=environment,
    ).stdout


@contextlib.contextmanager
def _lent(found: GitFolders) -> Iterator[dict[str, str]]:
    """The environment for git in an empty repository that reads another one's index and objects."""
    commit = _commit(found)
    folder = tempfile.mkdtemp(prefix="pimem-git-")
    try:
        for name in ("refs", "objects", "info"):
            os.mkdir(os.path.join(folder, name), 0o700)
        # A branch without a commit yet has no id.
        head = commit or "ref: refs/heads/none"
        _write(os.path.join(folder, "HEAD"), f"{head}\n".encode())
        is_sha256 = commit is not None and len(commit) == 64
        _write(os.path.join(folder, "config"), _SHA256 if is_sha256 else _CONFIG)
        exclude = _text(os.path.join(found.common, "info", "exclude"), _MOST_REFS)
        _write(os.path.join(folder, "info", "exclude"), exclude or b"")
        kept = {k: v for k, v in os.environ.items() if not k.startswith("GIT_")}
        yield {
            **kept,
            "GIT_DIR": folder,
            "GIT_INDEX_FILE": os.path.join(found.own, "index"),
            "GIT_OBJECT_DIRECTORY": os.path.join(found.common, "objects"),
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_OPTIONAL_LOCKS": "0",
            "GIT_NO_LAZY_FETCH": "1",
            "GIT_TERMINAL_PROMPT": "0",
        }
    finally:
        shutil.rmtree(folder, ignore_errors=True)


_CONFIG = b"[core]\n\trepositoryformatversion = 0\n\tbare = false\n"
_SHA256 = (
    b"[core]\n\trepositoryformatversion = 1\n\tbare = false\n"
    b"[extensions]\n\tobjectFormat = sha256\n"
)


def _write(path: str, data: bytes) -> None:
    with open(path, "xb") as file:
        file.write(data)


def _text(path: str, most: int) -> bytes | None:
    try:
        return read_bytes(path, limit=most, follow=True)
    except PimemError:
        return None


def _commit(found: GitFolders) -> str | None:
    """The id of the commit that is checked out; None before there is one."""
    text = (_text(os.path.join(found.own, "HEAD"), _MOST_REF) or b"").decode("utf-8", "replace")
    for _ in range(5):  # a reference may name another one
        if not text.startswith("ref:"):
            break
        name = text.removeprefix("ref:").strip()
        text = _reference(found, name)
    word = text.strip()
    return word if len(word) in (40, 64) and _HEX.issuperset(word) else None


def _reference(found: GitFolders, name: str) -> str:
    parts = name.split("/")
    if parts[0] != "refs" or any(part in ("", ".", "..") for part in parts) or "\0" in name:
        return ""
    loose = _text(os.path.join(found.common, *parts), _MOST_REF)
    if loose is not None:
        return loose.decode("utf-8", "replace")
    packed = _text(os.path.join(found.common, "packed-refs"), _MOST_REFS) or b""
    for line in packed.decode("utf-8", "replace").split("\n"):
        word, _, known = line.partition(" ")
        if known == name:
            return word
    return ""
