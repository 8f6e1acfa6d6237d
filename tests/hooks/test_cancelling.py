"""A call that was cancelled changes nothing that was not published when the cancel came."""

from __future__ import annotations

import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent))

from pimem_core.files.holder import own_lock_path
from pimem_core.files.lock import StoreLock, locked_among_ours
from pimem_core.history import transaction
from pimem_core.systems import registry
from pimem_core.systems.openpi.system import OpenpiSystem
from pimem_core.systems.stores import folder_of
from pimem_core.systems.zcode.system import ZcodeSystem
from systems.conftest import Served
from waiting import wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pimem_core.paths import Places

TOPIC = {"topic": "A", "content": "text", "summary": "s"}
FACT = {"name": "a", "description": "d", "type": "project", "content": "text"}


@pytest.fixture
def served(places: Places) -> Iterator[Served]:
    made = Served(places)
    yield made
    made.over.set()


def files(folder: str) -> set[str]:
    return {path.name for path in Path(folder).rglob("*.md")}


def call(served: Served, name: str, params: dict[str, Any]) -> Any:
    return served.send("tool", payload={"name": name, "params": params, "toolCallId": "c"})


def test_a_call_that_waits_for_a_foreign_lock(served: Served, places: Places) -> None:
    folder = folder_of(OpenpiSystem().active(places))
    Path(folder).mkdir(parents=True)
    lock = StoreLock(f"{folder}/.lock")
    lock.acquire()
    waiting = call(served, "write_memory", TOPIC)
    served.send("cancel", payload={"request": waiting.id}).answer()
    # It does not wait for the lock any more.
    assert waiting.answer()["error"]["code"] == "cancelled"
    lock.release()
    assert files(folder) == set()


def test_a_call_that_waits_for_a_lock_of_ours(served: Served, places: Places) -> None:
    (Path(places.home) / ".zcode").mkdir()
    folder = folder_of(ZcodeSystem().active(places))
    with locked_among_ours(own_lock_path(places.state_dir, folder), "busy"):
        waiting = call(served, "memory_write", FACT)
        served.send("cancel", payload={"request": waiting.id}).answer()
        assert waiting.answer()["error"]["code"] == "cancelled"
    assert files(folder) == set()


@pytest.mark.parametrize("moment", ["staging", "publishing"])
def test_a_cancel_while_the_change_is_made(
    served: Served, places: Places, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    reached, go_on = threading.Event(), threading.Event()
    name = {"staging": "_stage", "publishing": "_refuse_changed"}[moment]
    original = getattr(transaction, name)

    def held(*about: Any) -> Any:
        reached.set()
        assert go_on.wait(30)
        return original(*about)

    monkeypatch.setattr(transaction, name, held)
    waiting = call(served, "write_memory", TOPIC)
    assert reached.wait(30)
    served.send("cancel", payload={"request": waiting.id}).answer()
    go_on.set()
    answer = waiting.answer()
    folder = folder_of(registry.active_store(places))
    if moment == "staging":
        assert answer["error"]["code"] == "cancelled"
        assert [path.name for path in Path(folder).iterdir()] == []
        assert not list((Path(places.state_dir) / "intents").iterdir())
    else:  # what is published is answered as done
        assert answer["actions"][0]["details"]["outcome"] == "created"
        assert files(folder) == {"MEMORY.md", "a.md"}


def test_a_cancelled_command_removes_nothing(served: Served, places: Places) -> None:
    served.ask("tool", payload={"name": "write_memory", "params": TOPIC})
    folder = folder_of(registry.active_store(places))
    lock = StoreLock(f"{folder}/.lock")
    lock.acquire()
    waiting = served.send("command", payload={"name": "memory", "args": "pin A"})
    wait_for(lambda: not waiting.is_answered, "the runner")
    served.send("cancel", payload={"request": waiting.id}).answer()
    assert waiting.answer()["actions"] == []
    lock.release()
    assert not OpenpiSystem().active(places).find("A").pinned
