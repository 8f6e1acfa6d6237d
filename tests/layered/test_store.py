"""The layers as stores on the command line: list, show, search, write, edit, remove, undo."""

from __future__ import annotations

import datetime as dt
import json
import os
import stat
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
import time_machine
from layered.worlds import tree
from pimem_core.errors import ConflictError
from pimem_core.systems import registry

if TYPE_CHECKING:
    from pathlib import Path

    from layered.worlds import World


@pytest.fixture
def world(both: World) -> World:
    return both


@pytest.fixture
def frozen(utc: None) -> Any:
    with time_machine.travel(dt.datetime(2026, 11, 15, 10, 20, 30, tzinfo=dt.UTC), tick=False):
        yield


def test_list(world: World) -> None:
    world.fill(
        workspace={
            "decisions.md": "# Decisions\n\n## 2026-01-05 Redis\n\nx\n\n## 2026-03-01 Streams\n",
            "sub/notes.md": "\ufeff<!-- c -->\n\n> *Words* of wisdom\n",
            "blank.md": "",
        }
    )
    rows = world.json("list", "--store", "workspace")
    assert [row["name"] for row in rows] == ["blank.md", "decisions.md", "index.md", "sub/notes.md"]
    assert rows[1] | {"tokens": 0} == {
        "store": "workspace",
        "name": "decisions.md",
        "file": "decisions.md",
        "path": str(world.workspace / "decisions.md"),
        "stamp": "2026-03-01",
        "summary": "Redis",
        "pinned": False,
        "stale": False,
        "tokens": 0,
    }
    assert rows[1]["tokens"] > 0
    assert (rows[0]["stamp"], rows[0]["summary"], rows[0]["tokens"]) == (None, "", 0)
    assert rows[3]["summary"] == "*Words* of wisdom"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("I like tabs.\n\nmore", "I like tabs."),
        ("# Team conventions\n\ntext", "Team conventions"),
        ("# Notes\n\nI like tabs.", "I like tabs."),
        ("---\ntitle: x\n---\n\n- a list", "a list"),
        ("## 2026-01-02 Redis\n\n- **status**: active\n", "Redis"),
        ("- **status**: active\n", ""),
        ("[0] x [/] [b", "[0] x [/] [b"),
        ("# 2026 plans", "2026 plans"),
    ],
)
def test_the_summary_is_the_first_text_line(world: World, text: str, said: str) -> None:
    world.fill(workspace={"notes.md": text})
    assert world.layer("workspace").find("notes").summary == said


def test_an_absent_store_is_empty(world: World) -> None:
    world.configure('[layered]\nglobal_dir = "~/nothing"\n')
    assert world.json("list", "--store", "global") == []
    (row,) = world.json("status", "--store", "global")
    assert (row["exists"], row["active"], row["format"]) == (False, False, None)


def test_find(world: World) -> None:
    world.fill(global_={"user/my-style.md": "S", "state/current-task.md": "T", "inbox/x.md": "I"})
    for word in ("user/my-style.md", "user/my-style", "MY-STYLE", "my-st"):
        assert world.json("show", word, "--store", "global")["file"] == "user/my-style.md"
    assert world.json("show", "state/current-task.md", "--store", "global")["body"] == "T"
    assert world.json("show", "inbox/x.md", "--store", "global")["body"] == "I"
    row = world.json("show", "style", "--store", "global", code=1)
    assert row["outcome"] == "ambiguous"
    assert row["candidates"] == ["user/coding-style.md", "user/my-style.md"]
    assert world.json("show", "nothing", "--store", "global", code=1)["outcome"] == "not_found"


@pytest.mark.parametrize("file", ["../secret.md", "/etc/passwd", "a/b/c.md", ".x.md", "x\0.md", ""])
def test_no_path_leads_out(world: World, file: str) -> None:
    (world.project / ".pi" / "secret.md").write_text("SECRET")
    store = world.layer("workspace")
    for act in (store.read, store.read_bytes, store.preview):
        with pytest.raises(Exception, match="names no memory file"):
            act(file)
    with pytest.raises(Exception, match="names no memory file"):
        store.save(file, opened="", text="x")


def test_show_raw_gives_the_bytes(world: World) -> None:
    data = b"\xef\xbb\xbfcaf\xe9\r\n"
    world.fill(workspace={"a.md": data})
    assert world.layer("workspace").read_bytes("a.md") == data
    assert world.json("show", "a.md", "--store", "workspace")["body"].endswith("caf\ufffd\r\n")


def test_search_reads_inbox_and_archive_last(world: World) -> None:
    world.fill(
        workspace={
            "a.md": "needle",
            "archive/b.md": "needle",
            "inbox/c.md": "x\nNEEDLE",
            "z.md": "needle",
        }
    )
    rows = world.json("search", "Needle", "--store", "workspace")
    assert [(row["file"], row["line"]) for row in rows] == [
        ("a.md", None),
        ("z.md", None),
        ("archive/b.md", None),
        ("inbox/c.md", 2),
    ] or [row["file"] for row in rows] == ["a.md", "z.md", "archive/b.md", "inbox/c.md"]
    assert {row["store"] for row in world.json("search", "needle")} == {"workspace"}


def test_write_appends_a_dated_entry_with_the_summary_as_title(world: World, frozen: None) -> None:
    words = ["--store", "workspace", "--summary", "Use\n Redis", "--content", "Because."]
    row = world.json("write", "decisions.md", *words)
    assert (row["outcome"], row["file"]) == ("created", "decisions.md")
    assert world.json("write", "decisions", *words)["outcome"] == "updated"
    entry = "## 2026-11-15 Use Redis\n\nBecause.\n"
    assert (world.workspace / "decisions.md").read_text() == f"{entry}\n{entry}"
    (topic,) = [t for t in world.json("list", "--store", "workspace") if t["stamp"]]
    assert (topic["stamp"], topic["summary"]) == ("2026-11-15", "Use Redis")


def test_write_into_a_placeholder_and_a_new_folder(world: World) -> None:
    words = ["--store", "global", "--summary", "S", "--content", "C"]
    assert world.json("write", "knowledge/bugs.md", *words)["outcome"] == "updated"
    assert "<!--" not in (world.global_dir / "knowledge" / "bugs.md").read_text()
    code, _out, err = world.run("write", "team/a.md", *words)
    assert code == 0
    assert "team/ is not given to the model" in err


def test_write_keeps_line_ends_mode_and_owner(world: World) -> None:
    world.fill(workspace={"a.md": b"one\r\n"})
    path = world.workspace / "a.md"
    path.chmod(0o664)
    if os.getuid() == 0:
        os.chown(path, 12345, 12346)
    world.json("write", "a.md", "--store", "workspace", "--summary", "S", "--content", "x\ny")
    status = path.stat()
    assert path.read_bytes().endswith(b"S\r\n\r\nx\r\ny\r\n")
    assert stat.S_IMODE(status.st_mode) == 0o664
    if os.getuid() == 0:
        assert (status.st_uid, status.st_gid) == (12345, 12346)
        world.run("undo")
        assert path.stat().st_uid == 12345


@pytest.mark.parametrize(
    ("topic", "more", "outcome"),
    [
        ("a.md", ["--pin"], "unsupported"),
        ("a.md", ["--mode", "replace"], "unsupported"),
        ("a.md", ["--type", "user"], "unsupported"),
        ("a.md", ["--summary", " \n"], "invalid_argument"),
        ("../a.md", [], "invalid_topic"),
        ("/tmp/a.md", [], "invalid_topic"),
        ("a/b/c.md", [], "invalid_topic"),
        (".a.md", [], "invalid_topic"),
        ("a/.b.md", [], "invalid_topic"),
        ("inbox/a.md", [], "invalid_topic"),
        ("archive/a.md", [], "invalid_topic"),
        ("state/current-task.md", [], "invalid_topic"),
        ("index.md", [], "invalid_topic"),
        ("a\nb.md", [], "invalid_topic"),
        ("", [], "invalid_topic"),
        ("link.md", [], "invalid_topic"),
        ("linked/x.md", [], "invalid_topic"),
        ("x" * 300, [], "invalid_topic"),
        ("latin.md", [], "storage_error"),
    ],
)
def test_bad_writes_change_nothing(world: World, topic: str, more: list[str], outcome: str) -> None:
    world.fill(workspace={"latin.md": b"caf\xe9"})
    (world.workspace / "link.md").symlink_to("index.md")
    (world.workspace / "linked").symlink_to(world.home)
    before = tree(world.project)
    words = ["--summary", "S", *more, "--content", "C", "--store", "workspace", "--json", "--"]
    code, out, _err = world.run("write", *words, topic)
    assert code == (4 if outcome == "storage_error" else 1), out
    assert f'"outcome": "{outcome}"' in out
    assert tree(world.project) == before


def test_pin_is_unsupported(world: World) -> None:
    for command in ("pin", "unpin"):
        row = world.json(command, "index.md", "--store", "workspace", code=1)
        assert row["outcome"] == "unsupported"


def test_a_credential_needs_a_word_more(world: World) -> None:
    words = [
        "a.md",
        "--summary",
        "S",
        "--content",
        "AKIA" + "Q3EGRIXN7NFHQQ2A",
        "--store",
        "global",
    ]
    assert world.json("write", *words, code=1)["outcome"] == "secret"
    assert world.json("write", *words, "--allow-secret")["outcome"] == "created"


def test_remove_moves_the_file_into_the_journal(world: World) -> None:
    world.fill(workspace={"a.md": "text"})
    path = world.workspace / "a.md"
    path.chmod(0o640)
    row = world.json("remove", "a.md", "--store", "workspace")
    assert row["outcome"] == "removed"
    assert not path.exists()
    (entry,) = [e for e in world.json("history", "--store", "workspace") if e["action"] == "remove"]
    journal = world.home / ".local" / "state" / "pimem" / "undo"
    assert (journal / f"{entry['id']}.keep.json").exists()
    assert world.json("undo")["outcome"] == "undone"
    assert path.read_text() == "text"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert (
        "no workspace memory any more"
        in world.layer("workspace").removal("index.md").goes_and_stays
    )


def test_history_names_every_kind_of_change(world: World) -> None:
    store = world.layer("workspace")
    world.run("write", "a.md", "--store", "workspace", "--summary", "S", "--content", "C")
    world.run("checkpoint")
    (waiting,) = store.inbox()
    store.save(waiting.file, opened=waiting.text, text=waiting.text + "- more\n")
    world.run("promote", waiting.file, "workspace", "a.md")
    store.archive("a.md")
    world.fill(global_={"state/current-task.md": "x"})
    world.run("clear-task")
    world.run("remove", "archive/a.md", "--store", "workspace")
    rows = world.json("history")
    actions = ["remove", "clear", "move", "promote", "edit", "write", "write", "init", "init"]
    assert [row["action"] for row in rows] == actions
    world.run("undo", "7")
    assert {f.file for f in store.files.walk().found} == {"index.md"}


def test_edit_in_an_editor(world: World, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    editor = tmp_path / "editor.sh"
    editor.write_text('#!/bin/sh\necho added >> "$1"\n')
    editor.chmod(0o755)
    monkeypatch.setenv("EDITOR", str(editor))
    world.fill(workspace={"sub/a.md": "text\n"})
    assert world.json("edit", "sub/a.md", "--store", "workspace")["outcome"] == "updated"
    assert (world.workspace / "sub" / "a.md").read_text() == "text\nadded\n"
    # The task state is begun by editing it.
    assert world.json("edit", "state/current-task.md", "--store", "global")["outcome"] == "updated"
    assert "added" in world.block()


def test_save_merges_or_tells_of_a_conflict(world: World) -> None:
    world.fill(workspace={"a.md": "one\ntwo\nthree\n"})
    store = world.layer("workspace")
    opened = "one\ntwo\nthree\n"
    (world.workspace / "a.md").write_text("one\ntwo\nTHREE\n")
    change = store.save("a.md", opened=opened, text="ONE\ntwo\nthree\n")
    assert "merged" in change.message
    assert (world.workspace / "a.md").read_text() == "ONE\ntwo\nTHREE\n"
    with pytest.raises(ConflictError) as caught:
        store.save("a.md", opened=opened, text="uno\ntwo\nthree\n")
    assert "<<<<<<<" in caught.value.merged
    assert store.save("a.md", opened="x", text="x").outcome == "unchanged"
    (world.workspace / "a.md").unlink()
    with pytest.raises(ConflictError, match="was deleted"):
        store.save("a.md", opened=opened, text="more\n")


def test_undo_refuses_what_somebody_changed_since(world: World) -> None:
    world.run("write", "a.md", "--store", "workspace", "--summary", "S", "--content", "C")
    (world.workspace / "a.md").write_text("other")
    row = world.json("undo", code=1)
    assert [row[key] for key in ("outcome", "store", "name", "file")] == [
        "conflict",
        "workspace",
        "a.md",
        "a.md",
    ]
    assert (world.workspace / "a.md").read_text() == "other"


def test_a_layer_can_be_named_before_it_is_there(world: World) -> None:
    world.configure('[layered]\nglobal_dir = "~/nothing"\nworkspace_dir = "nothing"\n')
    assert [store.name for store in registry.all_stores(world.places)] == ["local", "shared"]
    words = ["--summary", "S", "--content", "C"]
    for name in ("global", "workspace"):
        code, _out, err = world.run("write", "a.md", "--store", name, *words)
        assert code == 0
        assert f"pimem init {name} creates it" in err
    world.configure('[systems]\nlayered = "on"\n[layered]\nglobal_dir = "~/nothing/at/all"\n')
    assert "global" in {store.name for store in registry.all_stores(world.places)}


def test_stores_by_name_system_and_folder(world: World) -> None:
    names = {store.name for store in registry.all_stores(world.places)}
    assert names >= {"global", "workspace"}
    assert registry.find_store("layered", world.places).name == "workspace"
    assert registry.find_store(str(world.global_dir), world.places).name == "global"
    other = world.home / "elsewhere" / ".pi" / "memory"
    other.mkdir(parents=True)
    (other / "index.md").write_text("")
    (other / "a.md").write_text("text")
    assert [row["file"] for row in world.json("list", "--dir", str(other))] == ["a.md", "index.md"]
    row = world.json("write", "b.md", "--dir", str(other), "--summary", "S", "--content", "C")
    assert row["store"] == str(other)
    assert world.json("undo", "--dir", str(other))["outcome"] == "undone"
    assert not (other / "b.md").exists()


def test_listing_openpi_loads_nothing_of_layered_memory() -> None:
    script = (
        "import sys\nfrom pimem_core.cli import main\nmain(['list'], open_manager=lambda *a: 0)\n"
        "print(*sorted(m for m in sys.modules if 'layered' in m or m in "
        "('markdown_it', 'pathlib', 'dataclasses', 'typing', 'subprocess', 'filelock')))"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-S", "-c", script],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    )
    own = [f"pimem_core.systems.layered{name}" for name in ("", ".folder", ".system")]
    assert done.stdout.split() == own


def test_a_prompt_loads_no_markdown_parser(world: World) -> None:
    world.fill(workspace={"a.md": "## 2026-01-01 T\n" * 500})
    session = {"id": "s", "cwd": str(world.project), "features": ["sections"]}
    request = json.dumps({"id": 1, "event": "before_agent_start", "session": session})
    script = (
        "import sys\nfrom pimem_core.hooks.serve import main\nmain(['before_agent_start'])\n"
        "print(*sorted(m for m in sys.modules if m in ('markdown_it', 'pathlib', 'dataclasses', "
        "'typing', 'subprocess', 'filelock', 'textual')), file=sys.stderr)"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-S", "-c", script],
        input=request,
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    )
    assert "pi_memory" in done.stdout
    assert done.stderr.split() == []


@pytest.mark.parametrize("file", ["knowledge/link.md", "inbox/link.md", "user/bytes.md"])
def test_a_refusal_names_the_file_with_its_folder(world: World, file: str) -> None:
    world.fill(global_={"user/bytes.md": b"\xff", "knowledge/a.md": "", "inbox/a.md": ""})
    for folder in ("knowledge", "inbox"):
        (world.global_dir / folder / "link.md").symlink_to("a.md")
    words = {
        "knowledge/link.md": ("show", file),
        "inbox/link.md": ("promote", file, "user", "x.md"),
        "user/bytes.md": ("write", file, "--summary", "S", "--content", "C"),
    }[file]
    code = 4 if file == "user/bytes.md" else 1
    assert world.json(*words, "--store", "global", code=code)["file"] == file
