"""The layered system in a real pi, with the real runner."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pi.harness import Pi

QUESTION = "Use this project's memory?"


class Layered:
    """A pi whose runner is the real one, with both layers of a project."""

    def __init__(self, pi: Pi) -> None:
        self.pi = pi
        self.global_dir = Path(pi.env["HOME"]) / ".pi" / "memory"
        self.workspace = pi.project / ".pi" / "memory"
        pi.env["PIMEM_COMMAND"] = json.dumps([sys.executable, "-I", "-m", "pimem_tui"])
        subprocess.run(["git", "init", "-q", "."], cwd=pi.project, check=True)

    def fill(self, root: Path, **files: str) -> None:
        for name, text in {"index": "", **files}.items():
            path = root / f"{name.replace('__', '/')}.md"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def run(self, *words: str) -> subprocess.CompletedProcess[str]:
        """A command of the real command line, as a person in the project would type it."""
        return subprocess.run(
            [*json.loads(self.pi.env["PIMEM_COMMAND"]), *words],
            cwd=self.pi.project,
            env=self.pi.env,
            capture_output=True,
            text=True,
            check=True,
        )

    def register(self) -> None:
        """Let pi know what pimem offers, as an installation does."""
        described = json.loads(self.run("hook", "describe").stdout)
        self.pi.store("last", described, json.loads(self.pi.env["PIMEM_COMMAND"]))

    def block(self, index: int = -1) -> str:
        """The section in one request; empty when there is none."""
        found = self.pi.system(index).partition("<pi_memory>")
        return "".join(found[1:]).partition("</pi_memory>")[0] + "</pi_memory>" if found[1] else ""


@pytest.fixture
def layered(pi: Pi) -> Layered:
    return Layered(pi)


@pytest.mark.smoke
def test_state_workspace_and_global_with_the_same_bytes_over_turns(layered: Layered) -> None:
    layered.fill(layered.global_dir, user__g="MINE", knowledge__tools="HIDDEN")
    task = layered.global_dir / "state" / "current-task.md"
    task.parent.mkdir()
    task.write_text("DOING")
    layered.fill(layered.workspace, a="no <b>markup</b> </pi_memory> here", tools="OURS " * 3000)
    layered.run("init", "workspace")
    layered.register()
    pi = layered.pi
    with pi.rpc() as rpc:
        for text in ("one", "two", "three"):
            rpc.prompt(text)
        blocks = {layered.block(index) for index in range(len(pi.model.requests))}
        assert len(blocks) == 1
        (block,) = blocks
        assert len(block) <= 8000
        places = [block.index(word) for word in ("DOING", "OURS", "### Global Memory")]
        assert places == sorted(places)
        assert "HIDDEN" not in block
        assert "&lt;/pi_memory> here" in block
        # An edit by another front is there on the next prompt.
        (layered.workspace / "a.md").write_text("EDITED")
        rpc.prompt("four")
        assert "EDITED" in layered.block()


def test_a_fresh_clone_is_asked_about_once(layered: Layered) -> None:
    layered.fill(layered.workspace, a="THEIRS")
    layered.register()
    pi = layered.pi
    done = pi.run("-p", "hello")
    assert done.returncode == 0
    assert "is not trusted yet" in done.stderr
    assert "THEIRS" not in str(pi.model.requests)
    with pi.rpc() as rpc:
        rpc.answers[QUESTION] = True
        rpc.prompt("one")
        rpc.until(lambda r: "is used from the next prompt" in str(r.get("message")), "the answer")
        rpc.prompt("two")
        assert "THEIRS" in layered.block()
        asked = [r for r in rpc.records if r.get("method") == "confirm"]
        assert len(asked) == 1
    with pi.rpc() as rpc:
        rpc.prompt("three")
        assert "THEIRS" in layered.block()
        assert [r for r in rpc.records if r.get("method") == "confirm"] == []


def test_an_untrusted_project(layered: Layered) -> None:
    pi = layered.pi
    if pi.version == "0.74.0":
        pytest.skip("this pi has no trust")
    layered.fill(layered.workspace, a="OURS")
    layered.fill(layered.global_dir, user__a="MINE")
    layered.run("init", "workspace")
    # What makes pi ask about a project at all; its answer here is never.
    (pi.project / ".pi" / "extensions").mkdir()
    (pi.project / ".pi" / "extensions" / "x.ts").write_text("export default () => {};\n")
    layered.register()
    pi.prompt("hello")
    assert "MINE" in layered.block()
    assert "OURS" not in layered.block()
    pi.prompt("hello", options=("-a",))
    assert "OURS" in layered.block()


def test_the_task_alone(layered: Layered) -> None:
    path = layered.global_dir / "state" / "current-task.md"
    path.parent.mkdir(parents=True)
    path.write_text("DOING")
    layered.register()
    layered.pi.prompt("hello")
    assert "DOING" in layered.block()


def test_the_commands(layered: Layered) -> None:
    pi = layered.pi
    layered.fill(layered.global_dir)
    layered.register()
    with pi.rpc() as rpc:

        def said(text: str) -> str:
            rpc.send("prompt", message=text)
            before = len(rpc.notices())
            return rpc.notices()[-1] if before else ""

        assert "init global makes" in said("/memory:init")
        assert "Unknown scope" in said("/memory:init foo")
        assert "Created in" in said("/memory:init workspace")
        assert "Fill it in, then promote it" in said("/memory:checkpoint")
        (file,) = (layered.workspace / "inbox").iterdir()
        assert "nothing but the empty template" in said(f"/memory:promote {file.name} user a.md")
        file.write_text(file.read_text().replace("(What was done and why)", "PROMOTED"))
        assert "Promoted" in said(f"/memory:promote {file.name} workspace decisions.md")
        assert "Limits:" in said("/memory:status")
        assert "Global: 1 file" in said("/memory:list")
        assert "Read 1 global file" in said("/memory:refresh")
        assert "no task state" in said("/memory:clear-task")
        rpc.prompt("hello")
    assert "PROMOTED" in layered.block()
    assert len(pi.model.requests) == 1
