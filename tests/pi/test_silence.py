"""A runner that is missing, hangs or talks nonsense: one notice, in every mode, and no waiting."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest
from pi.harness import DESCRIBE, SHORT_MS, event
from waiting import wait_for

if TYPE_CHECKING:
    from pathlib import Path

    from pi.harness import Pi

#: As pimem itself says it: who does not answer is not waited for long.
HURRIED: dict[str, Any] = {
    **DESCRIBE,
    "events": [{**row, "deadline_ms": SHORT_MS} for row in DESCRIBE["events"]],
}
TROUBLE = "pimem: no memory for the moment"
SECTION = {"do": "section", "name": "memory", "text": "TEAL-1 is the colour"}
MISSING = {
    "no program": ["/not/there/pimem"],
    "no module": [sys.executable, "-I", "-m", "not_there"],
    "ends": ["/bin/false"],
    "hangs": ["/bin/sleep", "600"],
    "nonsense": ["/bin/sh", "-c", "echo hello; exec sleep 600"],
}


def actions(*all_: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"actions": list(all_), **more}


@pytest.mark.parametrize("mode", ["print", "json"])
@pytest.mark.parametrize("what", MISSING)
def test_one_notice_on_the_first_prompt(pi: Pi, mode: str, what: str) -> None:
    pi.store("last", HURRIED, MISSING[what])
    done = pi.run(*(["-p"] if mode == "print" else ["--mode", "json"]), "hello")
    assert done.returncode == 0
    assert done.stderr.count(TROUBLE) == 1
    assert "pimem pi status" in done.stderr


@pytest.mark.parametrize("what", ["no program", "hangs"])
def test_one_notice_where_pimem_was_never_heard_of(pi: Pi, what: str) -> None:
    shutil.rmtree(pi.state / "pimem" / "describe")
    program = pi.box / "bin" / "pimem"
    program.parent.mkdir()
    if what == "hangs":
        program.write_text("#!/bin/sh\nexec sleep 600\n")
        program.chmod(0o755)
    pi.env["PIMEM_COMMAND"] = str(program)
    done = pi.run("-p", "hello")
    assert (done.returncode, done.stdout.strip()) == (0, "ok")
    assert done.stderr.count(TROUBLE) == 1


def test_a_state_folder_that_was_deleted(pi: Pi) -> None:
    """The first prompt waits for the description, so that memory is in it."""
    pi.plan({"before_agent_start": actions(SECTION), "describe": {"delay": 0.6}})
    command = [sys.executable, "-I", os.path.join(os.path.dirname(__file__), "stand_in.py")]
    shutil.rmtree(pi.state / "pimem" / "describe")
    pi.env["PIMEM_COMMAND"] = json.dumps(command)
    assert pi.prompt("hello") == "ok"
    assert "TEAL-1" in pi.system(0)
    assert [row["payload"]["reason"] for row in pi.asked("session_start")] == ["startup"]


def test_a_session_waits_once_for_a_runner_that_hangs(pi: Pi) -> None:
    more = event("turn_start", "turnIndex", deadline_ms=1000)
    describe = {**HURRIED, "events": [*HURRIED["events"], more]}
    pi.plan({"before_agent_start": actions(SECTION)}, describe=describe)
    with pi.rpc() as rpc:
        rpc.prompt("one")
        (runner,) = pi.runners
        os.kill(runner, signal.SIGSTOP)
        try:
            rpc.prompt("two")
            started = time.monotonic()
            for number in range(4):
                rpc.prompt(f"more {number}")
            assert time.monotonic() - started < 4  # eight waits of a second, and of 250 ms
            assert len(rpc.notices()) == 1
        finally:
            os.kill(runner, signal.SIGCONT)
        wait_for(lambda: len(pi.asked("before_agent_start")) == 6, "the runner to catch up")
        rpc.prompt("last")
    assert "TEAL-1" in pi.system(-1)


def test_a_command_to_a_stopped_runner_gives_the_screen_back(pi: Pi, terminal_socket: Path) -> None:
    done = {"do": "notify", "message": "COMMAND DONE"}
    pi.plan({"command:memory": actions(done)})
    with pi.terminal(socket=terminal_socket) as terminal:
        (runner,) = pi.runners
        os.kill(runner, signal.SIGSTOP)
        try:
            terminal.enter("/memory status", terminal.shows("pimem does not answer"))
            terminal.enter("still here", lambda: pi.model.requests)
        finally:
            os.kill(runner, signal.SIGCONT)


def test_a_command_that_takes_long_is_answered_later(pi: Pi, terminal_socket: Path) -> None:
    done = {"do": "notify", "message": "COMMAND DONE"}
    pi.plan({"command:memory": actions(done, delay=4)})
    with pi.terminal(socket=terminal_socket) as terminal:
        terminal.enter("/memory status", terminal.shows("the answer follows"))
        terminal.enter("still here", lambda: pi.model.requests)
        terminal.wait("COMMAND DONE")


def test_a_command_in_print_mode_waits_for_its_answer(pi: Pi) -> None:
    done = {"do": "notify", "message": "COMMAND DONE"}
    pi.plan({"command:memory": actions(done, delay=4)})
    assert "COMMAND DONE" in pi.run("-p", "/memory status").stderr


def test_a_removal_offers_cancel_first(pi: Pi, terminal_socket: Path) -> None:
    ask = {"do": "confirm", "key": "k", "title": "Remove it?", "message": "Gone", "yes": "Remove"}
    pi.plan({"command:memory": actions(ask)})
    with pi.terminal(socket=terminal_socket) as terminal:
        terminal.enter("/memory remove x", terminal.shows("Remove it?"))
        screen = terminal.wait("Cancel")
        assert screen.index("Cancel") < screen.rindex("Remove")
        terminal.press("Enter")
        assert pi.wait_asked("answer")[0]["payload"] == {"key": "k", "value": False}
