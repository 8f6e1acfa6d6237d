"""Slash commands in every mode: they reach pimem and never the model."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from pi.harness import DESCRIBE

if TYPE_CHECKING:
    from pi.harness import Pi

STATUS = {"do": "notify", "message": "openpi: 3 topics\nlayered: off", "level": "info"}


def actions(*all_: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"actions": list(all_), **more}


@pytest.mark.smoke
def test_print_mode_prints_the_status(pi: Pi) -> None:
    pi.plan({"command:memory status": actions(STATUS)})
    done = pi.run("-p", "/memory status")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "openpi: 3 topics\nlayered: off\n"
    assert pi.model.requests == []
    assert pi.asked("command")[0]["payload"] == {"name": "memory", "args": "status"}
    assert pi.asked("command")[0]["session"]["mode"] == "print"


def test_json_mode_keeps_its_stdout(pi: Pi) -> None:
    pi.plan({"command:memory": actions(STATUS)})
    done = pi.run("--mode", "json", "/memory status")
    assert json.loads(done.stdout.splitlines()[0])["type"] == "session"
    assert "openpi: 3 topics" in done.stderr
    assert pi.model.requests == []


def test_control_characters_do_not_reach_the_terminal(pi: Pi) -> None:
    text = {"do": "notify", "message": "a\x1b[31mb\x9bc\td", "level": "info"}
    pi.plan({"command:memory": actions(text)})
    assert pi.run("-p", "/memory status").stderr == "a\ufffd[31mb\ufffdc\td\n"


def test_a_command_waits_for_pimem_to_come_up(pi: Pi) -> None:
    pi.plan({"describe": actions(delay=0.3), "command:memory": actions(STATUS)})
    done = pi.run("-p", "/memory status")
    assert "openpi: 3 topics" in done.stderr
    assert pi.model.requests == []


def test_a_command_without_pimem_says_so(pi: Pi) -> None:
    pi.store("last", DESCRIBE, ["/not/there/pimem"])
    done = pi.run("-p", "/memory status")
    assert done.returncode == 0
    assert "pimem is not running: /not/there/pimem is not there." in done.stderr
    assert pi.model.requests == []


def test_a_command_that_pimem_never_answers(pi: Pi) -> None:
    pi.plan({"describe": {"hang": True}})
    done = pi.run("-p", "/memory status")
    assert "pimem is not running: it does not answer." in done.stderr
    assert pi.model.requests == []


def test_a_command_that_only_the_live_description_has(pi: Pi) -> None:
    live = {**DESCRIBE, "commands": [*DESCRIBE["commands"], {"name": "viking"}]}
    pi.plan({"describe": actions(delay=0.3), "command:viking": actions(STATUS)}, live=live)
    done = pi.run("-p", "/viking commit now")
    assert "openpi: 3 topics" in done.stderr
    assert pi.model.requests == []
    assert pi.asked("command")[0]["payload"] == {"name": "viking", "args": "commit now"}


def test_text_that_is_nobodys_command_goes_to_the_model(pi: Pi) -> None:
    pi.plan({"describe": actions(delay=0.3)})
    pi.run("-p", "/etc/hosts is broken")
    assert pi.texts()[-1] == ("user", "/etc/hosts is broken")


def test_a_command_that_speaks_to_the_model(pi: Pi) -> None:
    tell = {"do": "send_user_message", "text": "Call write_memory for: tea"}
    pi.plan({"command:memory": actions(tell), "before_agent_start": actions(delay=1.0)})
    pi.model.replies = [{"text": "stored it"}]
    assert pi.prompt("/memory tea") == "stored it"
    assert pi.texts()[-1] == ("user", "Call write_memory for: tea")
    assert len(pi.model.requests) == 1


def test_in_rpc_mode(pi: Pi) -> None:
    pi.plan({"command:memory": actions(STATUS, {"do": "open_manager", "args": []})})
    with pi.rpc() as rpc:
        rpc.send("prompt", message="/memory status")
        assert rpc.notices()[0] == STATUS["message"]
        assert "needs a terminal of its own" in rpc.notices()[1]
    assert pi.model.requests == []


@pytest.mark.parametrize("yes", [True, False])
def test_the_person_is_asked(pi: Pi, yes: bool) -> None:
    ask = {"do": "confirm", "key": "trust:/repo", "title": "Trust?", "message": "Its memory"}
    pi.plan(
        {
            "before_agent_start": actions(ask, ask),
            "answer": actions({"do": "notify", "message": "heard", "level": "info"}),
        }
    )
    with pi.rpc() as rpc:
        rpc.answers["Trust?"] = yes
        rpc.prompt("hello")
        rpc.until(lambda r: r.get("method") == "notify", "the answer's own action")
    assert [r["payload"] for r in pi.asked("answer")] == [{"key": "trust:/repo", "value": yes}]


def test_where_nobody_can_be_asked(pi: Pi) -> None:
    ask = {"do": "confirm", "key": "trust:/repo", "title": "Trust?", "message": "Its memory"}
    pi.plan({"before_agent_start": actions(ask)})
    assert pi.prompt("hello") == "ok"
    assert [r["payload"] for r in pi.asked("answer")] == [{"key": "trust:/repo", "value": None}]
