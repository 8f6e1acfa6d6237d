"""ZCode's project memory in the real pi: the hidden index, its markers, and the three tools."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pi.real import HELPER, Real, talk
from pimem_core.systems.zcode.system import ZcodeSystem
from waiting import wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pi.harness import Rpc
    from pi.model import FakeModel

HEAD = "Project memory index ("


class ZcodePi(Real):
    """A user who has ZCode."""

    def configure(self, **settings: Any) -> None:
        (self.box / "home" / ".zcode").mkdir(exist_ok=True)
        super().configure(**settings)

    @property
    def memory(self) -> Path:
        """The project's folder."""
        return Path(ZcodeSystem().active(self.places).path)

    def remember(self, name: str, hook: str) -> None:
        """A fact, written by the command line."""
        words = ("--summary", hook, "--type", "project", "--content", f"Body of {name}.")
        self.pimem("--store", "zcode", "write", name, *words)

    def indexes(self, index: int = -1) -> list[str]:
        """The messages with the index in one request."""
        return [text for role, text in self.texts(index) if role == "user" and HEAD in text]


@pytest.fixture
def zcode(
    pi_version: str, tmp_path: Path, shared_temp: Path, model: FakeModel
) -> Iterator[ZcodePi]:
    pi = ZcodePi(pi_version, tmp_path / "pi", shared_temp, model, "served")
    pi.remember("ports", "the dev server is on 3000")
    yield pi
    pi.assert_no_runner()


def assert_unseen(rpc: Rpc) -> None:
    """Nothing of it is for the person's eye."""
    for record in rpc.records:
        message = record.get("message")
        if isinstance(message, dict) and message.get("customType") == "zcode-memory":
            assert message["display"] is False
    assert [text for text in rpc.notices() if "ports" in text] == []


@pytest.mark.smoke
def test_the_index_is_given_once(zcode: ZcodePi) -> None:
    with zcode.rpc() as rpc:
        rpc.prompt("one")
        rpc.prompt("two")
        assert [len(zcode.indexes(i)) for i in (0, 1)] == [1, 1]
        (index,) = zcode.indexes()
        assert "- [ports](ports.md) — the dev server is on 3000" in index
        assert "Body of ports" not in json.dumps(zcode.model.requests)
        assert zcode.texts(0)[-2:] == [("user", "one"), ("user", index)]
        assert_unseen(rpc)
        entries = rpc.send("get_state")["sessionFile"]
    kept = [json.loads(line) for line in Path(entries).read_text().splitlines()]
    markers = [e["data"] for e in kept if e.get("customType") == "zcode-memory/injected"]
    assert [list(data) for data in markers] == [["indexHash"]]
    messages = [e for e in kept if e["type"] == "custom_message"]
    assert [(m["customType"], m["display"]) for m in messages] == [("zcode-memory", False)]


def test_again_after_a_change_and_after_reload(zcode: ZcodePi) -> None:
    with zcode.rpc() as rpc:
        rpc.prompt("one")
        zcode.remember("lint", "run ruff before a commit")
        rpc.prompt("two")
        rpc.prompt("three")
        assert [len(zcode.indexes(i)) for i in (0, 1, 2)] == [1, 2, 2]
        assert "run ruff" in zcode.indexes(1)[-1]
        rpc.send("prompt", message="/memory reload")
        rpc.prompt("four")
        rpc.prompt("five")
        assert [len(zcode.indexes(i)) for i in (3, 4)] == [3, 3]
        assert_unseen(rpc)


def test_again_when_compaction_took_it_away(zcode: ZcodePi) -> None:
    zcode.small()
    with zcode.rpc() as rpc:
        talk(rpc, "first", "second", "third")
        assert len(zcode.indexes()) == 1
        zcode.model.replies = [{"text": "## Goal\nSUMMARY"}]
        rpc.send("compact")
        rpc.prompt("after")
        assert "SUMMARY" in str(zcode.texts())
        assert len(zcode.indexes()) == 1
        rpc.prompt("and on")
        assert len(zcode.indexes()) == 1
        assert_unseen(rpc)


def test_a_new_session_has_its_own_and_a_resumed_one_has_it_already(zcode: ZcodePi) -> None:
    with zcode.rpc(*HELPER) as rpc:
        rpc.prompt("one")
        first = rpc.send("get_state")["sessionFile"]
        rpc.send("new_session")
        rpc.prompt("two")
        assert len(zcode.indexes()) == 1
        fork = rpc.send("get_fork_messages")["messages"][-1]["entryId"]
        rpc.send("fork", entryId=fork)
        rpc.prompt("three")  # the fork begins before the prompt that had it
        assert len(zcode.indexes()) == 1
        rpc.send("switch_session", sessionPath=first)
        rpc.prompt("four")
        assert [text for _, text in zcode.texts() if text in ("one", "four")] == ["one", "four"]
        assert len(zcode.indexes()) == 1
        rpc.send("prompt", message="/again")
        zcode.wait_asked("session_start", 5)
        rpc.prompt("five")
        assert len(zcode.indexes()) == 1
    zcode.prompt("six", options=("-c",))
    assert len(zcode.indexes()) == 1


def test_a_run_of_another_extension_is_left_out(zcode: ZcodePi) -> None:
    with zcode.rpc(*HELPER) as rpc:
        rpc.send("prompt", message="/inject")
        zcode.model.wait(1)
        rpc.until(lambda r: r["type"] == "agent_end", "end of the injected run")
        assert zcode.indexes() == []
        rpc.prompt("one")
        assert len(zcode.indexes()) == 1


def test_the_tools(zcode: ZcodePi) -> None:
    long = {"name": "long", "description": "a long one", "type": "reference"}
    zcode.model.replies = [
        {"tool": "memory_list", "args": {}},
        {"tool": "memory_read", "args": {"name": "ports"}},
        {"tool": "memory_write", "args": {**long, "content": "x" * 5000}},
        {"tool": "memory_read", "args": {"name": "long"}},
        {"tool": "memory_write", "args": {**long, "name": "Bad Name", "content": "x"}},
        {"text": "done"},
    ]
    with zcode.rpc(*HELPER) as rpc:
        rpc.prompt("go")
    assert {"memory_list", "memory_read", "memory_write"} <= set(zcode.tools(0))
    assert "memory_read and memory_write only" in zcode.system(0)
    results = [zcode.texts(i)[-1][1] for i in range(1, 6)]
    assert results[0].endswith("- ports [project]: the dev server is on 3000")
    assert results[1].endswith("\nBody of ports.\n")
    assert results[2] == 'Created "long" (long.md).'
    assert "truncated (4096 byte limit)" in results[3]
    assert '"bad-name"' in results[4]
    assert "- [long](long.md) — a long one" in (zcode.memory / "MEMORY.md").read_text()
    heard = zcode.stand_in / "heard.jsonl"
    wait_for(heard.exists, "the event")
    full, truncated = [json.loads(line) for line in heard.read_text().splitlines()]
    assert (full["path"], full["kind"]) == (str(zcode.memory / "ports.md"), "full")
    assert len(full["contentHash"]) == 64
    assert truncated == {"path": str(zcode.memory / "long.md"), "kind": "truncated"}


def test_status_covers_both_systems(zcode: ZcodePi) -> None:
    (zcode.memory / "MEMORY.md").write_text("- [Gone](gone.md) — lost\n")
    with zcode.rpc() as rpc:
        rpc.send("prompt", message="/memory status")
        wait_for(lambda: len(rpc.notices()) >= 2, "both answers")
        openpi, ours = rpc.notices()[-2:]
    assert openpi.startswith("Memory (local)")
    assert "1 index link without a file" in ours
    assert '1 fact file not in the index: "ports.md"' in ours
