"""Commands with which a person begins: they are there before the system takes part."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .conftest import Host


def commands(host: Host) -> set[str]:
    return {row["name"] for row in host.ask("describe")["result"]["commands"]}


def layered(host: Host, name: str, args: str = "") -> dict[str, Any]:
    return host.ask("command", payload={"name": f"memory:{name}", "args": args})


def test_layered_memory_begins_in_pi(host: Host) -> None:
    document = host.ask("describe")["result"]
    assert document["systems"] == ["openpi"]
    assert {"memory", "memory:init", "memory:status", "memory:list"} <= commands(host)
    host.start()
    assert [action["name"] for action in host.prompt()] == ["memory"]
    (said,) = layered(host, "status")["actions"]
    assert said["do"] == "notify"
    (said,) = layered(host, "init", "global")["actions"]
    assert "lobal" in said["message"]
    items = host.ask("complete", payload={"name": "memory:init", "prefix": ""})["result"]["items"]
    assert [item["label"] for item in items] == ["global", "workspace"]
    assert "layered" in host.ask("describe")["result"]["systems"]
    assert len(host.ask("describe")["result"]["commands"]) == len(commands(host))


def test_not_where_it_is_switched_off(host: Host) -> None:
    folder = Path(host.places.config_dir)
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text('[systems]\nlayered = "off"\n')
    assert commands(host) == {"memory"}
    assert layered(host, "init", "global")["error"]["code"] == "unknown_command"
