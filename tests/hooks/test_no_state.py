"""Where the state folder cannot be written: reads and injection go on, once-only things stay so."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent))

from pimem_core.history import transaction
from pimem_core.paths import find_places
from pimem_core.systems.openpi.system import OpenpiSystem
from systems.conftest import Served

if TYPE_CHECKING:
    from collections.abc import Iterator

HANDOFF = "# Handoff\n\n## 2026-01-01T00:00:00+00:00 (manual)\n- something\n"


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Served]:
    """A runner whose state folder lies below a file."""
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "file" / "state"))
    made = Served(find_places())
    agent = Path(made.places.agent_dir)
    agent.mkdir(parents=True)
    (agent / "HANDOFF.md").write_text(HANDOFF)
    yield made
    made.over.set()


def notices(found: list[dict[str, Any]]) -> list[str]:
    return [action["message"] for action in found if action["do"] == "notify"]


def test_what_is_given_once_is_given_once_in_a_process(served: Served) -> None:
    (notice,) = notices(served.ask("session_start", payload={"reason": "startup"}))
    assert served.places.state_dir in notice
    prompts = [served.ask("before_agent_start") for _ in range(3)]
    assert [[action["do"] for action in found] for found in prompts] == [
        ["section", "message"],
        ["section"],
        ["section"],
    ]
    # A command and another session work on the same state.
    assert notices(served.ask("command", payload={"name": "memory", "args": "status"}))
    assert [action["do"] for action in served.ask("before_agent_start")] == ["section"]
    assert "message" in [action["do"] for action in served.ask("before_agent_start", "other")]


def test_a_state_folder_that_comes_back_is_used(served: Served, tmp_path: Path) -> None:
    served.ask("session_start", payload={"reason": "startup"})
    served.ask("before_agent_start")
    (tmp_path / "file").unlink()
    served.ask("before_agent_start")
    assert served.state()["openpi"]["turn"] == 2


@pytest.mark.parametrize("code", [errno.EROFS, errno.ENOSPC])
def test_a_change_says_that_nothing_was_changed(
    served: Served, monkeypatch: pytest.MonkeyPatch, code: int
) -> None:
    unlink = os.unlink

    def refuse(*_about: object, **_options: object) -> None:
        raise OSError(code, os.strerror(code))

    def read_only(path: Any, **options: Any) -> None:
        # What Linux answers on a read-only file system, whether there is such a file or not.
        if "intents" in str(path) or "undo" in str(path):
            refuse()
        unlink(path, **options)

    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.setattr(transaction, "publish", refuse)
    monkeypatch.setattr(os, "unlink", read_only)
    params = {"topic": "A", "content": "text", "summary": "s"}
    answer = served.send("tool", payload={"name": "write_memory", "params": params}).answer()
    text = answer["actions"][0]["content"][0]["text"]
    assert "could not be taken back" not in text
    assert os.strerror(code) in text
    folder = OpenpiSystem().active(find_places()).place
    assert list(Path(folder).iterdir()) == []
