"""Reading files that other programs and people put there: never through a link, never hanging."""

from __future__ import annotations

import errno
import os
import stat

from ..errors import InvalidTopicError, PimemError, StorageError, TopicNotFoundError
from .anchor import lstat_at, open_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

#: How much of a file a preview reads, in bytes; the bound of the programs we share with.
PREVIEW_BYTES = 51_200
#: Characters of a name that is too long which an error shows.
_SHOWN_NAME = 40
#: Most bytes of a file's name, on every file system that is in use.
NAME_BYTES = 255
_FLAGS = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC


def read_bytes(
    path: str, *, limit: int | None = None, follow: bool = False, from_end: bool = False
) -> bytes:
    """Read a regular file, or `limit` bytes of it.

    Args:
        path: The file.
        limit: Most bytes to read; the whole file when left out.
        follow: Follow a symbolic link in the last component, as a person's own configuration may.
        from_end: Read the last `limit` bytes instead of the first.

    Raises:
        TopicNotFoundError: There is no such file.
        InvalidTopicError: It is a link, a folder, a pipe or the like.
        StorageError: It cannot be read.
    """
    try:
        descriptor = open_at(path, _FLAGS if follow else _FLAGS | os.O_NOFOLLOW)
    except OSError as error:
        raise _explained(error, path) from error
    try:
        size = _regular_size(descriptor, path)
        if limit is None or size <= limit:
            data = os.read(descriptor, size + 1)
            if len(data) == size:  # all of it; most files are read so, in one call
                return data
            os.lseek(descriptor, 0, os.SEEK_SET)
        chunks = []
        if from_end and limit is not None and size > limit:
            os.lseek(descriptor, size - limit, os.SEEK_SET)
        left = size + 1 if limit is None else min(size, limit)
        while left > 0:
            chunk = os.read(descriptor, min(left, 1 << 22))
            if not chunk:
                break
            chunks.append(chunk)
            # A file that grows while it is read is read to its end.
            left = 1 << 16 if limit is None and left <= len(chunk) else left - len(chunk)
        return b"".join(chunks)
    except OSError as error:
        raise _explained(error, path) from error
    finally:
        os.close(descriptor)


def content(path: str) -> bytes | None:
    """The bytes of a file, None when there is none; raises as `read_bytes` for anything else."""
    try:
        return read_bytes(path)
    except TopicNotFoundError:
        return None


def read_text(path: str, shown: Mapping[str, bytes | None]) -> str | None:
    """The text of a file such as an index, always whole; None when there is none.

    Args:
        path: The file.
        shown: The bytes of files that show other ones than they have.

    Raises:
        StorageError: It is there but cannot be read, is not a regular file or not UTF-8.
    """
    try:
        data = shown[path] if path in shown else content(path)
    except InvalidTopicError as error:
        raise StorageError(str(error), file=os.path.basename(path)) from error
    return None if data is None else decode(data, path)


def signature(status: os.stat_result | None) -> tuple[int, ...] | None:
    """A value that stays equal while a file does; None without a status."""
    return None if status is None else _signed(status)


def signature_of(path: str) -> tuple[int, ...] | None:
    """The same of what is at a path; None when nothing is."""
    try:
        return _signed(lstat_at(path))
    except OSError:
        return None


def _signed(status: os.stat_result) -> tuple[int, ...]:
    return status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino


def _regular_size(descriptor: int, path: str) -> int:
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        raise _about(InvalidTopicError(not_regular(path), file=os.path.basename(path)), path)
    return status.st_size


def _about(error: PimemError, path: str) -> PimemError:
    error.path = path
    return error


def not_regular(path: str) -> str:
    """Say that a path is not a regular file, and where a link leads."""
    try:
        target = os.readlink(path)
    except OSError:
        return f"{path} is not a regular file; move it away."
    return f"{path} is a symbolic link to {target}; put the file itself there."


def _explained(error: OSError, path: str) -> Exception:
    name = os.path.basename(path)
    if error.errno in (errno.ENOENT, errno.ENOTDIR):
        return _about(TopicNotFoundError(f"{path} does not exist.", file=name), path)
    if error.errno == errno.ENAMETOOLONG:
        name = f"{name[:_SHOWN_NAME]}…"
        said = f"No file can have the name {name}, it is too long."
        return _about(TopicNotFoundError(said, file=name), path)
    # A socket answers ENXIO, a link ELOOP: neither is a file that somebody's memory is in.
    if error.errno in (errno.ELOOP, errno.ENXIO, errno.EISDIR, errno.ENODEV):
        return _about(InvalidTopicError(not_regular(path), file=name), path)
    return _about(StorageError(f"{path} cannot be read: {error.strerror}.", file=name), path)


def decode(data: bytes, path: str) -> str:
    """Decode a file that is going to be changed.

    Raises:
        StorageError: A byte is not UTF-8; writing the text back would lose it.
    """
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        said = f"{path} is not UTF-8 at byte {error.start}; convert the file, then try again."
        raise _about(StorageError(said, file=os.path.basename(path)), path) from error


def is_there(path: str, *, follow: bool = False) -> bool:
    """Whether anything is at a path, a broken link included unless links are followed.

    Only what is not there is missing: a disk that fails or a right that lacks is an error, or a
    file would be taken for missing and made again.

    Raises:
        StorageError: It cannot be found out.
    """
    try:
        os.stat(path) if follow else lstat_at(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG or (follow and error.errno == errno.ELOOP):
            return False
        raise StorageError(f"{path} cannot be looked at: {error.strerror}.") from error
    return True


def regular_entries(folder: str) -> Iterator[os.DirEntry[str]]:
    """The regular files in a folder, in the order of the disk; an absent folder has none.

    Raises:
        StorageError: The folder cannot be listed, or is none.
    """
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.is_file(follow_symlinks=False):
                    yield entry
    except (FileNotFoundError, NotADirectoryError) as error:
        if os.path.lexists(folder):
            raise StorageError(f"{folder} is not a folder; move it away.") from error
    except OSError as error:
        raise StorageError(f"{folder} cannot be listed: {error.strerror}.") from error


def regular_names(folder: str) -> set[str]:
    """The names of the same files."""
    return {entry.name for entry in regular_entries(folder)}


def real_folder(folder: str) -> list[str]:
    """The note that a status has about a folder which is a link; none about any other."""
    if not os.path.islink(folder):
        return []
    return [f"{folder} is a link to {os.path.realpath(folder)}."]


def is_possible_name(name: str) -> bool:
    """Whether a file can have a name: it is not too long."""
    return len(name) * 4 <= NAME_BYTES or len(os.fsencode(name)) <= NAME_BYTES


def mode_of(path: str) -> int | None:
    """The rights of what is at a path; None when nothing is.

    Raises:
        StorageError: It cannot be found out (no right to look, a failing disk).
    """
    try:
        return stat.S_IMODE(lstat_at(path).st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise StorageError(f"{path} cannot be looked at: {error.strerror}.") from error


def is_regular(path: str) -> bool:
    """Whether a path is a regular file itself, not a link to one.

    Raises:
        StorageError: It cannot be found out (no right to look, a failing disk).
    """
    try:
        return stat.S_ISREG(lstat_at(path).st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            return False
        raise StorageError(f"{path} cannot be looked at: {error.strerror}.") from error
