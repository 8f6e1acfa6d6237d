"""Killed at any call that changes the disk, a change is whole or was never made."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from faults import tracer
from layered.killer import INBOX, KINDS, MARK, Home

if TYPE_CHECKING:
    from collections.abc import Callable


PIMEM = [sys.executable, "-m", "pimem_tui"]


@pytest.mark.parametrize("turn", range(4))
def test_killed_at_every_call(
    turn: int, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    script = Path(__file__).with_name("killer.py")
    done = subprocess.run(
        [sys.executable, script, tmp_path, *list(KINDS)[turn::4]],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    for line in done.stdout.splitlines():
        count, _, kind = line.partition(" ")
        assert int(count) > 8
        record_property("kill points", f"{count} of {count}: {kind}")


def test_a_traced_promote_on_the_command_line(tmp_path: Path) -> None:
    """The text is in the inbox or in the target, never in neither, never in both."""
    home = Home(tmp_path)
    home.fill()
    kept = home.keep()
    env = {"HOME": str(home.root), "PATH": os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1"}
    env["PYTHONPATH"] = os.pathsep.join(filter(os.path.isabs, sys.path))
    folder = ["--dir", home.workspace.path]
    command = [*PIMEM, "promote", INBOX, "workspace", "d.md", *folder]
    whole = tracer.run(command, root=home.root, env=env)
    assert whole.code == 0, whole.err
    moved = [
        at for at, call in enumerate(whole.calls, 1) if call.name.startswith(("rename", "unl"))
    ]
    assert len(moved) >= 4
    for at in moved:
        home.restore(kept)
        ended = tracer.run(command, root=home.root, env=env, kill_at=at)
        assert ended.code == -9, ended
        assert list(home.seen().values())
        assert sum(text.count(MARK) for text in home.seen().values()) == 1, whole.calls[at - 1]
        for lock in home.root.rglob(".lock"):
            os.utime(lock, (1, 1))
        home.workspace.recover()
        found = home.look()
        assert sum(text.count(MARK) for text in found.values()) == 1, whole.calls[at - 1]
        assert home.leftovers() == []
