"""A store's folder that is a link of its person: of a dotfiles repository, or one kept in step."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from core.folders import HEADER, Folder, topic_text
from pimem_core.errors import StorageError
from pimem_core.history import journal
from pimem_core.systems.openpi.system import OpenpiSystem

if TYPE_CHECKING:
    from pimem_core.paths import Places


def linked(store: Folder, real: Path) -> Folder:
    """Put a link to a new folder where the store is."""
    real.mkdir(parents=True)
    store.path.parent.mkdir(parents=True, exist_ok=True)
    store.path.symlink_to(real)
    return store


def test_all_changes_go_to_the_folder_that_the_link_leads_to(
    local: Folder, places: Places, tmp_path: Path
) -> None:
    real = tmp_path / "dotfiles" / "memory"
    linked(local, real)
    assert local.write("Note").outcome == "created"
    assert local.store.pin("Note", True).outcome == "pinned_now"
    assert local.store.pin("Note", False).outcome == "unpinned_now"
    text = local.store.read("note.md").text
    assert local.store.save("note.md", opened=text, text=text + "more\n").outcome == "updated"
    assert local.store.remove("Note").outcome == "removed"
    record = journal.newest_undoable(places.state_dir, [str(local.path)])
    assert local.store.revert(record, "undo").outcome == "undone"
    assert local.path.is_symlink()
    assert sorted(name for name in os.listdir(real) if name != ".lock") == ["MEMORY.md", "note.md"]
    assert (real / "note.md").read_text().endswith("more\n")
    assert f"{local.path} is a link to {real}." in local.store.status().notes


def test_links_inside_stay_refused(local: Folder, tmp_path: Path) -> None:
    linked(local, tmp_path / "real")
    (tmp_path / "outside.md").write_text(topic_text("Note"))
    local.fill({"MEMORY.md": HEADER + "- [Note](note.md) 2026-01-01 -- s\n"})
    (local.path / "note.md").symlink_to(tmp_path / "outside.md")
    with pytest.raises(Exception, match="symbolic link"):
        local.write("Note")
    assert (tmp_path / "outside.md").read_text() == topic_text("Note")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives a link to somebody else")
def test_a_link_of_somebody_else_is_refused(local: Folder, tmp_path: Path) -> None:
    linked(local, tmp_path / "real")
    os.lchown(local.path, 12345, 12345)
    with pytest.raises(StorageError, match="link of another user"):
        local.write("Note")
    assert os.listdir(tmp_path / "real") == []


def test_a_link_that_leads_nowhere_says_so(local: Folder, tmp_path: Path) -> None:
    linked(local, tmp_path / "real")
    (tmp_path / "real").rmdir()
    with pytest.raises(StorageError, match="which is not a folder"):
        local.write("Note")


def test_of_two_stores_in_one_folder_nothing_is_carried_over(places: Places) -> None:
    system = OpenpiSystem()
    own, shared = (Folder(store) for store in system.stores(places))
    own.write("Note")
    shared.path.parent.mkdir(parents=True, exist_ok=True)
    shared.path.symlink_to(own.path)
    Path(places.agent_dir, "memory.jsonc").write_text('{"shared_dir": true}')
    change = shared.write("Second")
    assert change.outcome == "created"
    assert [note for note in change.notes if "carried" in note] == []
    assert [topic.name for topic in shared.store.list()] == ["Note", "Second"]
    assert [note for note in shared.store.status().notes if "carried" in note] == []
