"""Noticing changes in a folder, with notices and by looking."""

from __future__ import annotations

import os
import threading
import time
from typing import TYPE_CHECKING

import pytest
from pimem_core.files import watch
from waiting import PATIENCE_S, wait_for

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator
    from pathlib import Path

    Told = list[set[str]]


@pytest.fixture
def start() -> Iterator[Callable[..., Told]]:
    """Starts a watch in a thread and gives the list of what it tells."""
    stop = threading.Event()
    threads: list[threading.Thread] = []

    def begin(folder: Path, since: float | None = None, *, below: bool = False) -> Told:
        told: Told = []

        def changed(names: Collection[str]) -> None:
            told.append(set(names))

        def run() -> None:
            watch.watch(str(folder), changed, stop=stop, since=since, poll_s=0.02, below=below)

        threads.append(threading.Thread(target=run))
        threads[-1].start()
        return told

    yield begin
    stop.set()
    for thread in threads:
        thread.join(PATIENCE_S)
        assert not thread.is_alive()


def names_of(told: Told) -> set[str]:
    return set().union(*told)


@pytest.mark.parametrize("remote", [False, True])
def test_files_that_come_change_and_go(
    tmp_path: Path, start: Callable[..., Told], monkeypatch: pytest.MonkeyPatch, remote: bool
) -> None:
    monkeypatch.setattr(watch, "is_remote", lambda _folder: remote)
    (tmp_path / "a.md").write_text("a")
    (tmp_path / "c.md").write_text("c")
    told = start(tmp_path)

    def follows() -> bool:
        (tmp_path / "probe.md").write_text(str(time.monotonic_ns()))
        return "probe.md" in names_of(told)

    wait_for(follows, "the watch to follow")
    (tmp_path / "a.md").write_text("changed")
    (tmp_path / "b.md").write_text("new")
    (tmp_path / "c.md").unlink()
    (tmp_path / ".lock").write_text("hidden")
    wait_for(lambda: names_of(told) == {"a.md", "b.md", "c.md", "probe.md"}, "what it tells")


def test_a_folder_that_comes_goes_and_comes_again(
    tmp_path: Path, start: Callable[..., Told]
) -> None:
    folder = tmp_path / "memory"
    told = start(folder, time.time() - 1)
    folder.mkdir()
    (folder / "a.md").write_text("a")
    wait_for(lambda: "a.md" in names_of(told), "what it tells")
    told.clear()
    folder.rename(tmp_path / "away")
    wait_for(lambda: "a.md" in names_of(told), "what it tells")
    told.clear()
    folder.mkdir()
    (folder / "b.md").write_text("b")
    wait_for(lambda: "b.md" in names_of(told), "what it tells")


def test_what_changed_before_the_watch_began(tmp_path: Path, start: Callable[..., Told]) -> None:
    folder = tmp_path / "memory"
    folder.mkdir()
    (folder / "old.md").write_text("old")
    (folder / "gone.md").write_text("gone")
    since = time.time() - 60
    for name in ("old.md", "gone.md"):
        os.utime(folder / name, (since - 60, since - 60))
    (folder / "new.md").write_text("new")
    (folder / "gone.md").unlink()
    told = start(folder, since)
    wait_for(lambda: names_of(told) == {"new.md"}, "what it tells")


def test_a_watch_that_cannot_be_falls_back_to_looking(
    tmp_path: Path, start: Callable[..., Told], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError("no more watches")

    monkeypatch.setattr(watch, "_follow_notices", refuse)
    folder = tmp_path / "memory"
    folder.mkdir()
    told = start(folder, time.time() - 1)
    (folder / "a.md").write_text("a")
    wait_for(lambda: names_of(told) == {"a.md"}, "what it tells")


def test_remote_file_systems_are_known(tmp_path: Path) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text(
        "disk / ext4 rw 0 0\nserver:/x /net nfs4 rw 0 0\ndisk /net/local\\040disk ext4 rw 0 0\n"
    )
    assert watch.is_remote("/net/memory", str(mounts))
    assert not watch.is_remote("/network", str(mounts))
    assert not watch.is_remote("/net/local disk/memory", str(mounts))
    assert not watch.is_remote("/net/memory", str(tmp_path / "none"))


@pytest.mark.parametrize("remote", [False, True])
def test_files_one_level_down_count_where_it_is_asked_for(
    tmp_path: Path, start: Callable[..., Told], monkeypatch: pytest.MonkeyPatch, remote: bool
) -> None:
    monkeypatch.setattr(watch, "is_remote", lambda _folder: remote)
    inner = tmp_path / "user" / "deep"
    inner.mkdir(parents=True)
    (tmp_path / ".git").mkdir()
    told = start(tmp_path, time.time() - 100, below=True)
    wait_for(lambda: bool(told), "what it tells")
    told.clear()
    (inner / "c.md").write_text("c")
    (tmp_path / ".git" / "x").write_text("x")
    (tmp_path / "user" / "b.md").write_text("b")
    wait_for(lambda: "user/b.md" in names_of(told), "what it tells")
    assert names_of(told) <= {"user", "user/b.md", "user/deep"}
