"""An index line whose file's name is longer than any file's, and a disk that does not answer."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

import pytest
from core.folders import HEADER, topic_text
from pimem_core.errors import StorageError
from pimem_core.systems.openpi.store import OpenpiStore

if TYPE_CHECKING:
    from core.folders import Folder

LONG = "x" * 300 + ".md"
LINES = f"- [Long]({LONG}) 2026-01-01 -- needle\n- [Note](note.md) [pin] 2026-01-01 -- s\n"


@pytest.fixture
def long(local: Folder) -> Folder:
    return local.fill({"MEMORY.md": HEADER + LINES, "note.md": topic_text("Note", body="needle")})


def test_reading_and_searching_go_on(long: Folder) -> None:
    store = long.store
    assert [topic.problem for topic in store.list()] == ["file name too long", None]
    assert [topic.problem for topic in store.skim(2)] == ["file name too long", None]
    unread: list[Exception] = []
    hits = list(store.search("needle", unread=unread.append))
    assert [hit.topic.name for hit in hits] == ["Long", "Note"]
    list(store.search("nothing at all", unread=unread.append))
    assert unread == []
    assert [len(str(note)) < 200 for note in store.status().notes] == [True, True]


def test_changes_are_made_and_name_the_line_to_take_out(long: Folder) -> None:
    said = " ".join(long.write("Other").notes)
    assert "Line 3 of MEMORY.md names a file that cannot exist" in said
    assert len(said) < 200
    assert f"- [Long]({LONG}) 2026-01-01" in long.index
    assert long.store.remove("Long").outcome == "removed"
    assert long.write("Other").notes == []


def test_a_read_of_it_says_so_shortly(long: Folder) -> None:
    with pytest.raises(Exception, match="too long") as raised:
        long.store.read(LONG)
    assert len(str(raised.value)) < 200


def test_a_disk_that_does_not_answer_is_one_sentence(
    long: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.stat

    def look(path: str, **more: object) -> os.stat_result:
        # By its path, or by its name in the folder that is held open.
        if more.get("dir_fd") is not None and path == "MEMORY.md":
            raise OSError(errno.EIO, "Input/output error")
        return real(path, **more)  # type: ignore[arg-type]

    folder = long.path.parent / "elsewhere"
    folder.mkdir()
    (folder / "MEMORY.md").write_text(HEADER + LINES)
    store = OpenpiStore(str(folder), str(folder), long.store.places)
    monkeypatch.setattr(os, "stat", look)
    with pytest.raises(StorageError, match="Input/output error"):
        store.pin("Note", False)
