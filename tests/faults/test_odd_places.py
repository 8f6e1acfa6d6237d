"""Odd modes, links, pipes, devices, masses and clocks: no hang, no widening, no write through."""

from __future__ import annotations

import os
import socket
import stat
import subprocess
import sys
from pathlib import Path

import pytest
import time_machine
from faults.homes import EVERY, PIMEM, Home, filled
from pimem_core.systems.stores import WriteRequest
from waiting import PATIENCE_S

WRITE = ["write", "Note", "--summary", "s", "--content", "more"]


def run(home: Home, *words: str, umask: int = 0o022) -> subprocess.CompletedProcess[str]:
    """Run pimem without the superuser's powers; it may take long, but not for ever."""
    script = str(Path(__file__).with_name("unprivileged.py"))
    done = subprocess.run(
        [sys.executable, "-I", script, f"{umask:o}", *PIMEM, *words],
        env=home.env,
        cwd=home.root,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode != 99, "the rights were not dropped"
    assert "Traceback" not in done.stderr
    return done


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home(tmp_path)
    filled(made)
    made.store.pin("Keep", True)
    return made


def modes(home: Home) -> set[tuple[str, int]]:
    """The modes of what pimem made, by kind."""
    return {
        ("folder" if path.is_dir() else "file", stat.S_IMODE(path.lstat().st_mode))
        for top in (home.root / ".pi", home.root / ".local")
        for path in (top, *top.rglob("*"))
    }


@pytest.mark.parametrize("umask", [0o777, 0o000, 0o077, 0o277] if EVERY else [0o777])
def test_modes_are_private_under_any_umask(tmp_path: Path, umask: int) -> None:
    home = Home(tmp_path)
    for words in (
        ["write", "Note", "--summary", "s", "--content", "text"],
        ["write", "Note", "--summary", "s", "--content", "more"],
        ["pin", "Note"],
        ["unpin", "Note"],
        ["edit", "Note"],
        ["remove", "Note"],
        ["undo"],
        ["redo"],
    ):
        done = run(home, *words, umask=umask)
        assert done.returncode == 0, (words, done.stderr)
        assert home.leftovers() == []
    assert modes(home) == {("folder", 0o700), ("file", 0o600)}


@pytest.mark.parametrize("folder", ["memory", "agent", "state", "undo", "intents"])
def test_a_read_only_folder_is_told_and_nothing_changes(home: Home, folder: str) -> None:
    place = _place(home, folder)
    if folder == "agent":
        (place / "memory.jsonc").unlink()
    if folder == "state":
        _empty(place)
    before = home.look()
    place.chmod(0o500)
    done = run(home, *WRITE)
    place.chmod(0o700)
    assert (done.returncode, home.look()) == (4, before), done.stderr
    assert "Permission denied" in done.stderr
    assert str(place) in done.stderr
    assert run(home, *WRITE).returncode == 0
    assert home.leftovers() == []


def _empty(folder: Path) -> None:
    for path in sorted(folder.rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()


@pytest.mark.parametrize("file", ["MEMORY.md", "note.md"])
def test_what_cannot_be_read_is_never_taken_for_empty(home: Home, file: str) -> None:
    path = home.folder / file
    before = home.look()
    path.chmod(0)
    done = run(home, *WRITE)
    listed = run(home, "list")
    path.chmod(0o600)
    assert (done.returncode, home.look()) == (4, before), done.stderr
    assert str(path) in done.stderr
    assert listed.returncode == (4 if file == "MEMORY.md" else 0)


def _place(home: Home, name: str) -> Path:
    agent, state = Path(home.places.agent_dir), home.state
    return {
        "agent": agent,
        "memory": home.folder,
        "state": state,
        "undo": state / "undo",
        "intents": state / "intents",
        "drafts": state / "drafts",
    }.get(name) or home.folder / name


LOOKS = [["list"], ["status"], ["show", "Note"], ["search", "second"], ["history"]]


def some(values: list[str]) -> list[str]:
    """All, or in a quick run the first and the last."""
    return values if EVERY else values[:: len(values) - 1]


FILES = ["note.md", "MEMORY.md", ".lock"]
FOLDERS = ["memory", "undo", "intents", "drafts"]


@pytest.mark.parametrize(
    ("name", "leads"),
    [
        (name, leads)
        for name in [*FILES, *FOLDERS]
        for leads in some(["there", "round", "nowhere"])
        if (name, leads) != ("memory", "there")  # the store's own folder may be a link
    ],
)
def test_nothing_is_written_through_a_link(
    home: Home, tmp_path: Path, name: str, leads: str
) -> None:
    place = _place(home, name)
    target = tmp_path / "elsewhere"
    if place.exists():
        place.rename(target)
    elif name in FOLDERS:
        target.mkdir()
    else:
        target.write_text("somebody's\n")
    if leads != "there":
        target.rename(tmp_path / "moved")
    if leads == "round":
        target.symlink_to(place)
    place.symlink_to(target)
    outside = tmp_path / ("elsewhere" if leads == "there" else "moved")
    before = _all_of(outside)
    words = ["edit", "Note"] if name == "drafts" else WRITE
    done = run(home, *words)
    assert done.returncode in (1, 3, 4), done
    assert str(place) in done.stderr
    assert place.is_symlink()
    assert _all_of(outside) == before
    assert leads != "nowhere" or not target.exists()
    for words in LOOKS if EVERY else LOOKS[:1]:
        assert run(home, *words).returncode in (0, 1, 4)


def _all_of(path: Path) -> dict[str, tuple[int, bytes]]:
    return {
        str(one): (one.stat().st_mtime_ns, one.read_bytes() if one.is_file() else b"")
        for one in (path, *path.rglob("*"))
    }


@pytest.mark.parametrize(
    ("name", "thing"),
    [
        (name, thing)
        for thing in some(["pipe", "socket", "device", "folder", "file"])
        for name in [*FILES, *FOLDERS]
        if thing != ("file" if name in FILES else "folder")  # what belongs there
    ],
)
def test_nothing_hangs_on_what_is_no_file(
    home: Home, tmp_path: Path, name: str, thing: str
) -> None:
    place = _place(home, name)
    if place.exists():
        place.rename(tmp_path / "moved")
    if thing == "pipe":
        os.mkfifo(place)
    elif thing == "socket":
        bound = socket.socket(socket.AF_UNIX)
        # The path of a socket is short.
        os.chdir(place.parent)
        bound.bind(place.name)
        bound.close()
    elif thing == "device":
        try:
            os.mknod(place, stat.S_IFCHR | 0o600, os.makedev(1, 3))
        except PermissionError:
            pytest.skip("only the superuser makes devices")
    elif thing == "folder":
        place.mkdir()
    else:
        place.write_text("somebody's\n")
    before = place.lstat()
    done = run(home, *(["edit", "Note"] if name == "drafts" else WRITE))
    assert done.returncode in (1, 3, 4), done
    assert str(place) in done.stderr, done.stderr
    after = place.lstat()
    assert (before.st_ino, before.st_mode) == (after.st_ino, after.st_mode)
    for words in LOOKS if EVERY else LOOKS[:1]:
        assert run(home, *words).returncode in (0, 1, 4)


def test_a_topic_of_100_megabytes_is_changed_and_undone(home: Home) -> None:
    path = home.folder / "note.md"
    line = b"a line of some length, as people write them into their notes, again and again\n"
    path.write_bytes(path.read_bytes() + line * (100_000_000 // len(line)))
    size = path.stat().st_size
    assert run(home, *WRITE).returncode == 0
    assert path.stat().st_size > size
    journal = sum(entry.stat().st_size for entry in (home.state / "undo").iterdir())
    assert journal < 100_000
    assert run(home, "undo").returncode == 0
    assert path.stat().st_size == size
    assert run(home, "list").returncode == 0


def test_a_folder_of_very_many_files_is_no_hindrance(home: Home) -> None:
    for number in range(100_000 if EVERY else 5_000):
        os.close(os.open(home.folder / f"file-{number}.md", os.O_CREAT | os.O_WRONLY, 0o600))
    assert run(home, *WRITE).returncode == 0
    assert run(home, "undo").returncode == 0
    assert run(home, "list").returncode == 0


def test_a_clock_that_was_set_back_changes_no_order(home: Home) -> None:
    store, first = home.store, home.look()
    for year in (2020, 2005, 2010):
        with time_machine.travel(f"{year}-01-02T03:04:05Z", tick=True):
            store.write(WriteRequest(topic="Note", content=f"of {year}", summary="s"))
    with time_machine.travel("2001-01-01T00:00:00Z", tick=True):
        for _ in range(3):
            undo_newest(home)
    assert home.look() == first
    assert home.leftovers() == []


def undo_newest(home: Home) -> None:
    from pimem_core.history import journal

    store = home.store
    store.revert(journal.newest_undoable(home.places.state_dir, {store.path}), "undo")


def test_a_lock_from_the_future_of_a_dead_process_is_taken(home: Home) -> None:
    lock = home.folder / ".lock"
    lock.write_text("999999999\t1\tx")
    os.utime(lock, (4e9, 4e9))
    done = run(home, *WRITE)
    assert done.returncode == 0, done.stderr
    assert not lock.exists()


@pytest.mark.parametrize("length", [253, 300, 5000])
def test_a_line_whose_file_name_is_too_long_for_any_file_stops_nothing(
    home: Home, length: int
) -> None:
    index = home.folder / "MEMORY.md"
    name = "n" * length + ".md"
    index.write_text(index.read_text() + f"- [Long]({name}) 2026-01-01 -- too long\n")
    for command in (["list"], ["search", "first"], ["status"], ["inject"]):
        done = run(home, *command)
        assert done.returncode == 0, done.stderr[:500]
    shown = run(home, "show", "Long")
    assert shown.returncode == 1
    assert len(shown.stderr) < 1000
    done = run(home, *WRITE)
    assert done.returncode == 0, done.stderr[:500]
    assert len(done.stderr) < 1000
