"""A process killed at any step of a change leaves the store before or after it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pimem_core.history import journal
from waiting import PATIENCE_S
from zcode.folder import HEADER, fact

if TYPE_CHECKING:
    from zcode.folder import Project

COMMANDS = {
    "create": ["write", "b", "--summary", "about b", "--type", "user", "--content", "B"],
    "change": ["write", "a", "--summary", "new", "--content", "A2"],
    "remove": ["remove", "a"],
}


@pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
def test_killed_at_any_step(project: Project, command: list[str]) -> None:
    start = {"MEMORY.md": f"{HEADER}- [A](a.md) — about a\n", "a.md": fact("a")}
    script = Path(__file__).with_name("killing.py")
    ran = subprocess.run(
        [sys.executable, str(script), json.dumps(start), *command],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert ran.returncode == 0, ran.stderr
    whole, *killed = json.loads(ran.stdout)
    done = whole["files"]
    assert whole["code"] == 0
    assert done != start
    assert len(killed) > 8
    assert [row["code"] for row in killed] == [9] * (len(killed) - 1) + [0]
    facts = [sorted(name for name in state if name != "MEMORY.md") for state in (start, done)]
    for row in killed:
        assert row["seen"] in facts
        assert row["files"] in (start, done), row
    assert {row["files"] == done for row in killed} == {True, False}
    assert any(row["said"] for row in killed)
    assert journal.history(project.places.state_dir, [project.store.path])
