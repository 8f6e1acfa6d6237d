"""Publishing files: a reader sees the old bytes or the new ones, and so does the next start."""

from __future__ import annotations

import errno
import os
import stat

from ..errors import InvalidTopicError, StorageError
from .anchor import (
    chmod_at,
    is_folder_at,
    link_at,
    lstat_at,
    mkdir_at,
    open_at,
    open_folder,
    rename_at,
    unlink_at,
)
from .read import is_there, not_regular

#: What file systems without hard links answer to one.
_NO_HARD_LINKS = (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK)


class NotSyncedError(OSError):
    """A file has its new bytes, but whether they outlast a power failure is not known."""


class explained:
    """Turn an `OSError` of the block into a `StorageError` that names the file and the way out.

    Raises:
        StorageError: The block raised an `OSError`.
    """

    # A class, since contextlib takes half a millisecond to load, which each prompt would pay.

    def __init__(self, path: str) -> None:
        self._path = path

    def __enter__(self) -> None:
        """Begin."""

    def __exit__(self, _type: object, error: BaseException | None, _traceback: object) -> None:
        """Explain what the disk refused."""
        if isinstance(error, OSError):
            raise storage_error(self._path, error) from error


def storage_error(path: str, error: OSError) -> StorageError:
    """Say which file could not be changed, why, and what to do."""
    advice = {
        errno.ENOSPC: "free some space, then try again",
        errno.EDQUOT: "free some space, then try again",
        errno.EACCES: "check the rights of the file and its folder",
        errno.EPERM: "check the rights of the file and its folder",
        errno.EROFS: "the file system is read-only",
        errno.EMFILE: "close some programs, then try again",
        errno.ENFILE: "close some programs, then try again",
        errno.ENAMETOOLONG: "choose a shorter topic",
    }.get(error.errno or 0, "nothing was changed; try again")
    if isinstance(error, NotSyncedError):
        said = f"{path} was written, but the disk did not confirm it: {error.strerror}; try again."
        return StorageError(said, file=os.path.basename(path))
    return StorageError(
        f"{path} cannot be written: {error.strerror or error}; {advice}.",
        file=os.path.basename(path),
    )


def sync_folder(folder: str) -> None:
    """Make the names in a folder durable."""
    descriptor = open_folder(folder)
    try:
        os.fsync(descriptor)
    except OSError as error:
        # Some network file systems have no such call; the rename itself is then all there is.
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise
    finally:
        os.close(descriptor)


def make_folder(folder: str, mode: int = 0o700) -> None:
    """Create a folder and those above it, each durable; existing ones keep their mode."""
    missing = []
    while not is_folder_at(folder):
        missing.append(folder)
        folder = os.path.dirname(folder)
    for name in reversed(missing):
        try:
            mkdir_at(name, mode)
        except FileExistsError:
            continue
        # mkdir takes the umask off; under an odd one our own folder would be closed to us.
        if stat.S_IMODE(lstat_at(name).st_mode) != mode:
            chmod_at(name, mode)
        sync_folder(os.path.dirname(name))


def umask() -> int:
    """The process's umask: what a person's own new files are without.

    Reading it by setting it would let another thread's file pass with no umask at all.
    """
    try:
        with open("/proc/self/status", encoding="ascii", errors="replace") as status:
            for line in status:
                if line.startswith("Umask:"):
                    return int(line.split()[1], 8)
    except (OSError, ValueError, IndexError):
        pass
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def private_folder(folder: str) -> None:
    """Create a folder of pimem's own, or see that it is one and closed to others.

    Raises:
        StorageError: Something else stands there.
        OSError: It cannot be created.
    """
    make_folder(folder)
    refuse_linked_folder(folder)
    status = os.lstat(folder)
    if not stat.S_ISDIR(status.st_mode):
        raise StorageError(f"{folder} is not a folder; move it away, then try again.")
    if status.st_mode & 0o077:
        os.chmod(folder, 0o700)


def refuse_linked_folder(folder: str) -> None:
    """Refuse to write into a folder that is a symbolic link.

    Raises:
        StorageError: It is one; the message says where it leads.
    """
    if os.path.islink(folder):
        raise StorageError(
            f"{folder} is a symbolic link, and pimem writes through none; put the folder itself "
            f"there, or name {os.path.realpath(folder)}."
        )


def refuse_others_link(folder: str) -> None:
    """Refuse a store's folder that is a link which somebody else made, or one to no folder.

    A person's own link is theirs to make: it leads into a repository of dotfiles, or to a folder
    that a program keeps in step between computers.

    Raises:
        StorageError: It is such a link.
    """
    try:
        status = os.lstat(folder)
    except FileNotFoundError:
        return
    if not stat.S_ISLNK(status.st_mode):
        return
    if status.st_uid != os.geteuid():
        raise StorageError(
            f"{folder} is a symbolic link of another user to {os.readlink(folder)}, so pimem does "
            "not write through it."
        )
    if not os.path.isdir(folder):
        raise StorageError(
            f"{folder} is a symbolic link to {os.readlink(folder)}, which is not a folder."
        )


def refuse_unless_regular(path: str) -> os.stat_result | None:
    """Look at a target before it is replaced; None when it is absent.

    Raises:
        InvalidTopicError: Something other than a regular file stands there.
    """
    try:
        status = lstat_at(path)
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(status.st_mode):
        raise InvalidTopicError(not_regular(path), file=os.path.basename(path))
    return status


def publish(
    path: str, data: bytes, *, mode: int = 0o600, exclusive: bool = False, durable: bool = True
) -> None:
    """Write a file whole or not at all: temporary file, fsync, rename, fsync of the folder.

    Args:
        path: The file; its folder exists.
        data: Its new bytes.
        mode: Its rights afterwards.
        exclusive: Never replace a file: one that appears first stays and is an error.
        durable: Without it the file is only renamed into place, for state that may be lost.

    Raises:
        FileExistsError: `exclusive` and the file is there.
        InvalidTopicError: Something other than a regular file stands there.
        NotSyncedError: The file has its new bytes, but the disk did not confirm that.
        OSError: The disk or a right stands in the way; nothing was changed.
    """
    refuse_unless_regular(path)
    temporary = stage(path, data, mode=mode, durable=durable)
    try:
        if exclusive:
            _publish_new(temporary, path)
        else:
            swap(temporary, path)
    except BaseException:
        _try_to_discard(temporary)
        raise
    if exclusive:
        # The file is there: a second name of it that stays is for the next change to clean up.
        _try_to_discard(temporary)
    if durable:
        confirm_names(os.path.dirname(path))


def confirm_names(folder: str) -> None:
    """As `sync_folder`, after a file was renamed into place.

    Raises:
        NotSyncedError: It failed.
    """
    try:
        sync_folder(folder)
    except OSError as error:
        raise NotSyncedError(error.errno, error.strerror) from error


def _publish_new(temporary: str, path: str) -> None:
    """Give a staged file its name unless that is taken; the staged name may stay or go."""
    try:
        link_at(temporary, path)
    except FileExistsError:
        raise
    except OSError as error:
        if error.errno not in _NO_HARD_LINKS:
            raise
        # exFAT, SMB and others have one name for a file: looking first leaves a moment in which
        # a program without our lock could come, as it is for every change of an existing file.
        if is_there(path):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), path) from error
        rename_at(temporary, path)


def stage(path: str, data: bytes, *, mode: int = 0o600, durable: bool = True) -> str:
    """Write the bytes that a file will have into a temporary file beside it, and give its name.

    Raises:
        OSError: It could not be written; nothing is left of it.
    """
    folder, name = os.path.split(path)
    temporary = os.path.join(folder, temporary_name(name))
    descriptor = open_at(
        temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600
    )
    try:
        try:
            _keep_owner(descriptor, path)
            os.fchmod(descriptor, mode)
            view = memoryview(data)
            while view:
                view = view[os.write(descriptor, view) :]
            if durable:
                os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except BaseException:
        _try_to_discard(temporary)
        raise
    return temporary


def _keep_owner(descriptor: int, path: str) -> None:
    """Give a staged file the owner of the one it replaces, where rights allow it."""
    try:
        old, new = lstat_at(path), os.fstat(descriptor)
    except OSError:
        return
    if (old.st_uid, old.st_gid) != (new.st_uid, new.st_gid):
        try:
            os.fchown(descriptor, old.st_uid, old.st_gid)
        except OSError:
            pass


def swap(temporary: str, path: str) -> None:
    """Rename a staged file over its target; only a regular file is replaced."""
    refuse_unless_regular(path)
    rename_at(temporary, path)


def discard(temporary: str) -> None:
    """Remove a temporary file; one that was renamed away is fine."""
    try:
        unlink_at(temporary)
    except FileNotFoundError:
        pass


def _try_to_discard(temporary: str) -> None:
    try:
        discard(temporary)
    except OSError:
        pass  # the next change cleans up


def temporary_name(name: str) -> str:
    """A name for the temporary file beside `name`: it holds the process id, for cleaning up."""
    mark = f".tmp-{os.getpid()}-{os.urandom(5).hex()}"
    # The mark must fit behind a name of any length.
    return os.fsdecode(os.fsencode(name)[: 255 - len(mark)]) + mark
