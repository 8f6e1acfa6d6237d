"""Compaction: what is handed over before, who writes the summary, and what happens after."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pi.harness import DESCRIBE, event

if TYPE_CHECKING:
    from pi.harness import Pi, Rpc

WORDS = "many words to make it long " * 25
BEFORE = event(
    "session_before_compact",
    "preparation.messagesToSummarize",
    "preparation.firstKeptEntryId",
    "preparation.tokensBefore",
    "preparation.fileOps",
    "reason",
)
AFTER = event("session_compact", "compactionEntry.summary", "reason", "willRetry")
DESCRIBED = {**DESCRIBE, "events": [*DESCRIBE["events"], BEFORE, AFTER]}
CONTINUE = {"do": "send_user_message", "text": "Continue.", "deliverAs": "followUp"}


def actions(*all_: dict[str, Any]) -> dict[str, Any]:
    return {"actions": list(all_)}


def small(pi: Pi) -> None:
    pi.window = 8000
    pi.configure(compaction={"enabled": True, "reserveTokens": 1000, "keepRecentTokens": 10})


def talk(rpc: Rpc, *more: str) -> None:
    for text in ("first", "second", "third", *more):
        rpc.prompt(f"{text} {WORDS}")


def test_pimem_hears_what_will_be_lost_and_pi_summarises(pi: Pi) -> None:
    small(pi)
    pi.plan(describe=DESCRIBED)
    with pi.rpc() as rpc:
        talk(rpc)
        pi.model.replies = [{"text": "## Goal\nSUMMARY"}]
        rpc.send("compact")
        rpc.prompt("after")
    payload = pi.asked("session_before_compact")[0]["payload"]
    lost = payload["preparation"]["messagesToSummarize"]
    assert [m["role"] for m in lost if m["role"] != "system"][:2] == ["user", "assistant"]
    assert payload["preparation"]["fileOps"] == {"read": [], "written": [], "edited": []}
    assert payload.get("reason") == (None if pi.version == "0.74.0" else "manual")
    after = pi.asked("session_compact")[0]["payload"]
    assert "SUMMARY" in after["compactionEntry"]["summary"]
    assert "SUMMARY" in str(pi.texts())


def test_pimem_writes_the_summary(pi: Pi) -> None:
    small(pi)
    pi.plan(describe=DESCRIBED)
    with pi.rpc() as rpc:
        talk(rpc)
        first = pi.asked("before_agent_start")
        entries = [m["entryId"] for m in rpc.send("get_fork_messages")["messages"]]
        ours = {"do": "compaction", "summary": "OURS", "firstKeptEntryId": entries[-1]}
        ours |= {"tokensBefore": 1234, "details": {"source": "openviking"}}
        pi.plan({"session_before_compact": actions(ours)}, describe=DESCRIBED)
        result = rpc.send("compact")
        assert result["summary"] == "OURS"
        assert len(pi.model.requests) == len(first)  # nobody else was asked for one
        rpc.prompt("after")
    assert "OURS" in str(pi.texts())


def test_continue_after_a_compaction(pi: Pi) -> None:
    """Only the oldest pi makes a run of its own of it; in the others it belongs to the last run."""
    small(pi)
    section = {"do": "section", "name": "memory", "text": "TEAL-1"}
    note = {"do": "message", "customType": "pimem-note", "content": "NOTE", "display": False}
    pi.plan(
        {"session_compact": actions(note, CONTINUE), "before_agent_start": actions(section)},
        describe=DESCRIBED,
    )
    with pi.rpc() as rpc:
        talk(rpc)
        pi.model.replies = [
            {"text": "long", "prompt_tokens": 7500},
            {"text": "SUMMARY"},
            {"text": "went on"},
        ]
        rpc.send("prompt", message="fourth")
        answer = rpc.until(
            lambda r: r["type"] == "message_end" and "went on" in str(r), "the answer"
        )
        at = rpc.records.index(answer)
        rpc.until(lambda r: r["type"] == "agent_end" and r in rpc.records[at:], "the run's end")
        rpc.prompt("fifth")
    # The note goes with the next request, whatever begins it, and costs none of its own.
    assert sorted(text for _, text in pi.texts(5)[-2:]) == ["Continue.", "NOTE"]
    assert "TEAL-1" in pi.system(5)
    prompts = [r["payload"]["prompt"].split()[0] for r in pi.asked("before_agent_start")]
    own_run = ["Continue."] if pi.version == "0.74.0" else []
    assert prompts == ["first", "second", "third", "fourth", *own_run, "fifth"]
    assert len(pi.model.requests) == 7
    assert [text for _, text in pi.texts(6)].count("NOTE") == 1
