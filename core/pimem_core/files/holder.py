"""Who holds a store's lock. Apart from `lock`, so that looking does not load filelock."""

from __future__ import annotations

import os
import time

from ..model import LockHolder
from .anchor import open_at

LOCK_NAME = ".lock"
#: Ends the name of a lock of our own where the file system has no locks.
HELD = ".held"


def lock_content(path: str) -> bytes:
    """What a lock file says; nothing when it cannot be read."""
    try:
        descriptor = open_at(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        return os.read(descriptor, 4096)
    except OSError:
        return b""
    finally:
        os.close(descriptor)


def pid_in(content: bytes) -> int | None:
    """The process id that a lock names: the integer at the start of its first field."""
    field = content.strip().split(b"\t", 1)[0].lstrip()
    digits = field[1:] if field[:1] in (b"+", b"-") else field
    count = len(digits) - len(digits.lstrip(b"0123456789"))
    if count == 0 or field[:1] == b"-":
        return None
    return int(digits[:count]) or None


def is_alive(pid: int) -> bool:
    """Whether a process runs; where that is unknown, it counts as running."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


def own_lock_path(state_dir: str, path: str) -> str:
    """The lock of a path among our own processes: others that write there know none."""
    import hashlib  # takes 2 ms to load

    digest = hashlib.sha256(os.path.realpath(path).encode("utf-8", "replace")).hexdigest()
    return os.path.join(state_dir, "locks", f"{digest[:16]}.lock")


def own_lock_holder(path: str) -> LockHolder | None:
    """That one of our own processes holds the lock in a file; None when none does."""
    import fcntl

    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        age_s = max(0.0, time.time() - os.fstat(descriptor).st_mtime)
        return LockHolder(pid=None, age_s=age_s, path=path)
    except OSError:
        return _holder(f"{path}{HELD}")
    finally:
        os.close(descriptor)
    return None


def lock_holder(folder: str) -> LockHolder | None:
    """Who holds a store's lock now; None when nobody does."""
    return _holder(os.path.join(folder, LOCK_NAME))


def _holder(path: str) -> LockHolder | None:
    try:
        status = os.lstat(path)
    except OSError:
        return None
    return LockHolder(
        pid=pid_in(lock_content(path)),
        age_s=abs(time.time() - status.st_mtime),
        path=path,
    )
