"""pi on a real terminal: the manager takes the screen, and pi's own comes back."""

from __future__ import annotations

import os
import signal
import threading
from typing import TYPE_CHECKING, Any

from waiting import alive, wait_for

if TYPE_CHECKING:
    from pathlib import Path

    from pi.harness import Pi

MANAGER = {"do": "open_manager", "args": ["--store", "local"]}
SECTION = {"do": "section", "name": "memory", "text": "TEAL-1 is the colour"}


def actions(*all_: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"actions": list(all_), **more}


def test_the_manager_takes_the_screen_and_gives_it_back(pi: Pi, terminal_socket: Path) -> None:
    pi.plan({"command:memory": actions(MANAGER), "before_agent_start": actions(SECTION)})
    with pi.terminal(socket=terminal_socket) as terminal:
        terminal.enter("/memory", terminal.shows("STAND-IN MANAGER"))
        screen = terminal.wait("STAND-IN MANAGER 100x30")
        assert f"in {pi.project}" in screen.replace("\n", "")
        assert "['--store', 'local']" in screen.replace("\n", "")
        assert "fake-1" not in screen
        terminal.type("a/")
        terminal.wait("key /")
        terminal.press("q")
        screen = terminal.wait("fake-1")
        assert "MANAGER" not in screen
        terminal.enter("hello from the editor", lambda: pi.model.requests)
        terminal.wait("ok")
        terminal.enter("/quit", lambda: not alive(terminal.pid))
        wait_for(lambda: not alive(terminal.pid), "pi to end")
    assert pi.texts(0)[-1] == ("user", "hello from the editor")
    assert "TEAL-1" in pi.system(0)
    assert pi.asked("command")[0]["session"]["mode"] == "tui"


def test_a_manager_that_fails(pi: Pi, terminal_socket: Path) -> None:
    pi.plan({"command:memory": actions(MANAGER)})
    with pi.terminal(socket=terminal_socket) as terminal:
        terminal.enter("/memory", terminal.shows("STAND-IN MANAGER"))
        terminal.press("x")
        terminal.wait("The memory manager ended early: code 3.")
        terminal.enter("still here", lambda: pi.model.requests)
    assert pi.texts(0)[-1] == ("user", "still here")


def test_the_manager_during_a_run(pi: Pi, terminal_socket: Path) -> None:
    go_on = threading.Event()
    pi.plan({"command:memory": actions(MANAGER)})
    pi.model.replies = [{"text": "THE ANSWER", "hold": go_on}]
    with pi.terminal(socket=terminal_socket) as terminal:
        terminal.enter("take your time", lambda: pi.model.requests)
        terminal.enter("/memory", terminal.shows("STAND-IN MANAGER"))
        go_on.set()
        pi.wait_asked("command")
        terminal.type("b")
        screen = terminal.wait("key b")
        assert "THE ANSWER" not in screen
        terminal.press("q")
        assert "MANAGER" not in terminal.wait("THE ANSWER")


def test_a_status_line_and_a_notice(pi: Pi, terminal_socket: Path) -> None:
    status = {"do": "status", "key": "pimem", "text": "MEM 3"}
    notice = {"do": "notify", "message": "one [b]bold[/b] thing", "level": "warning"}
    pi.plan({"session_start": actions(status, notice)})
    with pi.terminal(socket=terminal_socket) as terminal:
        assert "fake-1" in terminal.wait("MEM 3")
        assert "fake-1" in terminal.wait("one [b]bold[/b] thing")


def test_the_person_is_asked_at_the_start(pi: Pi, terminal_socket: Path) -> None:
    ask = {"do": "confirm", "key": "trust", "title": "Trust this?", "message": "Its memory"}
    pi.plan({"session_start": actions(ask)})
    with pi.terminal(socket=terminal_socket) as terminal:
        terminal.wait("Trust this?")
        terminal.answer("Enter", lambda: pi.asked("answer"))
        assert pi.wait_asked("answer")[0]["payload"] == {"key": "trust", "value": True}
        terminal.enter("go on", lambda: pi.model.requests)


def test_completions_come_from_pimem(pi: Pi, terminal_socket: Path) -> None:
    items = [{"value": "status", "label": "status", "description": "WHAT IS WHERE"}, "pin"]
    pi.plan({"complete": {"result": {"items": items}}})
    with pi.terminal(socket=terminal_socket) as terminal:
        terminal.offers("/memory ", "WHAT IS WHERE")
        assert pi.asked("complete")[0]["payload"] == {"name": "memory", "prefix": ""}


def test_a_closed_terminal_leaves_nothing(pi: Pi, terminal_socket: Path) -> None:
    pi.plan({"command:memory": actions(MANAGER)})
    with pi.terminal(socket=terminal_socket) as terminal:
        terminal.enter("/memory", terminal.shows("STAND-IN MANAGER"))
        terminal.hang_up()
        wait_for(lambda: not alive(terminal.pid), "pi to end")
        assert pi.runners
        pi.assert_no_runner()


def test_told_to_end_while_the_manager_is_open(pi: Pi, terminal_socket: Path) -> None:
    pi.plan({"command:memory": actions(MANAGER)})
    with pi.terminal(socket=terminal_socket) as terminal:
        terminal.enter("/memory", terminal.shows("STAND-IN MANAGER"))
        os.kill(terminal.pid, signal.SIGTERM)
        wait_for(lambda: not alive(terminal.pid), "pi to end")
        assert pi.runners
        pi.assert_no_runner()
