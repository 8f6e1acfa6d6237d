"""Memory that is switched off: for everybody, a project, a run, subagents."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pimem_core.cli import main
from pimem_core.hooks.describe import describe
from pimem_core.pi import documents

if TYPE_CHECKING:
    from collections.abc import Callable

    from .conftest import Host

    Pimem = Callable[..., int]


def pimem(*words: str) -> int:
    return main(list(words), open_manager=lambda *_: 99)


def subagent(host: Host, event: str, **payload: Any) -> list[dict[str, Any]]:
    original = host.request

    def request(event: str, session: str, **more: Any) -> dict[str, Any]:
        made = original(event, session, **more)
        made["session"]["subagent"] = True
        return made

    host.request = request  # type: ignore[method-assign]
    try:
        return host.actions(event, **payload)
    finally:
        host.request = original  # type: ignore[method-assign]


def is_on(host: Host) -> bool:
    host.start()
    sections = [action["do"] for action in host.prompt()]
    assert sections in ([], ["section"])
    return bool(sections)


def test_for_everybody(host: Host) -> None:
    assert is_on(host)
    assert pimem("off") == 0
    assert not is_on(host)
    assert describe(host.places)["systems"] == []
    assert "off in pi" in str(host.tool("write_memory", topic="A", content="c", summary="s"))
    assert "off in pi" in host.command("status")[0]["message"]
    # What is not pi goes on.
    assert pimem("write", "A", "--summary", "s", "--content", "c") == 0
    assert pimem("on") == 0
    assert is_on(host)
    assert describe(host.places)["systems"] == ["openpi"]


def test_for_a_project(
    host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    project = tmp_path / "project"
    (project / ".git" / "objects").mkdir(parents=True)
    (project / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (project / "below").mkdir()
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(project)
    assert pimem("off", "--project") == 0
    assert pimem("off", "--project") == 0
    assert "It was so already" in capsys.readouterr().out
    for folder, expected in ((project, False), (project / "below", False), ("other", True)):
        host.places = host.places.but(cwd=str(tmp_path / folder))
        assert is_on(host) is expected
    monkeypatch.chdir(project / "below")
    assert pimem("on", "--project") == 0
    host.places = host.places.but(cwd=str(project))
    assert is_on(host)


@pytest.mark.parametrize(
    ("value", "expected"), [("1", False), ("yes", False), ("0", True), ("", True), ("off", True)]
)
def test_for_a_run_by_the_environment(
    host: Host, monkeypatch: pytest.MonkeyPatch, value: str, expected: bool
) -> None:
    monkeypatch.setenv("PIMEM_OFF", value)
    assert is_on(host) is expected


def test_a_command_that_runs_without_memory() -> None:
    command = [sys.executable, "-m", "pimem_tui", "off", "--run"]
    script = "import os, sys; print(os.environ['PIMEM_OFF'], sys.argv[1:])"
    done = subprocess.run(
        [*command, sys.executable, "-c", script, "-p", "--json"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "1 ['-p', '--json']"
    done = subprocess.run([*command], capture_output=True, text=True, check=False)
    assert (done.returncode, "Name the command" in done.stderr) == (1, True)
    done = subprocess.run([*command, "/not/there"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.count("\n")) == (4, 1)


def test_subagents_have_none_unless_the_person_says_so(host: Host) -> None:
    assert is_on(host)
    assert subagent(host, "before_agent_start", messageType="user") == []
    assert subagent(host, "session_start") == []
    assert is_on(host)
    config = Path(host.places.config_dir) / "config.toml"
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_text('[pi]\nsubagents = "on"\n')
    assert subagent(host, "before_agent_start", messageType="user")


def test_what_a_starting_pi_reads_follows(host: Host) -> None:
    folder = Path(host.places.state_dir) / "describe"

    def systems(name: str) -> Any:
        return json.loads((folder / name).read_text())["describe"]["systems"]

    documents.store(host.places, describe(host.places), ["/a/pimem"])
    (here,) = {path.name for path in folder.iterdir()} - {"last.json"}
    assert pimem("off", "--project") == 0
    assert (systems(here), systems("last.json")) == ([], ["openpi"])
    assert pimem("off") == 0
    assert (systems(here), systems("last.json")) == ([], [])
    assert pimem("on") == 0  # the project stays off
    assert (systems(here), systems("last.json")) == ([], ["openpi"])
    assert json.loads((folder / "last.json").read_text())["command"] == ["/a/pimem"]


def test_a_run_without_memory_forgets_nothing_for_the_next(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    host.ask("describe")
    folder = Path(host.places.state_dir) / "describe"
    before = {path.name: path.read_text() for path in folder.iterdir()}
    monkeypatch.setenv("PIMEM_OFF", "1")
    assert host.ask("describe")["result"]["tools"] == []
    assert {path.name: path.read_text() for path in folder.iterdir()} == before
    assert os.environ["PIMEM_OFF"] == "1"


def test_status_says_so(host: Host, capsys: Any) -> None:
    pimem("status")
    assert "off in pi" not in capsys.readouterr().err
    pimem("off", "--project")
    capsys.readouterr()
    pimem("status")
    assert "Memory is off in pi for" in capsys.readouterr().err
    pimem("config")
    assert "pi.off" in capsys.readouterr().out
