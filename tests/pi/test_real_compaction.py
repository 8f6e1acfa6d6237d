"""The real pimem around compactions: what is handed over, once, and what goes on by itself."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from pi.real import Real, talk

if TYPE_CHECKING:
    from collections.abc import Callable

    from pi.harness import Rpc

    Both = Callable[[Callable[[Real], None]], None]

UNFINISHED = {"text": "## Where we are\nI need to write the second half.\n- **Tests are green**"}
FULL = {"text": "as far as it goes", "prompt_tokens": 7500}


def prepared(pi: Real) -> None:
    pi.small()
    pi.write("One")


def unfinished(rpc: Rpc, pi: Real) -> None:
    """Three prompts; the second answer will be compacted, the newest is always kept."""
    talk(rpc, "one")
    pi.model.replies = [UNFINISHED]
    talk(rpc, "two", "three")


def ended(rpc: Rpc, pi: Real, said: str) -> None:
    """Wait until the model has said it and pi has nothing more to do."""
    rpc.until(lambda r: r["type"] == "agent_end" and said in str(r), f"the end with {said!r}")
    if pi.sections:
        rpc.until(lambda r: r["type"] == "agent_settled", "rest")


def overflow(rpc: Rpc, pi: Real, *replies: dict[str, Any]) -> None:
    """A prompt that the provider refuses as too long."""
    pi.model.replies = [
        {"status": 400, "error": "prompt is too long: 9000 tokens > 8000 maximum"},
        {"text": "SUMMARY"},
        *replies,
    ]
    rpc.send("prompt", message="too much")


def sections(pi: Real) -> list[str]:
    return [line for line in pi.handoff.splitlines() if line.startswith("## ")]


@pytest.mark.smoke
def test_a_manual_compaction_hands_over_once(both: Both) -> None:
    def scenario(pi: Real) -> None:
        prepared(pi)
        with pi.rpc() as rpc:
            unfinished(rpc, pi)
            talk(rpc, "four")
            pi.model.replies = [{"text": "SUMMARY"}]
            rpc.send("compact")
            assert "- I need to write the second half.\n- Tests are green" in pi.handoff
            count = len(pi.model.requests)
            rpc.prompt("after")
            assert len(pi.model.requests) == count + 1  # nothing was sent by itself
            assert pi.handoffs() == 1
            assert "second" in str(pi.model.requests[-1])
            assert "[One](one.md)" in pi.block()
            if pi.sections:
                assert pi.texts()[-2][1] == "after"  # the handoff is a message behind the prompt
                assert pi.texts()[-1][1].startswith("## Compaction Handoff")
            else:
                assert "## Compaction Handoff" in pi.block()
            rpc.prompt("later")
            assert pi.handoffs() == (1 if pi.sections else 0)
            assert pi.block() == (pi.block(-2) if pi.sections else "")

    both(scenario)


def test_the_handoff_of_a_continued_session_is_not_repeated(real: Real) -> None:
    prepared(real)
    (real.agent / "HANDOFF.md").write_text("## 2026-01-01T00:00:00+00:00 (manual)\n\n- half way\n")
    real.prompt("one")
    assert real.handoffs() == 1
    real.prompt("two", options=("-c",))
    # As a message it is there still; in an appended prompt it has to come again.
    assert real.handoffs() == 1
    real.prompt("new session")
    assert real.handoffs() == 1


def test_after_a_threshold_compaction_unfinished_work_goes_on_with_the_handoff(both: Both) -> None:
    def scenario(pi: Real) -> None:
        prepared(pi)
        with pi.rpc() as rpc:
            unfinished(rpc, pi)
            pi.model.replies = [FULL, {"text": "SUMMARY"}, {"text": "went on"}]
            rpc.send("prompt", message="four")
            if not pi.sections:  # pi 0.74 does not say why it compacts
                pi.model.wait(5)
                rpc.until(lambda r: r["type"] == "compaction_end", "end of the compaction")
            else:
                ended(rpc, pi, "went on")
                assert pi.handoffs() == 1
                assert pi.texts()[-2] == ("user", "Continue.")
                assert pi.texts()[-1][1].startswith("## Compaction Handoff")
                assert "second" in pi.texts()[-1][1]
                assert "[One](one.md)" in pi.block()
            rpc.prompt("after")
            assert pi.handoffs() == 1
            rpc.prompt("later")
            assert pi.handoffs() == (1 if pi.sections else 0)

    both(scenario)


@pytest.mark.parametrize("setting", ["auto_resume", "neither"])
def test_finished_work_goes_on_only_when_it_is_wanted(real: Real, setting: str) -> None:
    prepared(real)
    if not real.sections:
        pytest.skip("this pi does not say why it compacts")
    real.memory_config(auto_resume_after_threshold_compaction=setting == "auto_resume")
    with real.rpc() as rpc:
        talk(rpc, "one", "two", "three")
        real.model.replies = [{"text": "all is well"} | FULL, {"text": "SUMMARY"}]
        rpc.send("prompt", message="four")
        rpc.until(lambda r: r["type"] == "agent_settled", "the end")
        asked = [text for _, text in real.texts()]
        assert ("Continue." in asked) == (setting == "auto_resume")
        rpc.prompt("after")
        assert real.handoffs() == 1


def test_consolidation(both: Both) -> None:
    def scenario(pi: Real) -> None:
        if not pi.sections:
            return
        prepared(pi)
        pi.memory_config(consolidate_on_compact=True, always_persist=["RULE ONE"])
        store = {"topic": "Kept", "content": "c", "summary": "was worth it"}
        with pi.rpc() as rpc:
            unfinished(rpc, pi)
            pi.model.replies = [
                FULL,
                {"text": "## Goal\nTHE SUMMARY"},
                {"tool": "write_memory", "args": store},
                {"text": "consolidated"},
            ]
            rpc.send("prompt", message="four")
            ended(rpc, pi, "consolidated")
            prompt = pi.texts(5)[-1][1]
            assert "> THE SUMMARY" in prompt
            assert "- RULE ONE" in prompt
            assert "write_memory" in prompt
            assert "[Kept](kept.md)" in pi.index
            assert "Consolidation (threshold)" in sections(pi)[-1]
            assert "THE SUMMARY" in pi.handoff
            # This session has the summary before it; a new one gets it as its handoff.
            rpc.prompt("after")
            assert pi.handoffs() == 0
            assert "was worth it" in pi.block()
            rpc.send("new_session")
            rpc.prompt("new")
            assert pi.handoffs() == 1

    both(scenario)


def test_an_overflow_is_handed_over_and_its_retry_left_alone(both: Both) -> None:
    def scenario(pi: Real) -> None:
        prepared(pi)
        with pi.rpc() as rpc:
            unfinished(rpc, pi)
            overflow(rpc, pi, {"text": "retried"})
            ended(rpc, pi, "retried")
            count = len(pi.model.requests)
            assert count == 6
            assert "Continue." not in str(pi.model.requests)
            assert pi.handoffs() == 0
            assert "second" in pi.handoff
            assert "(overflow)" in pi.handoff or not pi.sections
            rpc.prompt("after")
            assert pi.handoffs() == 1
            assert "[One](one.md)" in pi.block()

    both(scenario)


@pytest.mark.parametrize("harm", ["late", "killed before", "killed after"])
def test_a_handoff_is_not_lost_with_an_answer(real: Real, harm: str) -> None:
    rule: dict[str, Any] = {"delay": 60} if harm == "late" else {"kill": harm.split()[1]}
    prepared(real)
    real.strict("before_agent_start")
    with real.rpc() as rpc:
        unfinished(rpc, real)
        real.faults(before_agent_start=[{}] * 3 + [rule])
        rpc.send("compact")
        rpc.prompt("lost")
        assert real.handoffs() == 0
        for n in range(9):  # a new runner has to come up first
            rpc.prompt(f"found {n}")
            if real.handoffs():
                break
        assert real.handoffs() == 1
        assert "second" in str(real.model.requests[-1])
        assert "[One](one.md)" in real.block()


@pytest.mark.parametrize("harm", ["late", "killed"])
def test_a_lost_continue_leaves_the_handoff_to_the_next_prompt(real: Real, harm: str) -> None:
    if not real.sections:
        pytest.skip("this pi does not say why it compacts")
    prepared(real)
    real.strict("session_compact")
    real.faults(session_compact=[{"delay": 60} if harm == "late" else {"kill": "after"}])
    with real.rpc() as rpc:
        unfinished(rpc, real)
        real.model.replies = [FULL, {"text": "SUMMARY"}]
        rpc.send("prompt", message="four")
        rpc.until(lambda r: r["type"] == "agent_settled", "the end")
        assert "Continue." not in str(real.model.requests)
        # A killed runner is started anew; until it is up a prompt may miss it.
        for n in range(9):
            rpc.prompt(f"after {n}")
            if real.handoffs():
                break
        assert real.handoffs() == 1


@pytest.mark.parametrize("harm", ["late", "killed", "link", "nothing said"])
def test_a_compaction_without_us_is_pis_own(real: Real, harm: str) -> None:
    prepared(real)
    real.strict("session_before_compact", "session_compact")
    if harm == "late":
        real.faults(session_before_compact=[{"delay": 60}], session_compact=[{"delay": 60}])
    elif harm == "killed":
        real.faults(session_before_compact=[{"kill": "before"}])
    elif harm == "link":
        (real.agent / "elsewhere.md").write_text("not ours\n")
        (real.agent / "HANDOFF.md").symlink_to("elsewhere.md")
    with real.rpc() as rpc:
        said = {"text": "## only a heading"} if harm == "nothing said" else UNFINISHED
        real.model.replies = [said] * 3
        talk(rpc, "one", "two", "three")
        real.model.replies = [{"text": "PI'S OWN"}]
        result = rpc.send("compact")
        assert "PI'S OWN" in result["summary"]
        rpc.prompt("after")
        assert "PI'S OWN" in json.dumps(real.model.requests[-1])
        if harm == "link":
            assert any("symbolic link" in notice for notice in rpc.notices())
            assert (real.agent / "elsewhere.md").read_text() == "not ours\n"
    if harm == "nothing said":
        assert real.handoff == ""
