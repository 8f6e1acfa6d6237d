"""The real /memory in every mode: it acts and tells, and reaches the model only where it should."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from waiting import alive, wait_for

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pi.real import Real

    Both = Callable[[Callable[[Real], None]], None]


@pytest.mark.smoke
def test_print_mode(both: Both) -> None:
    def scenario(pi: Real) -> None:
        pi.write("GPU Box", "two cards")

        def says(args: str) -> str:
            done = pi.run("-p", f"/memory {args}".rstrip())
            assert (done.returncode, done.stdout) == (0, "")
            return done.stderr

        assert "1 topic" in says("status")
        assert "1 topic" in says("")
        if pi.version == "1.6.0":  # the rest is the same in all versions
            assert "two cards" in says("preview")
            assert "GPU Box" in says("search TWO")
            assert "Nothing matches" in says("search nothing")
            assert "Pinned" in says("pin gpu")
            assert "pinned" in says("remove gpu")
            assert "Unpinned" in says("unpin gpu")
            assert "Removed" in says("REMOVE gpu --yes")
            assert "gpu-box" not in pi.index
        assert pi.model.requests == []
        pi.model.replies = [{"text": "stored it"}]
        assert pi.run("-p", "/memory the box has two cards").stdout.strip() == "stored it"
        assert "write_memory" in pi.texts()[-1][1]
        assert "the box has two cards" in pi.texts()[-1][1]

    both(scenario)


def test_json_mode_keeps_its_stdout(real: Real) -> None:
    real.write("GPU Box")
    done = real.run("--mode", "json", "/memory status")
    kinds = [json.loads(line)["type"] for line in done.stdout.splitlines()]
    assert kinds[0] == "session"
    assert "1 topic" in done.stderr
    assert real.model.requests == []


def test_rpc_mode(both: Both) -> None:
    def scenario(pi: Real) -> None:
        pi.write("GPU Box", "two cards")
        pi.write("GPU Shelf")
        with pi.rpc() as rpc:

            def says(args: str) -> str:
                before = len(rpc.notices())
                rpc.send("prompt", message=f"/memory {args}".rstrip())
                return wait_for(lambda: "".join(rpc.notices()[before:]), f"what {args!r} says")

            assert "2 topics" in says("")
            assert "Pinned" in says("pin gpu box")
            assert "pinned" in says("remove GPU Box")
            assert "GPU Shelf" in says("pin gpu")  # which of the two
            assert "Nothing like it" not in says("unpin nothing")
            assert "needs" in says("remove")
            rpc.answers['Remove "GPU Shelf" from the index?'] = False
            rpc.send("prompt", message="/memory remove shelf")
            pi.wait_asked("answer")
            assert "gpu-shelf.md" in pi.index
            rpc.answers['Remove "GPU Shelf" from the index?'] = True
            assert "Removed" in says("remove shelf")
            assert "gpu-shelf.md" not in pi.index
            assert pi.model.requests == []
            for words in ("consolidate", "remember the milk"):
                rpc.prompt(f"/memory {words}")
                assert "write_memory" in pi.texts()[-1][1]
            assert "milk" in pi.texts()[-1][1]
            assert "remember the milk" not in [text for _, text in pi.texts()]

    both(scenario)


def test_the_manager_over_pis_screen(real: Real, terminal_socket: Path) -> None:
    real.write("GPU Box", "two cards")
    real.write("Tea", "no sugar")
    with real.terminal(socket=terminal_socket) as terminal:
        terminal.enter("/memory", terminal.shows("two cards"), within_s=40, end="")
        terminal.press("p")  # the first topic of the list
        wait_for(lambda: "[pin]" in real.index, "the pin on disk")
        assert real.model.requests == []
        terminal.press("q")
        terminal.wait("fake-1")
        terminal.enter("hello", lambda: real.model.requests)
        terminal.wait("ok")
        assert "[pin]" in real.block()
        assert real.texts(0)[-1][1].strip() == "hello"
        terminal.enter("/quit", lambda: not alive(terminal.pid))


def test_completions(real: Real, terminal_socket: Path) -> None:
    with real.terminal(socket=terminal_socket) as terminal:
        terminal.offers("/memory ", "what the model is given")
        assert real.asked("complete")[-1]["payload"] == {"name": "memory", "prefix": ""}


def test_installed_beside_another_and_taken_out_again(real: Real) -> None:
    """pi's settings get back every byte, and pi runs with each of them."""
    written = (
        '{\n  // mine\n  "packages": ["npm:openpi-memory@1.0.0"],\n'
        '  "defaultProvider": "fake", "defaultModel": "fake-1",\n'
        '  "theme":   "dark" /* odd   spaces */\n}\n'
    )
    settings = real.agent / "settings.json"
    settings.write_text(written)
    said = real.pimem("pi", "install")
    assert "openpi-memory" in said
    assert "--take-over" in said
    beside = settings.read_text()
    assert '"npm:openpi-memory@1.0.0"' in beside
    said = real.pimem("pi", "install", "--take-over")
    assert "+" in said
    taken = settings.read_text()
    assert '"theme":   "dark" /* odd   spaces */' in taken
    assert '"extensions": []' in taken
    status = json.loads(real.pimem("--json", "pi", "status"))
    assert (status["registered"], status["providers"]) == (True, [])
    assert status["version"]
    real.pimem("pi", "uninstall")
    assert settings.read_text() == written


def test_a_disk_that_cannot_be_written_costs_no_answer(real: Real) -> None:
    """State and handoff stand where no folder can be made: a file is in the way."""
    real.small()
    real.write("One")
    state = real.state / "pimem" / "sessions"
    assert not state.exists()
    state.write_text("in the way")
    (real.agent / "HANDOFF.md").mkdir()
    with real.rpc() as rpc:
        for n in range(3):
            rpc.prompt(f"prompt {n} " + "word " * 100)
        # Without sections the block is in the first prompt alone, state folder or not.
        given = ["[One](one.md)" in real.block(index) for index in range(3)]
        assert given == ([True] * 3 if real.version == "1.6.0" else [True, False, False])
        real.model.replies = [{"text": "SUMMARY"}]
        assert rpc.send("compact")["summary"]
        rpc.prompt("after")
        assert len([n for n in rpc.notices() if "HANDOFF.md" in n]) == 1
