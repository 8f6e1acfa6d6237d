"""Eight processes change one store at once: ours, and stand-ins of every lock generation."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from faults.homes import EVERY, Home
from pimem_core.errors import TopicNotFoundError
from pimem_core.history import record
from pimem_core.systems.openpi.index import entries

if TYPE_CHECKING:
    from collections.abc import Callable

SECONDS = 60 if EVERY else 5
OURS = 4
#: What may become of a change of ours among others.
MADE = {"created", "updated", "pinned_now", "unpinned_now", "removed"}
REFUSED = {"busy", "conflict", "pinned", "not_found", "ambiguous", "unchanged"}


def _start(
    home: Home, ours: list[str], peers: list[str]
) -> list[tuple[subprocess.Popen[str], Path]]:
    """Four of ours and four peers, each with its log."""
    here = Path(__file__).parent
    env = {**home.env, "PYTHONPATH": f"{here.parent}{os.pathsep}{home.env['PYTHONPATH']}"}
    started = []
    for number, kind in enumerate([*ours, *peers]):
        log = home.base / f"log-{number}"
        words = [sys.executable, str(here / "writer.py"), kind]
        if kind in peers:
            words = [sys.executable, str(here / "standins.py"), kind, str(home.folder)]
        command = [*words, str(SECONDS), f"w{number}", str(log)]
        process = subprocess.Popen(
            command, env=env, cwd=home.root, stderr=subprocess.PIPE, text=True
        )  # fmt: skip
        started.append((process, log))
    return started


def _finish(
    home: Home, started: list[tuple[subprocess.Popen[str], Path]]
) -> list[list[dict[str, Any]]]:
    """Read the store, as a person with a manager does, until all are done; their logs."""
    while any(process.poll() is None for process, _log in started):
        _read(home)
        select.select([], [], [], 0.02)
    logs = []
    for process, log in started:
        _out, err = process.communicate()
        assert process.returncode == 0, err
        logs.append([json.loads(line) for line in log.read_text().splitlines()])
    return logs


def _read(home: Home) -> None:
    """No reader ever meets half a file."""
    for topic in home.store.list():
        if topic.problem is None:
            try:
                text = home.store.read(topic.file).text
            except TopicNotFoundError:
                continue  # removed since it was listed
            assert text.startswith("---\n"), topic
            assert text.endswith(">\n"), topic


def _ours(logs: list[list[dict[str, Any]]]) -> list[dict[str, Any]]:
    return [row for log in logs[:OURS] for row in log]


def _assert_tidy(home: Home, logs: list[list[dict[str, Any]]]) -> None:
    """Every change of ours is in the journal once, and nothing lies about."""
    assert home.leftovers() == []
    assert record.unreadable(home.places.state_dir) == []
    made = [row for row in _ours(logs) if row["outcome"] in MADE]
    assert len(list(record.records(home.places.state_dir, record.JOURNAL))) == len(made)
    assert {row["outcome"] for row in _ours(logs)} <= MADE | REFUSED


def test_with_peers_that_keep_the_lock_nothing_is_lost(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    home = Home(tmp_path, shared=True)
    logs = _finish(home, _start(home, ["core", "core", "core", "cli"], ["0.6.7"] * 4))
    _assert_tidy(home, logs)
    texts = {path.name: path.read_text() for path in home.folder.glob("*.md")}
    everything = "".join(text for name, text in texts.items() if name != "MEMORY.md")
    for row in (row for log in logs for row in log):
        is_made = row["op"] in ("append", "create") and row["outcome"] in MADE
        assert everything.count(row["marker"]) == is_made, row
    found = entries(texts["MEMORY.md"])
    assert len(found) == len({entry.file for entry in found})
    pins = {entry.name: entry.pinned for entry in found if entry.name.startswith("Own")}
    assert pins == {
        topic: pin for log in logs[:OURS] if log for topic, pin in log[-1]["own"].items()
    }
    record_property("changes", f"{sum(map(len, logs))} of 8 processes that keep the lock")


def test_with_peers_that_ignore_the_lock_losses_are_redone_or_told(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    home = Home(tmp_path, shared=True)
    ours, peers = ["slow", "slow", "core", "cli"], ["0.6.2", "0.6.2", "0.6.4", "0.6.7"]
    logs = _finish(home, _start(home, ours, peers))
    home.age_lock()
    home.store.recover()
    _assert_tidy(home, logs)
    for row in _ours(logs):
        assert not row["gone"] or row["notes"], row
    redone = sum(bool(row["notes"]) for row in _ours(logs) if row["outcome"] in MADE)
    unlocked = sum(not row["locked"] for log in logs[OURS:] for row in log)
    assert unlocked
    record_property(
        "changes",
        f"{sum(map(len, logs))} of 8 processes, {unlocked} without the lock, {redone} told as lost",
    )
