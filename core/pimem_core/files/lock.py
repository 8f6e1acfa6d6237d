"""Locks: the `.lock` file of openpi-memory and openclaude-memory, and one among ourselves.

filelock brings the waiting, re-entry and release on every path; the protocol of the first is the
pair's own: `<pid> TAB <epoch ms> TAB <token>`, created exclusively, reclaimed only from the dead.
The second is the system's, which gives it back when its process ends, however that happens.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import hashlib
import os
import select
import stat
import time
from typing import TYPE_CHECKING

from filelock import BaseFileLock, FileLock, Timeout

from ..errors import StoreBusyError
from ..progress import is_cancelled, refuse_cancelled
from .anchor import anchored, lstat_at, open_at, open_folder, unlink_at
from .holder import HELD, LOCK_NAME, is_alive, lock_content, lock_holder, pid_in
from .process import boot, host
from .publish import explained, make_folder, private_folder, refuse_others_link
from .read import is_regular, not_regular

if TYPE_CHECKING:
    from collections.abc import Iterator

#: Milliseconds after which a lock of a dead process, or one that names none, may be taken.
SOFT_STALE_MS = 10_000
HARD_STALE_MS = 60_000
_POLL_S = 0.02
#: Seconds that one of our own processes waits for another.
_OWN_WAIT_S = 2.0
_NO_FLOCK = (errno.ENOLCK, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EINVAL)
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


#: Contents of our own locks that could not be removed.
_left: set[bytes] = set()


class StoreLock(BaseFileLock):
    """One process's hold on a store.

    `token` is the content of the lock file while it is held. A lock whose content is in
    `reclaimable` may be taken at once: it is our own, left by a process that is known to be gone.
    """

    def __init__(self, path: str, *, reclaimable: frozenset[bytes] = frozenset()) -> None:
        super().__init__(path, timeout=0)
        self.reclaimable = reclaimable
        self.token = b""

    def _acquire(self) -> None:
        if not self._create() and self._reclaim():
            self._create()

    def _create(self) -> bool:
        path = self.lock_file
        try:
            descriptor = open_at(
                path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600
            )
        except FileExistsError:
            return False
        token = new_token()
        try:
            # Under an odd umask the peers, and our own release, could not read whose it is.
            if stat.S_IMODE(os.fstat(descriptor).st_mode) != 0o600:
                os.fchmod(descriptor, 0o600)
            os.write(descriptor, token)
        except OSError:
            os.close(descriptor)
            unlink_at(path)
            raise
        self.token = token
        self._context.lock_file_fd = descriptor
        return True

    def _reclaim(self) -> bool:
        """Unlink a lock whose holder is gone; whether that happened."""
        # Two of us must not reclaim at once: the second would unlink the first one's new lock.
        folder = open_folder(os.path.dirname(self.lock_file))
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:
            return self._unlink_stale()  # some file systems have no such locks
        else:
            return self._unlink_stale()
        finally:
            os.close(folder)

    def _unlink_stale(self) -> bool:
        path = self.lock_file
        try:
            seen = lstat_at(path)
        except FileNotFoundError:
            return True
        if not stat.S_ISREG(seen.st_mode):
            return False
        content = lock_content(path)
        # A time in the future is that of a clock that was wrong: it makes no lock eternal.
        age_ms = abs(time.time_ns() - seen.st_mtime_ns) / 1e6
        pid = pid_in(content)
        if content not in self.reclaimable | _left and not _is_of_our_dead(content):
            if age_ms <= SOFT_STALE_MS:
                return False
            if age_ms <= HARD_STALE_MS if pid is None else is_alive(pid):
                return False
        try:
            now = lstat_at(path)
        except FileNotFoundError:
            return True
        if (now.st_ino, now.st_mtime_ns) != (seen.st_ino, seen.st_mtime_ns):
            return False
        with contextlib.suppress(OSError):
            unlink_at(path)
        return True

    def _release(self) -> None:
        descriptor, self._context.lock_file_fd = self._context.lock_file_fd, None
        if descriptor is not None:
            os.close(descriptor)
        token, self.token = self.token, b""
        # Somebody may have taken the lock from us while we were stopped; theirs stays.
        for _ in range(2):
            if not token or lock_content(self.lock_file) != token:
                return
            # The change is made by now: a lock that stays must not make it fail.
            with contextlib.suppress(OSError):
                unlink_at(self.lock_file)
        _left.add(token)


def new_token() -> bytes:
    """The content of a new lock: process id, milliseconds of the epoch, letters and digits.

    The last part is random for others. For us it says that the process was one of ours, on this
    machine since it was started: when such a process is gone, its lock is free.
    """
    pid, moment = os.getpid(), time.time_ns() // 1_000_000
    salt = _base36(os.urandom(4))
    return f"{pid}\t{moment}\t{_mark(str(pid), str(moment), salt)}".encode()


def _mark(pid: str, moment: str, salt: str) -> str:
    told = "\0".join((host(), boot(), pid, moment, salt))
    return salt + _base36(hashlib.sha256(told.encode()).digest()[:6]).rjust(10, "0")


def _base36(data: bytes) -> str:
    number = int.from_bytes(data, "big")
    digits = ""
    while number:
        number, digit = divmod(number, 36)
        digits += _DIGITS[digit]
    return digits


def _is_of_our_dead(content: bytes) -> bool:
    """Whether a lock is one that a process of ours made here, which is gone since."""
    fields = content.decode("ascii", "replace").split("\t")
    if len(fields) != 3 or len(fields[2]) <= 10 or not fields[0].isdigit():
        return False
    pid, moment, mark = fields
    return mark == _mark(pid, moment, mark[:-10]) and not is_alive(int(pid))


@contextlib.contextmanager
def locked(
    folder: str, *, shared: bool, reclaimable: frozenset[bytes] = frozenset()
) -> Iterator[StoreLock]:
    """Hold a store's lock, creating its folder first.

    A local store waits 500 ms. A shared one waits 2 s, then sleeps 1 s and tries once more.

    Raises:
        StoreBusyError: Another process kept the lock.
        StorageError: The folder or lock file cannot be written.
    """
    path = os.path.join(folder, LOCK_NAME)
    with contextlib.ExitStack() as stack:
        with explained(path):
            make_folder(folder)
            refuse_others_link(folder)
            stack.enter_context(anchored(folder))
            lock = StoreLock(path, reclaimable=reclaimable)
            if not _try_for(lock, 2.0 if shared else 0.5):
                if shared:
                    _pause_cancellable(1)
                if not shared or not _try(lock):
                    raise _busy(folder)
        try:
            yield lock
        finally:
            with explained(path):
                lock.release()


def _try(lock: StoreLock) -> bool:
    try:
        lock.acquire(timeout=0)
    except Timeout:
        return False
    return True


def _try_for(lock: StoreLock, seconds: float) -> bool:
    """Try at least once, then every 20 ms until the time is over."""
    end = time.monotonic() + seconds
    while not _try(lock):
        refuse_cancelled()
        if time.monotonic() + _POLL_S > end + 1e-6:
            return False
        pause(_POLL_S)
    return True


def _pause_cancellable(seconds: float) -> None:
    for _ in range(round(seconds / _POLL_S)):
        refuse_cancelled()
        pause(_POLL_S)


def pause(seconds: float) -> None:
    """Sleep. `time.sleep` asks for an absolute time, which clocks under test do not know."""
    select.select([], [], [], seconds)


@contextlib.contextmanager
def locked_among_ours(path: str, busy: str, *, wait_s: float = _OWN_WAIT_S) -> Iterator[None]:
    """Hold a lock that only our own processes know, in the state folder.

    Args:
        path: The lock file.
        busy: What to say when another process keeps it.
        wait_s: How long to wait for that, in seconds.

    Raises:
        StoreBusyError: Another process kept the lock.
        StorageError: The lock file cannot be written.
    """
    with explained(path):
        private_folder(os.path.dirname(path))
        lock = _own_lock(path, wait_s)
        try:
            lock.acquire(cancel_check=is_cancelled)
        except Timeout as error:
            refuse_cancelled()
            raise StoreBusyError(busy) from error
    try:
        yield
    finally:
        lock.release()


def _own_lock(path: str, wait_s: float) -> BaseFileLock:
    """The system's lock; where the file system has none, one that is a file as the stores' are."""
    if _has_flock(path):
        return FileLock(path, timeout=wait_s, mode=0o600, poll_interval=_POLL_S)
    lock = StoreLock(f"{path}{HELD}")
    lock.timeout = wait_s
    lock.poll_interval = _POLL_S
    return lock


def _has_flock(path: str) -> bool:
    """Make the lock file private and usable, whatever the umask was, and try its lock."""
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    try:
        descriptor = os.open(path, flags, 0o600)
    except PermissionError:
        # An odd umask of earlier left it closed to us as well.
        if not is_regular(path):
            raise
        os.chmod(path, 0o600)
        descriptor = os.open(path, flags, 0o600)
    try:
        status = os.fstat(descriptor)
        if stat.S_ISREG(status.st_mode) and stat.S_IMODE(status.st_mode) != 0o600:
            os.fchmod(descriptor, 0o600)
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError as error:
        return error.errno not in _NO_FLOCK
    else:
        return True
    finally:
        os.close(descriptor)


@contextlib.contextmanager
def locked_at_once(
    folder: str, *, reclaimable: frozenset[bytes] = frozenset()
) -> Iterator[StoreLock | None]:
    """Hold a store's lock if it is free now; None when it is not."""
    path = os.path.join(folder, LOCK_NAME)
    with contextlib.ExitStack() as stack:
        with explained(path):
            make_folder(folder)
            refuse_others_link(folder)
            stack.enter_context(anchored(folder))
            lock = StoreLock(path, reclaimable=reclaimable)
            got = _try(lock)
        try:
            yield lock if got else None
        finally:
            if got:
                lock.release()


def _busy(folder: str) -> StoreBusyError:
    holder = lock_holder(folder)
    path = os.path.join(folder, LOCK_NAME)
    if not is_regular(path) and os.path.lexists(path):
        return StoreBusyError(f"{not_regular(path)} Nothing can be changed while it is there.")
    if holder is None:
        return StoreBusyError(f"Another process holds {path}; try again in a moment.")
    age_s = holder.age_s
    if holder.pid is None:
        free = _waiting(age_s, HARD_STALE_MS)
        return StoreBusyError(f"A process unknown, since {age_s:.0f} s, holds {path}. {free}")
    if not is_alive(holder.pid):
        return StoreBusyError(
            f"Process {holder.pid} is gone and left {path}. {_waiting(age_s, SOFT_STALE_MS)}"
        )
    return StoreBusyError(
        f"Process {holder.pid}, since {age_s:.0f} s, holds {path}; try again in a moment."
    )


def _waiting(age_s: float, stale_ms: int) -> str:
    """When a lock that nobody may hold any more is taken."""
    left = stale_ms / 1000 - age_s
    return f"It can be taken in {left:.0f} s; try again then." if left >= 1 else "Try again."
