"""The words of the command line: their places, what is wrong usage, and odd bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from core.folders import snapshot
from pimem_core.cli import main

if TYPE_CHECKING:
    from pathlib import Path

    from cli.running import Pimem
    from core.folders import Folder


@pytest.mark.parametrize(
    "words",
    [
        ["--store", "local", "--json", "show", "old"],
        ["show", "--store", "local", "--json", "old"],
        ["show", "old", "--json", "--store=local"],
        ["--json", "show", "old", "--store", "local"],
        ["--store", "local", "show", "--json", "--", "old"],
        ["--json", "--", "show", "old"],
        ["--json", "--store", "local", "--", "show", "old"],
    ],
)
def test_options_stand_before_or_after_the_command(
    pimem: Pimem, local: Folder, words: list[str]
) -> None:
    assert pimem(*words).json["file"] == "old-thing.md"


def test_two_dashes_end_the_options(pimem: Pimem, local: Folder) -> None:
    result = pimem("write", "--summary=s", "--content", "c", "--json", "--", "--pin me")
    assert result.json["name"] == "--pin me"
    assert not pimem.json("list")[-1]["pinned"]
    assert pimem("search", "--json", "--", "--pin").json[0]["name"] == "--pin me"
    assert pimem("remove", "--json", "--", "--pin me").json["outcome"] == "removed"
    assert pimem("--json", "--", "search", "--json").json == []
    assert pimem("--", "list").out == pimem("list", "--").out == pimem("list").out
    assert pimem("--").code == 99


@pytest.mark.parametrize(
    "words",
    [
        ["nonsense"],
        ["list", "extra"],
        ["list", "--nonsense"],
        ["show"],
        ["search"],
        ["pin"],
        ["write"],
        ["write", "A"],
        ["write", "A", "--summary", "s", "--content", "c", "--file", "f"],
        ["write", "A", "--summary", "s", "--content", "c", "--mode", "overwrite"],
        ["list", "--store"],
        ["--store", "--", "list"],
        ["--", "--json", "list"],
        ["list", "--", "--json"],
        ["--demo", "list"],
        ["--search", "x", "list"],
        ["list", "--search", "x"],
        ["--search"],
        ["list", "--stor", "local"],
        ["completion", "cmd"],
        ["completion"],
    ],
)
def test_wrong_usage_is_exit_2_and_changes_nothing(
    pimem: Pimem, local: Folder, isolated_home: Path, words: list[str]
) -> None:
    before = snapshot(isolated_home)
    result = pimem(*words)
    assert result.code == 2
    assert result.out == ""
    assert "usage: pimem" in result.err
    assert snapshot(isolated_home) == before


@pytest.mark.parametrize("words", [["--help"], ["list", "--help"], ["write", "-h"], ["--version"]])
def test_help_and_version_are_exit_0_on_stdout(pimem: Pimem, words: list[str]) -> None:
    result = pimem(*words)
    assert result.code == 0
    assert "pimem" in result.out
    assert result.err == ""


def test_help_names_every_command(pimem: Pimem) -> None:
    out = pimem("--help").out
    for command in ("list", "show", "search", "write", "pin", "unpin", "remove", "edit", "status"):
        assert f"\n    {command}" in out


def test_no_command_opens_the_manager(pimem: Pimem) -> None:
    assert pimem().code == 99
    assert pimem("--store", "local").code == 99
    assert pimem("--demo").code == 99


def test_the_manager_opens_at_what_is_searched_for(
    capsys: pytest.CaptureFixture[str], isolated_home: Path
) -> None:
    opened: list[object] = []

    def manager(*how: object) -> int:
        opened.append(how)
        return 0

    for words in (["--search", "two words"], ["--store", "local", "--search=-x"], []):
        assert main(words, open_manager=manager) == 0
    assert opened == [
        (None, None, False, "two words"),
        ("local", None, False, "-x"),
        (None, None, False, ""),
    ]


@pytest.mark.parametrize("shell", ["bash", "zsh", "tcsh"])
def test_completion_scripts_know_the_commands(pimem: Pimem, shell: str) -> None:
    result = pimem("completion", shell)
    assert result.code == 0
    assert "unpin" in result.out


BAD = "b\udcffd"


@pytest.mark.parametrize(
    ("words", "outcome"),
    [
        (["write", BAD, "--summary", "s", "--content", "c"], "invalid_argument"),
        (["write", "A", "--summary", BAD, "--content", "c"], "invalid_argument"),
        (["write", "A", "--summary", "s", "--content", BAD], "invalid_argument"),
        (["write", "A", "--summary", "s", "--file", BAD], "invalid_argument"),
        (["show", BAD], "not_found"),
        (["pin", BAD], "not_found"),
        (["remove", BAD], "not_found"),
        (["edit", BAD], "not_found"),
        (["list", "--store", BAD], "invalid_argument"),
    ],
)
def test_arguments_that_are_no_utf8_are_refused(
    pimem: Pimem, local: Folder, words: list[str], outcome: str
) -> None:
    before = snapshot(local.path)
    result = pimem(*words, "--json")
    assert (result.code, result.json["outcome"]) == (1, outcome)
    assert pimem(*words).code == 1
    assert snapshot(local.path) == before


def test_searching_for_bytes_that_are_no_utf8_finds_nothing(pimem: Pimem, local: Folder) -> None:
    assert pimem.json("search", BAD) == []


def test_a_folder_whose_name_is_no_utf8_works(pimem: Pimem, tmp_path: Path) -> None:
    folder = f"{tmp_path}/{BAD}"
    words = ["--dir", folder, "--json"]
    result = pimem("write", "A", "--summary", "s", "--content", "c", *words)
    assert (result.code, result.json["outcome"]) == (0, "created")
    assert [row["name"] for row in pimem("list", *words).json] == ["A"]
    assert b"\xff" in pimem("status", "--dir", folder).raw


@pytest.mark.parametrize("topic", ["", " ", "[x]", "a\nb", "日本", "memory", "last session recap"])
def test_bad_topics_are_refused_before_anything_is_made(
    pimem: Pimem, empty: Folder, isolated_home: Path, topic: str
) -> None:
    before = snapshot(isolated_home)
    result = pimem("write", topic, "--summary", "s", "--content", "c", "--json")
    reserved = topic == "last session recap"
    assert result.code == 1
    assert result.json["outcome"] == ("reserved_topic" if reserved else "invalid_topic")
    assert snapshot(isolated_home) == before
