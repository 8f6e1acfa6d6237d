"""Tools and /memory: what happens on disk and what model and person are told."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pimem_core.pi import documents
from pimem_core.systems.openpi.system import OpenpiSystem

if TYPE_CHECKING:
    from .conftest import Host


def store_files(host: Host) -> dict[str, bytes]:
    folder = Path(OpenpiSystem().active(host.places).path)
    return {path.name: path.read_bytes() for path in folder.glob("*")} if folder.exists() else {}


def said(result: dict[str, Any]) -> str:
    return str(result["content"][0]["text"])


def test_write_pin_and_remove_round_trip(real_host: Host) -> None:
    made = real_host.tool("write_memory", topic="GPU Box", content="host a", summary="hosts")
    assert (made["details"]["outcome"], made["isError"]) == ("created", False)
    assert b"host a" in store_files(real_host)["gpu-box.md"]
    pinned = real_host.tool("pin_memory", topic="gpu", pin=True)
    assert pinned["details"]["outcome"] == "pinned_now"
    refused = real_host.tool("remove_memory", topic="gpu")
    assert (refused["details"]["outcome"], refused["isError"]) == ("pinned", False)
    real_host.tool("pin_memory", topic="gpu", pin=False)
    assert real_host.tool("remove_memory", topic="gpu")["details"]["outcome"] == "removed"


@pytest.mark.parametrize(
    ("params", "field"),
    [
        ({"content": "c", "summary": "s"}, "topic"),
        ({"topic": "A", "summary": "s"}, "content"),
        ({"topic": "A", "content": "c"}, "summary"),
        ({"topic": "A", "content": 3, "summary": "s"}, "content"),
        ({"topic": "A", "content": "c", "summary": "s", "pin": "false"}, "pin"),
        ({"topic": "A", "content": "c", "summary": "s", "mode": "prepend"}, "mode"),
    ],
)
def test_wrong_fields_are_refused_by_name(host: Host, params: dict[str, Any], field: str) -> None:
    result = host.tool("write_memory", **params)
    assert field in said(result)
    assert result["isError"] is False
    assert store_files(host) == {}


@pytest.mark.parametrize(
    ("more", "body"),
    [
        ({"overwrite": True}, "new"),
        ({"overwrite": True, "mode": "append"}, "new"),
        ({"overwrite": "true"}, "old"),
        ({"overwrite": False, "mode": "replace"}, "new"),
    ],
)
def test_the_older_overwrite_replaces(host: Host, more: dict[str, Any], body: str) -> None:
    host.tool("write_memory", topic="A", content="old", summary="s")
    host.tool("write_memory", topic="A", content="new", summary="s", **more)
    assert store_files(host)["a.md"].split(b"---\n")[2].startswith(f"\n{body}\n".encode())


def test_a_credential_is_refused_with_its_line_and_never_shown(host: Host) -> None:
    token = "ghp_" + "a1B2c3D4" * 5
    result = host.tool("write_memory", topic="Tok", content=f"x\n{token}", summary="s")
    assert "Line 2" in said(result)
    assert token not in said(result)
    assert "--allow-secret" not in said(result)
    assert store_files(host) == {}


def test_a_failed_call_is_an_error(host: Host) -> None:
    folder = Path(OpenpiSystem().active(host.places).path)
    folder.mkdir(parents=True)
    (folder / "MEMORY.md").mkdir()
    result = host.tool("write_memory", topic="A", content="c", summary="s")
    assert result["isError"] is True
    assert "MEMORY.md" in said(result)


def test_unknown_words_are_errors_of_the_protocol(host: Host) -> None:
    ask = host.ask
    assert ask("tool", payload={"name": "x"})["error"]["code"] == "unknown_tool"
    assert ask("command", payload={"name": "x"})["error"]["code"] == "unknown_command"
    assert ask("nonsense")["error"]["code"] == "unknown_event"


def test_memory_without_words_opens_the_manager_in_the_tui_and_tells_the_status_elsewhere(
    host: Host,
) -> None:
    (notice,) = host.command("")
    assert notice["do"] == "notify"
    assert "0 topics" in notice["message"]
    host.mode = "tui"
    assert host.command("  ") == [{"do": "open_manager", "args": []}]


def test_memory_with_text_asks_the_model_to_store_it(host: Host) -> None:
    (message,) = host.command("status of the GPU box is fine")
    assert message["do"] == "send_user_message"
    assert "status of the GPU box is fine" in message["text"]
    assert "write_memory" in message["text"]


def test_memory_remove_asks_where_somebody_can_be_asked(host: Host) -> None:
    host.tool("write_memory", topic="GPU Box", content="c", summary="s")
    host.mode = "tui"
    (question,) = host.command("remove gpu")
    assert (question["do"], question["yes"]) == ("confirm", "Remove")
    assert b"gpu-box.md" in store_files(host)["MEMORY.md"]
    assert host.actions("answer", key=question["key"], value=False) == []
    (notice,) = host.actions("answer", key=question["key"], value=True)
    assert "Removed" in notice["message"]
    assert b"gpu-box.md" not in store_files(host)["MEMORY.md"]


def test_memory_remove_needs_a_yes_where_nobody_can_be_asked(host: Host) -> None:
    host.tool("write_memory", topic="GPU Box", content="c", summary="s")
    for mode in ("print", "json"):
        host.mode = mode
        (notice,) = host.command("remove gpu")
        assert "/memory remove gpu --yes" in notice["message"]
        assert b"gpu-box.md" in store_files(host)["MEMORY.md"]
    assert "No topic" in host.command("remove nothing like it --yes")[0]["message"]
    (done,) = host.command("remove gpu --yes")
    assert "Removed" in done["message"]
    assert b"gpu-box.md" not in store_files(host)["MEMORY.md"]


@pytest.mark.parametrize("mode", ["tui", "rpc", "print"])
def test_memory_remove_with_a_yes_asks_no_more(host: Host, mode: str) -> None:
    host.tool("write_memory", topic="GPU Box", content="c", summary="s")
    host.mode = mode
    assert "Removed" in host.command("remove --yes gpu")[0]["message"]


def test_memory_commands_act_and_tell(host: Host) -> None:
    host.tool("write_memory", topic="GPU Box", content="needle here", summary="s")
    assert "Pinned" in host.command("PIN gpu")[0]["message"]
    assert "line" in host.command("search needle")[0]["message"]
    assert "Nothing matches" in host.command("search zzz")[0]["message"]
    host.mode = "tui"
    assert host.command("search here  needle") == [
        {"do": "open_manager", "args": ["--store", "local", "--search=here  needle"]}
    ]
    assert "Nothing matches" in host.command("search zzz")[0]["message"]
    host.mode = "print"
    assert "GPU Box" in host.command("preview")[0]["message"]
    assert "pinned" in host.command("remove gpu")[0]["message"]
    assert "needs" in host.command("remove")[0]["message"]
    assert host.command("consolidate")[0]["do"] == "send_user_message"


def test_completions_offer_words_and_then_topics(host: Host) -> None:
    host.tool("write_memory", topic="GPU Box", content="c", summary="hosts")

    def values(prefix: str) -> list[str]:
        answer = host.ask("complete", payload={"name": "memory", "prefix": prefix})
        return [item["value"] for item in answer["result"]["items"]]

    assert values("un") == ["unpin "]
    assert values("pin g") == ["pin gpu-box.md"]
    assert values("unpin g") == []
    assert values("remove ") == ["remove gpu-box.md"]


def test_describe_is_kept_for_the_folder_and_as_the_newest(host: Host) -> None:
    document = host.ask("describe")["result"]
    assert [tool["name"] for tool in document["tools"]] == [
        "write_memory",
        "remove_memory",
        "pin_memory",
    ]
    kept = list((Path(host.places.state_dir) / "describe").glob("*.json"))
    assert len(kept) == 2
    assert documents.installed_command(host.places)


def test_who_asks_a_busy_agent_is_told_that_it_waits(host: Host) -> None:
    def run(args: str, *, busy: bool) -> list[dict[str, Any]]:
        payload: dict[str, Any] = {"name": "memory", "args": args, "@busy": busy}
        return host.actions("command", **payload)

    for args in ("consolidate", "keep that the build runs on 3.11"):
        (sent,) = run(args, busy=False)
        said, again = run(args, busy=True)
        assert again == sent
        assert "busy" in said["message"]
    assert len(run("status", busy=True)) == 1
