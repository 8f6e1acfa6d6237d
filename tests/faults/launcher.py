"""Start a command so that its calls which change a disk stop for its tracer; see tracer.py.

Runs as a script of its own: `launcher.py COMMAND...`. A seccomp filter picks the calls, so that
the thousands of others cost nothing.
"""

from __future__ import annotations

import ctypes
import os
import platform
import signal
import struct
import sys

#: Numbers of the calls that change what a disk holds, by machine. `None`: it has no such call.
#: `f`: which argument holds open flags; `p`, `P`, `d`: what names the file, see tracer.py.
CALLS: dict[str, tuple[int | None, int | None, str]] = {
    "open": (2, None, "P0f1"),
    "creat": (85, None, "P0"),
    "openat": (257, 56, "p0f2"),
    "write": (1, 64, "d0"),
    "pwrite64": (18, 68, "d0"),
    "writev": (20, 66, "d0"),
    "pwritev": (296, 70, "d0"),
    "pwritev2": (328, 287, "d0"),
    "sendfile": (40, 71, "d0"),
    "copy_file_range": (326, 285, "d2"),
    "ftruncate": (77, 46, "d0"),
    "truncate": (76, 45, "P0"),
    "fallocate": (285, 47, "d0"),
    "fsync": (74, 82, "d0"),
    "fdatasync": (75, 83, "d0"),
    "rename": (82, None, "P1"),
    "renameat": (264, 38, "p2"),
    "renameat2": (316, 276, "p2"),
    "link": (86, None, "P1"),
    "linkat": (265, 37, "p2"),
    "symlink": (88, None, "P1"),
    "symlinkat": (266, 36, "p1"),
    "unlink": (87, None, "P0"),
    "unlinkat": (263, 35, "p0"),
    "rmdir": (84, None, "P0"),
    "mkdir": (83, None, "P0"),
    "mkdirat": (258, 34, "p0"),
    "mknod": (133, None, "P0"),
    "mknodat": (259, 33, "p0"),
    "chmod": (90, None, "P0"),
    "fchmod": (91, 52, "d0"),
    "fchmodat": (268, 53, "p0"),
    "fchmodat2": (452, 452, "p0"),
    "chown": (92, None, "P0"),
    "fchown": (93, 55, "d0"),
    "fchownat": (260, 54, "p0"),
    "utimensat": (280, 88, "p0"),
    "setxattr": (188, 5, "P0"),
    "fsetxattr": (190, 7, "d0"),
}
_PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP, _FILTER = 38, 22, 2
_PTRACE_TRACEME = 0
_ALLOW, _TRACE = 0x7FFF0000, 0x7FF00000
_LOAD, _EQUAL, _ANY_BIT, _RETURN = 0x20, 0x15, 0x45, 0x06


def machine() -> int:
    """Which column of the table holds."""
    return {"x86_64": 0, "aarch64": 1}[platform.machine()]


def _program() -> bytes:
    """The filter: calls of the table trap, opening ones only when they create or cut a file."""

    def step(code: int, value: int, yes: int = 0, no: int = 0) -> bytes:
        return struct.pack("HBBI", code, yes, no, value)

    lines = [step(_LOAD, 0)]
    for on_intel, on_arm, kind in CALLS.values():
        number = (on_intel, on_arm)[machine()]
        if number is None:
            continue
        if "f" in kind:
            flags = 16 + 8 * int(kind[3])
            lines += [
                step(_EQUAL, number, 0, 4),
                step(_LOAD, flags),
                step(_ANY_BIT, os.O_CREAT | os.O_TRUNC, 0, 1),
                step(_RETURN, _TRACE),
                step(_RETURN, _ALLOW),
            ]
        else:
            lines += [step(_EQUAL, number, 0, 1), step(_RETURN, _TRACE)]
    return b"".join([*lines, step(_RETURN, _ALLOW)])


def main() -> None:
    """Wait for the tracer, then become the command."""
    libc = ctypes.CDLL(None, use_errno=True)
    program = _program()
    held = ctypes.create_string_buffer(program)
    header = struct.pack("HxxxxxxP", len(program) // 8, ctypes.addressof(held))
    if libc.ptrace(_PTRACE_TRACEME, 0, None, None) != 0:
        sys.exit(f"launcher: ptrace is not allowed here: {os.strerror(ctypes.get_errno())}")
    os.kill(os.getpid(), signal.SIGSTOP)
    if libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) or libc.prctl(
        _PR_SET_SECCOMP, _FILTER, header, 0, 0
    ):
        sys.exit(f"launcher: no seccomp filter here: {os.strerror(ctypes.get_errno())}")
    os.execv(sys.argv[1], sys.argv[1:])


if __name__ == "__main__":
    main()
