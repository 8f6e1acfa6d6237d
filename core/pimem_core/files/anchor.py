"""Folders that are held open, so that what stands at their path later makes no difference.

Between a look at a folder and a write into it somebody can put a link in its place. While a folder
is anchored, every file below it is reached from the open folder itself and through no link.
"""

from __future__ import annotations

import errno
import os
import stat

from ..errors import StorageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
#: Folders that are held, with their descriptors; the same one may be held several times.
_held: dict[str, list[int]] = {}


class anchored:
    """Hold a folder open for a block.

    The folder itself may be a link of this user, when `follow` says so; no other one.

    Raises:
        StorageError: It is a link that does not count, or was exchanged just now.
        OSError: It cannot be opened.
    """

    def __init__(self, folder: str, *, follow: bool = True) -> None:
        self.folder = folder
        self._follow = follow
        self._descriptor = -1

    def __enter__(self) -> Self:
        descriptor = os.open(self.folder, _FOLDER)
        try:
            refused = _refusal(self.folder, descriptor, self._follow)
        except OSError:
            os.close(descriptor)
            raise
        if refused is not None:
            os.close(descriptor)
            raise StorageError(refused)
        self._descriptor = descriptor
        # A new list each time: another thread may be looking.
        _held[self.folder] = [*_held.get(self.folder, ()), descriptor]
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        left = [one for one in _held[self.folder] if one != self._descriptor]
        if left:
            _held[self.folder] = left
        else:
            del _held[self.folder]
        os.close(self._descriptor)


def _refusal(folder: str, descriptor: int, follow: bool) -> str | None:
    """Why an opened folder is not the one that a path names, by right; None when it is."""
    status, opened = os.lstat(folder), os.fstat(descriptor)
    if os.path.islink(folder):
        if not follow:
            return f"{folder} is a symbolic link; put the folder itself there."
        if status.st_uid != os.geteuid():
            return f"{folder} is a symbolic link of another user, so pimem does not follow it."
        status = os.stat(folder)
    elif not follow and os.path.realpath(folder) != os.path.abspath(folder):
        return f"{folder} leads through a symbolic link; put the folder itself there."
    if (status.st_dev, status.st_ino) != (opened.st_dev, opened.st_ino):
        return f"{folder} was exchanged while it was opened; nothing was changed. Try again."
    return None


class at:
    """Name a path for the calls of `os`: as it is, or from the folder that is held.

    Gives a name and a descriptor for `dir_fd`, None where no folder above is held. Folders between
    the held one and the file are opened one by one, and through no link.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self._opened = -1

    def __enter__(self) -> tuple[str, int | None]:
        if not _held:
            return self.path, None
        above, name = os.path.split(self.path)
        names: list[str] = []
        while above not in _held:
            shorter, last = os.path.split(above)
            if shorter == above or last in ("", ".", ".."):
                return self.path, None
            names.append(last)
            above = shorter
        descriptor = _held[above][-1]
        if name in ("", ".", ".."):
            return self.path, None
        for folder in reversed(names):
            following = _step(folder, descriptor)
            if self._opened >= 0:
                os.close(self._opened)
            descriptor = self._opened = following
        return name, descriptor

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        if self._opened >= 0:
            os.close(self._opened)
            self._opened = -1


def _step(name: str, descriptor: int) -> int:
    try:
        return os.open(name, _FOLDER | os.O_NOFOLLOW, dir_fd=descriptor)
    except NotADirectoryError as error:
        status = os.stat(name, dir_fd=descriptor, follow_symlinks=False)
        if stat.S_ISLNK(status.st_mode):  # a folder that is missing, as one may be, is another case
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), name) from error
        raise


def is_folder_at(path: str) -> bool:
    """Whether a path is a folder; below one that is held a link to a folder is none."""
    if path in _held:
        return True
    try:
        with at(path) as (name, folder):
            status = os.stat(name, dir_fd=folder, follow_symlinks=folder is None)
    except OSError:
        return False
    return stat.S_ISDIR(status.st_mode)


def open_at(path: str, flags: int, mode: int = 0o600) -> int:
    """As `os.open`, from the folder that is held; raises as it does."""
    if not _held:
        return os.open(path, flags, mode)
    with at(path) as (name, folder):
        return os.open(name, flags, mode, dir_fd=folder)


def lstat_at(path: str) -> os.stat_result:
    """As `os.lstat`."""
    if not _held:
        return os.lstat(path)
    with at(path) as (name, folder):
        return os.stat(name, dir_fd=folder, follow_symlinks=False)


def unlink_at(path: str) -> None:
    """As `os.unlink`."""
    with at(path) as (name, folder):
        os.unlink(name, dir_fd=folder)


def rename_at(old: str, new: str) -> None:
    """As `os.rename`."""
    with at(old) as (source, above), at(new) as (target, beside):
        os.rename(source, target, src_dir_fd=above, dst_dir_fd=beside)


def link_at(old: str, new: str) -> None:
    """As `os.link`, of a link itself."""
    with at(old) as (source, above), at(new) as (target, beside):
        os.link(source, target, src_dir_fd=above, dst_dir_fd=beside, follow_symlinks=False)


def mkdir_at(path: str, mode: int) -> None:
    """As `os.mkdir`."""
    with at(path) as (name, folder):
        os.mkdir(name, mode, dir_fd=folder)


def chmod_at(path: str, mode: int) -> None:
    """As `os.chmod`."""
    with at(path) as (name, folder):
        os.chmod(name, mode, dir_fd=folder)


def open_folder(path: str) -> int:
    """Open a folder itself, the held one where it is held."""
    held = _held.get(path)
    if held is not None:
        return os.dup(held[-1])
    with at(path) as (name, folder):
        flags = _FOLDER if folder is None else _FOLDER | os.O_NOFOLLOW
        return os.open(name, flags, dir_fd=folder)
