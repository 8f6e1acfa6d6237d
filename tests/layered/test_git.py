"""What status says of a layer's git, and what it never lets git run."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest
from layered.worlds import tree
from pimem_core.settings import trust

if TYPE_CHECKING:
    from layered.worlds import World


@pytest.fixture
def world(both: World) -> World:
    return both


def test_git_tells_what_is_changed_and_untracked(world: World) -> None:
    (world.project / ".git" / "HEAD").unlink()
    (world.project / ".git").rmdir()
    git = ["git", "-c", "user.name=A", "-c", "user.email=a@example.org"]

    def run(*words: str) -> None:
        subprocess.run([*git, *words], cwd=world.project, check=True, capture_output=True)

    world.fill(workspace={"a.md": "one"})
    run("init", ".")
    run("add", ".pi")
    run("commit", "-m", "x")
    world.fill(workspace={"a.md": "two", "b.md": "new", "inbox/ü c.md": "x"})
    before = tree(world.project / ".git")
    notes = world.json("status", "--store", "workspace")[0]["notes"]
    assert "Changed since the last commit: a.md." in notes
    assert "Not tracked by git: b.md, inbox/ü c.md." in notes
    assert tree(world.project / ".git") == before
    (world.project / ".gitignore").write_text(".pi/\n")
    other = world.project / "other"
    other.mkdir()
    (world.workspace / "archive").rmdir()
    notes = world.json("status", "--store", "workspace")[0]["notes"]
    run("rm", "-r", "-q", "--cached", ".pi")
    row = world.run("init", "workspace")
    assert "git ignores" in row[2]
    assert "git ignores this folder." in world.json("status", "--store", "workspace")[0]["notes"]


@pytest.mark.parametrize("trusted", [True, False])
def test_git_runs_nothing_that_a_repository_names(world: World, trusted: bool) -> None:
    (world.project / ".git" / "HEAD").unlink()
    (world.project / ".git").rmdir()
    git = ["git", "-c", "user.name=A", "-c", "user.email=a@example.org"]

    def run(*words: str) -> None:
        subprocess.run([*git, *words], cwd=world.project, check=True, capture_output=True)

    run("init", "-q", ".")
    world.fill(workspace={"a.md": "one"})
    (world.project / ".gitattributes").write_text("*.md filter=trap diff=trap merge=trap\n")
    run("add", ".")
    run("commit", "-m", "x")
    trap = world.home / "trap.sh"
    trap.write_text(f"#!/bin/sh\ntouch {world.home}/sprung\ncat\n")
    trap.chmod(0o755)
    for key in ("core.fsmonitor", "core.pager", "diff.external", "diff.trap.textconv"):
        run("config", key, str(trap))
    for key in ("filter.trap.clean", "filter.trap.smudge", "filter.trap.process", "alias.status"):
        run("config", key, f"!{trap}" if key.startswith("alias") else str(trap))
    (world.project / ".git" / "hooks" / "post-index-change").symlink_to(trap)
    world.fill(workspace={"a.md": "two", "b.md": "new"})
    # Git takes a file of the same size and time for unchanged.
    os.utime(world.workspace / "a.md", (1_790_000_000, 1_790_000_000))
    trust.keep(world.places, str(world.project), trusted)
    notes = world.json("status", "--store", "workspace")[0]["notes"]
    assert ("Changed since the last commit: a.md." in notes) == trusted
    assert not (world.home / "sprung").exists()
