"""Folders of other extensions: looked at, never changed."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

import pytest
from core.folders import HEADER, Folder, snapshot, topic_text
from pimem_core.errors import InvalidTopicError, ReadOnlyFormatError, TopicNotFoundError
from pimem_core.systems.openpi.system import OpenpiSystem

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pimem_core.paths import Places


def pi_memory(folder: Folder) -> None:
    folder.fill(
        {
            "MEMORY.md": "<!-- 2026-05-01 10:00:00 [a1b2c3] -->\nThe router is in the attic.\n\n"
            "<!-- 2026-05-02 11:00:00 [d4e5f6] -->\nTea, not coffee. #preference\n",
            "SCRATCHPAD.md": "- [ ] water the plants\n",
            "daily/2026-05-02.md": "# Friday\nquiet\n",
            "recovery/a1b2c3.json": "{}",
        }
    )


def pi_mem(folder: Folder) -> None:
    folder.fill(
        {
            "MEMORY.md": "## Preferences\n\nThe owner likes short answers.\n",
            "SCRATCHPAD.md": "- [ ] water the plants\n",
            "daily/2026-05-02.md": "# Friday\n",
        }
    )


def pi_remember(folder: Folder) -> None:
    folder.path.mkdir(parents=True)
    with sqlite3.connect(folder.path / "memories.sqlite") as database:
        database.execute("create table memories (id integer primary key, body text)")
    database.close()
    folder.fill({"models/embed.bin": b"\x00\x01"})


def hermes(folder: Folder) -> None:
    folder.fill(
        {
            "MEMORY.md": "The server is called oak.\n§\nBackups run on Sundays.\n",
            "USER.md": "Calls the laptop birch.\n§\nWorks from nine to five.\n",
        }
    )


def prose(folder: Folder) -> None:
    folder.fill({"MEMORY.md": "Some notes that nobody's index would hold.\n"})


FORMATS: list[tuple[str, Callable[[Folder], None]]] = [
    ("foreign:pi-memory", pi_memory),
    ("foreign:pi-mem", pi_mem),
    ("foreign:pi-remember", pi_remember),
    ("foreign:pi-hermes-memory", hermes),
    ("unknown", prose),
]


@pytest.fixture(params=FORMATS, ids=[name for name, _ in FORMATS])
def foreign(request: pytest.FixtureRequest, local: Folder) -> tuple[str, Folder]:
    name, fill = request.param
    fill(local)
    return name, local


def test_a_foreign_folder_is_recognised_and_browsing_leaves_its_bytes(
    foreign: tuple[str, Folder], places: Places, isolated_home: Path
) -> None:
    name, folder = foreign
    before = snapshot(isolated_home)
    status = folder.store.status()
    files = ["MEMORY.md"] if name == "unknown" else []  # in no format, it is a file to read
    assert (status.format, status.count, status.exists) == (name, len(files), True)
    assert any("read-only" in note for note in status.notes)
    assert OpenpiSystem().recognise(str(folder.path)) == name
    assert [topic.file for topic in folder.store.list()] == files
    hits = {hit.topic.file for hit in folder.store.search("water")}
    assert hits == ({"SCRATCHPAD.md"} if "SCRATCHPAD.md" in str(before) else set())
    for hit in folder.store.search(""):
        folder.store.read(hit.topic.file)
        folder.store.preview(hit.topic.file)
    assert snapshot(isolated_home) == before


def test_every_file_of_plain_markdown_is_listed_and_read(local: Folder, tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    store = OpenpiSystem().open(str(folder), local.store.places)
    plain = Folder(store).fill(
        {
            "guide.md": "# A guide\nneedle\n",
            "sub/Deep One.MD": "---\nname: x\n---\ndeep needle\n",
            "sub/deeper/[odd] (1).markdown": "odd needle\n",
            ".git/config.md": "no",
            "node_modules/x/readme.md": "no",
            "data.txt": "no",
        }
    )
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/secret.md").write_text("no")
    (folder / "link").symlink_to(tmp_path / "outside")
    (folder / "link.md").symlink_to(tmp_path / "outside/secret.md")
    files = ["guide.md", "sub/Deep One.MD", "sub/deeper/[odd] (1).markdown"]
    assert [topic.file for topic in store.list()] == files
    assert [topic.listed for topic in store.list()] == [False] * 3
    assert store.find("guide").file == "guide.md"
    assert store.find("deep one").file == "sub/Deep One.MD"
    assert store.read(files[1]).body == "deep needle\n"
    assert store.preview(files[2]) == "odd needle\n"
    assert [hit.topic.file for hit in store.search("needle")] == [
        files[2],
        files[1],
        files[0],
    ]
    status = store.status()
    assert (status.format, status.count) == ("unknown", 3)
    assert any('"# Memory Index" there makes it a memory' in note for note in status.notes)
    for file in ("link/secret.md", "data.txt", "../notes/guide.md", ".git/config.md"):
        with pytest.raises(TopicNotFoundError):
            store.read(file)
    with pytest.raises(InvalidTopicError, match="symbolic link"):
        store.read("link.md")
    with pytest.raises(ReadOnlyFormatError, match="makes it a memory"):
        plain.write("A")


def test_every_change_of_a_foreign_folder_is_refused_and_names_the_format(
    foreign: tuple[str, Folder], isolated_home: Path
) -> None:
    name, folder = foreign
    folder.fill({"extra.md": topic_text("Extra")} if name != "unknown" else {})
    before = snapshot(isolated_home)
    said = name if name != "unknown" else "not an openpi index"
    store = folder.store
    for change in (
        lambda: folder.write("A"),
        lambda: folder.write("extra"),
        lambda: store.pin("A", True),
        lambda: store.pin("A", False),
        lambda: store.remove("A"),
        lambda: store.save("extra.md", opened="a", text="b"),
        store.refuse_changes,
    ):
        with pytest.raises(ReadOnlyFormatError, match=said):
            change()
    assert snapshot(isolated_home) == before


@pytest.mark.parametrize(
    "files",
    [
        {},
        {"a.md": topic_text("A")},
        {"MEMORY.md": ""},
        {"MEMORY.md": "\n\n"},
        {"MEMORY.md": HEADER},
        {"MEMORY.md": "\ufeff# Memory index\r\n\r\nprose\r\n"},
        {"MEMORY.md": "<!-- nothing yet -->\n"},
        {"MEMORY.md": "My notes\n- [A](a.md) — hook\n"},
        {"MEMORY.md": HEADER + "\n" * 100_000 + "a § b"},
        {"MEMORY.md": HEADER, "SCRATCHPAD.md": "", "daily/x.md": ""},
        {"MEMORY.md": "Only prose is left.\n", "a.md": topic_text("A")},
    ],
)
def test_own_folders_stay_writable(local: Folder, files: dict[str, str]) -> None:
    local.fill(files)
    assert local.write("B").outcome == "created"


def test_memories_that_another_extension_moved_away_are_pointed_at(
    local: Folder, places: Places
) -> None:
    Folder.fill(local, {"../pi-hermes-memory/MEMORY.md": "- [A](a.md)\n"})
    assert any("pi-hermes-memory" in note for note in local.store.status().notes)
