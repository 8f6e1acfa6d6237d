"""Changing a store of facts: one index line and the touched keys, and nothing unseen."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

import pytest
from pimem_core.errors import (
    InvalidArgumentError,
    InvalidTopicError,
    PimemError,
    ReadOnlyFormatError,
    SecretError,
    StorageError,
    StoreBusyError,
    TopicNotFoundError,
)
from pimem_core.history import journal
from pimem_core.systems.zcode import changes
from zcode.folder import ANN, HEADER, INDEX, Project, fact

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pimem_core.model import Change


def test_the_first_fact_makes_folder_file_and_index(project: Project) -> None:
    change = project.write("first-fact", "# A title\n\nText", "What it is", "feedback")
    assert (change.outcome, change.name, change.file) == ("created", "first-fact", "first-fact.md")
    assert project.files() == {
        "MEMORY.md": f"{HEADER}- [A title](first-fact.md) — What it is\n".encode(),
        "first-fact.md": b'---\nname: "first-fact"\ndescription: "What it is"\nmetadata:\n'
        b"  node_type: memory\n  type: feedback\n---\n\n# A title\n\nText\n",
    }
    assert stat.S_IMODE(os.lstat(project.path / "first-fact.md").st_mode) == 0o600


@pytest.mark.parametrize(
    ("content", "title", "expected"),
    [("text", None, "x"), ("# H1", None, "H1"), ("# H1", "T [a]  b", "T a b")],
)
def test_the_title_of_a_new_line(
    project: Project, content: str, title: str | None, expected: str
) -> None:
    project.write("x", content, title=title)
    assert f"- [{expected}](x.md) — d\n" in project.index


def test_a_title_follows_the_heading_only_where_it_did(project: Project) -> None:
    project.write("x", "# One")
    project.write("x", "# Two")
    assert "- [Two](x.md)" in project.index
    project.write("x", "# Two", title="Chosen")
    project.write("x", "# Three")
    assert "- [Chosen](x.md)" in project.index


def test_a_write_touches_one_line_and_its_keys(project: Project) -> None:
    project.fill({"MEMORY.md": INDEX, "user_ann.md": ANN, "old.md": "x", "row.md": "x"})
    os.chmod(project.path / "user_ann.md", 0o640)
    change = project.write("user_ann", "Ann\nleads.", 'Who "she" is', "feedback")
    assert change.outcome == "updated"
    assert project.index == INDEX.replace("— who she is", '— Who "she" is')
    assert project.text("user_ann.md") == ANN.replace("type: user", "type: feedback").replace(
        "description: who she is", 'description: "Who \\"she\\" is"'
    ).replace("Ann leads.", "Ann\r\nleads.")
    assert stat.S_IMODE(os.lstat(project.path / "user_ann.md").st_mode) == 0o640
    assert sorted(project.files()) == ["MEMORY.md", "old.md", "row.md", "user_ann.md"]


def test_the_same_again_changes_nothing(project: Project) -> None:
    project.write("x", "text")
    before = project.files()
    assert project.write("x", "text").outcome == "unchanged"
    assert project.files() == before
    assert len(journal.history(project.places.state_dir, [project.store.path])) == 1


def test_a_fact_that_only_a_table_names_keeps_its_row(project: Project) -> None:
    project.fill({"MEMORY.md": INDEX, "row.md": fact("row")})
    change = project.write("row", "new", "other")
    assert project.index == INDEX
    assert any("line 6" in note.lower() for note in change.notes)


def test_an_unlisted_fact_gets_its_line(project: Project) -> None:
    project.fill({"a.md": fact("a")})
    project.write("a", "new", "d2")
    assert project.index == f"{HEADER}- [a](a.md) — d2\n"


def test_a_missing_file_is_made_again_under_its_line(project: Project) -> None:
    project.fill({"MEMORY.md": "- [Gone](gone.md) — old\n"})
    assert project.write("gone", "x", "new").outcome == "created"
    assert project.index == "- [gone](gone.md) — new\n"


def test_append_adds_at_the_end(project: Project) -> None:
    project.write("x", "one")
    project.write("x", "two", mode="append")
    assert project.text("x.md").endswith("---\n\none\n\ntwo\n")
    assert project.write("new", "three", mode="append").outcome == "created"


def test_the_type_is_asked_for_once(project: Project) -> None:
    with pytest.raises(InvalidArgumentError, match="type is missing"):
        project.write("x", type_=None)
    project.write("x", type_="user")
    project.write("x", "new", type_=None)
    assert project.topic("x").type == "user"


BAD = [
    ({"name": "Has Space"}, InvalidArgumentError, r'name "Has Space".*"has-space"'),
    ({"name": "Über_Test.md"}, InvalidArgumentError, r'name .*"uber-test"'),
    ({"name": "重构"}, InvalidArgumentError, "name .* not a slug"),
    ({"name": ""}, InvalidArgumentError, "name .* not a slug"),
    ({"name": "a--b"}, InvalidArgumentError, "name"),
    ({"name": "-a"}, InvalidArgumentError, "name"),
    ({"name": "a" * 65}, InvalidArgumentError, "name .* 1 to 64"),
    ({"name": "../up"}, InvalidArgumentError, 'name .*"up"'),
    ({"name": "/etc/passwd"}, InvalidArgumentError, "name"),
    ({"name": "sub/x"}, InvalidArgumentError, "name"),
    ({"name": ".git"}, InvalidArgumentError, "name"),
    ({"name": "node_modules"}, InvalidArgumentError, "name"),
    ({"name": "hooks"}, InvalidArgumentError, "name .* ZCode refuses"),
    ({"name": "config"}, InvalidArgumentError, "name .* ZCode refuses"),
    ({"name": "memory"}, InvalidTopicError, "name .* index"),
    ({"type_": "infra"}, InvalidArgumentError, "type .* user, feedback, project, reference"),
    ({"type_": ""}, InvalidArgumentError, "type"),
    ({"description": "a\nb"}, InvalidArgumentError, "description has a line break"),
    ({"description": "a\u2028b"}, InvalidArgumentError, "description has a line break"),
    ({"description": "  "}, InvalidArgumentError, "description is blank"),
    ({"description": "a\x1bb"}, InvalidArgumentError, r"description .* U\+001B"),
    ({"title": "a\rb"}, InvalidArgumentError, "title has a line break"),
    ({"content": "key AKIAIOSFODNN7EXAMPLQ"}, SecretError, "Line 1"),
    ({"description": "ghp_" + "a1B2" * 10}, SecretError, "credential"),
]


@pytest.mark.parametrize(("bad", "error", "message"), BAD)
@pytest.mark.parametrize("exists", [False, True])
def test_bad_input_names_field_and_rule_and_writes_nothing(
    project: Project, bad: dict[str, str], error: type[PimemError], message: str, exists: bool
) -> None:
    if exists:
        project.fill({"MEMORY.md": HEADER, "good.md": fact("good")})
    before = project.files()
    with pytest.raises(error, match=message):
        project.write(**({"name": "good"} | bad))
    assert project.files() == before
    assert project.path.exists() == exists
    assert journal.history(project.places.state_dir, [project.store.path]) == []


def test_a_secret_can_be_kept_on_purpose(project: Project) -> None:
    project.write("x", "key AKIAIOSFODNN7EXAMPLQ", allow_secret=True)
    assert "AKIA" in project.text("x.md")


@pytest.mark.parametrize("folder", [".git", "node_modules", "Hooks", ".claude", "AGENTS", ".yarn"])
def test_folders_that_zcode_refuses_are_not_written_into(project: Project, folder: str) -> None:
    project.fill({f"{folder}/x.md": fact("deep"), "MEMORY.md": f"- [X]({folder}/x.md) — x\n"})
    before = project.files()
    opened = project.text(f"{folder}/x.md")
    acts: list[Callable[[], Change]] = [
        lambda: project.write("deep", "new"),
        lambda: project.store.remove("deep"),
        lambda: project.store.save(f"{folder}/x.md", opened=opened, text=opened + "y"),
    ]
    for act in acts:
        with pytest.raises(InvalidArgumentError, match="ZCode writes nothing"):
            act()
    assert project.files() == before


def test_facts_in_other_folders_are_changed_where_they_are(project: Project) -> None:
    project.fill({"sub/x.md": fact("deep"), "MEMORY.md": "- [X](sub/x.md) — x\n"})
    project.write("deep", "new", "hook")
    assert project.index == "- [X](sub/x.md) — hook\n"
    assert project.text("sub/x.md").endswith("\nnew\n")


def test_no_link_is_written_through(project: Project, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "x.md").write_text(fact("x"))
    project.fill({"MEMORY.md": HEADER})
    (project.path / "file.md").symlink_to(outside / "x.md")
    with pytest.raises(InvalidTopicError, match=str(outside / "x.md")):
        project.write("file")
    with pytest.raises(InvalidTopicError, match=str(outside / "x.md")):
        project.store.remove("file")
    (project.path / "sub").symlink_to(outside)
    with pytest.raises(PimemError, match="symbolic link"):
        project.store.save("sub/x.md", opened="a", text="b")
    assert (outside / "x.md").read_text() == fact("x")
    assert sorted(os.listdir(project.path)) == ["MEMORY.md", "file.md", "sub"]


def test_the_folder_itself_may_be_a_link(project: Project, tmp_path: Path) -> None:
    real = tmp_path / "dotfiles" / "memory"
    real.mkdir(parents=True)
    project.path.parent.mkdir(parents=True, exist_ok=True)
    project.path.symlink_to(real)
    assert project.write("good").outcome == "created"
    assert sorted(os.listdir(real)) == ["MEMORY.md", "good.md"]
    assert f"{project.path} is a link to {real}." in project.store.status().notes
    other = project.at(real)
    with changes.held(project.store.folder), pytest.raises(StoreBusyError):
        other.write("second")
    assert project.store.remove("good").outcome == "removed"
    assert project.path.is_symlink()
    assert os.listdir(real) == ["MEMORY.md"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives a link to somebody else")
def test_a_link_of_somebody_else_is_refused(project: Project, tmp_path: Path) -> None:
    (tmp_path / "theirs").mkdir()
    project.path.parent.mkdir(parents=True, exist_ok=True)
    project.path.symlink_to(tmp_path / "theirs")
    os.lchown(project.path, 12345, 12345)
    with pytest.raises(StorageError, match="link of another user"):
        project.write("good")
    assert os.listdir(tmp_path / "theirs") == []


def test_removing_moves_the_file_into_the_journal_and_undo_brings_it_back(
    project: Project,
) -> None:
    project.fill({"MEMORY.md": INDEX, "user_ann.md": ANN, "old.md": "x", "row.md": "x"})
    before = project.files()
    asked = project.store.removal("user_ann")
    assert "user_ann" in asked.question
    assert asked.goes_and_stays == "The file user_ann.md and its index line are removed."
    change = project.store.remove("user_ann")
    assert change.outcome == "removed"
    line = "- **[Ann](./user_ann.md)** `user` — who she is\r\n"
    assert project.files() == {
        "MEMORY.md": INDEX.replace(line, "").encode(),
        "old.md": b"x",
        "row.md": b"x",
    }
    state = project.places.state_dir
    kept = [name for name in os.listdir(f"{state}/undo") if name.endswith(".keep.json")]
    assert len(kept) == 1  # it never expires by itself
    record = journal.newest_undoable(state, [project.store.path])
    assert project.store.revert(record, "undo").outcome == "undone"
    assert project.files() == before
    redo = journal.newest_redoable(state, [project.store.path])
    assert project.store.revert(redo, "redo").outcome == "redone"
    assert "user_ann.md" not in project.files()


def test_removing_what_is_listed_only_or_on_disk_only(project: Project) -> None:
    project.fill({"MEMORY.md": "- [G](gone.md)\n- [A](a.md)\n", "a.md": "x", "b.md": "y"})
    project.store.remove("gone")
    assert project.index == "- [A](a.md)\n"
    project.store.remove("b")
    assert sorted(project.files()) == ["MEMORY.md", "a.md"]
    with pytest.raises(TopicNotFoundError):
        project.store.remove("b")


def test_a_removal_without_an_index_makes_none(project: Project) -> None:
    project.fill({"a.md": "x"})
    project.store.remove("a")
    assert project.files() == {}


def test_undo_in_an_index_that_others_changed(project: Project) -> None:
    project.write("a", "A", "about a")
    project.write("b", "B", "about b")
    project.store.remove("a")
    project.fill({"MEMORY.md": project.index.replace("about b", "ZCode wrote this")})
    state = project.places.state_dir
    project.store.revert(journal.newest_undoable(state, [project.store.path]), "undo")
    assert "about a" in project.index
    assert "ZCode wrote this" in project.index
    assert project.names() == ["a", "b"]


# Limits and formats


def test_a_warning_comes_before_a_limit_is_crossed(project: Project) -> None:
    lines = "".join(f"- [F{n}](f{n}.md) — x\n" for n in range(176))
    project.fill({"MEMORY.md": HEADER + lines})
    assert project.write("a").notes == []
    assert any("180 of 200 lines" in note for note in project.write("b").notes)
    project.fill({"MEMORY.md": HEADER + "- [L](l.md) — " + "x" * 22_500 + "\n"})
    assert any("25,000 characters" in note for note in project.write("c").notes)
    project.fill({"MEMORY.md": HEADER + "- [L](l.md) — " + "é" * 11_300 + "\n"})
    assert any("bytes" in note for note in project.write("d").notes)


def test_a_long_line_is_told(project: Project) -> None:
    assert any("characters" in note for note in project.write("a", description="w " * 120).notes)


def test_another_systems_folder_is_not_written_into(project: Project) -> None:
    project.fill(
        {
            "MEMORY.md": f"{HEADER}- [A](a.md) [pin] 2026-01-01T00:00:00+00:00 -- about a\n",
            "a.md": "---\nname: A\nlast_updated: 2026-01-01\n---\nx\n",
        }
    )
    before = project.files()
    with pytest.raises(ReadOnlyFormatError, match="openpi"):
        project.write("x")
    with pytest.raises(ReadOnlyFormatError):
        project.store.refuse_changes()
    assert project.files() == before
    assert "openpi" in "".join(project.store.status().notes)


def test_front_matter_that_cannot_be_changed_safely_stays(project: Project) -> None:
    project.fill({"a.md": "---\nname: a\ndescription: d\nmetadata: text\n---\nx\n"})
    before = project.files()
    with pytest.raises(StorageError, match="by hand"):
        project.write("a", type_="user")
    assert project.files() == before


@pytest.mark.parametrize(
    "block",
    [
        "{name: a, description: d, metadata: {type: user}}\n",
        "  name: a\n  description: d\n  metadata:\n    type: user\n",
        "? name\n: a\n? description\n: d\n",
        "name: a\ndescription: &d d\nalias: *d\nmetadata:\n  type: user\n",
    ],
)
@pytest.mark.parametrize("kind", ["write", "form"])
def test_a_form_that_no_line_can_be_put_into_stays(project: Project, block: str, kind: str) -> None:
    project.fill({"a.md": f"---\n{block}---\nx\n"})
    before = project.files()
    document = project.store.read("a.md")

    def change() -> None:
        if kind == "write":
            project.write("a", "x", "new", None)
        else:
            body, type_ = document.body, document.type
            project.store.compose(document, name="a", summary="new", body=body, type=type_)

    with pytest.raises(StorageError, match="safely"):
        change()
    assert project.files() == before


def test_a_body_after_a_fence_without_line_end(project: Project) -> None:
    project.fill({"a.md": "---\nname: a\ndescription: d\n---"})
    document = project.store.read("a.md")
    text = project.store.compose(
        document, name="a", summary=document.summary, body="B\n", type=document.type
    )
    assert text == "---\nname: a\ndescription: d\n---\nB\n"
