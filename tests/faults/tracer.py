"""Running a real process that is killed, or refused, at the Nth call that changes the disk.

The process is traced with ptrace, straight from Python: nothing needs to be installed, and every
call counts, whichever library makes it. Calls outside the watched folder do not count, so that
output and caches are left alone.
"""

from __future__ import annotations

import ctypes
import os
import re
import signal
import struct
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from faults.launcher import CALLS, machine

_CONT, _SETOPTIONS, _GETREGS, _SETREGS = 7, 0x4200, 12, 13
_GETREGSET, _SETREGSET, _GET_SYSCALL_INFO = 0x4204, 0x4205, 0x420E
_PRSTATUS, _ARM_SYSTEM_CALL = 1, 0x404
#: Follow forks, vforks, threads and execs, stop at filtered calls, die with the tracer.
_OPTIONS = 0x2 | 0x4 | 0x8 | 0x10 | 0x80 | 0x100000
_EVENT_SECCOMP = 7
_WALL = 0x40000000
_AT_FDCWD = -100

_libc = ctypes.CDLL(None, use_errno=True)
_libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]
_libc.ptrace.restype = ctypes.c_long
_NAMES = {row[machine()]: (name, row[2]) for name, row in CALLS.items()}


#: The same call by a path and by an open folder with a name: one name for both.
_PLAIN = {
    "renameat": "rename",
    "renameat2": "rename",
    "linkat": "link",
    "unlinkat": "unlink",
    "mkdirat": "mkdir",
    "fchmodat": "chmod",
}


class Call(NamedTuple):
    """A call that changes the disk: its name and the file, without what differs in each run."""

    name: str
    path: str


class Ended(NamedTuple):
    """How a traced process ended. `code` is negative for a signal."""

    code: int
    calls: list[Call]
    out: str
    err: str


def run(
    command: list[str],
    *,
    root: Path,
    env: dict[str, str],
    stdin: bytes = b"",
    kill_at: int = 0,
    error_at: int = 0,
    error: int = 0,
    sticky: bool = False,
) -> Ended:
    """Run a command under the tracer.

    Args:
        command: Program and arguments.
        root: Only calls below this folder count; the process starts there.
        env: The whole environment.
        stdin: What the command reads.
        kill_at: Kill it when it is about to make this call, counted from 1.
        error_at: Refuse this call with `error` instead of carrying it out.
        error: An errno.
        sticky: Refuse all later calls that need room, too, as a full disk does.
    """
    with (
        tempfile.TemporaryFile() as read,
        tempfile.TemporaryFile() as out,
        tempfile.TemporaryFile() as err,
    ):
        read.write(stdin)
        read.seek(0)
        launcher = Path(__file__).with_name("launcher.py")
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", str(launcher), *command],
            stdin=read,
            stdout=out,
            stderr=err,
            cwd=root,
            env=env,
        )
        tracee = _Tracee(process.pid, root, kill_at, error_at, error, sticky)
        process.returncode = tracee.run()
        for file in (out, err):
            file.seek(0)
        return Ended(process.returncode, tracee.calls, out.read().decode(), err.read().decode())


class _Tracee:
    def __init__(
        self, pid: int, root: Path, kill_at: int, error_at: int, error: int, sticky: bool
    ) -> None:
        self.pid = pid
        self.root = f"{root}/"
        self.kill_at, self.error_at, self.error, self.sticky = kill_at, error_at, error, sticky
        self.calls: list[Call] = []

    def run(self) -> int:
        """Drive the process and its children to the end; the exit code."""
        _pid, status = os.waitpid(self.pid, _WALL)
        if not os.WIFSTOPPED(status):
            return os.waitstatus_to_exitcode(status)  # the launcher says why on stderr
        _ptrace(_SETOPTIONS, self.pid, 0, _OPTIONS)
        _ptrace(_CONT, self.pid, 0, 0)
        while True:
            pid, status = os.waitpid(-1, _WALL)
            if os.WIFEXITED(status) or os.WIFSIGNALED(status):
                if pid == self.pid:
                    return os.waitstatus_to_exitcode(status)
                continue
            received, event = os.WSTOPSIG(status), status >> 16
            if event == _EVENT_SECCOMP and self._is_ours(pid):
                self._on_call(pid)
            # Stops that tracing itself makes are no signals to pass on.
            passed = 0 if event or received in (signal.SIGTRAP, signal.SIGSTOP) else received
            _ptrace(_CONT, pid, 0, passed, gone_is_fine=True)

    def _is_ours(self, pid: int) -> bool:
        """Whether a thread belongs to the process itself, not to a program that it started."""
        return pid == self.pid or os.path.exists(f"/proc/{self.pid}/task/{pid}")

    def _on_call(self, pid: int) -> None:
        buffer = ctypes.create_string_buffer(88)
        _ptrace(_GET_SYSCALL_INFO, pid, len(buffer), ctypes.addressof(buffer))
        number, *arguments = struct.unpack_from("7Q", buffer.raw, 24)
        name, kind = _NAMES[number]
        path = _path(pid, kind, arguments)
        if not path.startswith(self.root):
            return
        self.calls.append(
            Call(_PLAIN.get(name, name), _without_marks(path.removeprefix(self.root)))
        )
        count = len(self.calls)
        if count == self.kill_at:
            os.kill(self.pid, signal.SIGKILL)
        elif count == self.error_at or (
            self.sticky and self.error_at and count > self.error_at and _needs_room(name)
        ):
            _refuse(pid, self.error)


def _needs_room(name: str) -> bool:
    return name in ("open", "openat", "creat", "write", "mkdir", "mkdirat")


def _path(pid: int, kind: str, arguments: list[int]) -> str:
    """The file that a call is about: `P` a path, `p` a folder's number and a path, `d` a number."""
    how, at = kind[0], int(kind[1])
    if how == "d":
        return _link(f"/proc/{pid}/fd/{arguments[at]}")
    path = _text(pid, arguments[at + (how == "p")])
    folder = ctypes.c_int(arguments[at]).value if how == "p" else _AT_FDCWD
    base = f"/proc/{pid}/cwd" if folder == _AT_FDCWD else f"/proc/{pid}/fd/{folder}"
    return os.path.normpath(os.path.join(_link(base), path))


def _link(path: str) -> str:
    try:
        return os.readlink(path)
    except OSError:
        return ""


def _text(pid: int, address: int) -> str:
    data = b""
    with open(f"/proc/{pid}/mem", "rb", buffering=0) as memory:
        memory.seek(address)
        while b"\0" not in data and len(data) < 8192:
            # Never across the page: the next one may not be there.
            data += memory.read(4096 - (address + len(data)) % 4096)
    return os.fsdecode(data.split(b"\0", 1)[0])


def _without_marks(path: str) -> str:
    """A path without process ids, times and random marks."""
    path = re.sub(r"\.tmp-\d+-[0-9a-f]{10}", ".tmp", path)
    path = re.sub(r"\d{17}-\d+-[0-9a-f]{6}", "ID", path)
    return re.sub(r"drafts/\d+-\d+-", "drafts/", path).removesuffix(" (deleted)")


def _refuse(pid: int, error: int) -> None:
    """Let a call that is about to be made fail instead."""
    if machine() == 0:
        registers = (ctypes.c_ulong * 27)()
        _ptrace(_GETREGS, pid, 0, ctypes.addressof(registers))
        registers[15], registers[10] = 2**64 - 1, 2**64 - error
        _ptrace(_SETREGS, pid, 0, ctypes.addressof(registers))
        return
    general = (ctypes.c_ulong * 34)()
    vector = struct.pack("PN", ctypes.addressof(general), ctypes.sizeof(general))
    _ptrace(_GETREGSET, pid, _PRSTATUS, _address(vector))
    general[0] = 2**64 - error
    _ptrace(_SETREGSET, pid, _PRSTATUS, _address(vector))
    none = ctypes.c_int(-1)
    vector = struct.pack("PN", ctypes.addressof(none), ctypes.sizeof(none))
    _ptrace(_SETREGSET, pid, _ARM_SYSTEM_CALL, _address(vector))


_kept: list[ctypes.Array[ctypes.c_char]] = []


def _address(data: bytes) -> int:
    _kept[:] = [*_kept[-4:], ctypes.create_string_buffer(data, len(data))]
    return ctypes.addressof(_kept[-1])


def _ptrace(request: int, pid: int, address: int, data: int, *, gone_is_fine: bool = False) -> None:
    if _libc.ptrace(request, pid, address, data) == -1:
        number = ctypes.get_errno()
        if not (gone_is_fine and number == 3):  # killed meanwhile
            raise OSError(number, f"ptrace {request:#x}: {os.strerror(number)}")
