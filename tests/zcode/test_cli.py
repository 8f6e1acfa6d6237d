"""The command line on a store of facts."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pimem_core.cli import main
from zcode.folder import HEADER, fact

if TYPE_CHECKING:
    from zcode.folder import Project


class Cli:
    """Runs commands in this process and gives exit code, output and notices."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self.capsys = capsys

    def __call__(self, *words: str) -> tuple[int, str, str]:
        code = main(words, open_manager=lambda *_: 2)
        out = self.capsys.readouterr()
        return code, out.out, out.err

    def json(self, *words: str) -> Any:
        code, out, _ = self("--json", *words)
        return code, json.loads(out)


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Cli:
    return Cli(capsys)


Z = ("--store", "zcode")


def test_write_list_show_search(project: Project, cli: Cli) -> None:
    code, row = cli.json(
        *Z, "write", "a", "--summary", "about a", "--type", "user", "--content", "# T\nBody"
    )
    assert (code, row["outcome"], row["store"], row["name"], row["file"]) == (
        0,
        "created",
        "zcode",
        "a",
        "a.md",
    )
    os.utime(project.path / "a.md", (0, 86_400))
    code, rows = cli.json(*Z, "list")
    assert rows == [
        {
            "store": "zcode",
            "name": "a",
            "file": "a.md",
            "path": str(project.path / "a.md"),
            "stamp": "1970-01-02T00:00:00+00:00",
            "summary": "about a",
            "pinned": False,
            "stale": False,
            "tokens": rows[0]["tokens"],
            "type": "user",
        }
    ]
    code, row = cli.json(*Z, "show", "a")
    assert row["front_matter"]["metadata"] == {"node_type": "memory", "type": "user"}
    assert row["body"] == "\n# T\nBody\n"
    assert cli(*Z, "show", "a", "--raw")[0] == 0
    code, rows = cli.json("search", "body")
    assert [(r["store"], r["where"], r["line"]) for r in rows] == [("zcode", "body", 10)]


def test_replace_is_the_default_and_append_is_asked_for(project: Project, cli: Cli) -> None:
    cli(*Z, "write", "a", "--summary", "d", "--type", "user", "--content", "one")
    cli(*Z, "write", "a", "--summary", "d", "--content", "two")
    assert project.text("a.md").endswith("\n\ntwo\n")
    cli(*Z, "write", "a", "--summary", "d", "--content", "three", "--mode", "append")
    assert project.text("a.md").endswith("\n\ntwo\n\nthree\n")
    cli(*Z, "write", "a", "--summary", "d", "--content", "x", "--title", "Chosen")
    assert "- [Chosen](a.md) — d" in project.index


@pytest.mark.parametrize(
    ("words", "code", "outcome"),
    [
        (("write", "b", "--summary", "s", "--content", "x"), 1, "invalid_argument"),
        (
            ("write", "B c", "--summary", "s", "--type", "user", "--content", "x"),
            1,
            "invalid_argument",
        ),
        (("write", "b", "--summary", "s", "--type", "x", "--content", "x"), 1, "invalid_argument"),
        (
            ("write", "b", "--summary", "s\nt", "--type", "user", "--content", "x"),
            1,
            "invalid_argument",
        ),
        (
            ("write", "memory", "--summary", "s", "--type", "user", "--content", "x"),
            1,
            "invalid_topic",
        ),
        (
            ("write", "b", "--summary", "s", "--type", "user", "--content", "x", "--pin"),
            1,
            "unsupported",
        ),
        (
            ("write", "b", "--summary", "s", "--type", "user", "--content", "AKIAIOSFODNN7EXAMPLQ"),
            1,
            "secret",
        ),
        (("pin", "a"), 1, "unsupported"),
        (("unpin", "a"), 1, "unsupported"),
        (("remove", "nothing"), 1, "not_found"),
        (("show", "nothing"), 1, "not_found"),
    ],
)
def test_refusals(
    project: Project, cli: Cli, words: tuple[str, ...], code: int, outcome: str
) -> None:
    project.fill({"MEMORY.md": HEADER, "a.md": fact("a")})
    before = project.files()
    found, row = cli.json(*Z, *words)
    assert (found, row["outcome"], row["store"]) == (code, outcome, "zcode")
    assert row["message"]
    assert project.files() == before


def test_openpi_has_no_types_and_appends(cli: Cli, project: Project) -> None:
    assert cli("write", "A topic", "--summary", "s", "--content", "one")[0] == 0
    assert cli("write", "A topic", "--summary", "s", "--content", "two")[0] == 0
    body = cli.json("show", "A topic")[1]["body"]
    assert "one" in body
    assert "two" in body
    words = ("write", "B", "--summary", "s", "--content", "x", "--type", "user")
    assert cli.json(*words)[1]["outcome"] == "unsupported"
    assert not project.path.exists()


def test_remove_undo_redo_history(project: Project, cli: Cli) -> None:
    cli(*Z, "write", "a", "--summary", "about a", "--type", "user", "--content", "x")
    before = project.files()
    assert cli.json(*Z, "remove", "a")[1]["outcome"] == "removed"
    assert project.files() == {"MEMORY.md": HEADER.encode()}
    assert cli.json("undo")[1]["outcome"] == "undone"
    assert project.files() == before
    assert cli.json("redo")[1]["outcome"] == "redone"
    rows = cli.json("history", "a")[1]
    assert [row["action"] for row in rows] == ["redo", "undo", "remove", "write"]
    assert {row["store"] for row in rows} == {"zcode"}


def test_edit_in_an_editor(
    project: Project, cli: Cli, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    cli(*Z, "write", "a", "--summary", "about a", "--type", "user", "--content", "x")
    editor = tmp_path / "editor"
    editor.write_text("#!/bin/sh\nsed -i 's/about a/from the editor/' \"$1\"\n")
    editor.chmod(0o755)
    monkeypatch.setenv("EDITOR", str(editor))
    assert cli.json(*Z, "edit", "a")[1]["outcome"] == "updated"
    assert project.index.endswith("- [a](a.md) — from the editor\n")


def test_status_lists_every_store(project: Project, cli: Cli) -> None:
    assert [row["store"] for row in cli.json("status")[1]] == ["local", "shared"]
    project.write("a")
    row = cli.json("status")[1][2]
    assert (row["store"], row["system"], row["path"]) == ("zcode", "zcode", str(project.path))
    assert (row["exists"], row["active"], row["count"], row["format"]) == (True, True, 1, "zcode")
    assert cli.json("status", *Z)[1] == [row]


def test_a_folder_by_its_path(project: Project, cli: Cli, tmp_path: Path) -> None:
    folder = tmp_path / "mem"
    folder.mkdir()
    (folder / "feedback_x.md").write_text("---\nname: X\ndescription: d\ntype: feedback\n---\nx\n")
    row = cli.json("status", "--dir", str(folder))[1][0]
    assert (row["store"], row["format"]) == (str(folder), "claude")
    assert cli.json("list", "--dir", str(folder))[1][0]["name"] == "X"
    assert cli.json("remove", "X", "--dir", str(folder))[1]["outcome"] == "removed"
    assert cli.json("undo", "--store", str(folder))[1]["outcome"] == "undone"
    assert os.listdir(folder) == ["feedback_x.md"]
    code, out = cli.json("list", "--dir", str(folder / "feedback_x.md"))
    assert (code, out["outcome"]) == (1, "invalid_argument")


def test_inject_and_config(project: Project, cli: Cli) -> None:
    project.write("a", description="about a")
    found = cli.json("inject", *Z)[1]["systems"]
    assert [(s["name"], [p["name"] for p in s["parts"]]) for s in found] == [("zcode", ["index"])]
    assert "about a" in found[0]["parts"][0]["text"]
    assert cli.json("inject", *Z, "--turn", "2")[1]["systems"] == [{"name": "zcode", "parts": []}]
    path = Path(project.places.cwd, ".pi", "zcode-memory.json")
    path.parent.mkdir()
    path.write_text('{"injectIndex": false}')
    assert cli.json("inject", *Z)[1]["systems"][0]["parts"] == []
    rows = {row["key"]: row for row in cli.json("config")[1]}
    assert rows["zcode.injectIndex"] == {
        "key": "zcode.injectIndex",
        "value": False,
        "source": str(path),
    }
    path.write_text("{")
    code, _, notices = cli("list", *Z)
    assert code == 0
    assert "zcode-memory.json, line 1" in notices
    assert cli("config")[0] == 1


def test_reading_changes_nothing(project: Project, cli: Cli) -> None:
    project.fill({"MEMORY.md": "- [A](a.md) — a\n", "a.md": fact("a")})
    os.utime(project.path, (1, 1))
    for words in (
        ("list",),
        ("show", "a"),
        ("search", "a"),
        ("status",),
        ("inject",),
        ("config",),
        ("history",),
    ):
        assert cli(*Z, *words)[0] == 0
    assert os.lstat(project.path).st_mtime == 1
    assert not Path(project.places.state_dir).exists()


@pytest.mark.usefixtures("unmeasured")
def test_listing_another_systems_topics_loads_little(project: Project) -> None:
    code = (
        "import sys\nfrom pimem_core.cli import main\nmain(['list'], open_manager=None)\n"
        "print(*sorted(sys.modules), file=sys.stderr)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    loaded = set(ran.stderr.split())
    ours = {name for name in loaded if name.startswith("pimem_core.systems.zcode")}
    assert ours <= {f"pimem_core.systems.zcode{part}" for part in ("", ".system", ".config")}
    assert not loaded & {"hashlib", "yaml", "frontmatter", "filelock", "pathlib", "dataclasses"}
