"""The tools of zcode inside a host: what is described, answered and refused."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Any

import pytest
from pimem_core.formats.tokens import estimate
from pimem_core.hooks.describe import describe
from zcode.folder import Project, fact
from zcode.host import ENTRIES, TAIL, Host

if TYPE_CHECKING:
    from pathlib import Path


def test_what_is_described(host: Host, project: Project) -> None:
    document = describe(project.places)
    assert document["systems"] == ["openpi", "zcode"]
    tools = {tool["name"]: tool for tool in document["tools"]}
    assert [n for n in tools if n.startswith("memory_")] == [
        "memory_list",
        "memory_read",
        "memory_write",
    ]
    assert tools["memory_write"]["queue"] == [
        str(project.path / "MEMORY.md"),
        str(project.path / "{name}.md"),
    ]
    assert tools["memory_read"]["queue"] == [str(project.path / "{name}.md")]
    properties = tools["memory_write"]["parameters"]["properties"]
    assert list(properties) == ["name", "description", "type", "content", "title"]
    assert properties["type"]["enum"] == ["user", "feedback", "project", "reference"]
    commands = [row["name"] for row in document["commands"] if row["system"] != "layered"]
    assert commands == ["memory"]
    events = {event["name"]: event["fields"] for event in document["events"]}
    assert {ENTRIES, TAIL, "messageType"} <= set(events["before_agent_start"])
    assert {ENTRIES, TAIL, "reason"} <= set(events["session_start"])


def test_what_the_tools_cost_on_every_turn(host: Host, project: Project) -> None:
    texts = []
    for tool in describe(project.places)["tools"]:
        if tool["name"].startswith("memory_"):
            texts += [tool["promptSnippet"], *tool["promptGuidelines"]]
            assert all("memory_" in line for line in tool["promptGuidelines"])
    assert estimate("\n".join(texts)) <= 60


# The tools


def test_memory_list(host: Host, project: Project) -> None:
    project.fill(
        {
            "u.md": fact("unlisted", '"told"', "\n  type: user"),
            "MEMORY.md": f"{project.index}- [G](gone.md) — lost\n",
        }
    )
    text, result, _ = host.tool("memory_list")
    assert text == (
        f"3 facts in {project.path}:\n- a [project]: about a\n- gone [file missing]: lost\n"
        "- unlisted [user, not in the index]: told"
    )
    assert result["isError"] is False
    assert host.tool("memory_list", type="user")[0].endswith(
        "- unlisted [user, not in the index]: told"
    )
    assert "no facts of type reference" in host.tool("memory_list", type="reference")[0]
    text, result, _ = host.tool("memory_list", type="infra")
    assert "type" in text
    assert "reference" in text
    assert result["details"]["outcome"] == "invalid_argument"


@pytest.mark.parametrize("how", ["a bad byte", "a link", "a folder"])
def test_an_index_that_cannot_be_read_hides_no_fact(
    host: Host, project: Project, tmp_path: Path, how: str
) -> None:
    index = project.path / "MEMORY.md"
    before = index.read_bytes()
    index.unlink()
    if how == "a bad byte":
        index.write_bytes(before + b"\xff\n")
    elif how == "a link":
        (tmp_path / "elsewhere.md").write_bytes(before)
        index.symlink_to(tmp_path / "elsewhere.md")
    else:
        index.mkdir()
    text, result, _ = host.tool("memory_list")
    assert "the index cannot be read" in text
    assert "- a" in text
    assert "not in the index" not in text
    assert not result.get("isError")
    assert "Body." in host.tool("memory_read", name="a")[0]
    text, result, _ = host.tool(
        "memory_write", name="new", description="d", type="user", content="c"
    )
    assert result["isError"], text
    assert not (project.path / "new.md").exists()


def test_memory_list_is_bounded_and_names_can_be_read(host: Host, project: Project) -> None:
    project.fill({f"f{n}.md": fact(f"f{n}", f'"{"x" * 200}"') for n in range(400)})
    project.fill({"one.md": fact("same"), "two.md": fact("same")})
    text, _, _ = host.tool("memory_list")
    assert len(text) < 50_000
    assert "more; ask for one type" in text
    project.fill({f"f{n}.md": fact(f"f{n}") for n in range(400)})
    text, _, _ = host.tool("memory_list")
    assert "- one.md [" in text
    assert host.tool("memory_read", name="one.md")[1]["details"]["file"] == "one.md"


def test_memory_read_tells_others_what_was_read(host: Host, project: Project) -> None:
    text, result, others = host.tool("memory_read", name="a")
    assert text == project.text("a.md")
    path = str(project.path / "a.md")
    assert result["details"] == {"name": "a", "file": "a.md", "path": path, "truncated": False}
    digest = hashlib.sha256(project.data("a.md")).hexdigest()
    data = {"path": path, "kind": "full", "contentHash": digest}
    assert others == [{"do": "emit", "channel": "read-guard/file-read", "data": data}]
    assert host.tool("memory_read", name="[[a]]")[0] == text


def test_a_truncated_read_has_no_hash(host: Host, project: Project) -> None:
    project.fill({"long.md": "é" * 3000})
    text, result, others = host.tool("memory_read", name="long")
    path = str(project.path / "long.md")
    assert text == (
        "é" * 2048 + "\n\n> This memory file was truncated (4096 byte limit). "
        f"Use the read tool to view the complete file at: {path}"
    )
    assert result["details"]["truncated"] is True
    assert [a["data"] for a in others] == [{"path": path, "kind": "truncated"}]


@pytest.mark.parametrize("name", ["nothing", "../../etc/passwd", "", None, 5, "x\x00"])
def test_memory_read_of_what_is_not_there(host: Host, name: Any) -> None:
    text, result, others = host.tool("memory_read", name=name)
    assert others == []
    assert result["isError"] is False
    assert "memory_list" in text or "name" in text


def test_memory_write(host: Host, project: Project) -> None:
    text, result, _ = host.tool(
        "memory_write", name="b", description="about b", type="feedback", content="# B\n\nx"
    )
    assert text == 'Created "b" (b.md).'
    assert result["details"] == {"outcome": "created", "name": "b", "file": "b.md"}
    assert project.index.endswith("- [B](b.md) — about b\n")
    host.tool("memory_write", name="b", description="new", type="user", content="y", title="T")
    assert project.index.endswith("- [T](b.md) — new\n")
    assert project.text("b.md").endswith("\n\ny\n")


@pytest.mark.parametrize(
    ("bad", "words"),
    [
        ({"name": "Über uns"}, ['"uber-uns"', "a-z"]),
        ({"name": None}, ["name"]),
        ({"description": "a\nb"}, ["description", "line break"]),
        ({"description": None}, ["description"]),
        ({"type": "infra"}, ["type", "reference"]),
        ({"type": None}, ["type"]),
        ({"content": 5}, ["content"]),
        ({"title": 5}, ["title"]),
        ({"content": "AKIAIOSFODNN7EXAMPLQ"}, ["Line 1", "say where it is kept"]),
    ],
)
def test_a_refused_write_says_why(
    host: Host, project: Project, bad: dict[str, Any], words: list[str]
) -> None:
    before = project.files()
    good = {"name": "b", "description": "d", "type": "user", "content": "x"}
    text, result, _ = host.tool("memory_write", **(good | bad))
    assert result["isError"] is False
    assert all(word in text for word in words), text
    assert "AKIA" not in text
    assert "allow-secret" not in text
    assert project.files() == before


def test_a_store_that_fails_is_a_failed_call(host: Host, project: Project) -> None:
    project.fill({"MEMORY.md": b"\xff"})
    _, result, _ = host.tool("memory_write", name="b", description="d", type="user", content="x")
    assert result["isError"] is True


# /memory
