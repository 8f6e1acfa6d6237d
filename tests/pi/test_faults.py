"""A pimem that is missing, slow, killed or talking nonsense: pi goes on, with one notice."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from typing import TYPE_CHECKING, Any

import pytest
from pi.harness import DESCRIBE, HURRIED, REMEMBER, SHORT_MS, event
from waiting import PATIENCE_S, alive, wait_for

if TYPE_CHECKING:
    from pi.harness import Pi

SECTION = {"do": "section", "name": "memory", "text": "TEAL-1 is the colour"}
TROUBLE = "pimem: no memory for the moment"


def actions(*all_: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"actions": list(all_), **more}


def test_a_late_answer_is_named_in_the_next_request(pi: Pi) -> None:
    late = actions(
        SECTION,
        {"do": "notify", "message": "LATE NOTICE", "level": "info"},
        {"do": "status", "key": "pimem", "text": "LATE STATUS"},
        {"do": "append_entry", "customType": "pimem", "data": {"late": True}},
        {"do": "send_user_message", "text": "NEVER"},
        keep={"n": 1},
        delay=1.5,
    )
    other = {"do": "section", "name": "memory", "text": "TEAL-2"}
    pi.plan(
        {"before_agent_start": [actions(SECTION), late, actions(other)]},
        describe={
            **DESCRIBE,
            "events": [
                event(
                    "before_agent_start",
                    *("prompt", "@entries:pimem", "@branch_from:n"),
                    deadline_ms=1_000,
                )
            ],
        },
    )
    with pi.rpc() as rpc:
        rpc.prompt("one")
        rpc.prompt("two")
        wait_for(lambda: "LATE NOTICE" in rpc.notices(), "the late notice")
        rpc.prompt("three")
        status = [r for r in rpc.records if r.get("method") == "setStatus"]
    assert status[-1]["statusText"] == "LATE STATUS"
    first, second, third = pi.asked("before_agent_start")
    assert "missed" not in first
    assert "missed" not in second
    assert third["missed"] == [second["id"]]
    assert third["payload"]["@entries:pimem"] == {"late": True}
    assert third["payload"]["@branch_from:n"]["from"] == 1
    # While it was late the section kept its bytes.
    assert ["TEAL-1" in pi.system(i) for i in range(3)] == [True, True, False]
    assert "NEVER" not in str(pi.model.requests)
    assert len(pi.model.requests) == 3


def test_a_late_answer_of_an_old_session_is_dropped(pi: Pi) -> None:
    late = actions({"do": "notify", "message": "OLD", "level": "info"}, delay=1.0)
    answers = {"before_agent_start": [actions(), late, actions()], "command": late}
    pi.plan(answers, describe=HURRIED)
    with pi.rpc() as rpc:
        rpc.prompt("one")
        rpc.prompt("two")
        rpc.send("new_session")
        # Sent later and answered later than the late one.
        rpc.send("prompt", message="/memory status")
        rpc.prompt("three")
        assert rpc.notices() == ["OLD"]


def test_a_killed_runner_is_started_again(pi: Pi) -> None:
    die = actions(die=True)
    pi.plan({"before_agent_start": [actions(SECTION), die, die, actions(SECTION)]})
    with pi.rpc() as rpc:
        rpc.prompt("one")
        rpc.prompt("two")
        wait_for(lambda: len(pi.runners) == 2, "a new runner")
        rpc.prompt("three")
        wait_for(lambda: len(pi.runners) == 3, "another one, after a pause")
        rpc.prompt("four")
        assert [n for n in rpc.notices() if TROUBLE in n] == rpc.notices()
        assert len(rpc.notices()) == 1
    ids = [r["id"] for r in pi.asked("before_agent_start")]
    assert len(set(ids)) == 4
    # The second runner died before it could take the first one's answer back.
    missed = [r.get("missed") for r in pi.asked("before_agent_start")]
    assert missed == [None, None, ids[1:2], ids[1:3]]
    assert all("TEAL-1" in pi.system(i) for i in range(4))


def test_killed_from_outside_between_prompts(pi: Pi) -> None:
    pi.plan({"before_agent_start": actions(SECTION)})
    with pi.rpc() as rpc:
        rpc.prompt("one")
        os.kill(pi.runners[0], signal.SIGKILL)
        wait_for(lambda: len(pi.runners) == 2, "a new runner")
        rpc.prompt("two")
    assert "TEAL-1" in pi.system(1)


def test_killed_during_a_tool_call(pi: Pi) -> None:
    pi.plan({"tool:write_memory": actions(die=True)})
    pi.model.replies = [{"tool": "write_memory", "args": {"topic": "x"}}]
    with pi.rpc() as rpc:
        rpc.prompt("go")
    assert pi.texts()[-1] == ("tool", "pimem ended before it answered.")


def test_a_missing_pimem_is_one_notice(pi: Pi) -> None:
    pi.store("last", DESCRIBE, ["/not/there/pimem"])
    with pi.rpc() as rpc:
        rpc.prompt("one")
        rpc.prompt("two")
        rpc.prompt("three")
        notices = rpc.notices()
    assert len(notices) == 1
    assert "/not/there/pimem is not there" in notices[0]
    assert "write_memory" in pi.tools(0)


def test_a_missing_pimem_in_print_mode_is_one_line_on_stderr(pi: Pi) -> None:
    pi.store("last", DESCRIBE, ["/not/there/pimem"])
    done = pi.run("-p", "hello")
    assert (done.returncode, done.stdout.strip()) == (0, "ok")
    assert done.stderr.count("\n") == 1
    assert TROUBLE in done.stderr


def test_without_any_document_pi_is_as_it_was(pi: Pi) -> None:
    (pi.state / "pimem" / "describe" / "last.json").write_text("{ nonsense")
    done = pi.run("-p", "hello")
    assert (done.returncode, done.stdout.strip()) == (0, "ok")
    assert "write_memory" not in pi.tools(0)


def test_a_call_without_pimem_says_so_to_the_model(pi: Pi) -> None:
    pi.store("last", DESCRIBE, ["/not/there/pimem"])
    pi.model.replies = [{"tool": "write_memory", "args": {"topic": "x"}}]
    with pi.rpc() as rpc:
        rpc.prompt("go")
    assert "pimem is not running, nothing was done" in pi.texts()[-1][1]


@pytest.mark.parametrize(
    "raw",
    [
        ["garbage", "{", "[1]", "null", "\x00", '"x"', "12", "true"],
        ['{"id": null, "actions": []}', '{"id": "other", "actions": [{"do": "notify"}]}', "[[["],
    ],
    ids=["only nonsense", "some"],
)
def test_nonsense_between_the_answers(pi: Pi, raw: list[str]) -> None:
    pi.plan({"before_agent_start": [actions(SECTION), actions(SECTION, raw=raw)]})
    with pi.rpc() as rpc:
        rpc.prompt("one")
        rpc.prompt("two")
        wait_for(lambda: len(pi.runners) == (2 if len(raw) > 3 else 1), "what runs then")
        rpc.prompt("three")
        assert len(rpc.notices()) == (1 if len(raw) > 3 else 0)
    assert all("TEAL-1" in pi.system(i) for i in range(3))


@pytest.mark.parametrize(
    "answer",
    [
        {"actions": None},
        {"actions": [None, 3, {}, {"do": 4}, {"do": "unknown"}, SECTION]},
        {"actions": [{"do": "section"}, {"do": "message"}, {"do": "notify"}, {"do": "status"}]},
        {"actions": [{"do": "section", "name": "No Name", "text": "x"}]},
        {"actions": [], "error": {"code": "internal", "message": "x"}},
    ],
)
def test_answers_of_a_wrong_shape(pi: Pi, answer: dict[str, Any]) -> None:
    pi.plan({"before_agent_start": answer})
    done = pi.run("-p", "hello")
    assert (done.returncode, done.stdout.strip()) == (0, "ok")
    assert ("TEAL-1" in pi.system()) == (SECTION in (answer["actions"] or []))


def test_deadlines_are_kept(pi: Pi) -> None:
    slow = event("tool_call", "toolName", deadline_ms=SHORT_MS)
    pi.plan(
        {"before_agent_start": {"hang": True}, "tool_call": {"hang": True}},
        describe={**HURRIED, "events": [*HURRIED["events"], slow]},
    )
    pi.model.replies = [{"tool": "read", "args": {"path": "x"}}]
    needed = []
    with pi.rpc() as rpc:
        for prompt in ("first prompt of the process", "second", "third", "fourth"):
            started = time.monotonic()
            rpc.prompt(prompt)
            needed.append(time.monotonic() - started)
    first, *later = needed
    assert first > 2  # the first prompt has 2,000 ms; after that nothing is waited for
    assert min(later) < first - 1  # what else the machine has to do does not hold up every one


def test_an_abort_is_passed_on(pi: Pi) -> None:
    done = {"do": "tool_result", "content": [{"type": "text", "text": "DONE ANYWAY"}]}
    pi.plan({"tool:write_memory": actions(done, after="cancel")})
    pi.model.replies = [{"tool": "write_memory", "args": {"topic": "x"}}]
    with pi.rpc() as rpc:
        rpc.send("prompt", message="go")
        call = pi.wait_asked("tool")[0]
        rpc.send("abort")
        cancel = pi.wait_asked("cancel")[0]
        ended = rpc.until(lambda r: r["type"] == "tool_execution_end", "end of the call")
    assert cancel["payload"] == {"request": call["id"]}
    assert "DONE ANYWAY" in str(ended["result"])  # published although it was cancelled


def test_calls_for_one_file_queue_up(pi: Pi) -> None:
    """Two names for one file would wait for each other, and templates may name one file twice."""
    (pi.project / "x.md").write_text("")
    (pi.project / "link.md").symlink_to("x.md")
    root = str(pi.project)
    queue = [f"{root}/{{topic}}.md", f"{root}/link.md", f"{root}/x.md", f"{root}/{{missing}}"]
    result = {"do": "tool_result", "content": ["OK"]}
    pi.plan(
        {"tool:write_memory": actions(result)},
        describe={**DESCRIBE, "tools": [{**REMEMBER, "queue": queue}]},
    )
    pi.model.replies = [{"tool": "write_memory", "args": {"topic": "x"}}]
    pi.prompt("go")
    assert pi.texts()[-1] == ("tool", "OK")


def test_a_runner_that_does_not_want_to_end(pi: Pi) -> None:
    pi.plan(stubborn=True)
    assert pi.prompt("hello") == "ok"
    pi.assert_no_runner()


@pytest.mark.parametrize("sign", [signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_no_runner_is_left_when_pi_is_ended(pi: Pi, sign: signal.Signals) -> None:
    process = pi.start(
        "--mode", "rpc", stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        runner = wait_for(lambda: pi.runners, "the runner")[0]
        assert alive(runner)
        process.send_signal(sign)
        process.wait(PATIENCE_S)
        pi.assert_no_runner()
    finally:
        process.kill()
        process.communicate()


def test_no_runner_is_started_where_there_is_no_session(pi: Pi) -> None:
    assert pi.run("--list-models").returncode == 0
    assert pi.runners == []


def test_a_huge_request_loses_fields_and_not_its_answer(pi: Pi) -> None:
    huge = {**DESCRIBE, "events": [event("before_agent_start", "prompt", "messageType", "big")]}
    pi.plan({"before_agent_start": actions(SECTION)}, describe=huge)
    (pi.project / "big.txt").write_text("x" * 9 * 1024 * 1024)
    pi.run("-p", "@big.txt", "hello")
    assert "TEAL-1" in pi.system()
    assert "prompt" not in pi.asked("before_agent_start")[0]["payload"]
