"""Locks: whose they are, when they are free, and on file systems that have less than others."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pimem_core.errors import StoreBusyError
from pimem_core.files import lock, process
from pimem_core.files.holder import own_lock_holder
from pimem_core.files.lock import locked, locked_among_ours, new_token
from pimem_core.files.process import Process, this_process
from pimem_core.files.publish import publish

if TYPE_CHECKING:
    from collections.abc import Callable

_GONE = (
    "import os\n"
    "from pimem_core.files.lock import new_token\n"
    "os.write(1, new_token())"
)  # fmt: skip


def _token_of_a_dead_process() -> bytes:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.run(
        [sys.executable, "-c", _GONE], env=env, capture_output=True, check=True
    ).stdout


def _hold(folder: Path) -> bool:
    try:
        with locked(str(folder), shared=False):
            return True
    except StoreBusyError:
        return False


def test_a_lock_of_our_own_dead_process_is_taken_at_once(tmp_path: Path) -> None:
    (tmp_path / ".lock").write_bytes(_token_of_a_dead_process())
    start = time.monotonic()
    assert _hold(tmp_path)
    assert time.monotonic() - start < 0.4  # a store's wait is longer
    assert not (tmp_path / ".lock").exists()


def _another_machine(token: bytes, monkeypatch: pytest.MonkeyPatch) -> bytes:
    monkeypatch.setattr(lock, "host", lambda: "another machine")
    return token


def _another_boot(token: bytes, monkeypatch: pytest.MonkeyPatch) -> bytes:
    monkeypatch.setattr(lock, "boot", lambda: "another start")
    return token


def _another_program(token: bytes, _monkeypatch: pytest.MonkeyPatch) -> bytes:
    pid, moment, _mark = token.split(b"\t")
    return b"\t".join((pid, moment, b"0abcdefghij"))


def _older_form(token: bytes, _monkeypatch: pytest.MonkeyPatch) -> bytes:
    return token.split(b"\t")[0]


@pytest.mark.parametrize("make", [_another_machine, _another_boot, _another_program, _older_form])
def test_any_other_dead_process_keeps_its_lock_for_ten_seconds(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    make: Callable[[bytes, pytest.MonkeyPatch], bytes],
) -> None:
    path = tmp_path / ".lock"
    path.write_bytes(make(_token_of_a_dead_process(), monkeypatch))
    with (
        pytest.raises(StoreBusyError, match=r"is gone and left .* in 1?[0-9] s"),
        locked(str(tmp_path), shared=False),
    ):
        pass
    moment = time.time() - 11
    os.utime(path, (moment, moment))
    assert _hold(tmp_path)


def test_a_living_process_of_ours_keeps_its_lock(tmp_path: Path) -> None:
    (tmp_path / ".lock").write_bytes(new_token())
    moment = time.time() - 3600
    os.utime(tmp_path / ".lock", (moment, moment))
    with (
        pytest.raises(StoreBusyError, match=rf"Process {os.getpid()}, since 36[0-9]+ s, holds"),
        locked(str(tmp_path), shared=False),
    ):
        pass


def test_a_lock_from_the_future_is_taken_like_one_of_the_past(tmp_path: Path) -> None:
    path = tmp_path / ".lock"
    path.write_bytes(b"")
    for ahead, free in ((30, False), (3600, True)):
        moment = time.time() + ahead
        os.utime(path, (moment, moment))
        assert _hold(tmp_path) == free


def test_tokens_have_the_form_of_the_pair() -> None:
    pid, moment, mark = new_token().split(b"\t")
    assert int(pid) == os.getpid()
    assert abs(int(moment) / 1000 - time.time()) < 60
    assert mark.isalnum()
    assert mark.islower() or mark.isdigit()
    assert len({new_token() for _ in range(50)}) == 50


def test_a_process_of_another_namespace_is_not_known_to_be_gone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    other = Process(host=f"{os.uname().nodename} pid:[1]", pid=2**22 - 1, started="x")
    assert not other.is_gone(5)
    assert other.is_gone(61)
    assert not this_process().is_gone(0)
    monkeypatch.setattr(os, "readlink", _fails)
    assert process.host() == os.uname().nodename


def _fails(*_arguments: object, **_options: object) -> None:
    raise OSError(errno.EOPNOTSUPP, "not supported")


@pytest.mark.parametrize("mask", [0o000, 0o022, 0o333, 0o777])
def test_own_locks_are_private_and_usable_whatever_the_umask(tmp_path: Path, mask: int) -> None:
    path = tmp_path / "locks" / "x.lock"
    previous = os.umask(mask)
    try:
        for _ in range(2):
            with locked_among_ours(str(path), "busy"):
                assert stat.S_IMODE(path.stat().st_mode) == 0o600
            with locked(str(tmp_path / "store"), shared=False):
                assert stat.S_IMODE((tmp_path / "store" / ".lock").stat().st_mode) == 0o600
    finally:
        os.umask(previous)


@pytest.mark.parametrize("mode", [0o000, 0o444, 0o644])
def test_a_lock_that_an_odd_umask_left_is_usable_again(tmp_path: Path, mode: int) -> None:
    """As a user without the superuser's powers: see `unprivileged`."""
    path = tmp_path / "locks" / "x.lock"
    path.parent.mkdir(mode=0o700)
    path.write_bytes(b"")
    path.chmod(mode)
    script = (
        "from pimem_core.files.lock import locked_among_ours\n"
        f"with locked_among_ours({str(path)!r}, 'busy'): pass\n"
    )
    helper = Path(__file__).parent.parent / "faults" / "unprivileged.py"
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, str(helper), "022", sys.executable, "-c", script]
    done = subprocess.run(command, env=env, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_without_locks_of_the_file_system_a_file_is_the_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fcntl, "flock", _fails)
    path = tmp_path / "x.lock"
    with locked_among_ours(str(path), "busy"):
        found = own_lock_holder(str(path))
        assert found is not None
        assert found.pid == os.getpid()
        with (
            pytest.raises(StoreBusyError, match="busy"),
            locked_among_ours(str(path), "busy", wait_s=0.1),
        ):
            pass
    assert own_lock_holder(str(path)) is None
    Path(f"{path}.held").write_bytes(_token_of_a_dead_process())
    with locked_among_ours(str(path), "busy", wait_s=0.1):
        pass


@pytest.mark.parametrize("number", [errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS])
def test_without_hard_links_new_files_are_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def fails(*_arguments: object, **_options: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "link", fails)
    path = tmp_path / "x"
    publish(str(path), b"one", exclusive=True)
    with pytest.raises(FileExistsError):
        publish(str(path), b"two", exclusive=True)
    assert path.read_bytes() == b"one"
    assert not list(tmp_path.glob("*.tmp-*"))
