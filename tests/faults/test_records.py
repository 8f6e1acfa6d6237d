"""Records of changes: broken, of other machines, beside a process with the same number."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest
from faults import standins
from faults.homes import EVERY, KINDS, PIMEM, Home, filled, undo
from pimem_core.errors import ConflictError, StorageError
from pimem_core.files.process import this_process
from pimem_core.history import journal, patch, record
from pimem_core.systems.stores import WriteRequest

APPEND = next(kind for kind in KINDS if kind.name == "write append")


def killed_at(home: Home, name: str, path: str) -> None:
    """Kill a write when it is about to make a call on a file."""
    home.keep("start")
    whole = home.run(APPEND.command, stdin=b"text\n")
    calls = [(call.name, call.path.rsplit("/", 1)[-1]) for call in whole.calls]
    home.restore("start")
    ended = home.run(APPEND.command, stdin=b"text\n", kill_at=calls.index((name, path)) + 1)
    assert ended.code == -signal.SIGKILL


@pytest.fixture
def home(tmp_path: Path) -> Home:
    made = Home(tmp_path)
    filled(made)
    return made


def intent(home: Home) -> Path:
    (found,) = (home.state / "intents").glob("*.json")
    return found


def rewrite(path: Path, **process: Any) -> None:
    raw = json.loads(path.read_text())
    raw["process"] |= process
    path.write_text(json.dumps(raw))


BROKEN = {
    "empty": b"",
    "half": b'{"version": 1, "id": "017',
    "no JSON": bytes(range(256)),
    "a list": b"[]",
    "no files": b'{"version": 1}',
    "deep": b"[" * 100_000,
    "no number": b'{"version": 1, "files": 5}',
}


@pytest.mark.parametrize("data", BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_record_is_told_and_stops_nothing(home: Home, data: bytes) -> None:
    home.store.pin("Keep", True)
    for kind in ("intents", "undo"):
        (home.state / kind / "01700000000000000-1-abcdef.json").write_bytes(data)
    assert home.run([*PIMEM, "list"]).code == 0
    done = home.run([*PIMEM, "unpin", "Keep"])
    assert done.code == 0, done.err
    assert "abcdef.json.unreadable is set aside" in done.err
    assert "set aside" not in home.run([*PIMEM, "pin", "Keep"]).err
    told = home.run([*PIMEM, "history"])
    assert "undo/01700000000000000-1-abcdef.json is left out" in told.err
    assert "pin" in told.out
    assert home.run([*PIMEM, "undo", "3"]).code == 0


def test_a_record_of_a_newer_version_is_left_alone(home: Home) -> None:
    home.store.pin("Keep", True)
    newer = home.state / "intents" / "01700000000000000-1-abcdef.json"
    newer.write_text('{"version": 2}')
    done = home.run([*PIMEM, "unpin", "Keep"])
    assert done.code == 0
    assert "newer pimem" in done.err
    assert newer.exists()


def test_a_process_with_the_same_number_does_not_block_a_repair(home: Home) -> None:
    killed_at(home, "rename", "MEMORY.md")
    before = home.seen()
    # The number of a process that lives; it began at another time.
    rewrite(intent(home), pid=os.getppid())
    assert home.store.recover()
    assert home.seen() == before
    assert home.leftovers() == []


def test_a_change_that_is_being_made_is_left_alone(home: Home) -> None:
    killed_at(home, "rename", "MEMORY.md")
    rewrite(intent(home), **this_process().but(pid=os.getppid(), started=None).__dict__)
    for path in home.root.rglob(".lock"):
        path.unlink()
    assert home.store.recover() == []
    assert intent(home)


@pytest.mark.parametrize(("age", "is_repaired"), [(0, False), (61, True)])
def test_another_machine_has_a_minute(home: Home, age: int, is_repaired: bool) -> None:
    killed_at(home, "rename", "MEMORY.md")
    path = intent(home)
    rewrite(path, host="elsewhere")
    raw = json.loads(path.read_text())
    raw["id"] = f"{int(raw['id'][:17]) - age * 1_000_000:017d}{raw['id'][17:]}"
    path.unlink()
    (path.parent / f"{raw['id']}.json").write_text(json.dumps(raw))
    for lock in home.root.rglob(".lock"):
        lock.unlink()
    assert bool(home.store.recover()) == is_repaired


@pytest.mark.parametrize("at", ["a.md", "MEMORY.md"])
def test_a_person_edits_between_kill_and_repair(home: Home, at: str) -> None:
    killed_at(home, "rename", "MEMORY.md")
    topic, index = home.folder / "note.md", home.folder / "MEMORY.md"
    if at == "MEMORY.md":
        index.write_text(index.read_text().replace("A word of my own.", "Another word."))
    else:
        topic.write_text(topic.read_text().replace("second", "SECOND"))
    home.store.recover()
    assert "Another word." in index.read_text() or at == "a.md"
    assert "SECOND" in topic.read_text() or at == "MEMORY.md"
    assert "text" not in topic.read_text()
    assert home.leftovers() == []


def test_a_persons_edit_of_the_new_lines_completes_the_change(home: Home) -> None:
    killed_at(home, "rename", "MEMORY.md")
    topic = home.folder / "note.md"
    topic.write_text(topic.read_text().replace("\ntext\n", "\ntext, corrected\n"))
    home.store.recover()
    assert topic.read_text().endswith("\ntext, corrected\n")
    assert "more to say" in (home.folder / "MEMORY.md").read_text()


def test_a_repair_waits_for_a_journal_that_can_be_written(home: Home) -> None:
    killed_at(home, "fsync", "memory")  # both files are in place
    folder = home.state / "undo"
    folder.rmdir()
    folder.write_text("in the way")
    with pytest.raises(StorageError, match="undo is not a folder"):
        home.store.recover()
    assert intent(home)
    folder.unlink()
    assert home.store.recover() == ['Completed the interrupted write of "Note".']
    undo(home)
    assert home.leftovers() == []


def test_many_repair_at_once_and_one_does(home: Home) -> None:
    killed_at(home, "fsync", "memory")
    lines = [f"by {number}" for number in range(6)]
    running = [
        subprocess.Popen(
            [*PIMEM, "write", "Other", "--summary", "s", "--content", line, "--json"],
            env=home.env,
            cwd=home.root,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for line in lines
    ]
    done = [process.communicate() for process in running]
    assert sum("Completed the interrupted" in err for _out, err in done) == 1, done
    codes = [process.returncode for process in running]
    assert set(codes) <= {0, 3}, done
    text = (home.folder / "other.md").read_text()
    assert [text.count(f"\n{line}\n") for line in lines] == [int(code == 0) for code in codes]
    assert len(record.names(home.places.state_dir, "undo")) == 1 + codes.count(0)
    assert home.leftovers() == []


@pytest.mark.timeout(600)
def test_a_repair_that_is_killed_is_repaired(home: Home) -> None:
    killed_at(home, "rename", "MEMORY.md")
    home.keep("killed")
    home.store.recover()
    before = home.look()
    home.restore("killed")
    command = [*PIMEM, "pin", "Keep"]
    whole = home.run(command)
    after = home.look()
    steps = range(1, len(whole.calls) + 1)
    for at in steps if EVERY else steps[2::7]:
        home.restore("killed")
        assert home.run(command, kill_at=at).code == -signal.SIGKILL
        home.age_lock()
        home.seen()
        home.store.recover()
        assert home.look() in (before, after), (at, whole.calls[at - 1])
        assert home.leftovers() == []


def test_the_newest_writer_among_readers_is_never_seen_half(home: Home) -> None:
    killed_at(home, "rename", "MEMORY.md")
    assert "text" not in home.seen()["note.md"]
    assert "Note" not in [hit.topic.name for hit in home.store.search("text")]
    assert "interrupted" in " ".join(home.store.status().notes)


def _entries(home: Home) -> list[Path]:
    return sorted((home.state / "undo").iterdir())


def _settings(home: Home, text: str) -> None:
    folder = Path(home.places.config_dir)
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text(text)


def test_the_journal_is_bounded_in_size(home: Home) -> None:
    _settings(home, "[undo]\nmax_mb = 0.01\n")
    for number in range(12):
        home.store.write(WriteRequest(topic="Note", content=f"{number}\n" * 99, summary="s"))
    assert sum(path.stat().st_size for path in _entries(home)) <= 10_000
    undo(home)


def test_the_journal_is_bounded_in_age_but_for_only_copies(home: Home) -> None:
    _settings(home, "[undo]\nmax_days = 3\n")
    home.store.write(WriteRequest(topic="Fresh", content="the only copy", summary="s"))
    undo(home)
    kept = [path for path in _entries(home) if path.name.endswith(".keep.json")]
    assert len(kept) == 1
    for path in _entries(home):
        os.utime(path, (0, 0))
    home.store.pin("Keep", True)
    assert kept[0] in _entries(home)
    assert len(_entries(home)) == 2


def test_purging_leaves_no_byte_of_the_entry(home: Home) -> None:
    secret = "a word that should be forgotten"
    home.store.write(WriteRequest(topic="Note", content=secret, summary="s"))
    undo(home)
    home.store.pin("Keep", True)
    entry = journal.history(home.places.state_dir, {home.store.path})[-1]
    assert entry.action == "write"
    done = home.run([*PIMEM, "undo", "--purge", entry.id, "--json"])
    assert (done.code, json.loads(done.out)["outcome"]) == (0, "removed")
    assert [row.action for row in journal.history(home.places.state_dir, {home.store.path})] == [
        "pin"
    ]
    for path in (path for path in home.state.rglob("*") if path.is_file()):
        assert secret.encode() not in path.read_bytes()
        if path.parent.name not in ("undo", "intents"):
            continue
        for file in record.load(path.read_bytes()).files:
            assert secret.encode() not in b"\n".join(
                line for _, old, new, _ in file.hunks for line in (*old, *new)
            )
    assert home.run([*PIMEM, "undo", "--purge", entry.id]).code == 1


def test_purging_tells_which_entries_hold_the_same_lines(home: Home) -> None:
    home.store.write(WriteRequest(topic="Note", content="a telling line", summary="s"))
    home.store.write(WriteRequest(topic="Note", content="x", summary="s", mode="replace"))
    first = journal.history(home.places.state_dir, {home.store.path})[-1]
    done = home.run([*PIMEM, "undo", "--purge", first.id])
    assert "still holds lines of it" in done.err


def test_two_undoing_the_same_change_are_told_apart(home: Home) -> None:
    home.store.pin("Keep", True)
    store = home.store
    newest = journal.newest_undoable(home.places.state_dir, {store.path})
    store.revert(newest, "undo")
    with pytest.raises(ConflictError, match="meanwhile"):
        store.revert(newest, "undo")


def test_undo_refuses_what_somebody_changed_since_and_shows_it(home: Home) -> None:
    home.store.write(WriteRequest(topic="Note", content="mine", summary="s"))
    standins.write(home.folder, "Note", "theirs", shared=False)
    before = home.look()
    done = home.run([*PIMEM, "undo", "--json"])
    told = json.loads(done.out)
    assert (done.code, told["outcome"]) == (1, "conflict")
    assert "\n- " in told["message"]
    assert "\n+ " in told["message"]
    assert home.look() == before


def test_outside_changes_of_other_topics_do_not_block_undo(home: Home) -> None:
    home.store.write(WriteRequest(topic="Fresh", content="mine", summary="s"))
    standins.write(home.folder, "Peer", "theirs", shared=False)
    standins.write(home.folder, "Other", "theirs", shared=False)
    undo(home)
    found = home.look()
    assert "Fresh" not in str(found)
    assert "](peer.md)" in found[".pi/agent/memory/MEMORY.md"]
    undo(home)
    assert [name for name in home.look() if "fresh" in name]


def test_the_first_change_is_undone_though_others_have_come(tmp_path: Path) -> None:
    home = Home(tmp_path)
    home.store.write(WriteRequest(topic="Fresh", content="mine", summary="s"))
    standins.write(home.folder, "Peer", "theirs", shared=False)
    undo(home)
    assert "](fresh.md)" not in (home.folder / "MEMORY.md").read_text()
    assert "](peer.md)" in (home.folder / "MEMORY.md").read_text()


def test_a_change_waits_for_the_disk_few_times(home: Home) -> None:
    home.store.pin("Keep", True)
    ended = home.run(APPEND.command, stdin=b"text\n")
    # Two files and the record, then the names of intent and files.
    assert [call.name for call in ended.calls].count("fsync") == 5


def test_lines_whose_place_is_gone_go_to_the_end_before_the_line_end() -> None:
    hunks = patch.diff(b"a\nb\nlast\n", b"A\nb\nlast\n\nnew\n")
    assert patch.apply_nearby(b"of another\n", hunks, lambda _lines: False) == (
        b"of another\n\nnew\n"
    )
