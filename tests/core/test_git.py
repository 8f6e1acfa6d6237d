"""What git says of a folder, without the repository's configuration having a say."""

from __future__ import annotations

import os
import subprocess
import tempfile
from pathlib import Path

import pytest
from pimem_core.files import git

GIT = ["git", "-c", "user.name=A", "-c", "user.email=a@example.org"]


def run(folder: Path, *words: str) -> None:
    subprocess.run([*GIT, *words], cwd=folder, check=True, capture_output=True)


@pytest.fixture(params=["sha1", "sha256"])
def tree(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    root = Path(os.path.realpath(tmp_path)) / "repo"
    root.mkdir()
    run(root, "init", "-q", f"--object-format={request.param}", ".")
    (root / "memory" / "sub").mkdir(parents=True)
    (root / "memory" / "a.md").write_text("one\n")
    (root / "memory" / "sub" / "b.md").write_text("one\n")
    run(root, "add", ".")
    run(root, "commit", "-q", "-m", "x")
    return root


def look(tree: Path) -> git.GitState:
    found = git.state(str(tree / "memory"))
    assert found is not None
    return found


def test_nothing_changed(tree: Path) -> None:
    assert look(tree) == git.GitState(changed=[], untracked=[], ignored=False)
    run(tree, "gc", "-q")
    run(tree, "pack-refs", "--all")
    assert look(tree) == git.GitState(changed=[], untracked=[], ignored=False)


def test_changed_staged_removed_and_new_files(tree: Path) -> None:
    (tree / "memory" / "a.md").write_text("another\n")
    (tree / "memory" / "sub" / "b.md").unlink()
    (tree / "memory" / "c.md").write_text("staged\n")
    run(tree, "add", "memory/c.md")
    (tree / "memory" / "ü d.md").write_text("new\n")
    (tree / "elsewhere.md").write_text("new\n")
    found = look(tree)
    assert sorted(found.changed) == ["a.md", "c.md", "sub/b.md"]
    assert found.untracked == ["ü d.md"]


def test_ignored_by_the_tree_or_by_the_repository(tree: Path) -> None:
    run(tree, "rm", "-r", "-q", "--cached", "memory")
    (tree / ".git" / "info" / "exclude").write_text("memory/\n")
    assert look(tree).ignored


def test_before_the_first_commit_and_in_a_linked_worktree(tree: Path) -> None:
    other = tree.parent / "other"
    run(tree, "worktree", "add", "-q", str(other))
    (other / "memory" / "a.md").write_text("another\n")
    assert look(other).changed == ["a.md"]
    assert look(tree).changed == []
    fresh = tree.parent / "fresh"
    (fresh / "memory").mkdir(parents=True)
    run(fresh, "init", "-q", ".")
    (fresh / "memory" / "a.md").write_text("x")
    assert look(fresh).untracked == ["a.md"]


def test_a_submodule_is_not_asked(tree: Path) -> None:
    inner = tree.parent / "inner"
    inner.mkdir()
    run(inner, "init", "-q", "--object-format", _format(tree), ".")
    (inner / "x.md").write_text("x")
    (inner / ".gitattributes").write_text("* filter=trap\n")
    run(inner, "add", ".")
    run(inner, "commit", "-q", "-m", "x")
    run(
        tree,
        "-c",
        "protocol.file.allow=always",
        "submodule",
        "add",
        "-q",
        str(inner),
        "memory/inner",
    )
    trap = tree.parent / "trap.sh"
    trap.write_text(f"#!/bin/sh\ntouch {tree.parent}/sprung\ncat\n")
    trap.chmod(0o755)
    run(tree / "memory" / "inner", "config", "filter.trap.clean", str(trap))
    (tree / "memory" / "inner" / "x.md").write_text("changed")
    look(tree)
    assert not (tree.parent / "sprung").exists()


def _format(tree: Path) -> str:
    shown = subprocess.run(
        ["git", "rev-parse", "--show-object-format"], cwd=tree, check=True, capture_output=True
    )
    return shown.stdout.decode().strip()


@pytest.mark.timeout(30)
@pytest.mark.parametrize("name", ["index", "HEAD", "info/exclude", "packed-refs", "config"])
def test_a_pipe_inside_a_repository_hangs_nothing(tree: Path, name: str) -> None:
    path = tree / ".git" / name
    path.unlink(missing_ok=True)
    os.mkfifo(path)
    git.state(str(tree / "memory"))


def test_nothing_of_the_question_stays(
    tree: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    look(tree)
    assert list(folder.iterdir()) == []
