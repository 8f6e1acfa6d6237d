"""The commands, in pi and on the command line: what they make, refuse and say."""

from __future__ import annotations

import json
import os
import re
import stat
from typing import TYPE_CHECKING

import pytest
from filelock import FileLock
from layered.worlds import FILLED, NAME, tree
from pimem_core.errors import StorageError

if TYPE_CHECKING:
    from layered.worlds import World

# init


def test_init_makes_what_the_design_names(world: World) -> None:
    said = world.json("init", "global")
    assert said["outcome"] == "initialized"
    found = {str(p.relative_to(world.global_dir)) for p in world.global_dir.rglob("*")}
    assert found == {
        "index.md",
        *("user", "user/preferences.md", "user/coding-style.md", "user/tools.md"),
        *("knowledge", "knowledge/decisions.md", "knowledge/patterns.md"),
        *("knowledge/lessons.md", "knowledge/bugs.md"),
        *("facts", "state", "inbox", "archive"),
    }
    index = (world.global_dir / "index.md").read_text()
    links = re.findall(r"\]\((.*?)\)", index)
    assert links
    assert all((world.global_dir / link).is_file() for link in links)
    assert world.block() == ""  # placeholders say nothing


def test_a_command_touches_the_folder_that_dir_names_or_none(both: World) -> None:
    """Not the layers of the working folder, which nobody named."""
    lone = both.home / "lone"
    (lone / "knowledge").mkdir(parents=True)
    (lone / "index.md").write_text("# Index\n")
    other = both.home / "other" / ".pi" / "memory"
    (other / "inbox").mkdir(parents=True)
    (other / "index.md").write_text("# Index\n")
    before = tree(both.home / ".pi"), tree(both.project), tree(lone)
    for words, folder in (
        (["init", "workspace"], lone),
        (["checkpoint"], lone),
        (["init", "global"], other),
        (["clear-task"], other),
    ):
        done = both.json(*words, "--dir", str(folder), code=1)
        assert "leave --dir out" in done["message"], words
    assert both.json("checkpoint", "--dir", str(other))["outcome"] == "created"
    assert len(list((other / "inbox").iterdir())) == 1
    assert (tree(both.home / ".pi"), tree(both.project), tree(lone)) == before


def test_init_twice_changes_nothing_and_an_edited_index_stays(both: World) -> None:
    (both.global_dir / "index.md").write_text("# My own index\n")
    (both.workspace / "index.md").write_text("# Our own index\n")
    before = tree(both.home / ".pi"), tree(both.project)
    for scope in ("global", "workspace"):
        said = both.json("init", scope)
        assert said["outcome"] == "unchanged"
        assert "has everything already" in both.slash("init", scope)
    assert (tree(both.home / ".pi"), tree(both.project)) == before


def test_init_creates_what_is_missing_and_says_what_it_left(both: World) -> None:
    (both.global_dir / "user" / "tools.md").unlink()
    (both.global_dir / "knowledge" / "bugs.md").write_text("MY BUGS")
    (both.global_dir / "archive").rmdir()
    said = both.json("init", "global")["message"]
    created, left = said.split("Left as they were")
    assert "archive/" in created
    assert "user/tools.md" in created
    assert "knowledge/bugs.md" in left
    assert (both.global_dir / "knowledge" / "bugs.md").read_text() == "MY BUGS"


def test_init_of_a_folder_that_has_files_lists_them(world: World) -> None:
    world.workspace.mkdir(parents=True)
    (world.workspace / "notes.md").write_text("NOTES")
    world.store.init("workspace")
    assert "- [notes.md](notes.md)" in (world.workspace / "index.md").read_text()
    assert (world.workspace / "notes.md").read_text() == "NOTES"


def test_init_with_something_in_the_way(world: World) -> None:
    world.workspace.mkdir(parents=True)
    (world.workspace / "inbox").write_text("a file")
    before = tree(world.project)
    row = world.json("init", "workspace", code=4)
    assert "inbox is in the way" in row["message"]
    assert tree(world.project) == before


def test_init_outside_git_says_where(world: World) -> None:
    (world.project / ".git" / "HEAD").unlink()
    (world.project / ".git").rmdir()
    said = world.json("init", "workspace")["message"]
    assert "in no git work tree" in said
    assert (world.workspace / "index.md").is_file()


@pytest.mark.parametrize("words", ["", "foo", "Global", "'global memory'"])
def test_an_unknown_scope_lists_the_choices(world: World, words: str) -> None:
    said = world.slash("init", words, session="x") if words else world.slash("init")
    assert "init global" in said
    assert "init workspace" in said
    code, _out, err = world.run("init", *words.strip("'").split("\0") if words else ())
    assert code == 1
    assert "init workspace" in err
    assert not (world.home / ".pi").exists()


@pytest.fixture
def world(world: World) -> World:
    """The system is switched on, so that its commands are there before it has any file."""
    return world.configure('[systems]\nlayered = "on"\n')


def test_init_can_be_undone(both: World) -> None:
    both.run("undo", "2")
    assert not (both.workspace / "index.md").exists()
    assert not (both.global_dir / "index.md").exists()
    both.run("redo", "2")
    assert (both.global_dir / "user" / "tools.md").is_file()


def test_new_workspace_files_follow_the_umask_and_others_are_private(world: World) -> None:
    old = os.umask(0o027)
    try:
        world.store.init("workspace")
        world.store.init("global")
        world.store.checkpoint()
    finally:
        os.umask(old)
    for path in (world.project / ".pi").rglob("*"):
        assert stat.S_IMODE(path.stat().st_mode) == (0o750 if path.is_dir() else 0o640)
    for path in world.global_dir.rglob("*"):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600)


# checkpoint


def test_a_checkpoint_has_the_seeds_headings(both: World, frozen: None) -> None:
    code, out, said = both.run("checkpoint", "--json")
    row = json.loads(out)
    assert (code, row["outcome"]) == (0, "created")
    assert "pimem promote checkpoint-2026-11-15T10-20-30.md" in said
    assert row["file"] == "inbox/checkpoint-2026-11-15T10-20-30.md"
    text = (both.workspace / row["file"]).read_text()
    assert [line for line in text.split("\n") if line.startswith("#")] == [
        "# Checkpoint 2026-11-15",
        "## Summary",
        "## Knowledge to Record",
        "### Decisions",
        "### Lessons",
        "### TODO",
    ]


def test_checkpoints_of_one_second_are_kept_apart(both: World, frozen: None) -> None:
    first = both.json("checkpoint")["file"]
    (both.workspace / first).write_text("filled in")
    second, third = both.json("checkpoint")["file"], both.json("checkpoint")["file"]
    assert len({first, second, third}) == 3
    assert second == "inbox/checkpoint-2026-11-15T10-20-30-2.md"
    assert (both.workspace / first).read_text() == "filled in"


def test_a_checkpoint_needs_a_workspace_and_works_right_after_init(world: World) -> None:
    row = world.json("checkpoint", code=1)
    assert "pimem init workspace" in row["message"]
    assert "/memory:init workspace" in world.slash("checkpoint")
    world.slash("init", "workspace")
    assert "Fill it in, then promote it" in world.slash("checkpoint")


def test_what_is_in_the_inbox_is_never_injected(filled: World) -> None:
    assert "Redis" not in filled.block()


def test_completions(filled: World) -> None:
    def values(name: str, prefix: str) -> list[str]:
        answer = filled.ask("complete", name=f"memory:{name}", prefix=prefix)
        return [item["value"] for item in answer["result"]["items"]]

    filled.fill(workspace={"inbox/my notes.md": "text", "decisions.md": "D"})
    assert values("init", "") == ["global", "workspace"]
    assert values("init", "w") == ["workspace"]
    assert values("promote", "") == [f"{NAME} ", "'my notes.md' "]
    assert values("promote", f"{NAME} ")[0] == f"{NAME} workspace "
    assert f"{NAME} workspace decisions.md" in values("promote", f"{NAME} workspace ")
    assert values("promote", f"{NAME} workspace dec") == [f"{NAME} workspace decisions.md"]
    assert values("promote", f"{NAME} nowhere ") == []
    assert values("status", "") == []


# clear-task, refresh, list, status


def test_clear_task_empties_the_file_and_can_be_undone(both: World) -> None:
    assert both.json("clear-task")["outcome"] == "unchanged"
    both.fill(global_={"state/current-task.md": "DOING"})
    assert "DOING" in both.block()
    assert both.slash("clear-task").startswith("Cleared ")
    assert (both.global_dir / "state" / "current-task.md").read_bytes() == b""
    assert both.block() == ""
    assert both.json("undo")["outcome"] == "undone"
    assert "DOING" in both.block()


def test_clear_task_without_the_folder(world: World) -> None:
    assert "no task state" in world.slash("clear-task")
    assert not world.global_dir.exists()


def test_refresh_says_what_changed(both: World) -> None:
    assert both.json("refresh")["outcome"] == "unchanged"
    assert "Nothing changed" in both.json("refresh")["message"]
    both.fill(workspace={"a.md": "A"})
    assert "new: a.md" in both.slash("refresh")
    both.fill(workspace={"a.md": "B"}, global_={"state/current-task.md": "x"})
    row = both.json("refresh")
    assert row["outcome"] == "updated"
    assert "new: state/current-task.md; changed: a.md" in row["message"]
    (both.workspace / "a.md").unlink()
    assert "gone: a.md" in both.json("refresh")["message"]


def test_list_counts_files(both: World) -> None:
    both.fill(workspace={"decisions.md": "A"}, global_={"knowledge/decisions.md": "B"})
    said = both.slash("list")
    assert said == "Global: 8 files, 0 used | Workspace: 2 files, 1 used | Total: 10 files, 1 used"
    assert "is too much: /memory:list takes nothing" in both.slash("list", "all")


def test_status_tells_what_is_used_hidden_and_cut(both: World) -> None:
    both.fill(
        workspace={"tools.md": "T" * 5000, "inbox/c.md": "x"},
        global_={"user/tools.md": "HIDDEN", "state/current-task.md": "DOING"},
    )
    said = both.slash("status")
    assert "8,000 characters in all" in said
    assert "[G] user/tools.md (0/6 chars, hidden by tools.md)" in said
    assert re.search(r"\[W\] tools\.md \(\d,\d{3}/5,000 chars, cut for lack of room\)", said)
    assert "State:     state/current-task.md (5/5 chars)" in said
    assert "Inbox:     1 file" in said
    (row,) = both.json("status", "--store", "workspace")
    assert row["format"] == "layered"
    load = row["load"]
    assert load["total"] == len(both.block())
    assert load["task"]["injected"] == 5
    assert [f["hidden_by"] for f in load["files"] if f["file"] == "user/tools.md"] == ["tools.md"]
    plain = both.run("status", "--store", "global")[1]
    assert "hidden by tools.md" in plain
    assert "hide user/tools.md" in plain


def test_status_of_what_was_not_agreed_to(world: World) -> None:
    world.fill(workspace={"a.md": "THEIRS"})
    (row,) = world.json("status", "--store", "workspace")
    assert any("until you agree" in note for note in row["notes"])
    assert row["load"]["files"][-1]["note"] == "not agreed to yet"
    assert "Not used:  the workspace" in world.slash("status")


def test_these_commands_are_for_layered_memory(world: World) -> None:
    row = world.json("checkpoint", "--store", "local", code=1)
    assert row["outcome"] == "unsupported"


def test_a_lock_in_the_way(both: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pimem_core.files.lock._OWN_WAIT_S", 0.05)
    with FileLock(both.home / ".local" / "state" / "pimem" / "locks" / "layered.lock"):
        row = both.json("checkpoint", code=3)
        assert row["outcome"] == "busy"
        assert row["message"] == "Another pimem is changing layered memory; try again in a moment."
        assert both.json("status", "--store", "workspace")[0]["locked"]
    assert not both.json("status", "--store", "workspace")[0]["locked"]
    assert not list(both.project.rglob("*.lock"))


def test_a_disk_that_refuses(both: World, monkeypatch: pytest.MonkeyPatch) -> None:
    from pimem_core.history import transaction

    def full(*_args: object, **_more: object) -> None:
        raise OSError(28, "No space left on device")

    both.fill(workspace={f"inbox/{NAME}": FILLED})
    before = tree(both.project)
    monkeypatch.setattr(transaction, "stage", full)
    with pytest.raises(StorageError, match="free some space"):
        both.store.promote(NAME, "workspace", "d.md")
    assert tree(both.project) == before
