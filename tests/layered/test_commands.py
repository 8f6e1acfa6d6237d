"""The commands, in pi and on the command line: what they make, refuse and say."""

from __future__ import annotations

import datetime as dt
import os
import re
import stat
from typing import TYPE_CHECKING, Any

import pytest
import time_machine
from filelock import FileLock
from layered.worlds import tree
from pimem_core.errors import StorageError

if TYPE_CHECKING:
    from layered.worlds import World

NAME = "checkpoint-2026-07-21T16-30-00.md"
FILLED = """# Checkpoint 2026-07-21

> Made by /memory:checkpoint. Fill in what you should know next time, then promote it.

## Summary

Moved the queue to Redis.


Two blank lines above stay.

## Knowledge to Record

### Decisions

- ...
- Use streams, not lists.

### Lessons

- ...

### TODO

- ...
"""


@pytest.fixture
def frozen(utc: None) -> Any:
    with time_machine.travel(dt.datetime(2026, 11, 15, 10, 20, 30, tzinfo=dt.UTC), tick=False):
        yield


@pytest.fixture
def filled(both: World) -> World:
    """Both layers, and a reviewed checkpoint in the workspace's inbox."""
    return both.fill(workspace={f"inbox/{NAME}": FILLED})


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
    row = both.json("checkpoint")
    assert row["outcome"] == "created"
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
    assert "pimem promote checkpoint-2026-11-15T10-20-30.md" in row["message"]


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


# promote


@pytest.mark.parametrize("file", [NAME, f"inbox/{NAME}", f"./inbox/{NAME}", NAME[:-3]])
def test_promote_appends_under_a_dated_heading_that_names_the_origin(
    filled: World, frozen: None, file: str
) -> None:
    filled.fill(workspace={"decisions.md": "# Decisions\n\nold text"})
    row = filled.json("promote", file, "workspace", "decisions.md")
    assert (row["outcome"], row["store"], row["file"]) == ("promoted", "workspace", "decisions.md")
    assert (filled.workspace / "decisions.md").read_text() == (
        "# Decisions\n\nold text\n\n"
        f"## 2026-11-15 Promoted from inbox/{NAME}\n\n"
        "### Summary\n\nMoved the queue to Redis.\n\n\nTwo blank lines above stay.\n\n"
        "### Knowledge to Record\n\n#### Decisions\n\n- Use streams, not lists.\n"
    )
    assert not (filled.workspace / "inbox" / NAME).exists()
    assert "Redis" in filled.block()


def test_the_persons_own_text_is_kept_to_the_letter(both: World, frozen: None) -> None:
    own = (
        "intro\n\n## My heading\n\n  indented\n\n```\n- ...\n# Checkpoint\n## Summary\n```\n\n"
        "- real ... bullet\n\n## 2026-01-02 A dated entry\n\n- **status**: active"
    )
    both.fill(workspace={"inbox/own.md": own})
    both.json("promote", "own.md", "knowledge", "lessons.md")
    text = (both.global_dir / "knowledge" / "lessons.md").read_text()
    assert text == f"## 2026-11-15 Promoted from inbox/own.md\n\n{own}\n"


def test_the_original_template_is_known_as_well(both: World) -> None:
    old = (
        "# Checkpoint 2026-07-21\n\n> Generated by /memory:checkpoint. promote after review\n\n"
        "## Summary\n\n(What was done and why)\n\n## Knowledge to Record\n\n### Decisions\n\n"
        "- ...\n\n### Lessons\n\n- Check the clock.\n\n### TODO\n\n- ...\n"
    )
    both.fill(workspace={"inbox/old.md": old})
    assert both.json("promote", "old", "workspace", "lessons.md")["outcome"] == "promoted"
    text = (both.workspace / "lessons.md").read_text()
    assert "Generated by" not in text
    assert "..." not in text
    assert "Decisions" not in text
    assert "Check the clock." in text


@pytest.mark.parametrize("folder", ["user", "knowledge", "facts"])
def test_promote_makes_a_missing_folder(world: World, folder: str) -> None:
    world.store.init("workspace")
    world.fill(workspace={f"inbox/{NAME}": FILLED})
    row = world.json("promote", NAME, folder, "new.md")
    assert row["outcome"] == "promoted"
    assert "Redis" in (world.global_dir / folder / "new.md").read_text()
    code, _out, err = world.run("undo")
    assert code == 0, err
    assert (world.workspace / "inbox" / NAME).read_text() == FILLED
    assert not (world.global_dir / folder / "new.md").exists()


def test_promote_takes_the_place_of_a_placeholder(filled: World) -> None:
    filled.json("promote", NAME, "knowledge", "decisions.md")
    text = (filled.global_dir / "knowledge" / "decisions.md").read_text()
    assert text.startswith("## ")
    assert stat.S_IMODE((filled.global_dir / "knowledge" / "decisions.md").stat().st_mode) == 0o600


def test_promote_keeps_the_targets_line_ends(filled: World) -> None:
    filled.fill(workspace={"d.md": b"\xef\xbb\xbf# D\r\n\r\nold\r\n"})
    filled.json("promote", NAME, "workspace", "d.md")
    data = (filled.workspace / "d.md").read_bytes()
    assert data.startswith(b"\xef\xbb\xbf# D\r\n\r\nold\r\n\r\n## ")
    assert b"\n" not in data.replace(b"\r\n", b"")


BAD = [
    ("../decisions.md", "knowledge", "x.md", "no file of the inbox"),
    ("inbox/../decisions.md", "knowledge", "x.md", "no file of the inbox"),
    ("/etc/passwd", "knowledge", "x.md", "no file of the inbox"),
    ("sub/x.md", "knowledge", "x.md", "no file of the inbox"),
    (".hidden.md", "knowledge", "x.md", "no file of the inbox"),
    ("", "knowledge", "x.md", "no file of the inbox"),
    ("nope.md", "knowledge", "x.md", "is not in the inbox; there are: "),
    (NAME, "state", "x.md", "workspace (this project's memory); user"),
    (NAME, "inbox", "x.md", "There is no target"),
    (NAME, "archive", "x.md", "There is no target"),
    (NAME, "../..", "x.md", "There is no target"),
    (NAME, "", "x.md", "There is no target"),
    (NAME, "knowledge", "../../x.md", "no plain name"),
    (NAME, "knowledge", "/tmp/x.md", "no plain name"),
    (NAME, "knowledge", "x.txt", "no plain name"),
    (NAME, "knowledge", "x", "no plain name"),
    (NAME, "knowledge", ".x.md", "no plain name"),
    (NAME, "knowledge", "a\\b.md", "no plain name"),
    (NAME, "knowledge", "a\nb.md", "no plain name"),
    (NAME, "workspace", f"inbox/{NAME}", "no plain name"),
    (NAME, "workspace", "index.md", "lists files and holds no memories"),
    (NAME, "knowledge", "Index.md", "lists files and holds no memories"),
    (NAME, "knowledge", "x" * 300 + ".md", "too long"),
    ("empty.md", "knowledge", "x.md", "nothing but the empty template"),
    ("template.md", "knowledge", "x.md", "nothing but the empty template"),
    ("link.md", "knowledge", "x.md", "symbolic link"),
    ("folder.md", "knowledge", "x.md", "not a regular file"),
    (NAME, "workspace", "link.md", "symbolic link"),
    (NAME, "workspace", "folder.md", "not a regular file"),
    (NAME, "workspace", "same.md", "the same file"),
    (NAME, "workspace", "latin.md", "not UTF-8"),
    (NAME, "facts", "x.md", "symbolic link"),
]


@pytest.mark.parametrize(("file", "folder", "target", "said"), BAD)
def test_bad_promotions_change_nothing(
    filled: World, file: str, folder: str, target: str, said: str
) -> None:
    inbox = filled.workspace / "inbox"
    (filled.home / "secret.md").write_text("SECRET")
    filled.fill(
        workspace={
            "decisions.md": "D",
            "inbox/empty.md": " \n",
            "inbox/.hidden.md": "x",
            "latin.md": b"caf\xe9",
        }
    )
    (inbox / "template.md").write_bytes(template(filled))
    (inbox / "link.md").symlink_to(filled.home / "secret.md")
    (inbox / "folder.md").mkdir()
    (filled.workspace / "link.md").symlink_to(filled.home / "secret.md")
    (filled.workspace / "folder.md").mkdir()
    os.link(inbox / NAME, filled.workspace / "same.md")
    (filled.global_dir / "facts").rmdir()
    (filled.global_dir / "facts").symlink_to(filled.home)
    before = (
        tree(filled.home / ".pi"),
        tree(filled.project),
        (filled.home / "secret.md").read_text(),
    )
    code, out, err = filled.run("promote", "--json", "--", file, folder, target)
    assert code in (1, 4), out
    assert said in out
    assert err == ""
    after = tree(filled.home / ".pi"), tree(filled.project), (filled.home / "secret.md").read_text()
    assert after == before


def template(world: World) -> bytes:
    path = world.workspace / world.store.checkpoint().file
    data = path.read_bytes()
    path.unlink()
    return data


def test_promote_without_a_workspace_names_the_way(world: World) -> None:
    world.store.init("global")
    world.fill(global_={f"inbox/{NAME}": FILLED})
    row = world.json("promote", NAME, "workspace", "x.md", code=1)
    assert "pimem init workspace" in row["message"]
    assert row["store"] == "global"
    # A file in the global inbox is within reach, with a workspace and without one.
    assert world.json("promote", NAME, "knowledge", "x.md")["outcome"] == "promoted"


def test_single_sections(filled: World) -> None:
    (waiting,) = filled.layer("workspace").inbox()
    assert waiting.filled
    assert waiting.sections == ["Summary", "Decisions"]
    plan = filled.store.promotion(NAME, "workspace", "d.md", sections=["Decisions"])
    assert plan.before is None
    assert plan.added.endswith("#### Decisions\n\n- Use streams, not lists.")
    assert plan.left is not None
    before = tree(filled.project)
    row = filled.json("promote", NAME, "workspace", "d.md", "--section", "Decisions", "--dry-run")
    assert row["added"] == plan.added
    assert tree(filled.project) == before
    row = filled.json("promote", NAME, "workspace", "d.md", "--section", "Decisions")
    assert "Summary stays in the inbox" in row["message"]
    rest = (filled.workspace / "inbox" / NAME).read_text()
    assert "Redis" in rest
    assert "streams" not in rest
    assert (filled.workspace / "d.md").read_text() == plan.after
    filled.json("promote", NAME, "workspace", "d.md", "--section", "Summary")
    assert not (filled.workspace / "inbox" / NAME).exists()
    row = filled.json("promote", NAME, "workspace", "d.md", "--section", "Lessons", code=1)


def test_an_unknown_section_lists_those_that_hold_something(filled: World) -> None:
    row = filled.json("promote", NAME, "workspace", "d.md", "--section", "Lessons", code=1)
    assert "there are: Summary, Decisions" in row["message"]


def test_a_credential_is_not_promoted(filled: World) -> None:
    key = "AKIA" + "Q3EGRIXN7NFHQQ2A"
    filled.fill(workspace={f"inbox/{NAME}": FILLED.replace("streams", key)})
    row = filled.json("promote", NAME, "workspace", "d.md", code=1)
    assert row["outcome"] == "secret"
    assert key not in row["message"]
    assert (filled.workspace / "inbox" / NAME).exists()
    assert (
        filled.json("promote", NAME, "workspace", "d.md", "--allow-secret")["outcome"] == "promoted"
    )


def test_promote_as_slash_command(filled: World) -> None:
    assert f"In the inbox: {NAME}" in filled.slash("promote")
    assert "is too much" in filled.slash("promote", "a b c d")
    assert "open quote" in filled.slash("promote", "'a b")
    filled.fill(workspace={"inbox/my notes.md": "text"})
    assert "Promoted" in filled.slash("promote", "'my notes.md' workspace 'a b.md'")
    assert "text" in (filled.workspace / "a b.md").read_text()


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
    assert "undo brings it back" in both.slash("clear-task")
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
    from pimem_core.files import transaction

    def full(*_args: object, **_more: object) -> None:
        raise OSError(28, "No space left on device")

    both.fill(workspace={f"inbox/{NAME}": FILLED})
    before = tree(both.project)
    monkeypatch.setattr(transaction, "stage", full)
    with pytest.raises(StorageError, match="free some space"):
        both.store.promote(NAME, "workspace", "d.md")
    assert tree(both.project) == before
