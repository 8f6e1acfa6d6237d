"""The real pimem in the real pi: what the model is given, and what its tools do."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from pi.real import HELPER, Real
from pimem_core.systems.openpi.system import OpenpiSystem
from pimem_core.systems.stores import WriteRequest
from waiting import wait_for

if TYPE_CHECKING:
    from collections.abc import Callable

    Both = Callable[[Callable[[Real], None]], None]


def call(name: str, **args: Any) -> dict[str, Any]:
    return {"tool": name, "args": args}


@pytest.mark.smoke
def test_a_conversation(both: Both) -> None:
    def scenario(pi: Real) -> None:
        pi.write("GPU Box", "two cards")
        pi.model.replies = [
            call("write_memory", topic="Tea", content="No sugar.", summary="how they take tea"),
            call("pin_memory", topic="Tea", pin=True),
            call("remove_memory", topic="tea"),
            {"text": "done"},
        ]
        assert pi.prompt("remember how I take tea") == "done"
        assert set(pi.tools(0)) >= {"write_memory", "remove_memory", "pin_memory"}
        assert "Call write_memory when" in pi.system(0)
        assert "two cards" in pi.block(0)
        assert "## Memory Rules" in pi.block(0)
        assert "No sugar." in (pi.agent / "memory" / "tea.md").read_text()
        assert "[Tea](tea.md) [pin]" in pi.index
        results = [pi.texts(i)[-1] for i in (1, 2, 3)]
        assert [role for role, _ in results] == ["tool"] * 3
        assert "pinned" in results[2][1]
        assert "unpin" in results[2][1]
        # The next session has it from its first request on.
        assert pi.prompt("again") == "ok"
        assert "how they take tea" in pi.block()

    both(scenario)


def test_refused_and_failed_calls_reach_the_model_as_text(both: Both) -> None:
    def scenario(pi: Real) -> None:
        pi.write("GPU Box")
        pi.write("GPU Shelf")
        pi.model.replies = [
            call("remove_memory", topic="gpu"),
            call("remove_memory", topic="nothing like it"),
            call("write_memory", topic="a\nb", content="c", summary="s"),
            call("write_memory", topic="Key", content="ghp_" + "a1B2c3D4" * 5, summary="s"),
            call("write_memory", topic="last-session-recap", content="c", summary="s"),
            {"text": "end"},
        ]
        before = pi.index
        assert pi.prompt("go") == "end"
        ambiguous, missing, topic, secret, recap = (pi.texts(i)[-1][1] for i in range(1, 6))
        assert "GPU Box" in ambiguous
        assert "GPU Shelf" in ambiguous
        assert "nothing like it" in missing
        assert "topic" in topic.lower()
        assert "Line 1" in secret
        assert "ghp_" not in secret
        assert "reserved" in recap
        assert pi.index == before

    both(scenario)


def test_scheduled_on_prompts_1_5_10_and_absent_between(both: Both) -> None:
    def scenario(pi: Real) -> None:
        pi.config('[inject]\nmode = "scheduled"\n')
        pi.write("GPU Box")
        with pi.rpc(*HELPER) as rpc:
            for n in range(1, 12):
                rpc.prompt(f"prompt {n}")
                if n == 3 and pi.custom_runs:  # a run that an extension begins does not count
                    rpc.send("prompt", message="/inject")
                    rpc.until(lambda r: r["type"] == "agent_end", "end of the injected run")
        asked = [pi.texts(i)[-1][1] for i in range(len(pi.model.requests))]
        assert len(asked) == (12 if pi.custom_runs else 11)
        shown = [asked[i] for i in range(len(asked)) if "GPU Box" in str(pi.model.requests[i])]
        assert shown == ["prompt 1", "prompt 5", "prompt 10"]
        assert [i for i in range(len(asked)) if pi.block(i)] == [
            asked.index(text) for text in shown
        ]

    both(scenario)


def test_sticky_bytes_stay_until_a_write_through_any_front(both: Both) -> None:
    def scenario(pi: Real) -> None:
        pi.config('[inject]\nmode = "sticky"\n')  # on a pi without sections as well
        pi.write("One")
        with pi.rpc(*HELPER) as rpc:
            for n in range(20):
                rpc.prompt(f"prompt {n}")
                if n == 3:
                    rpc.send("prompt", message="/inject")
                    rpc.until(lambda r: r["type"] == "agent_end", "end of the injected run")
            count = len(pi.model.requests)
            first = pi.block(0)
            assert count == 21
            assert "[One](one.md)" in first
            assert [pi.block(i) for i in range(count)] == [first] * count

            def changes(topic: str) -> None:
                rpc.prompt(f"after {topic}")
                block = pi.block()
                assert f"[{topic}]" in block
                rpc.prompt("again")
                assert pi.block() == block

            pi.write("By Command")
            changes("By Command")
            pi.model.replies = [call("write_memory", topic="By Tool", content="c", summary="s")]
            rpc.prompt("store it")
            changes("By Tool")
            store = OpenpiSystem().active(pi.places)  # as the manager does
            store.write(WriteRequest(topic="By Manager", content="c", summary="s"))
            changes("By Manager")
            pi.pimem("undo")
            rpc.prompt("after the undo")
            assert "By Manager" not in pi.block()

    both(scenario)


def test_late_answers_change_nothing(real: Real) -> None:
    real.config('[inject]\nmode = "sticky"\n')
    real.write("One")
    real.strict("before_agent_start")
    real.faults(before_agent_start=[{}, {}, {"delay": 60}, {"delay": 60}])
    with real.rpc() as rpc:
        for n in range(6):
            rpc.prompt(f"prompt {n}")
        missed = [r.get("missed", []) for r in real.asked("before_agent_start")]
        ids = [r["id"] for r in real.asked("before_agent_start")]
    assert ids[2] in missed[3]
    assert ids[3] in missed[4]
    first = real.block(0)
    assert "[One](one.md)" in first
    assert [real.block(i) for i in range(6)] == [first] * 6


def test_each_session_keeps_its_own_turns(both: Both) -> None:
    def scenario(pi: Real) -> None:
        pi.config('[inject]\nmode = "scheduled"\n')
        pi.write("One")
        with pi.rpc(*HELPER) as rpc:
            rpc.prompt("first")
            rpc.prompt("second")
            first = rpc.send("get_state")["sessionFile"]
            rpc.send("new_session")
            rpc.prompt("new")
            rpc.prompt("new again")
            fork = rpc.send("get_fork_messages")["messages"][-1]["entryId"]
            rpc.send("fork", entryId=fork)
            rpc.prompt("forked")
            rpc.prompt("forked again")
            rpc.send("switch_session", sessionPath=first)
            rpc.prompt("resumed")
            rpc.prompt("resumed again")
            rpc.send("prompt", message="/again")
            pi.wait_asked("session_start", 5)
            rpc.prompt("reloaded")
            rpc.prompt("reloaded again")
        pi.prompt("continued", "continued again", options=("-c",))
        shown = [bool(pi.block(i)) for i in range(len(pi.model.requests))]
        assert shown == [True, False] * 6

    both(scenario)


def test_the_first_request_after_installing_has_the_tools_though_pimem_hangs(real: Real) -> None:
    real.strict("before_agent_start")
    real.faults(describe=[{"delay": 60}], before_agent_start=[{"delay": 60}])
    real.write("One")
    done = real.run("-p", "hello")
    assert (done.returncode, done.stderr.count("\n")) == (0, 1)
    assert done.stderr.startswith("pimem: no memory for the moment")
    assert set(real.tools(0)) >= {"write_memory", "remove_memory", "pin_memory"}
    assert real.block() == ""


def test_without_the_relay_as_installed(real: Real) -> None:
    del real.env["PIMEM_COMMAND"]
    real.write("One")
    assert real.prompt("hello") == "ok"
    assert "[One](one.md)" in real.block()
    assert json.loads(real.pimem("--json", "inject"))["systems"][0]["parts"][0]["text"] in (
        real.block()
    )


def test_another_extensions_format_is_said_once_and_nothing_is_injected(both: Both) -> None:
    def scenario(pi: Real) -> None:
        (pi.agent / "memory").mkdir()
        path = pi.agent / "memory" / "MEMORY.md"
        path.write_text("prefers tabs\n§\nlives in Oslo\n")
        pi.model.replies = [call("write_memory", topic="A", content="c", summary="s")]
        with pi.rpc() as rpc:
            rpc.prompt("one")
            rpc.send("new_session")
            rpc.prompt("two")
            (notice,) = wait_for(rpc.notices, "the notice")
        assert "pi-hermes-memory" in notice
        assert "Oslo" not in str(pi.model.requests)
        assert "pi-hermes-memory" in pi.texts(1)[-1][1]  # the refused call
        assert path.read_text() == "prefers tabs\n§\nlives in Oslo\n"

    both(scenario)


@pytest.mark.parametrize("first", ["pimem", "other"])
def test_beside_another_provider_pimem_stays_passive(real: Real, first: str) -> None:
    other = real.box / "other.ts"
    other.write_text(
        """export default (pi) => pi.registerTool({
  name: "write_memory", label: "Other", description: "THE OTHER ONE",
  parameters: {type: "object", properties: {topic: {type: "string"}}, required: ["topic"]},
  execute: async () => ({content: [{type: "text", text: "OTHER STORED"}], details: {}}),
});
"""
    )
    if first == "pimem":  # what the settings name is loaded after the packages
        real.configure(extensions=[str(other)])
    options = ("-e", str(other)) if first == "other" else ()
    real.write("One")
    real.model.replies = [call("write_memory", topic="x")]
    with real.rpc(*options) as rpc:
        rpc.prompt("go")
        rpc.send("new_session")
        rpc.prompt("again")
        (notice,) = wait_for(rpc.notices, "the notice")
    assert "other.ts" in notice
    assert "--take-over" in notice
    assert real.tools(0)["write_memory"]["description"] == "THE OTHER ONE"
    assert not {"remove_memory", "pin_memory"} & set(real.tools(0))
    assert real.texts(1)[-1] == ("tool", "OTHER STORED")
    assert "[One]" not in str(real.model.requests)


@pytest.mark.parametrize("where", ["found by pi", "in its settings"])
def test_a_take_over_switches_any_provider_off(real: Real, where: str) -> None:
    found = where == "found by pi"
    other = (real.agent / "extensions" if found else real.box) / "other.ts"
    other.parent.mkdir(exist_ok=True)
    other.write_text(
        """export default (pi) => pi.registerTool({
  name: "remove_memory", label: "Other", description: "THE OTHER ONE",
  parameters: {type: "object", properties: {}},
  execute: async () => ({content: [{type: "text", text: "x"}], details: {}}),
});
"""
    )
    if not found:
        real.configure(extensions=[str(other)])
    assert "other.ts" in real.pimem("pi", "install")
    real.pimem("pi", "install", "--take-over")
    real.write("One")
    assert real.prompt("hello") == "ok"
    assert real.tools(0)["remove_memory"]["description"] != "THE OTHER ONE"
    assert "[One]" in str(real.model.requests)
    real.pimem("pi", "uninstall")
    assert real.prompt("hello") == "ok"
    assert real.tools(1)["remove_memory"]["description"] == "THE OTHER ONE"


def test_openpi_can_be_switched_off(real: Real) -> None:
    real.write("One")
    real.config('[systems]\nopenpi = "off"\n')
    real.pimem("pi", "install")
    assert real.prompt("hello") == "ok"
    assert "write_memory" not in real.tools(0)
    assert "[One]" not in str(real.model.requests)
