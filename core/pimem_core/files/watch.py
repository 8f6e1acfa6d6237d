"""Noticing that a store's folder changes, by the system's notices or by looking again."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Collection
    from threading import Event

#: Seconds between two looks where the system gives no notice.
POLL_S = 2.0
#: Seconds that a file's time may lag behind the clock.
_CLOCK_S = 0.02
#: Milliseconds that changes are gathered, so that one rename is not reported as three.
_STEP_MS = 5
_GATHER_MS = 30
#: Milliseconds after which the folder itself is looked at: a removed one gives no notice.
_LOOK_MS = 1_000
#: Where notices of changes made on other machines never arrive.
_REMOTE = frozenset(
    (
        *("9p", "afs", "ceph", "cifs", "fuse.rclone", "fuse.sshfs", "glusterfs", "lustre"),
        *("ncpfs", "nfs", "nfs4", "smb3", "smbfs", "vboxsf", "virtiofs"),
    )
)
_Look = dict[str, tuple[int, int, int]]


def watch(
    folder: str,
    changed: Callable[[Collection[str]], object],
    *,
    stop: Event,
    since: float | None = None,
    poll_s: float = POLL_S,
    below: bool = False,
) -> None:
    """Call `changed` with the names of files that came, went or changed, until `stop` is set.

    Hidden files are not content and are not reported: locks and temporary files come and go with
    every change. A folder that is missing is waited for.

    Args:
        folder: The folder.
        changed: Called from this thread.
        stop: Ends the watch within a moment.
        since: Unix time; what changed between it and the start of the watch is reported too.
        poll_s: Seconds between two looks where the system gives no notice.
        below: Whether files in its own folders count, as `folder/name`; deeper ones never do.
    """
    last = _look(folder, below)
    if since is not None:
        _report_missed(folder, last or {}, since, changed)
    while not stop.is_set():
        if last is not None and not is_remote(folder):
            with contextlib.suppress(ImportError, OSError, RuntimeError):
                _follow_notices(folder, changed, stop, last, below)
                last = _report(last, _look(folder, below), changed)
                continue
        if stop.wait(poll_s):
            return
        last = _report(last, _look(folder, below), changed)


def _report_missed(
    folder: str, last: _Look, since: float, changed: Callable[[Collection[str]], object]
) -> None:
    """Report what changed after a moment; what went or was moved shows in the folder's own time."""
    oldest = (since - _CLOCK_S) * 1e9
    names = {name for name, (changed_ns, _, _) in last.items() if changed_ns >= oldest}
    touched = bool(names)
    with contextlib.suppress(OSError):
        touched = touched or os.stat(folder).st_ctime_ns >= oldest
    if touched:
        changed(names)


def _report(
    last: _Look | None, now: _Look | None, changed: Callable[[Collection[str]], object]
) -> _Look | None:
    if now != last:
        before, after = last or {}, now or {}
        names = {name for name in {*before, *after} if before.get(name) != after.get(name)}
        changed(names)
    return now


def _follow_notices(
    folder: str,
    changed: Callable[[Collection[str]], object],
    stop: Event,
    last: _Look,
    below: bool,
) -> None:
    """Report what the system notices, first what changed just before, until the folder is gone.

    Raises:
        OSError: The system gives no notices here.
    """
    from watchfiles import watch as notices  # with anyio, which nothing else needs

    watched, real = _identity(folder), os.path.realpath(folder)
    first = True
    for found in notices(
        real,
        watch_filter=None,
        debounce=_GATHER_MS,
        step=_STEP_MS,
        rust_timeout=_LOOK_MS,
        yield_on_timeout=True,
        stop_event=stop,
        raise_interrupt=False,
        recursive=below,
    ):
        names = {os.path.relpath(path, real) for _kind, path in found}
        names = {name for name in names if _counts(name, below)}
        if first:
            first = False
            now = _look(folder, below) or {}
            names |= {name for name in {*last, *now} if last.get(name) != now.get(name)}
        if names:
            changed(names)
        if _identity(folder) != watched:
            return


def _identity(folder: str) -> tuple[int, int] | None:
    try:
        status = os.stat(folder)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _counts(name: str, below: bool) -> bool:
    parts = name.split(os.sep)
    return len(parts) <= 1 + below and not any(part.startswith(".") for part in parts)


def _look(folder: str, below: bool) -> _Look | None:
    """Each visible file with what shows that it changed; None when there is no folder."""
    found: _Look = {}
    try:
        with os.scandir(folder) as items:
            for item in items:
                if not item.name.startswith("."):
                    with contextlib.suppress(OSError):
                        status = item.stat(follow_symlinks=False)
                        found[item.name] = (status.st_mtime_ns, status.st_size, status.st_ino)
                        if below and item.is_dir(follow_symlinks=False):
                            inside = _look(item.path, False) or {}
                            found |= {f"{item.name}/{name}": how for name, how in inside.items()}
    except OSError:
        return None
    return found


def is_remote(folder: str, mounts: str = "/proc/self/mounts") -> bool:
    """Whether a folder is on a file system that other machines write to."""
    try:
        with open(mounts, encoding="utf-8", errors="surrogateescape") as file:
            lines = [line.split(" ") for line in file]
    except OSError:
        return False
    path = os.path.realpath(folder)
    best, kind = "", ""
    for fields in lines:
        point = fields[1].replace("\\040", " ")
        below = path == point or path.startswith(point.rstrip("/") + "/")
        if below and len(point) >= len(best):
            best, kind = point, fields[2]
    return kind in _REMOTE
