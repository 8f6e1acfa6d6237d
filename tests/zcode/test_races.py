"""Another writer between our reading of a store of facts and our writing."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest
from pimem_core.errors import (
    ConflictError,
    PimemError,
    StoreBusyError,
)
from pimem_core.history import journal, transaction
from pimem_core.systems.zcode import changes
from pimem_core.systems.zcode.folder import FactFolder
from zcode.folder import HEADER, Project

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def race(
    project: Project, monkeypatch: pytest.MonkeyPatch, *writes: Callable[[], object]
) -> list[int]:
    """Have another program write after each of our first readings."""
    left = list(writes)
    seen: list[int] = []
    real = FactFolder.view

    def view(folder: FactFolder, **more: object) -> object:
        found = real(folder, **more)  # type: ignore[arg-type]
        seen.append(1)
        if left:
            left.pop(0)()
        return found

    monkeypatch.setattr(FactFolder, "view", view)
    return seen


def other_line(project: Project, name: str) -> Callable[[], object]:
    return lambda: project.fill({"MEMORY.md": f"{project.index}- [{name}]({name}.md) — theirs\n"})


def test_a_writer_in_between_is_read_anew_once(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write("a", "A", "about a")
    seen = race(project, monkeypatch, other_line(project, "one"))
    assert project.write("a", "A2", "new").outcome == "updated"
    assert len(seen) == 2
    assert project.index == f"{HEADER}- [a](a.md) — new\n- [one](one.md) — theirs\n"


def test_twice_is_an_error_with_both_versions(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write("a", "A", "about a")
    race(project, monkeypatch, other_line(project, "one"), other_line(project, "two"))
    before = project.files()
    with pytest.raises(ConflictError, match="twice") as error:
        project.write("a", "A2", "new")
    monkeypatch.undo()
    after = project.files()
    assert after.keys() == before.keys()
    assert after["a.md"] == before["a.md"]
    assert project.index == (
        f"{HEADER}- [a](a.md) — about a\n- [one](one.md) — theirs\n- [two](two.md) — theirs\n"
    )
    assert error.value.theirs == project.index
    assert "- [a](a.md) — new" in error.value.mine
    assert "— new" in str(error.value)
    assert "— about a" in str(error.value)


def test_a_new_date_alone_is_no_other_version(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write("a", "A", "about a")
    seen = race(project, monkeypatch, lambda: os.utime(project.path / "MEMORY.md", (1, 1)))
    project.write("a", "A2", "new")
    assert len(seen) == 1


def test_the_same_size_and_date_does_not_hide_a_change(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write("a", "A", "about a")
    index = project.path / "MEMORY.md"
    os.utime(index, ns=(10**18, 10**18))

    def swap() -> None:
        index.write_text(project.index.replace("about a", "abaut a"))
        os.utime(index, ns=(10**18, 10**18))

    seen = race(project, monkeypatch, swap)
    project.write("b", "B", "about b")
    assert len(seen) == 2
    assert "abaut a" in project.index


def test_an_index_deleted_in_between(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.write("a", "A", "about a")
    race(project, monkeypatch, (project.path / "MEMORY.md").unlink)
    project.write("b", "B", "about b")
    assert project.index == f"{HEADER}- [b](b.md) — about b\n"
    assert project.names() == ["b", "a"]


def test_a_link_put_in_place_of_the_index_in_between(
    project: Project, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    project.write("a", "A", "about a")
    (tmp_path / "bait").write_text("bait")

    def swap() -> None:
        (project.path / "MEMORY.md").unlink()
        (project.path / "MEMORY.md").symlink_to(tmp_path / "bait")

    race(project, monkeypatch, swap)
    with pytest.raises(PimemError, match="symbolic link"):
        project.write("b")
    assert (tmp_path / "bait").read_text() == "bait"
    assert not (project.path / "b.md").exists()


def test_a_body_changed_in_between_is_not_replaced(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write("a", "A", "about a")
    text = project.text("a.md")
    real = transaction.commit

    def commit(*args: object, **more: object) -> object:
        project.fill({"a.md": text + "Their line.\n"})
        return real(*args, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(transaction, "commit", commit)
    with pytest.raises(ConflictError) as error:
        project.write("a", "mine", "new")
    assert "Their line." in error.value.theirs
    assert error.value.mine == "mine"
    assert project.text("a.md").endswith("A\nTheir line.\n")
    assert "about a" in project.index


def test_a_removed_file_that_changed_in_between_is_read_anew(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write("a", "A", "about a")
    real = transaction.commit
    calls: list[int] = []

    def commit(*args: object, **more: object) -> object:
        if not calls:
            project.fill({"a.md": "Their text.\n"})
        calls.append(1)
        return real(*args, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(transaction, "commit", commit)
    project.store.remove("a")
    record = journal.newest_undoable(project.places.state_dir, [project.store.path])
    project.store.revert(record, "undo")
    assert project.text("a.md") == "Their text.\n"


def test_somebody_who_writes_over_us_is_told(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    project.write("a", "A", "about a")
    stale = project.index
    real = changes.FactChanges.confirm

    def confirm(session: changes.FactChanges) -> None:
        project.fill({"MEMORY.md": stale})
        real(session)

    monkeypatch.setattr(changes.FactChanges, "confirm", confirm)
    change = project.write("b", "B", "about b")
    assert "about b" in project.index or any("wrote over" in note for note in change.notes)


def test_our_own_processes_wait_for_each_other(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    with changes.held(project.store.folder), pytest.raises(StoreBusyError):
        project.write("x")
    project.write("x")
    assert not (project.path / ".lock").exists()
