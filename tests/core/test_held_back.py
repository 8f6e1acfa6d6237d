"""Copies of sync programs and unfinished merges: held back from the prompt, and said so."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from core.folders import HEADER, topic_text
from pimem_core.formats import held_back
from pimem_core.systems.openpi.config import Config
from pimem_core.systems.openpi.injection import index_part

if TYPE_CHECKING:
    from pathlib import Path

    from core.folders import Folder

UNMERGED = "a\n<<<<<<< HEAD\nours\n=======\ntheirs\n>>>>>>> branch\nz\n"


def given(store: Folder) -> str:
    return index_part(store.index, folder=str(store.path), config=Config(), full_stamps=True).text


@pytest.mark.parametrize(
    "copy",
    [
        "note.sync-conflict-20260101-101010-ABCDEFG.md",
        "note (Ann's conflicted copy 2026-01-01).md",
        "note (Case Conflict 1).md",
        "note (SFConflict ann@example.org 2026-01-01-10-10-10).md",
        "note (in Konflikt stehende Kopie von Ann 2026-01-01).md",
        "note (conflicted copy 2026-01-01 101010).md",
        "note_conflict-20260101-101010.md",
        "note.conflict.md",
        "note_LOCAL_4711.md",
    ],
)
def test_copies_are_known_by_their_names_beside_the_file(copy: str) -> None:
    assert held_back.is_copy_name(copy)
    assert held_back.original_of("/x", copy, {"note.md"}.__contains__) == "note.md"
    assert held_back.original_of("/x", copy, {"other.md"}.__contains__) is None


@pytest.mark.parametrize("copy", ["note (1).md", "note 2.md"])
def test_a_number_makes_a_copy_only_of_what_has_the_same_name(tmp_path: Path, copy: str) -> None:
    for name, title in (("note.md", "Note"), (copy, "Note")):
        (tmp_path / name).write_text(topic_text(title))
    is_there = {"note.md", copy}.__contains__
    assert held_back.original_of(str(tmp_path), copy, is_there) == "note.md"
    (tmp_path / copy).write_text(topic_text("Second note"))
    assert held_back.original_of(str(tmp_path), copy, is_there) is None


@pytest.mark.parametrize("name", ["conflict resolution.md", "note-2.md", "conflict.md", "a.md"])
def test_other_names_are_no_copies(name: str) -> None:
    assert held_back.original_of("/x", name, lambda _name: True) is None


@pytest.mark.parametrize(
    ("text", "unmerged"),
    [
        (UNMERGED, True),
        (UNMERGED.replace("\n", "\r\n"), True),
        (UNMERGED.replace("=======", "||||||| base\nold\n======="), True),
        ("Title\n=======\n<<<<<<< never closed\n", False),
        ("`<<<<<<<`, `=======` and `>>>>>>>` mark a conflict\n", False),
    ],
)
def test_the_marks_of_an_unfinished_merge(text: str, unmerged: bool) -> None:
    assert held_back.is_unmerged(text) == unmerged


def test_lines_of_copies_are_held_back_and_named(local: Folder) -> None:
    copy = "note.sync-conflict-20260101-101010-ABCDEFG.md"
    lines = f"- [Note](note.md) 2026-01-01 -- s\n- [Theirs]({copy}) 2026-01-01 -- t\n"
    local.fill({"MEMORY.md": HEADER + lines, "note.md": topic_text("Note"), copy: "x"})
    text = given(local)
    assert "[Note]" in text
    assert "[Theirs]" not in text
    assert f"Held back, copies of a sync program: {copy}." in text
    assert f"Copies of a sync program are held back: {copy}." in local.store.status().notes
    (local.path / "note.md").unlink()
    assert "[Theirs]" in given(local)


def test_an_index_with_an_unfinished_merge_is_held_back(local: Folder) -> None:
    marked = HEADER + UNMERGED.replace("ours", "- [Note](note.md) 2026-01-01 -- s")
    local.fill({"MEMORY.md": marked, "note.md": topic_text("Note")})
    text = given(local)
    assert "[Note]" not in text
    assert "MEMORY.md has the marks of an unfinished merge" in text
    assert "unfinished merge" in " ".join(local.store.status().notes)


def test_unlisted_copies_are_no_topics_that_wait(local: Folder) -> None:
    copy = "note.sync-conflict-20260101-101010-ABCDEFG.md"
    local.write("Note")
    local.fill({copy: topic_text("Note")})
    notes = " ".join(local.store.status().notes)
    assert copy in notes
    assert "not in the index" not in notes
