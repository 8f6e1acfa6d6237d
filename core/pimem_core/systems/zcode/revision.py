"""Noticing that another program changed a file between our reading and our writing."""

from __future__ import annotations

import contextlib
import hashlib
import math
import os

from ...errors import StorageError
from ...files.read import read_bytes
from ...value import Value


class Revision(Value):
    """A file's content at a moment: ZCode's own mark, and a hash for changes that it misses."""

    mark: str
    digest: str


def mark_of(status: os.stat_result) -> str:
    """ZCode's revision: milliseconds as Node.js counts them, and bytes."""
    seconds, rest = divmod(status.st_mtime_ns, 10**9)
    # Node.js adds the parts as floating point numbers, and so rounds where an integer would not.
    return f"mtime:{math.trunc(seconds * 1000 + rest / 1e6)}:size:{status.st_size}"


def digest_of(data: bytes) -> str:
    """The content's hash."""
    return hashlib.sha256(data).hexdigest()


def revision_of(path: str, data: bytes) -> Revision:
    """The revision of a file that was just read; it may be gone by now."""
    mark = ""
    with contextlib.suppress(OSError):
        mark = mark_of(os.lstat(path))
    return Revision(mark=mark, digest=digest_of(data))


def is_same(path: str, seen: Revision | None) -> bool:
    """Whether a file is still as it was seen, None meaning absent; a new date alone does not count.

    Raises:
        InvalidTopicError: It is not a regular file any more.
        StorageError: It cannot be read.
    """
    try:
        status = os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return seen is None
    except OSError as error:
        raise StorageError(f"{path} cannot be looked at: {error.strerror}.") from error
    if seen is None:
        return False
    if mark_of(status) == seen.mark and not _was_just_written(status):
        return True
    return digest_of(read_bytes(path)) == seen.digest


def _was_just_written(status: os.stat_result) -> bool:
    """Whether a second write could hide in the same millisecond as the first."""
    import time

    return time.time_ns() - status.st_mtime_ns < 2_000_000_000
