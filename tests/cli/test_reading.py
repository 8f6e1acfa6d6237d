"""list, show, search, status and config: what they print, and that they change nothing."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from core.folders import snapshot, topic_text
from pimem_core.errors import StorageError
from pimem_core.files.read import read_bytes
from pimem_core.search import once

if TYPE_CHECKING:
    from cli.running import Pimem
    from core.folders import Folder
    from pimem_core.paths import Places

STAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d\Z")


def test_list_is_in_index_order_with_every_key(pimem: Pimem, local: Folder) -> None:
    rows = pimem.json("list")
    assert [row["file"] for row in rows] == ["docker-setup.md", "old-thing.md", "docker-net.md"]
    assert {key: value for key, value in rows[0].items() if key != "tokens"} == {
        "store": "local",
        "name": "Docker setup",
        "file": "docker-setup.md",
        "path": str(local.path / "docker-setup.md"),
        "stamp": "2026-11-01T10:00:00+00:00",
        "summary": "compose files",
        "pinned": True,
        "stale": False,
    }
    assert [(row["stamp"], row["stale"]) for row in rows[1:]] == [
        ("2019-01-01", True),
        (None, False),
    ]
    assert all(isinstance(row["tokens"], int) and row["tokens"] > 5 for row in rows)


def test_list_for_people_has_a_line_for_each_topic(pimem: Pimem, local: Folder) -> None:
    lines = pimem("list").out.splitlines()
    assert len(lines) == 3
    assert "pinned" in lines[0]
    assert "stale" in lines[1]


def test_show_gives_front_matter_and_every_character_of_the_body(
    pimem: Pimem, local: Folder
) -> None:
    local.fill({"docker-net.md": "\ufeff---\r\nname: A\r\nm:\r\n  n: 1\r\n---\r\n\r\n b \r\n\r\n"})
    row = pimem.json("show", "docker net")
    assert row == {
        "store": "local",
        "name": "Docker net",
        "file": "docker-net.md",
        "path": str(local.path / "docker-net.md"),
        "front_matter": {"name": "A", "m": {"n": "1"}},
        "body": "\r\n b \r\n\r\n",
    }


@pytest.mark.parametrize("data", [b"", b"\xff\xfe\x00\r\n\x1b[31m", b"no end", b"a\n\n\n"])
def test_show_raw_gives_the_bytes(pimem: Pimem, local: Folder, data: bytes) -> None:
    local.fill({"docker-net.md": data})
    assert pimem("show", "--raw", "docker-net.md").raw == data
    assert pimem("show", "docker-net.md", "--raw", "--json").raw == data


def test_show_opens_an_unlisted_file_by_its_exact_name_only(pimem: Pimem, local: Folder) -> None:
    assert pimem.json("show", "unlisted.md")["body"] == "not in the index\n"
    refused = pimem("show", "unlisted", "--json")
    assert (refused.code, refused.json["outcome"]) == (1, "not_found")


@pytest.mark.parametrize(
    ("query", "hits"),
    [
        ("DOCKER", [("docker-setup.md", "name", None), ("docker-net.md", "name", None)]),
        ("thing.MD", [("old-thing.md", "file", None)]),
        ("Long Ago", [("old-thing.md", "summary", None)]),
        ("8080", [("docker-setup.md", "body", 10)]),
        ("index", [("unlisted.md", "body", 1)]),
        ("[", []),
        (".*", []),
        ("nothing here", []),
    ],
)
def test_search_ignores_case_and_marks_and_gives_one_row_for_each_topic(
    pimem: Pimem, local: Folder, query: str, hits: list[tuple[str, str, int | None]]
) -> None:
    rows = pimem.json("search", query)
    assert [(row["file"], row["where"], row["line"]) for row in rows] == hits
    assert all({"store", "name", "path", "snippet", "tokens"} <= row.keys() for row in rows)


@pytest.mark.parametrize("many", [2, 2_000])
def test_a_search_names_the_topics_that_it_cannot_read(
    pimem: Pimem, local: Folder, monkeypatch: pytest.MonkeyPatch, many: int
) -> None:
    monkeypatch.setattr(once, "_MANY", many)

    def refusing(path: str, *, limit: int) -> bytes:
        if path.endswith("unlisted.md"):
            raise StorageError(f"{path} cannot be read: Permission denied.")
        return read_bytes(path, limit=limit)

    monkeypatch.setattr(once, "read_bytes", refusing)
    (local.path / "old-thing.md").unlink()
    (local.path / "old-thing.md").symlink_to("docker-net.md")
    found = pimem("search", "no such words")
    assert found.code == 4
    assert "old-thing.md is a symbolic link" in found.err
    assert "unlisted.md cannot be read: Permission denied." in found.err
    assert "Nothing matches" in found.err
    assert found.err.count("\n") == 3
    (local.path / "unlisted.md").unlink()
    assert pimem("search", "no such words").code == 1


def test_an_empty_query_lists_index_order_then_unlisted_files(pimem: Pimem, local: Folder) -> None:
    assert [row["file"] for row in pimem.json("search", "")] == [
        "docker-setup.md",
        "old-thing.md",
        "docker-net.md",
        "unlisted.md",
    ]


def test_search_and_status_cover_every_store_and_list_the_active_one(
    pimem: Pimem, local: Folder, places: Places
) -> None:
    shared = Path(places.shared_home) / ".agents/memory"
    shared.mkdir(parents=True)
    (shared / "MEMORY.md").write_text("# Memory Index\n\n- [Shared](s.md) -- docker too\n")
    (shared / "s.md").write_text("x")
    assert {row["store"] for row in pimem.json("search", "docker")} == {"local", "shared"}
    assert {row["store"] for row in pimem.json("search", "docker", "--store", "shared")} == {
        "shared"
    }
    assert {row["store"] for row in pimem.json("list")} == {"local"}
    Path(places.agent_dir, "memory.jsonc").write_text('{"shared_dir": true}')
    (local.path / ".shared-dir-migrated").touch()
    assert {row["store"] for row in pimem.json("list")} == {"shared"}
    assert {row["store"] for row in pimem.json("list", "--store", "openpi")} == {"shared"}
    assert [(row["store"], row["active"]) for row in pimem.json("status")][:2] == [
        ("local", False),
        ("shared", True),
    ]


def test_a_carry_over_that_is_due_is_shown_and_not_done(
    pimem: Pimem, local: Folder, places: Places, isolated_home: Path
) -> None:
    Path(places.agent_dir, "memory.jsonc").write_text('{"shared_dir": true}')
    before = snapshot(isolated_home)
    rows = pimem.json("list")
    assert [row["store"] for row in rows] == ["shared"] * 3
    assert pimem("show", "docker net").code == 0
    shared = next(row for row in pimem.json("status") if row["store"] == "shared")
    assert any("not carried over yet" in note for note in shared["notes"])
    assert snapshot(isolated_home) == before
    assert pimem("pin", "docker net").code == 0
    assert len(pimem.json("list", "--store", "shared")) == 3


def test_status_tells_what_is_known(pimem: Pimem, local: Folder) -> None:
    row = next(row for row in pimem.json("status") if row["store"] == "local")
    assert (row["system"], row["path"], row["format"]) == ("openpi", str(local.path), "openpi")
    assert (row["exists"], row["active"], row["count"], row["locked"]) == (True, True, 3, False)
    assert row["bytes"] == sum(file.stat().st_size for file in local.path.iterdir())
    assert STAMP.match(row["changed"])
    assert row["writers"]
    assert any("1 topic file not in the index" in note for note in row["notes"])
    (local.path / ".lock").write_text(f"{os.getpid()}\t1\tx")
    locked = next(row for row in pimem.json("status") if row["store"] == "local")
    assert locked["locked"]
    assert f"process {os.getpid()}" in pimem("status").out


def test_an_absent_store_is_empty(pimem: Pimem, empty: Folder, isolated_home: Path) -> None:
    before = snapshot(isolated_home)
    assert pimem.json("list") == []
    assert pimem.json("search", "x") == []
    assert pimem("list").out == ""
    row = next(row for row in pimem.json("status") if row["store"] == "local")
    assert (row["exists"], row["count"], row["changed"], row["format"]) == (False, 0, None, None)
    refused = pimem("show", "x", "--json")
    assert (refused.code, refused.json["outcome"]) == (1, "not_found")
    assert snapshot(isolated_home) == before


def test_reading_never_writes(pimem: Pimem, local: Folder, isolated_home: Path) -> None:
    before = snapshot(isolated_home)
    for words in (
        ["list"],
        ["list", "--json"],
        ["show", "docker-net.md"],
        ["show", "docker-net.md", "--raw"],
        ["show", "nothing"],
        ["search", "docker"],
        ["status"],
        ["config"],
        ["completion", "bash"],
    ):
        pimem(*words)
    assert snapshot(isolated_home) == before


def test_config_tells_each_setting_and_its_source(
    pimem: Pimem, empty: Folder, places: Places
) -> None:
    rows = {row["key"]: row for row in pimem.json("config")}
    assert rows["max_lines"] == {"key": "max_lines", "value": 300, "source": "default"}
    path = Path(places.agent_dir, "memory.jsonc")
    path.parent.mkdir(parents=True)
    path.write_text('{"max_lines": 99}')
    rows = {row["key"]: row for row in pimem.json("config")}
    assert (rows["max_lines"]["value"], rows["max_lines"]["source"]) == (99, str(path))


@pytest.mark.parametrize("which", ["memory.jsonc", "config.toml"])
def test_a_broken_configuration_is_a_notice_and_fails_only_config(
    pimem: Pimem, local: Folder, places: Places, which: str
) -> None:
    folder = places.agent_dir if which == "memory.jsonc" else places.config_dir
    os.makedirs(folder, exist_ok=True)
    Path(folder, which).write_text("{\n oops" if which == "memory.jsonc" else "x = 1\ny = = 2\n")
    for words in (
        ["list"],
        ["show", "docker net"],
        ["search", "docker"],
        ["status"],
        ["pin", "docker net"],
    ):
        result = pimem(*words, "--json")
        assert result.code == 0
        assert which in result.err
        json.loads(result.out)
    broken = pimem("config", "--json")
    assert broken.code == 1
    rows = {row["key"]: row["source"] for row in broken.json}
    assert {"max_lines", "theme", "zcode.enabled"} <= rows.keys()
    assert rows["max_lines" if which == "memory.jsonc" else "theme"] == "default"
    assert pimem("inject").err.count(which) == 1
    assert which in broken.err
    assert "line 2" in broken.err
    assert "column" in broken.err


def test_a_working_folder_that_is_gone_stops_nothing(
    pimem: Pimem, local: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert len(pimem.json("list")) == 3
    refused = pimem("list", "--dir", ".", "--json")
    assert (refused.code, refused.json["outcome"]) == (1, "invalid_argument")


def test_topics_are_found_by_exact_name_or_file_else_by_a_unique_part(
    pimem: Pimem, local: Folder
) -> None:
    local.fill({"MEMORY.md": local.index + "- [Docker](d.md) -- exact\n", "d.md": topic_text("D")})
    assert pimem.json("show", "DOCKER")["file"] == "d.md"
    assert pimem.json("show", "docker-net.md")["file"] == "docker-net.md"
    assert pimem.json("show", "old")["file"] == "old-thing.md"
    many = pimem("show", "docker-", "--json")
    assert (many.code, many.json["outcome"]) == (1, "ambiguous")
    assert many.json["candidates"] == ["Docker setup", "Docker net"]


def test_stores_are_named_or_a_path(
    pimem: Pimem, local: Folder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "MEMORY.md").write_text("# Memory Index\n\n- [There](t.md) -- x\n")
    (other / "t.md").write_text("t")
    assert [row["name"] for row in pimem.json("list", "--store", str(other))] == ["There"]
    assert [row["name"] for row in pimem.json("list", "--dir", str(other))] == ["There"]
    monkeypatch.chdir(tmp_path)
    assert [row["name"] for row in pimem.json("--dir", "other", "list")] == ["There"]
    assert {row["store"] for row in pimem.json("list", "--store", str(local.path))} == {"local"}
    (tmp_path / "dotfiles").symlink_to(local.path.parent)
    linked = str(tmp_path / "dotfiles" / local.path.name)
    assert {row["store"] for row in pimem.json("list", "--dir", linked)} == {"local"}
    assert pimem.json("list", "--store", "shared") == []
    for words in (
        ["--store", "nope"],
        ["--store", ""],
        ["--dir", ""],
        ["--store", "local", "--dir", "other"],
        ["--dir", "other/t.md"],
    ):
        refused = pimem("list", *words, "--json")
        assert (refused.code, refused.json["outcome"]) == (1, "invalid_argument")
        assert refused.json["message"]


def test_a_refusal_names_the_topic_however_it_was_asked_for(
    pimem: Pimem, local: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    (local.path / "docker-net.md").unlink()
    monkeypatch.setenv("EDITOR", "true")
    for words in (["show", "net"], ["show", "net", "--raw"], ["edit", "DOCKER-NET.md"]):
        row = pimem.json(*words)
        assert (row["outcome"], row["name"], row["file"]) == (
            "not_found",
            "Docker net",
            "docker-net.md",
        )
