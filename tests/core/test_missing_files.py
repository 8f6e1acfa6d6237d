"""Index lines whose file was renamed, went, or came back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from core.folders import HEADER, topic_text

if TYPE_CHECKING:
    from core.folders import Folder

LINE = "- [Note]({}) [pin] 2026-01-01 -- what it says"


def changed(store: Folder) -> str:
    """Change another topic; what was said."""
    change = store.write("Other", "x")
    return " ".join([change.message, *change.notes])


@pytest.mark.parametrize("name", ["Note", "note", '"Note"'])
def test_a_renamed_file_takes_its_line_with_it(local: Folder, name: str) -> None:
    local.fill({"MEMORY.md": HEADER + LINE.format("note.md"), "moved.md": topic_text(name)})
    said = changed(local)
    assert LINE.format("moved.md") in local.lines()
    assert "Note" in said
    assert "moved.md" in said
    assert local.store.find("Note").pinned


def test_a_file_without_front_matter_is_known_by_the_text_it_had_last(local: Folder) -> None:
    local.write("Note", "the text")
    opened = local.store.read("note.md").text
    local.store.save("note.md", opened=opened, text="# all of it\n")
    (local.path / "note.md").rename(local.path / "zzz.md")
    local.fill({"aaa.md": "# something else\n"})
    changed(local)
    assert [line.split("]")[1][:8] for line in local.lines()] == ["(zzz.md)", "(other.m"]


def test_the_renamed_topic_itself_is_found_by_its_name(local: Folder) -> None:
    local.fill({"MEMORY.md": HEADER + LINE.format("note.md"), "moved.md": topic_text("Note")})
    assert local.write("Note", "more").file == "moved.md"
    assert "more" in local.text("moved.md")
    assert not (local.path / "note.md").exists()


def test_a_renamed_file_goes_before_a_copy_of_it(local: Folder) -> None:
    copy = "note.sync-conflict-20260101-101010-ABCDEFG.md"
    text = topic_text("Note")
    local.fill({"MEMORY.md": HEADER + LINE.format("note.md"), copy: text, "z.md": text})
    changed(local)
    assert LINE.format("z.md") in local.lines()


def test_a_file_that_was_removed_takes_no_line_over(shared: Folder) -> None:
    shared.fill(
        {
            "MEMORY.md": HEADER + LINE.format("note.md"),
            "moved.md": topic_text("Note"),
            ".ocl-removed": "moved.md\n",
        }
    )
    assert "Note" in changed(shared)
    assert len(shared.lines()) == 1


def test_a_dropped_line_is_named_and_comes_back_with_its_file(local: Folder) -> None:
    local.fill({"MEMORY.md": HEADER + LINE.format("note.md")})
    assert 'without a file: "Note".' in changed(local)
    assert len(local.lines()) == 1
    changed(local)
    local.fill({"note.md": "# whatever\n"})
    assert '"Note" is back in the index' in changed(local)
    assert LINE.format("note.md") in local.lines()
    assert "back in the index" not in changed(local)


def test_what_a_person_removed_stays_out(local: Folder) -> None:
    local.fill({"MEMORY.md": HEADER + LINE.replace(" [pin]", "").format("note.md")})
    changed(local)
    local.fill({"note.md": "# whatever\n"})
    changed(local)
    local.store.remove("Note")
    changed(local)
    assert len(local.lines()) == 1


def test_a_dropped_line_stays_dropped_where_another_program_lists_the_file_again(
    local: Folder,
) -> None:
    local.fill({"MEMORY.md": HEADER + LINE.replace(" [pin]", "").format("note.md")})
    changed(local)
    theirs = "- [Theirs](note.md) 2026-02-02 -- theirs"
    local.fill({"MEMORY.md": local.index + "\n" + theirs, "note.md": "text"})
    changed(local)
    assert [line[3:9] for line in local.lines() if "(note.md)" in line] == ["Theirs"]
    local.store.remove("Theirs")
    changed(local)
    assert [line for line in local.lines() if "note.md" in line] == []
