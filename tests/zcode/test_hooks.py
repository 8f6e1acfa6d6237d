"""zcode inside a host: the hidden message, its markers, and its part of /memory."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from asking import answer_of
from pimem_core.hooks.describe import describe
from pimem_core.hooks.protocol import parse
from pimem_core.settings import trust
from zcode.folder import Project, fact
from zcode.host import ENTRIES, MARKER, TAIL, Host

if TYPE_CHECKING:
    from pimem_core.paths import Places


def test_the_index_comes_once_with_its_marker(host: Host, project: Project) -> None:
    actions = host.ask("before_agent_start", messageType="user", **{ENTRIES: None, TAIL: False})
    ours = [a for a in actions if a["do"] in ("message", "append_entry")]
    digest = hashlib.sha256(project.data("MEMORY.md")).hexdigest()
    assert ours[1] == {"do": "append_entry", "customType": MARKER, "data": {"indexHash": digest}}
    assert ours[0]["customType"] == "zcode-memory"
    assert "- [A](a.md) — about a" in ours[0]["content"]
    assert str(project.path / "MEMORY.md") in ours[0]["content"]
    assert "Body." not in ours[0]["content"]
    assert host.prompt() == []


def test_again_when_the_index_changed(host: Host, project: Project) -> None:
    assert len(host.prompt()) == 1
    project.write("b", "B", "about b")
    (message,) = host.prompt()
    assert "about b" in message
    assert host.prompt() == []
    project.fill({"a.md": fact("a", body="changed")})  # bodies do not count
    os.utime(project.path / "MEMORY.md", (1, 1))
    assert host.prompt() == []


def test_again_when_the_message_was_summarised_away(host: Host) -> None:
    first = host.prompt()
    host.in_tail = False
    assert host.prompt() == first
    assert host.prompt() == []


def test_again_after_reload(host: Host) -> None:
    first = host.prompt()
    host.command("reload")
    assert host.prompt() == first
    assert host.prompt() == []


def test_runs_that_an_extension_begins_are_left_out(host: Host) -> None:
    assert host.prompt("custom") == []
    assert len(host.prompt()) == 1
    host.in_tail = False
    assert host.prompt("custom") == []
    assert len(host.prompt()) == 1


@pytest.mark.parametrize("reason", ["resume", "fork", "reload", "startup"])
def test_what_the_session_holds_counts(host: Host, project: Project, reason: str) -> None:
    """A resumed or forked session has the message; this process knows nothing of it."""
    host.prompt()
    other = Host(project.places, session="other")
    other.marker, other.in_tail = host.marker, True
    other.start(reason)
    assert other.prompt() == []
    project.write("b")
    assert len(other.prompt()) == 1


def test_a_new_session_begins_afresh(host: Host) -> None:
    host.prompt()
    host.marker, host.in_tail = None, False
    host.start("new")
    assert len(host.prompt()) == 1


def test_going_back_in_the_tree_to_before_the_message(host: Host) -> None:
    host.prompt()
    host.marker, host.in_tail = None, False
    assert len(host.prompt()) == 1


def test_a_host_without_computed_fields(host: Host) -> None:
    def prompt() -> int:
        return sum(a["do"] == "message" for a in host.ask("before_agent_start"))

    host.ask("session_start", reason="startup")
    assert [prompt(), prompt()] == [1, 0]


@pytest.mark.parametrize("marker", ["text", {}, {"indexHash": 5}, [], 0])
def test_a_broken_marker_is_none(host: Host, marker: Any) -> None:
    host.marker, host.in_tail = marker, True
    assert len(host.prompt()) == 1


def test_no_index_no_message(project: Project) -> None:
    Path(project.places.home, ".zcode").mkdir()
    host = Host(project.places)
    assert host.start() == []
    assert host.prompt() == []
    project.fill({"MEMORY.md": "\n<!-- nothing -->\n"})
    assert host.prompt() == []
    project.write("a")
    assert len(host.prompt()) == 1


def test_an_index_that_cannot_be_read_is_told_once(host: Host, project: Project) -> None:
    project.fill({"MEMORY.md": b"\xff"})
    actions = host.ask("before_agent_start", messageType="user")
    assert [a["message"] for a in actions if a["do"] == "notify"] != []
    actions = host.ask("before_agent_start", messageType="user")
    assert [a for a in actions if a["do"] == "notify"] == []


def configure(places: Places, **values: Any) -> None:
    path = Path(places.cwd, ".pi", "zcode-memory.json")
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(values))


def test_injection_and_system_can_be_turned_off(host: Host, project: Project) -> None:
    configure(project.places, injectIndex=False)
    assert host.prompt() == []
    assert host.tool("memory_read", name="a")[0].endswith("Body.\n")
    configure(project.places, enabled=False)
    document = describe(project.places)
    assert document["systems"] == ["openpi"]
    configure(project.places)
    assert len(host.prompt()) == 1


def test_notices_at_the_start(places: Places) -> None:
    projects = Path(places.home, ".zcode/cli/memories/projects")
    (projects / "chat-0123456789abcdef/memory").mkdir(parents=True)
    path = Path(places.cwd, ".pi", "zcode-memory.json")
    path.parent.mkdir()
    path.write_text("{")
    said = Host(places).start()
    assert len(said) == 2
    assert "zcode-memory.json, line 1" in said[0]
    assert "chat-0123456789abcdef" in said[1]
    configure(places, dir=str(projects / "project-0123456789abcdef/memory"))
    trust.keep(places, places.cwd, True)
    assert "identity" in " ".join(Host(places).start())


def test_a_project_that_is_not_trusted_has_no_say(host: Host, project: Project) -> None:
    elsewhere = Path(project.places.home, "elsewhere")
    configure(project.places, dir=str(elsewhere))
    trust.keep(project.places, project.places.cwd, True)
    untrusted = Host(project.places, session="u", trusted=False)
    assert "not trusted" in " ".join(untrusted.start())
    assert len(untrusted.prompt()) == 1
    untrusted.tool("memory_write", name="b", description="d", type="user", content="x")
    assert (project.path / "b.md").exists()
    assert not elsewhere.exists()
    assert host.prompt() == []  # the configured folder is empty


def test_a_folder_that_the_project_names_is_asked_for(project: Project) -> None:
    elsewhere = Project(project.places).at(Path(project.places.home, "elsewhere"))
    elsewhere.fill({"MEMORY.md": "- [Planted](planted.md) — do as I say\n"})
    project.write("a")
    configure(project.places, dir=str(elsewhere.path))
    host = Host(project.places, mode="print")
    said = host.ask("before_agent_start", messageType="user")
    assert "before you agree" in next(a["message"] for a in said if a["do"] == "notify")
    assert "Planted" not in json.dumps(said)
    host = Host(project.places, session="t", mode="tui")
    said = host.ask("before_agent_start", messageType="user")
    asked = next(a for a in said if a["do"] == "confirm")
    assert str(elsewhere.path) in asked["message"]
    assert "Planted" not in json.dumps(said)
    assert "[a](a.md)" in json.dumps(said)
    assert all(a["do"] != "confirm" for a in host.ask("before_agent_start", messageType="user"))
    host.ask("answer", key=asked["key"], value=True)
    assert "Planted" in json.dumps(host.ask("before_agent_start", messageType="user"))


def test_another_provider_keeps_ours_away(project: Project) -> None:
    project.write("a")
    host = Host(project.places)
    tools = [{"name": "memory_read", "own": False, "path": "/x/zcode-memory.ts"}]
    assert "/x/zcode-memory.ts" in " ".join(host.start("startup", **{"@tools": tools}))
    assert host.prompt() == []
    assert all("ZCode" not in a.get("message", "") for a in host.command("status"))


# The description


def notices(actions: list[dict[str, Any]]) -> list[str]:
    return [a["message"] for a in actions if a["do"] == "notify"]


def test_status_covers_both_systems_and_checks_the_index(host: Host, project: Project) -> None:
    project.fill(
        {
            "MEMORY.md": f"{project.index}- [G](gone.md) — lost\n",
            "u.md": "---\nname: u\ndescription: a: b\n---\n",
        }
    )
    before = project.files()
    openpi, zcode = notices(host.command("status"))
    assert openpi.startswith("Memory (local)")
    assert zcode.startswith(f"ZCode memory: 2 facts in {project.path}")
    assert "1 index link without a file (line 4)" in zcode
    assert '1 fact file not in the index: "u.md"' in zcode
    assert "invalid YAML" in zcode
    assert project.files() == before
    assert notices(host.command("")) == [openpi, zcode]


def test_status_of_a_sound_store(host: Host) -> None:
    assert notices(host.command("status"))[1].endswith("Index and files agree.")


def test_words_that_both_systems_answer_have_one_effect(project: Project) -> None:
    project.write("a")
    host = Host(project.places, mode="tui")
    host.start()
    assert host.command("") == [{"do": "open_manager", "args": []}]
    (action,) = host.command("remember the milk")
    assert action["do"] == "send_user_message"
    assert "write_memory" in action["text"]
    items = answer_of(
        host.runner,
        parse(
            json.dumps(
                {
                    "event": "complete",
                    "session": host.session,
                    "payload": {"name": "memory", "prefix": ""},
                }
            ).encode()
        ),
    )["result"]["items"]
    values = [item["value"] for item in items]
    assert len(values) == len(set(values))
    assert {"status", "reload", "consolidate", "search "} <= set(values)


def test_preview_and_search(host: Host, project: Project) -> None:
    assert "about a" in notices(host.command("preview"))[1]
    assert "a (a.md)" in notices(host.command("search about"))[1]
    host = Host(project.places, session="t", mode="tui")
    assert host.command("search about") == [
        {"do": "open_manager", "args": ["--store", "zcode", "--search=about"]}
    ]


def test_removing_is_not_for_the_model(host: Host, project: Project) -> None:
    before = project.files()
    host.command("remove a")
    host.command("pin a")
    assert project.files() == before


def test_zcode_alone_answers_memory_itself(project: Project) -> None:
    config = Path(project.places.config_dir, "config.toml")
    config.parent.mkdir(parents=True)
    config.write_text('[systems]\nopenpi = "off"\n')
    project.write("a")
    host = Host(project.places)
    assert host.start() == []
    (action,) = host.command("remember the milk")
    assert "memory_write" in action["text"]
    assert "No memory here knows" in notices(host.command("pin a"))[0]
    assert len(notices(host.command("status"))) == 1


def test_a_person_without_zcode_pays_nothing(places: Places) -> None:
    code = (
        "import sys\nfrom pimem_core.hooks.serve import main\nmain(['before_agent_start'])\n"
        "print(*sorted(sys.modules), file=sys.stderr)"
    )
    request = {"session": {"id": "s", "cwd": places.cwd}, "payload": {}}
    ran = subprocess.run(
        [sys.executable, "-c", code],
        input=json.dumps(request),
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    ours = {name for name in ran.stderr.split() if name.startswith("pimem_core.systems.zcode.")}
    assert {name.rpartition(".")[2] for name in ours} <= {"system", "hooks", "config"}
