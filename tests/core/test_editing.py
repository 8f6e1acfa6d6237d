"""Saving an edited topic: merged with what others did, never silently lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from core.folders import HEADER, snapshot, topic_text
from hypothesis import given
from hypothesis import strategies as st
from pimem_core.errors import ConflictError, SecretError, StorageError
from pimem_core.formats.merge import merge

if TYPE_CHECKING:
    from core.folders import Folder

OPENED = topic_text('"A"', '"old"', "one\n\ntwo\n\nthree")
SECRET = "ghp_" + "a1B2" * 9


@pytest.fixture
def folder(local: Folder) -> Folder:
    return local.fill(
        {"MEMORY.md": f"{HEADER}- [A](a.md) [pin] 2026-01-01 -- old\n", "a.md": OPENED}
    )


def test_a_save_renews_the_stamp_and_brings_the_index_line_along(folder: Folder) -> None:
    text = OPENED.replace('"old"', '"new: words"').replace("two", "zwei")
    change = folder.store.save("a.md", opened=OPENED, text=text)
    topic = folder.store.list()[0]
    assert (change.outcome, topic.summary, topic.pinned) == ("updated", "new: words", True)
    document = folder.store.read("a.md")
    assert document.front_matter["last_updated"] == topic.stamp
    assert document.front_matter["created"] == "2026-01-01T00:00:00+00:00"
    assert document.body == "\none\n\nzwei\n\nthree\n"


def test_a_new_name_renames_the_index_line_and_keeps_the_file(folder: Folder) -> None:
    folder.store.save("a.md", opened=OPENED, text=OPENED.replace('"A"', "Better name"))
    topic = folder.store.list()[0]
    assert (topic.name, topic.file) == ("Better name", "a.md")


def test_an_unchanged_text_changes_nothing_and_says_which_topic(folder: Folder) -> None:
    before = snapshot(folder.path)
    change = folder.store.save("a.md", opened=OPENED, text=OPENED)
    assert (change.outcome, change.name, change.file) == ("unchanged", "A", "a.md")
    assert snapshot(folder.path) == before


def test_both_sides_making_the_same_edit_is_no_change(folder: Folder) -> None:
    text = OPENED.replace("two", "zwei")
    folder.fill({"a.md": text})
    before = folder.bytes("a.md"), folder.index
    assert folder.store.save("a.md", opened=OPENED, text=text).outcome == "unchanged"
    assert (folder.bytes("a.md"), folder.index) == before


def test_a_time_stamp_alone_is_no_conflict(folder: Folder) -> None:
    folder.fill({"a.md": OPENED})
    change = folder.store.save("a.md", opened=OPENED, text=OPENED.replace("two", "zwei"))
    assert "merged" not in change.message


def test_changes_in_different_parts_are_merged(folder: Folder) -> None:
    folder.fill({"a.md": OPENED.replace("three", "drei")})
    change = folder.store.save("a.md", opened=OPENED, text=OPENED.replace("one", "eins"))
    assert "merged" in change.message
    assert folder.store.read("a.md").body == "\neins\n\ntwo\n\ndrei\n"


def test_changes_of_the_same_part_keep_the_disk_and_carry_both(folder: Folder) -> None:
    theirs, mine = OPENED.replace("two", "deux"), OPENED.replace("two", "zwei")
    folder.fill({"a.md": theirs})
    before = snapshot(folder.path)
    with pytest.raises(ConflictError) as caught:
        folder.store.save("a.md", opened=OPENED, text=mine)
    assert (caught.value.theirs, caught.value.mine) == (theirs, mine)
    assert "<<<<<<< yours\nzwei\n=======\ndeux\n>>>>>>> on disk\n" in caught.value.merged
    after = snapshot(folder.path)
    assert {path: entry for path, entry in after.items() if path in before} == before


def test_a_file_deleted_meanwhile_is_a_conflict_that_carries_the_text(folder: Folder) -> None:
    (folder.path / "a.md").unlink()
    with pytest.raises(ConflictError) as caught:
        folder.store.save("a.md", opened=OPENED, text="mine")
    assert caught.value.mine == "mine"


def test_a_file_that_became_binary_meanwhile_is_refused(folder: Folder) -> None:
    folder.fill({"a.md": b"\xff"})
    with pytest.raises(StorageError, match="not UTF-8 at byte 0"):
        folder.store.save("a.md", opened=OPENED, text="mine")


def test_only_new_credentials_are_asked_about(folder: Folder) -> None:
    opened = OPENED + SECRET + "\n"
    folder.fill({"a.md": opened})
    assert folder.store.save("a.md", opened=opened, text=opened + "x\n").outcome == "updated"
    opened = folder.text("a.md")
    with pytest.raises(SecretError) as caught:
        folder.store.save("a.md", opened=opened, text=opened + SECRET.replace("a", "c") + "\n")
    assert SECRET.replace("a", "c") not in str(caught.value)


def test_a_text_without_front_matter_is_saved_as_it_is(folder: Folder) -> None:
    folder.store.save("a.md", opened=OPENED, text="just text\r\nno end")
    assert folder.text("a.md") == "just text\r\nno end"
    assert folder.store.list()[0].summary == "old"


def test_an_unlisted_file_stays_unlisted(folder: Folder) -> None:
    folder.fill({"b.md": "b"})
    index = folder.index
    assert folder.store.save("b.md", opened="b", text="c").outcome == "updated"
    assert (folder.text("b.md"), folder.index) == ("c", index)


LINES = st.lists(st.sampled_from(["a\n", "b\n", "c\r\n", "d\u2028e\n", "\x0c\n"]), max_size=6)
ENDS = st.sampled_from(["", "end", "\r"])
TEXTS = st.builds(lambda lines, end: "".join(lines) + end, LINES, ENDS)


@given(TEXTS, TEXTS)
def test_one_sided_changes_merge_to_that_side(base: str, changed: str) -> None:
    assert merge(base, mine=changed, theirs=base, file="f") == changed
    assert merge(base, mine=base, theirs=changed, file="f") == changed
    assert merge(base, mine=changed, theirs=changed, file="f") == changed


@given(TEXTS, TEXTS, TEXTS)
def test_a_merge_never_loses_a_line_that_only_one_side_added(
    base: str, mine: str, theirs: str
) -> None:
    try:
        merged = merge(base, mine=mine, theirs=theirs, file="f")
    except ConflictError as error:
        merged = error.merged
    for line in {*mine.split("\n"), *theirs.split("\n")} - set(base.split("\n")):
        assert line in merged


def test_prose_between_two_rules_is_kept_as_text_by_a_write(local: Folder) -> None:
    """Front matter is only what parses as keys with values."""
    prose = "---\nWhat we agreed on.\n---\nMore.\n"
    local.fill({"MEMORY.md": HEADER + "- [Note](note.md) 2026-01-01 -- s\n", "note.md": prose})
    assert local.store.read("note.md").body == prose
    assert local.store.preview("note.md") == prose
    local.write("Note", "new")
    text = local.text("note.md")
    assert prose in text
    assert text.startswith("---\nmetadata:\n")
    assert local.store.read("note.md").front_matter["name"] == "Note"
