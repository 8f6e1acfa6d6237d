"""What reaches the model: tools, sections, appended text, messages."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Any

import pytest
from pi.harness import DESCRIBE, HURRIED, REMEMBER, STAND_IN, event

if TYPE_CHECKING:
    from pi.harness import Pi

SECTION = {"do": "section", "name": "memory", "text": "TEAL-1 is the colour"}


def actions(*all_: dict[str, Any]) -> dict[str, Any]:
    return {"actions": list(all_)}


@pytest.mark.smoke
def test_a_conversation(pi: Pi) -> None:
    pi.plan(
        {
            "before_agent_start": actions(SECTION),
            "tool:write_memory": actions(
                {"do": "tool_result", "content": [{"type": "text", "text": "STORED"}]}
            ),
        }
    )
    pi.model.replies = [{"tool": "write_memory", "args": {"topic": "colour"}}, {"text": "done"}]
    assert pi.prompt("remember my colour") == "done"
    first, second = pi.model.requests
    assert "write_memory" in pi.tools(0)
    assert "<memory>\nTEAL-1 is the colour\n</memory>" in pi.system(0)
    assert second["messages"][-1]["role"] == "tool"
    assert pi.texts(1)[-1][1] == "STORED"
    assert first["messages"] == second["messages"][: len(first["messages"])]
    request = pi.asked("before_agent_start")[0]
    assert request["payload"]["prompt"] == "remember my colour"
    assert request["session"]["cwd"] == str(pi.project)
    assert request["session"]["pi"] == pi.version
    assert ("sections" in request["session"]["features"]) == pi.sections
    call = pi.asked("tool")[0]["payload"]
    assert call == {"name": "write_memory", "params": {"topic": "colour"}, "toolCallId": "call_1"}
    assert pi.asked("session_shutdown")[0]["payload"] == {"reason": "quit"}
    pi.assert_no_runner()


def test_tools_are_registered_from_the_stored_document_before_pimem_runs(pi: Pi) -> None:
    silent = {"describe": {"hang": True}, "before_agent_start": {"hang": True}}
    pi.plan(silent, describe=HURRIED)
    done = pi.run("-p", "hello")
    assert (done.returncode, done.stderr.count("\n")) == (0, 1)
    assert done.stderr.startswith("pimem: no memory for the moment")
    assert pi.tools(0)["write_memory"]["description"] == "Stores a fact."
    assert pi.tools(0)["write_memory"]["parameters"]["required"] == ["topic"]
    assert "Use write_memory for what will be needed again." in pi.system(0)


def test_a_folders_own_document_wins(pi: Pi) -> None:
    other = {**DESCRIBE, "tools": [{**REMEMBER, "name": "other_tool"}]}
    pi.store(hashlib.sha256(str(pi.project).encode()).hexdigest()[:16], other, ["/gone"])
    pi.plan(live=other)
    pi.prompt("hello")
    assert "other_tool" in pi.tools(0)
    assert "write_memory" not in pi.tools(0)
    assert pi.runners  # started by the command of last.json


def test_what_only_the_live_description_has_is_added(pi: Pi) -> None:
    live = {
        **DESCRIBE,
        "tools": [REMEMBER, {**REMEMBER, "name": "late_tool"}],
        "events": [*DESCRIBE["events"], event("turn_end", "turnIndex", awaited=False)],
    }
    pi.plan(live=live)
    with pi.rpc() as rpc:
        rpc.prompt("one")
        rpc.prompt("two")
        assert "late_tool" in pi.tools(1)
        pi.wait_asked("turn_end")


def test_nothing_to_say_leaves_the_prompt_as_it_is(pi: Pi) -> None:
    pi.prompt("with")
    with_shim = pi.model.requests[0]
    assert "TEAL" not in str(with_shim)
    pi.plan({"before_agent_start": actions(SECTION)})
    pi.prompt("with")
    assert [m["role"] for m in with_shim["messages"]] == ["system", "user"]
    if pi.sections:
        assert pi.system(1).startswith(pi.system(0))


def test_a_section_that_is_no_longer_set_goes(pi: Pi) -> None:
    pi.plan({"before_agent_start": [actions(SECTION), actions(SECTION), actions()]})
    with pi.rpc() as rpc:
        for text in ("one", "two", "three"):
            rpc.prompt(text)
    assert pi.system(0) == pi.system(1)
    assert "TEAL-1" in pi.system(1)
    assert "TEAL-1" not in pi.system(2)


def test_appended_text_is_there_for_one_run(pi: Pi) -> None:
    append = {"do": "append_prompt", "text": "## Global Memory\n\nTEAL"}
    pi.plan({"before_agent_start": [actions(append), actions()]})
    with pi.rpc() as rpc:
        rpc.prompt("one")
        rpc.prompt("two")
    assert pi.system(0).endswith("\n\n## Global Memory\n\nTEAL")
    assert "TEAL" not in str(pi.model.requests[1])


def test_several_messages_each_stored_with_the_prompt(pi: Pi) -> None:
    def message(name: str) -> dict[str, Any]:
        return {"do": "message", "customType": name, "content": f"TEXT {name}", "display": False}

    both = actions(message("pimem-handoff"), message("zcode-memory"))
    pi.plan(
        {"before_agent_start": [both, actions()]},
        describe={**DESCRIBE, "systems": ["openpi", "zcode"]},
    )
    with pi.rpc() as rpc:
        rpc.prompt("one")
        rpc.prompt("two")
        assert len(pi.asked("before_agent_start")) == 2
    expected = [("user", "one"), ("user", "TEXT pimem-handoff"), ("user", "TEXT zcode-memory")]
    assert pi.texts(0)[1:] == expected
    assert pi.texts(1)[1:4] == expected
    assert [text for _, text in pi.texts(1)].count("TEXT zcode-memory") == 1


def test_more_messages_than_systems(pi: Pi) -> None:
    """One handler carries one message; what is over comes with this prompt or the next."""
    both = [{"do": "message", "customType": n, "content": n, "display": False} for n in "AB"]
    pi.plan({"before_agent_start": [actions(*both), actions()]})
    with pi.rpc() as rpc:
        rpc.prompt("one")
        rpc.prompt("two")
    texts = [text for _, text in pi.texts(1)]
    assert (texts.count("A"), texts.count("B")) == (1, 1)


def test_a_refused_call_is_text_and_a_failed_one_too(pi: Pi) -> None:
    def result(text: str, failed: bool) -> dict[str, Any]:
        content = [{"type": "text", "text": text}]
        return actions({"do": "tool_result", "content": content, "isError": failed})

    pi.plan({"tool:write_memory": [result("REFUSED: pinned", False), result("BUSY", True)]})
    call = {"tool": "write_memory", "args": {"topic": "x"}}
    pi.model.replies = [call, call, {"text": "end"}]
    with pi.rpc() as rpc:
        rpc.prompt("go")
        ends = [r["isError"] for r in rpc.records if r["type"] == "tool_execution_end"]
    assert ends == [False, True]
    assert pi.texts(1)[-1] == ("tool", "REFUSED: pinned")
    assert pi.texts(2)[-1] == ("tool", "BUSY")


def test_pi_lists_the_skill(pi: Pi) -> None:
    pi.prompt("hello")
    assert "<name>memory</name>" in pi.system(0)


def test_installed_by_pi_itself(pi: Pi) -> None:
    from pi.harness import PACKAGE

    pi.configure(packages=[])
    assert pi.run("install", str(PACKAGE)).returncode == 0
    pi.prompt("hello")
    assert "write_memory" in pi.tools(0)
    assert "<name>memory</name>" in pi.system(0)


def test_without_a_document_pimem_is_asked_at_the_start(pi: Pi) -> None:
    (pi.state / "pimem" / "describe" / "last.json").unlink()
    pi.env["PIMEM_COMMAND"] = json.dumps(STAND_IN)
    with pi.rpc() as rpc:
        pi.wait_asked("describe")
        rpc.send("get_state")
        rpc.prompt("hello")
    assert "write_memory" in pi.tools(0)
