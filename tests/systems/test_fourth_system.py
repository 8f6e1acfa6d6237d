"""A new system shows everywhere by one line; one that fails or hangs disturbs nobody."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pimem_core.cli import main
from pimem_core.errors import StorageError
from pimem_core.hooks.next_prompt import given
from pimem_core.systems import actions
from systems.memory_system import Stuck
from waiting import PATIENCE_S, wait_for

if TYPE_CHECKING:
    from pimem_core.paths import Places
    from pimem_core.systems.hosting import HookContext
    from pimem_core.systems.stores import Store
    from systems.conftest import Served
    from systems.memory_system import NoteSystem

SECTIONS = {"memory", "notes"}


def command(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    assert main(["--json", *words], open_manager=lambda *_: 99) == 0
    return json.loads(capsys.readouterr().out)


def sections(found: list[dict[str, Any]]) -> set[str]:
    return {action["name"] for action in found if action["do"] == "section"}


def notices(found: list[dict[str, Any]]) -> list[str]:
    return [action["message"] for action in found if action["do"] == "notify"]


def test_the_command_line_has_it(notes: NoteSystem, capsys: pytest.CaptureFixture[str]) -> None:
    assert [row["name"] for row in command(capsys, "list", "--store", "notes")] == ["tea"]
    assert [row["store"] for row in command(capsys, "search", "green")] == ["notes"]
    assert "notes" in [row["store"] for row in command(capsys, "status")]
    assert command(capsys, "show", "tea", "--store", "notes")["body"] == "Green tea at four"


def test_the_hooks_have_it(served: Served, places: Places) -> None:
    document = served.send("describe").answer()["result"]
    assert "notes" in document["systems"]
    assert "read_note" in [tool["name"] for tool in document["tools"]]
    served.ask("session_start")
    found = served.ask("before_agent_start")
    assert sections(found) == SECTIONS
    assert notices(found) == ["notes are ready"]
    (result,) = served.ask("tool", payload={"name": "read_note", "params": {"name": "tea"}})
    assert result["content"][0]["text"] == "Green tea at four"
    assert notices(served.ask("command", payload={"name": "notes", "args": ""})) == ["1 notes"]
    shown = {one.system: [part.text for part in one.parts] for one in given(places)}
    assert shown["notes"] == ["Green tea at four"]


def test_what_the_start_leaves_in_the_state_stays(served: Served) -> None:
    served.ask("session_start")
    wait_for(lambda: served.state().get("notes", {}).get("started"), "the runner")
    served.ask("before_agent_start")
    assert served.state()["notes"]["started"] is True
    assert served.state()["notes"]["events"] == ["session_start", "before_agent_start"]


def test_what_it_wants_kept_goes_to_the_host(served: Served, notes: NoteSystem) -> None:
    notes.hooks.at = lambda name, context: context and context.keep.update(notes=name)
    assert served.send("turn_end").answer()["keep"] == {"notes": "turn_end"}


@pytest.mark.parametrize("where", ["offer", "session_start", "start", "before_agent_start"])
def test_one_that_raises_costs_its_own_part(served: Served, notes: NoteSystem, where: str) -> None:
    def fail(name: str, _context: HookContext) -> None:
        if name == where:
            raise KeyError("a fault of its own")

    notes.hooks.at = fail
    document = served.send("describe").answer()["result"]
    assert "write_memory" in [tool["name"] for tool in document["tools"]]
    assert ("notes" in document["systems"]) == (where != "offer")
    prompts = [served.ask("session_start")]
    prompts += [served.ask("before_agent_start") for _ in range(3)]
    expected = {"memory"} if where == "before_agent_start" else SECTIONS
    assert [sections(found) for found in prompts[1:]] == [expected] * 3
    said = [text for found in prompts for text in notices(found) if "fault" in text]
    assert len(said) == (where != "offer")
    assert all("notes memory fails (KeyError: 'a fault of its own')" in text for text in said)


@pytest.mark.parametrize("error", [KeyError("its own fault"), StorageError("its own fault")])
def test_commands_do_without_one_that_cannot_name_its_stores(
    notes: NoteSystem,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
) -> None:
    def stores(_places: Places) -> list[Store]:
        raise error

    monkeypatch.setattr(notes, "stores", stores)
    for words in (["status"], ["search", "x"], ["history"], ["list"], ["list", "--store", "local"]):
        code = main(["--json", *words], open_manager=lambda *_: 99)
        said = capsys.readouterr()
        assert code == (1 if words[0] == "search" else 0)
        assert '"store": "notes"' not in said.out
        assert isinstance(json.loads(said.out), list)
        if words != ["list"]:
            assert said.err.count("notes memory") == 1
            assert "its own fault" in said.err


def test_the_others_answer_a_command_that_one_fails_at(served: Served, notes: NoteSystem) -> None:
    def fail(name: str, _context: HookContext) -> None:
        if name == "command":
            raise ValueError("a fault of its own")

    notes.hooks.at = fail
    said = notices(served.ask("command", payload={"name": "memory", "args": "status"}))
    assert any(text.startswith("Memory (local)") for text in said)
    assert any("notes memory fails" in text for text in said)


def test_one_that_hangs_costs_its_own_part(served: Served, notes: NoteSystem) -> None:
    stuck = notes.hooks.at = Stuck("before_agent_start")
    served.ask("session_start")
    first = served.ask("before_agent_start")
    assert sections(first) == {"memory"}
    assert [text for text in notices(first) if "does not answer in time" in text]
    # From now on it is not waited for at all.
    again = served.ask("before_agent_start")
    assert sections(again) == {"memory"}
    assert notices(again) == []
    stuck.let_go.set()
    notes.hooks.at = lambda _name, _context: None
    wait_for(lambda: sections(served.ask("before_agent_start")) == SECTIONS, "the runner")


def test_one_that_comes_before_the_others_hangs(
    served: Served, notes: NoteSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pimem_core.systems import registry

    monkeypatch.setattr(registry, "SYSTEMS", (notes, *registry.SYSTEMS[:-1]))
    stuck = notes.hooks.at = Stuck("offer", "session_start", "before_agent_start", "command")
    document = served.send("describe").answer()["result"]
    assert document["systems"] == ["openpi"]
    served.ask("session_start")
    assert sections(served.ask("before_agent_start")) == {"memory"}
    assert notices(served.ask("command", payload={"name": "memory", "args": "status"}))
    stuck.let_go.set()


def test_while_one_hangs_others_are_answered(served: Served, notes: NoteSystem) -> None:
    stuck = notes.hooks.at = Stuck("before_agent_start", "tool", session="s")
    waiting = served.send("before_agent_start")
    assert stuck.reached.wait(30)
    served.send("cancel", payload={"request": 999}).answer()
    assert sections(served.ask("before_agent_start", "other")) == SECTIONS
    assert not waiting.is_answered
    call = served.send("tool", payload={"name": "read_note", "params": {"name": "tea"}})
    waiting.answer()
    served.ask("turn_end")
    assert not call.is_answered
    stuck.let_go.set()
    call.answer()


def test_what_it_gave_last_stays_in_the_prompt(served: Served, notes: NoteSystem) -> None:
    first = served.ask("before_agent_start")
    stuck = notes.hooks.at = Stuck("before_agent_start")
    late = served.ask("before_agent_start")
    shown = [action for action in late if action["do"] == "section"]
    assert shown == [action for action in first if action["do"] == "section"]
    stuck.let_go.set()


def test_a_late_answer_leaves_its_state_and_its_notices(served: Served, notes: NoteSystem) -> None:
    stuck = notes.hooks.at = Stuck("session_start")
    served.send("describe").answer()
    served.ask("session_start")
    assert "events" not in served.state().get("notes", {})
    stuck.let_go.set()
    wait_for(
        lambda: served.state().get("notes", {}).get("events") == ["session_start"], "the runner"
    )


def test_a_slow_system_has_a_lane_and_a_state_of_its_own(served: Served, notes: NoteSystem) -> None:
    missed: list[Any] = []
    stuck = Stuck("before_agent_start")

    def at(name: str, context: HookContext | None) -> None:
        if context is not None:
            missed.extend(context.missed)
        stuck(name, context)

    notes.hooks.at = at
    notes.hooks.slow = frozenset({"before_agent_start", "turn_end"})
    notes.notes["late"] = "one"
    served.send("describe").answer()
    waiting = served.send("before_agent_start")
    found = list(waiting.answer()["actions"])
    assert (sections(found), notices(found)) == ({"memory"}, [])
    assert "notes" not in served.state()
    after = served.send("turn_end")  # waits in the lane behind it
    assert after.answer()["actions"] == []
    stuck.let_go.set()
    path = "s.notes.json"
    wait_for(
        lambda: served.state(path).get("notes", {}).get("events", ())[1:] == ["turn_end"],
        "the runner",
    )
    assert missed == [waiting.id]


def test_notices_of_a_late_lane_go_with_the_next_answer(
    served: Served, notes: NoteSystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    stuck = notes.hooks.at = Stuck("before_agent_start")
    notes.hooks.slow = frozenset({"before_agent_start"})
    answer = notes.hooks.event

    def recall(name: str, *about: Any) -> list[dict[str, Any]]:
        more = [actions.notify("recalled"), actions.emit("x", {})]
        return [*answer(name, *about), *(more if name == "before_agent_start" else [])]

    monkeypatch.setattr(notes.hooks, "event", recall)
    assert "recalled" not in notices(served.ask("before_agent_start"))
    stuck.let_go.set()
    (found,) = wait_for(lambda: served.ask("turn_end"), "the runner")
    assert found == actions.notify("recalled")


@pytest.mark.parametrize("order", ["(notes, *known)", "(*known, notes)"])
def test_one_that_hangs_ends_no_one_shot_hook(places: Places, order: str) -> None:
    script = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parents[1])!r})\n"
        "from pimem_core.hooks import serve\n"
        "from pimem_core.systems import registry\n"
        "from systems.memory_system import NoteSystem, Stuck\n"
        "notes, known = NoteSystem(), registry.SYSTEMS\n"
        "notes.hooks.at = Stuck('before_agent_start')\n"
        f"registry.SYSTEMS = {order}\n"
        "sys.exit(serve.main(['before_agent_start']))\n"
    )
    session = {"id": "s", "cwd": places.cwd, "features": ["sections"]}
    done = subprocess.run(
        [sys.executable, "-c", script],
        input=json.dumps({"id": 1, "session": session, "payload": {}}).encode(),
        capture_output=True,
        check=True,
        timeout=PATIENCE_S,
    )
    found = json.loads(done.stdout)["actions"]
    assert sections(found) == {"memory"}
    assert [text for text in notices(found) if "does not answer in time" in text]
