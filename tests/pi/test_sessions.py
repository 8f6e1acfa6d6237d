"""Several runs and sessions in one pi: what is told apart, what stays, what is handed over."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pi.harness import HERE, HURRIED, with_event
from waiting import wait_for

if TYPE_CHECKING:
    from pi.harness import Pi

SECTION = {"do": "section", "name": "memory", "text": "TEAL-1 is the colour"}
HELPER = ("-e", str(HERE / "helper.ts"))


def actions(*all_: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"actions": list(all_), **more}


def test_a_run_begun_by_another_extension_keeps_the_section(pi: Pi) -> None:
    pi.plan({"before_agent_start": actions(SECTION)})
    with pi.rpc(*HELPER) as rpc:
        rpc.prompt("one")
        rpc.send("prompt", message="/inject")
        pi.model.wait(2)
        rpc.until(lambda r: r["type"] == "agent_end", "end of the injected run")
    kinds = [r["payload"].get("messageType") for r in pi.asked("before_agent_start")]
    assert kinds == (["user", "custom"] if pi.custom_runs else [None])
    assert pi.texts(1)[-1] == ("user", "INJECTED")
    assert pi.system(0) == pi.system(1)


def test_when_pimem_is_late_a_run_of_another_extension_keeps_the_section_too(pi: Pi) -> None:
    pi.plan({"before_agent_start": [actions(SECTION), {"hang": True}]}, describe=HURRIED)
    with pi.rpc(*HELPER) as rpc:
        rpc.prompt("one")
        rpc.send("prompt", message="/inject")
        pi.model.wait(2)
        rpc.until(lambda r: r["type"] == "agent_end", "end of the injected run")
    assert pi.system(0) == pi.system(1)


def test_new_fork_and_resume_have_their_own_session_and_share_the_runner(pi: Pi) -> None:
    pi.plan({"before_agent_start": [actions(SECTION), {"hang": True}]}, describe=HURRIED)
    with pi.rpc() as rpc:
        rpc.prompt("first")
        first = rpc.send("get_state")["sessionFile"]
        rpc.send("new_session")
        rpc.prompt("second")
        fork = rpc.send("get_fork_messages")["messages"][-1]["entryId"]
        rpc.send("fork", entryId=fork)
        rpc.prompt("third")
        rpc.send("switch_session", sessionPath=first)
        rpc.prompt("fourth")
    starts = pi.asked("session_start")
    assert [s["payload"]["reason"] for s in starts] == ["startup", "new", "fork", "resume"]
    ids = [s["session"]["id"] for s in starts]
    assert len(set(ids)) == 3
    assert ids[3] == ids[0]
    assert [r["session"]["id"] for r in pi.asked("before_agent_start")] == ids
    assert len(pi.runners) == 1
    # The runner was late for all but the first: only its own session repeats the section.
    assert ["TEAL-1" in pi.system(i) for i in range(4)] == [True, False, False, True]
    ends = [s["payload"]["reason"] for s in pi.asked("session_shutdown")]
    assert ends == ["new", "fork", "resume", "quit"]


def test_reload_starts_a_new_runner_and_keeps_the_section(pi: Pi) -> None:
    pi.plan({"before_agent_start": [actions(SECTION), {"hang": True}]}, describe=HURRIED)
    with pi.rpc(*HELPER) as rpc:
        rpc.prompt("one")
        rpc.send("prompt", message="/again")
        pi.wait_asked("session_start", 2)
        rpc.prompt("two")
    assert len(pi.runners) == 2
    assert pi.asked("session_start")[1]["payload"] == {"reason": "reload"}
    assert pi.system(0) == pi.system(1)


def test_what_is_kept_counts_the_branch_of_each_session(pi: Pi) -> None:
    took = [{"do": "notify", "message": f"TOOK {n}", "level": "info"} for n in range(1, 5)]
    answers = [
        actions(took[0], keep={"sync": 2}),
        actions(took[1], keep={"sync": 999}),
        actions(took[2]),
        actions(took[3]),
    ]
    pi.plan(
        {"turn_end": answers},
        describe=with_event("turn_end", "turnIndex", "@branch_from:sync", awaited=False),
    )
    with pi.rpc() as rpc:
        for count, text in enumerate(("one", "two", "three"), 1):
            rpc.prompt(text)
            wait_for(lambda n=count: f"TOOK {n}" in rpc.notices(), "pi to keep it")  # type: ignore[misc]
        rpc.send("new_session")
        rpc.prompt("four")
        wait_for(lambda: "TOOK 4" in rpc.notices(), "the last turn")
    found = [r["payload"]["@branch_from:sync"] for r in pi.asked("turn_end")]
    starts = [(f["from"], f["reset"]) for f in found]
    assert starts == [(0, False), (2, False), (0, True), (0, False)]
    for each in found:
        assert len(each["entries"]) == each["length"] - each["from"]
        assert each["more"] is False
    roles = [e["message"]["role"] for e in found[2]["entries"] if e["type"] == "message"]
    assert [role for role in roles if role != "system"] == ["user", "assistant"] * 3


def test_a_continued_session_is_the_same_one(pi: Pi) -> None:
    pi.prompt("one")
    pi.prompt("two", options=("-c",))
    pi.prompt("three", options=("--no-session",))
    first, second, third = (r["session"] for r in pi.asked("before_agent_start"))
    assert first["id"] == second["id"] != third["id"]
    assert first["file"] == second["file"]
    assert third["file"] is None
    assert [text for _, text in pi.texts(1)[1:]] == ["one", "ok", "two"]


def test_whether_the_project_is_trusted(pi: Pi) -> None:
    pi.prompt("one")
    (pi.project / ".pi" / "extensions").mkdir(parents=True)
    pi.prompt("two")
    found = [r["session"].get("trusted") for r in pi.asked("before_agent_start")]
    assert found == ([None, None] if pi.version == "0.74.0" else [True, False])
    features = pi.asked("before_agent_start")[0]["session"]["features"]
    assert set(features) == {"entry_ids"} | (
        set()
        if pi.version == "0.74.0"
        else {"sections", "trust", "mode"} | ({"message_type"} if pi.custom_runs else set())
    )


def test_computed_fields(pi: Pi) -> None:
    fields = ("@entries:pimem", "@tail_has:note", "@tools", "@commands", "prompt")
    entry = {"do": "append_entry", "customType": "pimem", "data": {"turn": 1}}
    note = {"do": "message", "customType": "note", "content": "NOTE", "display": False}
    heard = {"do": "emit", "channel": "read-guard/file-read", "data": {"kind": "full"}}
    pi.plan(
        {"before_agent_start": [actions(entry, note, heard), actions()]},
        describe=with_event("before_agent_start", *fields),
    )
    with pi.rpc(*HELPER) as rpc:
        rpc.prompt("one")
        rpc.prompt("two")
    first, second = (r["payload"] for r in pi.asked("before_agent_start"))
    assert (first["@entries:pimem"], first["@tail_has:note"]) == (None, False)
    assert (second["@entries:pimem"], second["@tail_has:note"]) == ({"turn": 1}, True)
    assert second["prompt"] == "two"
    own = {t["name"] for t in first["@tools"] if t["own"]}
    assert own == {"write_memory"}
    assert {"read", "bash"} <= {t["name"] for t in first["@tools"]}
    commands = {c["name"]: c["own"] for c in first["@commands"]}
    assert commands["memory"] is True
    assert commands["inject"] is False
    assert json.loads((pi.stand_in / "heard.jsonl").read_text()) == {"kind": "full"}


def test_context_edits_reach_the_model_and_nothing_else(pi: Pi) -> None:
    edits: list[dict[str, Any]] = [{"op": "prepend", "entry": None, "text": "<ctx>RECALL</ctx>\n"}]
    pi.plan(
        {"context": [actions({"do": "context", "edits": edits}), actions()]},
        describe=with_event("context", "@entry_ids"),
    )
    with pi.rpc() as rpc:
        rpc.prompt("one")
        rpc.prompt("two")
        ids = [r["payload"]["@entry_ids"] for r in pi.asked("context")]
        assert [len(i) for i in ids] == [1, 3]
        assert None not in ids[1]
        assert ids[1][0] == ids[0][0]
        before: dict[str, Any] = {"op": "replace_before", "entry": ids[1][2]}
        before["message"] = {"role": "user", "content": "OVERVIEW", "timestamp": 1}
        again: dict[str, Any] = {"op": "prepend", "entry": ids[1][2], "text": "AGAIN "}
        gone = {"op": "prepend", "entry": "00000000", "text": "NEVER"}
        edits = [before, again, gone]
        pi.plan(
            {"context": actions({"do": "context", "edits": edits})},
            describe=with_event("context", "@entry_ids"),
        )
        rpc.prompt("three")
    assert pi.texts(0)[1:] == [("user", "<ctx>RECALL</ctx>\none")]
    assert [text for _, text in pi.texts(1)[1:]] == ["one", "ok", "two"]
    assert [text for _, text in pi.texts(2)[1:]] == ["OVERVIEW", "AGAIN two", "ok", "three"]


def test_a_blocked_call_tells_the_model_why(pi: Pi) -> None:
    pi.plan(
        {"tool_call": actions({"do": "block", "reason": "USE viking_read"})},
        describe=with_event("tool_call", "toolName", "input"),
    )
    pi.model.replies = [{"tool": "read", "args": {"path": "viking://x"}}]
    pi.prompt("read it")
    assert pi.asked("tool_call")[0]["payload"] == {
        "toolName": "read",
        "input": {"path": "viking://x"},
    }
    assert pi.texts()[-1] == ("tool", "USE viking_read")


def test_several_copies_of_the_package_act_once(pi: Pi) -> None:
    import shutil

    from pi.harness import PACKAGE

    copy = pi.box / "copy"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    pi.configure(packages=[str(PACKAGE), str(copy)])
    pi.plan({"before_agent_start": actions(SECTION)})
    pi.run("-p", "hello")
    assert len(pi.asked("before_agent_start")) == 1
    assert pi.system().count("TEAL-1") == 1
    wait_for(lambda: len(pi.runners) == 1, "one runner")
