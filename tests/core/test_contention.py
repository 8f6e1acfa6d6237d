"""Several programs write one shared store at the same time.

PIMEM_TEST_WRITES sets how often each of them writes; 60 when it is unset.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pimem_core.errors import StoreBusyError
from pimem_core.formats import frontmatter
from pimem_core.systems.openpi.index import entries

if TYPE_CHECKING:
    from core.folders import Folder

HERE = Path(__file__).parent
WRITES = int(os.environ.get("PIMEM_TEST_WRITES", "60"))


def start(script: str, *words: str) -> subprocess.Popen[str]:
    root = HERE.parent.parent
    return subprocess.Popen(
        [sys.executable, str(HERE / script), *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(root / "core")},
    )


@pytest.mark.timeout(600)
def test_no_acknowledged_write_is_lost_between_two_of_ours_and_a_peer(shared: Folder) -> None:
    shared.path.mkdir(parents=True)
    writers = [
        start("own_writer.py", "one", str(WRITES)),
        start("own_writer.py", "two", str(WRITES)),
        start("peer_writer.py", str(shared.path), "peer", str(WRITES)),
    ]
    acknowledged: list[tuple[str, str]] = []
    running = True
    while running:
        running = any(writer.poll() is None for writer in writers)
        # A reader at any moment sees whole files: an index that parses, topics that end.
        for topic in shared.store.list():
            assert topic.file.endswith(".md")
        for path in shared.path.glob("*.md"):
            text = path.read_text()
            assert path.name == "MEMORY.md" or text.endswith(".\n"), path
    for writer in writers:
        out, err = writer.communicate()
        assert writer.returncode == 0, err
        words = [line.split(" ", 1) for line in out.splitlines()]
        assert words
        acknowledged += [(file, mark) for file, mark in words]
    listed = {entry.file: entry for entry in entries(shared.index)}
    assert len(listed) == len(entries(shared.index))
    for file, mark in acknowledged:
        assert file in listed
        assert f"{mark}\n" in shared.text(file)
    for file in listed:
        assert frontmatter.read(shared.text(file))["name"] == listed[file].name
    left = set(os.listdir(shared.path)) - listed.keys()
    assert left <= {"MEMORY.md", ".ocl-removed"}


def test_a_killed_writer_leaves_no_lock_that_stops_the_next(shared: Folder) -> None:
    shared.path.mkdir(parents=True)
    for _ in range(3):
        writer = start("own_writer.py", "doomed", "1000")
        assert writer.stdout is not None
        writer.stdout.readline()
        writer.send_signal(signal.SIGKILL)
        writer.wait()
        writer.stdout.close()
        assert writer.stderr is not None
        writer.stderr.close()
        try:
            change = shared.write("Survivor", "alive")
        except StoreBusyError:
            # Killed before its intent was on disk: only the times of the protocol tell.
            moment = time.time() - 61
            os.utime(shared.path / ".lock", (moment, moment))
            change = shared.write("Survivor", "alive")
        assert change.outcome in ("created", "updated")
        assert not (shared.path / ".lock").exists()
    assert not [name for name in os.listdir(shared.path) if ".tmp-" in name]
    for topic in shared.store.list():
        assert topic.problem is None
