"""The root of a git work tree: one rule, by looking alone."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from pimem_core.files.git_root import work_tree_root


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = Path(os.path.realpath(tmp_path)) / "repo"
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    (root / "deep" / "er").mkdir(parents=True)
    return root


def test_the_root_is_found_from_below(tree: Path) -> None:
    assert work_tree_root(str(tree / "deep" / "er")) == str(tree)
    assert work_tree_root(str(tree)) == str(tree)


@pytest.mark.parametrize("kind", ["empty folder", "text", "pipe", "broken link"])
def test_what_only_looks_like_a_repository_is_none(tree: Path, kind: str) -> None:
    fake = tree / "deep" / ".git"
    match kind:
        case "empty folder":
            fake.mkdir()
        case "text":
            fake.write_text("no git file\n")
        case "pipe":
            os.mkfifo(fake)
        case _:
            fake.symlink_to("nowhere")
    assert work_tree_root(str(tree / "deep" / "er")) == str(tree)


def _linked(tree: Path) -> tuple[Path, Path]:
    admin = tree / ".git" / "worktrees" / "other"
    admin.mkdir(parents=True)
    (admin / "commondir").write_text("../..\n")
    other = tree.parent / "other"
    other.mkdir()
    (other / ".git").write_text(f"gitdir: {admin}\n")
    return admin, other


def test_a_linked_worktree_has_its_own_root_or_shares_the_main_one(tree: Path) -> None:
    _admin, other = _linked(tree)
    assert work_tree_root(str(other)) == str(other)
    assert work_tree_root(str(other), shared_worktree=True) == str(tree)


@pytest.mark.parametrize("name", ["commondir", "gitdir", "marker"])
@pytest.mark.timeout(20)
def test_a_pipe_that_git_names_hangs_nothing(tree: Path, name: str) -> None:
    admin, other = _linked(tree)
    if name == "commondir":
        (admin / name).unlink()
        os.mkfifo(admin / name)
    elif name == "gitdir":
        os.mkfifo(tree.parent / "pipe")
        (other / ".git").write_text(f"gitdir: {tree.parent / 'pipe'}\n")
    else:
        (other / ".git").unlink()
        os.mkfifo(other / ".git")
    expected = None if name == "marker" else str(other)
    assert work_tree_root(str(other), shared_worktree=True) == expected


def test_a_null_byte_in_a_git_file_is_no_crash(tree: Path) -> None:
    _admin, other = _linked(tree)
    (other / ".git").write_bytes(b"gitdir: a\0b\n")
    assert work_tree_root(str(other), shared_worktree=True) is None
