"""Become a command without the superuser's powers: `unprivileged.py UMASK COMMAND...`.

The user stays the same, so that the interpreter can still be read; what goes are the capabilities,
and with them the right to pass over the modes of files. Ends with 99 when they did not go.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
import tempfile

_PR_CAPBSET_DROP, _LAST_CAP = 24, 63


def main() -> None:
    """Drop the capabilities, see that they are gone, and go on as the command."""
    umask, *command = sys.argv[1:]
    if command[0] != "--dropped":
        libc = ctypes.CDLL(None)
        for capability in range(_LAST_CAP + 1):
            libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0)
        # The program that is executed next has those that are left: none.
        os.execv(sys.executable, [sys.executable, "-I", __file__, umask, "--dropped", *command])
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o500)
        with contextlib.suppress(PermissionError):
            os.mkdir(os.path.join(folder, "mine"))
            sys.exit(99)
    os.umask(int(umask, 8))
    os.execv(command[1], command[1:])


if __name__ == "__main__":
    main()
