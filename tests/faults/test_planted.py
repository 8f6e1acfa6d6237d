"""Records that others put into the state folder are never carried out."""

from __future__ import annotations

import contextlib
import json
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import time_machine
from faults.homes import PIMEM, Home, filled
from pimem_core.errors import StorageError
from pimem_core.history import journal, record, recovery, transaction
from pimem_core.history.intents import INTENTS
from pimem_core.history.record import About
from pimem_core.systems import registry
from pimem_core.systems import undo as undoing

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home(tmp_path)
    filled(made)
    return made


@contextlib.contextmanager
def _left(home: Home, folder: str, path: str) -> Iterator[Path]:
    """An intent of a dead process that makes a file, as an attacker would write it."""
    about = About(
        action="write", system="openpi", store="local", folder=folder, name="X", file="x.md"
    )
    step = transaction.Step(path=path, before=None, after=b"planted\n", decides=True)
    made = transaction._record(home.places.state_dir, about, [step], [], "2026-01-01T00:00:00Z")
    made = made.but(process=made.process.but(pid=2**22 - 1, started="gone"))
    intent = home.state / INTENTS / made.file_name
    intent.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    intent.write_bytes(record.dump(made))
    intent.chmod(0o600)
    Path(path).write_bytes(b"others\n")  # a change on neither side is completed
    os.unlink(path)
    yield intent


def _open_folder(intent: Path) -> None:
    intent.parent.chmod(0o777)


def _open_state(intent: Path) -> None:
    intent.parent.parent.chmod(0o777)


def _open_file(intent: Path) -> None:
    intent.chmod(0o666)


def _link(intent: Path) -> None:
    intent.rename(intent.with_name("elsewhere"))
    intent.symlink_to("elsewhere")


@pytest.mark.parametrize("spoil", [_open_folder, _open_state, _open_file, _link])
def test_owner_and_rights_come_before_what_is_inside(
    home: Home, spoil: Callable[[Path], None]
) -> None:
    target = home.folder / "note.md"
    before = target.read_bytes()
    with _left(home, str(home.folder), str(home.folder / "planted.md")) as intent:
        spoil(intent)
        registry.repair(home.places)
        home.store.pin("Keep", True)
        home.store.pin("Keep", False)
    assert not (home.folder / "planted.md").exists()
    assert target.read_bytes() == before


@pytest.mark.parametrize("name", ["../../.bashrc", "../x.md", "../../../outside.md"])
def test_a_record_reaches_only_into_the_store_that_it_names(home: Home, name: str) -> None:
    path = os.path.normpath(home.folder / name)
    for written in (path, str(home.folder / name)):
        with _left(home, str(home.folder), written) as intent:
            said = recovery.recover(home.places.state_dir, str(home.folder))
            assert any("not of its store" in one for one in said)
            assert not Path(path).exists()
            assert not intent.exists()


def test_a_folder_that_holds_no_memory_is_no_store(home: Home) -> None:
    with _left(home, str(home.root), str(home.root / "planted.md")):
        said = registry.repair(home.places)
    assert any("holds no memory" in one for one in said)
    assert not (home.root / "planted.md").exists()


def test_undo_takes_no_planted_record(home: Home) -> None:
    home.store.pin("Keep", True)
    (entry,) = (home.state / "undo").glob("*.json")
    raw = json.loads(entry.read_bytes())
    victim = home.root / "victim.md"
    victim.write_bytes(b"mine\n")
    for file in raw["files"]:
        file["path"] = str(victim)
        file["after"] = record.load(entry.read_bytes()).files[0].before
    entry.write_text(json.dumps(raw))
    with pytest.raises(StorageError, match="not of its store"):
        undoing.step(home.places, [home.store], "undo")
    entry.parent.chmod(0o777)
    assert journal.history(home.places.state_dir, {home.store.path}) == []
    assert victim.read_bytes() == b"mine\n"


@pytest.mark.parametrize("action", ["undo", "redo"])
def test_no_older_change_is_taken_back_where_a_newer_one_cannot_be_read(
    home: Home, action: str
) -> None:
    home.store.pin("Keep", True)
    home.store.pin("Other", True)
    if action == "redo":
        undoing.step(home.places, [home.store], "undo")
    newest = max((home.state / "undo").iterdir())
    good = newest.read_bytes()
    newest.write_bytes(b"{")
    before = home.look()
    if action == "undo":
        with pytest.raises(StorageError, match="is newer than the change"):
            undoing.step(home.places, [home.store], action)
    assert home.look() == before
    newest.write_bytes(good)
    undoing.step(home.places, [home.store], action)
    assert home.look() != before


def test_a_clock_that_is_wrong_for_some_commands_makes_no_journal_old(home: Home) -> None:
    home.store.pin("Keep", True)
    home.store.pin("Other", True)
    with time_machine.travel(time.time() + 200 * 86_400, tick=True):
        home.store.pin("Note", True)
        home.store.pin("Note", False)
    home.store.pin("Other", False)
    assert len(journal.history(home.places.state_dir, {home.store.path})) == 5


def test_after_a_pause_the_clock_is_believed_once_it_stands_by_itself() -> None:
    day = 86_400.0
    assert journal._reliable_now([], 100 * day) == 100 * day
    assert journal._reliable_now([98 * day, 99 * day], 100 * day) == 100 * day
    assert journal._reliable_now([10 * day, 100 * day], 100 * day) == 10 * day
    assert journal._reliable_now([10 * day, 98 * day, 100 * day], 100 * day) == 100 * day
    # What a wrong clock left in the future does not count.
    assert journal._reliable_now([9 * day, 200 * day], 10 * day) == 10 * day


@pytest.mark.parametrize("zone", ["UTC+25", "XYZ-99", "nonsense", ":/nowhere"])
def test_a_zone_that_is_none_stops_no_command(home: Home, zone: str) -> None:
    home.env["TZ"] = zone
    for command in (["pin", "Keep"], ["status"], ["list"]):
        done = home.run([*PIMEM, *command])
        assert done.code == 0, done.err
