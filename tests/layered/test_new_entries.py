"""Entries that supersede others, and new ones: checked, written, put where they belong."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from pimem_core.errors import SecretError
from pimem_core.systems.layers import entry_content, split_content
from pimem_core.systems.stores import WriteRequest

if TYPE_CHECKING:
    from layered.worlds import World


def test_a_reference_leads_both_ways(both: World) -> None:
    both.fill(
        workspace={
            "decisions.md": "## 2026-01-01 Old\n\n## 2026-02-01 New\n\n- **supersedes**: Old\n",
            "other.md": "## 2026-03-01 Old\n\nb\n\n## 2026-04-01 X\n\n- **supersedes**: —\n",
        }
    )
    old, new, namesake, none = both.layer("workspace").entries()
    assert (new.supersedes and new.supersedes.heading, new.superseded_by) == ("2026-01-01 Old", ())
    assert [(place.file, place.heading) for place in old.superseded_by] == [
        ("decisions.md", "2026-02-01 New")
    ]
    assert (namesake.superseded_by, none.supersedes) == ((), None)


@pytest.mark.parametrize("file", ["decisions.md", "other.md"])
def test_an_entry_is_written_together_with_the_retirement_of_an_older_one(
    both: World, file: str
) -> None:
    text = "## 2026-01-01 Old\n\n- **status**: active\n- **x**: kept\n"
    both.fill(workspace={"decisions.md": text})
    store = both.layer("workspace")
    content = entry_content([("status", "active"), ("supersedes", "Old"), ("x", "")], "Text.")
    change = store.write(WriteRequest(topic=file, content=content, summary="New"))
    assert change.message.endswith('"New". 2026-01-01 Old is superseded by it.')
    by_title = {entry.title: entry for entry in store.entries()}
    assert (by_title["Old"].status, by_title["New"].file) == ("superseded", file)
    assert dict(by_title["Old"].fields)["x"] == "kept"
    both.run("undo")
    assert (both.workspace / "decisions.md").read_text() == text
    assert (both.workspace / "other.md").exists() is False


def test_an_entry_is_checked_before_it_is_written(both: World) -> None:
    store = both.layer("workspace")

    def refusal(content: str, *, topic: str = "a.md", summary: str = "T") -> str | None:
        return store.check(WriteRequest(topic=topic, content=content, summary=summary))

    assert refusal("- **status**: active\n- **valid_from**: 2026-07\n\nText.") is None
    assert refusal("- **valid_from**: —") is None
    assert "Unknown status" in (refusal("- **status**: done") or "")
    assert "valid_from" in (refusal("- **valid_from**: 2026-13") or "")
    assert "another entry" in (refusal("## 2026-01-01 b") or "")
    assert "is not a path" in (refusal("", topic="../a.md") or "")
    assert "no title" in (refusal("", summary=" ") or "")


def test_the_content_of_an_entry_comes_apart_as_it_was_put_together() -> None:
    fields = {"status": "active", "verified": "twice: **yes**"}
    for text in ("", "Prose.", "- **decision**: x\n\nProse."):
        content = entry_content(fields.items(), text)
        assert split_content(content, fields) == (fields, text)


def test_targets_are_files_that_are_there_and_usual_ones(both: World) -> None:
    both.fill(workspace={"own.md": "x"})
    found = {(t.folder, t.name): t.exists for t in both.layer("global").targets()}
    assert found["workspace", "own.md"]
    assert not found["workspace", "decisions.md"]
    assert found["user", "preferences.md"]
    assert ("knowledge", "index.md") not in found


@pytest.mark.parametrize("open_part", ["```\ncode\n", "<!-- a comment\n"])
def test_an_entry_behind_an_open_part_is_told(world: World, open_part: str) -> None:
    text = "## 2026-01-01 Old\n\n## 2026-01-02 New\n- **supersedes**: Old\n\n" + open_part
    world.fill(workspace={"index.md": "", "a.md": text})
    change = world.layer("workspace").write(
        WriteRequest(topic="a.md", summary="T", content="- **supersedes**: New")
    )
    assert "never closed" in " ".join(change.notes)
    assert (world.workspace / "a.md").read_text().startswith(text)


def test_a_credential_in_a_file_name_is_refused(both: World) -> None:
    name = "ghp_" + "A1b2C3d4E5" * 3 + "F6g7H8.md"
    with pytest.raises(SecretError, match="file name"):
        both.layer("workspace").write(WriteRequest(topic=name, content="x", summary="s"))
    assert not (both.workspace / name).exists()


def test_a_folder_that_is_a_link_of_ones_own_is_opened_and_written(world: World) -> None:
    real = world.home / "dotfiles"
    (real / "inbox").mkdir(parents=True)
    (real / "index.md").write_text("")
    link = world.home / "memory"
    link.symlink_to(real)
    row = json.loads(
        world.run(
            "write", "a.md", "--content", "x", "--summary", "s", "--dir", str(link), "--json"
        )[1]
    )
    assert row["outcome"] == "created"
    assert "s" in (real / "a.md").read_text()
    assert link.is_symlink()
