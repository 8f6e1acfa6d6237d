"""write, pin, unpin and remove: outcomes, exit codes, and what stays when one is refused."""

from __future__ import annotations

import os
import subprocess
import time
from typing import TYPE_CHECKING

import pytest
from cli.running import COMMAND, environment, run
from core.folders import snapshot, topic_text
from waiting import PATIENCE_S

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from cli.running import Pimem
    from core.folders import Folder

SECRET = "ghp_" + "a1B2" * 9


def test_a_change_prints_what_it_did(pimem: Pimem, empty: Folder) -> None:
    words = ["write", "New topic", "--summary", "a  summary", "--content", "text"]
    created = pimem(*words, "--json")
    assert created.code == 0
    assert created.json == {
        "outcome": "created",
        "store": "local",
        "name": "New topic",
        "file": "new-topic.md",
        "message": created.json["message"],
    }
    updated = pimem(*words, "--pin")
    assert updated.code == 0
    assert updated.out == 'Updated "New topic" (new-topic.md).\n'
    topic = pimem.json("list")[0]
    assert (topic["summary"], topic["pinned"]) == ("a summary", True)


@pytest.mark.parametrize(
    ("words", "code", "outcome"),
    [
        (["pin", "docker net"], 0, "pinned_now"),
        (["pin", "docker setup"], 0, "unchanged"),
        (["unpin", "docker setup"], 0, "unpinned_now"),
        (["unpin", "docker net"], 0, "unchanged"),
        (["remove", "docker net"], 0, "removed"),
        (["remove", "docker setup"], 1, "pinned"),
        (["remove", "docker"], 1, "ambiguous"),
        (["pin", "docker"], 1, "ambiguous"),
        (["remove", "nothing"], 1, "not_found"),
        (["unpin", "unlisted.md"], 1, "not_found"),
        (["remove", ""], 1, "ambiguous"),
        (["write", "a(b)", "--summary", "s", "--content", "c"], 1, "invalid_topic"),
        (["write", "MEMORY", "--summary", "s", "--content", "c"], 1, "invalid_topic"),
        (["write", "Last Session  Recap", "--summary", "s", "--content", "c"], 1, "reserved_topic"),
        (["write", "X", "--summary", "s", "--content", SECRET], 1, "secret"),
        (["write", "X", "--summary", SECRET, "--content", "c"], 1, "secret"),
        (["write", "X", "--summary", "s", "--content", "c", "--type", "user"], 1, "unsupported"),
        (["write", "X", "--summary", "s", "--content", "c", "--title", "T"], 1, "unsupported"),
        (["write", "X", "--summary", "s", "--file", "/nowhere"], 1, "invalid_argument"),
    ],
)  # fmt: skip
def test_outcomes_and_exit_codes(
    pimem: Pimem, local: Folder, words: list[str], code: int, outcome: str
) -> None:
    before = snapshot(local.path)
    result = pimem("--json", *words)
    assert (result.code, result.json["outcome"]) == (code, outcome)
    assert {"outcome", "store", "name", "file", "message"} <= result.json.keys()
    assert result.json["store"] == "local"
    assert ("candidates" in result.json) == (outcome == "ambiguous")
    assert SECRET not in result.out + result.err
    if code or outcome == "unchanged":
        assert snapshot(local.path) == before
    said = pimem(*words)
    assert bool(said.err) == (said.code != 0)
    assert bool(said.out) == (said.code == 0)


def test_a_change_of_an_absent_store_says_that_there_is_no_index(
    pimem: Pimem, empty: Folder
) -> None:
    for command in ("pin", "unpin", "remove"):
        result = pimem("--json", command, "x")
        assert (result.code, result.json["outcome"]) == (1, "no_index")


@pytest.mark.parametrize("there", [True, False])
def test_programs_that_watch_the_shared_store_are_told_of_a_change(
    pimem: Pimem, empty: Folder, isolated_home: Path, there: bool
) -> None:
    mark = isolated_home / ".agents/memory/.invalidate"
    mark.parent.mkdir(parents=True)
    if there:
        mark.touch()
        os.utime(mark, (1, 1))
    pimem("write", "A", "--summary", "s", "--content", "c", "--store", "shared")
    assert mark.exists() == there
    if there:
        assert mark.stat().st_mtime > 1
        os.utime(mark, (1, 1))
        assert pimem("remove", "nothing", "--store", "shared").code == 1
        assert mark.stat().st_mtime == 1


def test_lines_that_maintenance_dropped_are_named(pimem: Pimem, local: Folder) -> None:
    (local.path / "old-thing.md").unlink()
    result = pimem.json("pin", "docker net")
    assert result["dropped"] == ["Old thing"]
    assert "Dropped 1 index line" in result["message"]


def test_a_credential_is_stored_only_when_it_is_asked_for(pimem: Pimem, empty: Folder) -> None:
    words = ["write", "Key", "--summary", "s", "--content", f"one\n{SECRET}"]
    refused = pimem(*words)
    assert "Line 2" in refused.err
    beside = pimem("write", "Key", "--summary", SECRET, "--content", "c", "--json").json["message"]
    assert beside.startswith("The summary looks like a credential")
    assert pimem(*words, "--allow-secret").code == 0
    assert SECRET in empty.text("key.md")


@pytest.mark.parametrize(
    ("data", "stored"),
    [
        (b"text\n", "text"),
        (b"text", "text"),
        (b"text\n\n", "text\n"),
        (b"text\r\n", "text"),
        (b"text\r", "text\r"),
        (b"\n", ""),
        (b"", ""),
        ("é日本😀\n".encode(), "é日本😀"),
        (b"a\x00b\n", "a\x00b"),
    ],
)
def test_one_final_newline_of_stdin_and_file_is_dropped(
    pimem: Pimem, empty: Folder, tmp_path: Path, data: bytes, stored: str
) -> None:
    file = tmp_path / "content"
    file.write_bytes(data)
    assert pimem("write", "A", "--summary", "s", stdin=data).code == 0
    assert pimem("write", "B", "--summary", "s", "--file", str(file)).code == 0
    assert pimem.json("show", "a.md")["body"] == f"\n{stored}\n"
    assert pimem.json("show", "b.md")["body"] == f"\n{stored}\n"


def test_content_is_verbatim(pimem: Pimem, empty: Folder) -> None:
    pimem("write", "A", "--summary", "s", "--content", " text \n\n")
    assert pimem.json("show", "A")["body"] == "\n text \n\n\n"


def test_replace_puts_a_body_in_place_and_append_adds_a_dated_section(
    pimem: Pimem, local: Folder
) -> None:
    pimem("write", "docker net", "--summary", "s", "--content", "more")
    body = pimem.json("show", "docker net")["body"]
    assert body.startswith("\noverlay\n\n## 20")
    assert body.endswith("\n\nmore\n")
    pimem("write", "docker net", "--summary", "s", "--content", "all", "--mode", "replace")
    assert pimem.json("show", "docker net")["body"] == "\nall\n"


@pytest.mark.parametrize("data", [b"\xff", b"ok\xc3\n"])
def test_content_that_is_no_utf8_is_refused(
    pimem: Pimem, local: Folder, tmp_path: Path, data: bytes
) -> None:
    before = snapshot(local.path)
    file = tmp_path / "content"
    file.write_bytes(data)
    for words, stdin in (([], data), (["--file", str(file)], b"")):
        result = pimem("--json", "write", "A", "--summary", "s", *words, stdin=stdin)
        assert (result.code, result.json["outcome"]) == (1, "invalid_argument")
        assert "UTF-8" in result.json["message"]
    assert snapshot(local.path) == before


def test_a_file_may_be_a_pipe_but_not_a_folder(pimem: Pimem, empty: Folder, tmp_path: Path) -> None:
    reading, writing = os.pipe()
    os.write(writing, b"from a pipe\n")
    os.close(writing)
    assert pimem("write", "A", "--summary", "s", "--file", f"/dev/fd/{reading}").code == 0
    os.close(reading)
    assert empty.text("a.md").endswith("\nfrom a pipe\n")
    os.mkfifo(tmp_path / "fifo")
    for path in (tmp_path, tmp_path / "fifo", "/dev/null"):
        result = pimem("--json", "write", "B", "--summary", "s", "--file", str(path))
        assert (result.code, result.json["outcome"]) == (1, "invalid_argument")


def test_a_held_lock_is_busy(pimem: Pimem, local: Folder) -> None:
    lock = local.path / ".lock"
    lock.write_text(f"{os.getpid()}\t{time.time_ns() // 1_000_000}\tabc")
    before = snapshot(local.path)
    result = pimem("--json", "pin", "docker net")
    assert (result.code, result.json["outcome"]) == (3, "busy")
    assert f"Process {os.getpid()}" in result.json["message"]
    assert snapshot(local.path) == before


def test_a_lock_that_no_live_process_holds_is_taken(pimem: Pimem, local: Folder) -> None:
    gone = subprocess.Popen(["true"])
    gone.wait()
    for content, age_s in ((f"{gone.pid}\t1\tx", 11), (f"{gone.pid}", 11), ("", 61), ("x\ty", 61)):
        lock = local.path / ".lock"
        lock.write_text(content)
        moment = time.time() - age_s
        os.utime(lock, (moment, moment))
        assert pimem("write", "A", "--summary", "s", "--content", "c").code == 0
        assert not lock.exists()


def test_other_mens_front_matter_survives_a_write(pimem: Pimem, local: Folder) -> None:
    old = "---\n# mine\ntags: [a, b]\nname: 'Docker net'\nx:\n  y: 1\n---\nbody"
    local.fill({"docker-net.md": old})
    pimem("write", "docker net", "--summary", "s", "--content", "c")
    text = local.text("docker-net.md")
    assert text.startswith('---\n# mine\ntags: [a, b]\nname: "docker net"\nx:\n  y: 1\n')


def test_two_topics_with_one_slug_get_two_files(pimem: Pimem, empty: Folder) -> None:
    assert (
        pimem.json("write", "Foo Bar", "--summary", "s", "--content", "1")["file"] == "foo-bar.md"
    )
    assert (
        pimem.json("write", "foo-bar!", "--summary", "s", "--content", "2")["file"]
        == "foo-bar-2.md"
    )
    assert empty.text("foo-bar.md").endswith("\n1\n")


def test_without_a_terminal_nothing_asks(empty: Folder) -> None:
    done = run("write", "A", "--summary", "s", stdin=b"text\n")
    assert (done.code, done.err) == (0, "")


def test_with_stdin_closed_nothing_is_written(empty: Folder) -> None:
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" <&-', "sh", *COMMAND, "write", "A", "--summary", "s"],
        capture_output=True,
        env=environment(),
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode == 1
    assert b"Standard input is closed" in done.stderr
    assert not empty.path.exists()


def test_private_files_stay_private_under_any_umask(empty: Folder, isolated_home: Path) -> None:
    for umask in ("000", "777", "027"):
        done = subprocess.run(
            ["sh", "-c", 'umask "$0"; exec "$@"', umask, *COMMAND, "write", f"T{umask}",
             "--summary", "s", "--content", "c"],
            capture_output=True,
            env=environment(),
            timeout=PATIENCE_S,
            check=False,
        )  # fmt: skip
        assert (done.returncode, done.stderr) == (0, b"")
    for path in [isolated_home / ".pi", *(isolated_home / ".pi").rglob("*"),
                 *(isolated_home / ".local/state/pimem").rglob("*")]:  # fmt: skip
        wanted = 0o700 if path.is_dir() else 0o600
        assert path.stat().st_mode & 0o777 == wanted, path
    assert not (empty.path / ".lock").exists()


def test_a_changed_file_becomes_private_as_the_pairs_do(pimem: Pimem, local: Folder) -> None:
    (local.path / "docker-net.md").chmod(0o666)
    pimem("write", "docker net", "--summary", "s", "--content", "c")
    assert (local.path / "docker-net.md").stat().st_mode & 0o777 == 0o600
    assert (local.path / "MEMORY.md").stat().st_mode & 0o777 == 0o600


def test_a_topic_that_is_no_regular_file_is_refused(pimem: Pimem, local: Folder) -> None:
    target = local.path / "target.txt"
    target.write_text("theirs")
    path = local.path / "docker-net.md"
    kinds: list[Callable[[], None]] = [
        lambda: path.symlink_to(target),
        lambda: path.mkdir(),
        lambda: os.mkfifo(path),
    ]
    for make in kinds:
        path.unlink()
        make()
        for words in (
            ["show", "docker net"],
            ["write", "docker net", "--summary", "s", "--content", "c"],
            ["pin", "docker net"],
            ["unpin", "docker net"],
        ):
            result = pimem("--json", *words)
            assert (result.code, result.json["outcome"]) == (1, "invalid_topic"), words
            assert str(path) in result.json["message"]
        assert len(pimem.json("list")) == 3
        if path.is_dir():
            path.rmdir()
            path.touch()
    assert target.read_text() == "theirs"


def test_a_foreign_folder_refuses_every_change_and_says_why(
    pimem: Pimem, empty: Folder, isolated_home: Path
) -> None:
    empty.fill({"MEMORY.md": "free text\n§\nmore\n", "a.md": topic_text("A")})
    before = snapshot(isolated_home)
    for words in (
        ["write", "A", "--summary", "s", "--content", "c"],
        ["pin", "A"],
        ["unpin", "A"],
        ["remove", "A"],
        ["edit", "a.md"],
        ["edit", "nothing"],
    ):
        result = pimem("--json", *words)
        assert (result.code, result.json["outcome"]) == (1, "read_only_format"), words
        assert "pi-hermes-memory" in result.json["message"]
    listed = pimem("list", "--json")
    assert (listed.code, listed.json) == (0, [])
    assert "pi-hermes-memory" in listed.err
    assert pimem.json("search", "body")[0]["file"] == "a.md"
    assert snapshot(isolated_home) == before


def test_files_of_another_folder_keep_their_rights(pimem: Pimem, tmp_path: Path) -> None:
    folder = tmp_path / "other"
    folder.mkdir()
    line = "- [A](a.md) 2026-11-01 -- s\n"
    for name, text in (("MEMORY.md", f"# Memory Index\n\n{line}"), ("a.md", topic_text("A"))):
        (folder / name).write_text(text)
        (folder / name).chmod(0o664)
    words = ["--summary", "s", "--content", "c", "--dir", str(folder)]
    assert pimem("write", "A", *words).code == 0
    assert pimem("write", "B", *words).code == 0
    assert pimem("pin", "A", "--dir", str(folder)).code == 0
    found = {path.name: path.stat().st_mode & 0o777 for path in folder.iterdir()}
    assert found == {"MEMORY.md": 0o664, "a.md": 0o664, "b.md": 0o600}


def test_registering_with_pi_is_told_as_a_change(pimem: Pimem, empty: Folder) -> None:
    done = [pimem.json("pi", word) for word in ("install", "install", "uninstall", "uninstall")]
    assert [row["outcome"] for row in done] == [
        "installed",
        "unchanged",
        "uninstalled",
        "unchanged",
    ]
    assert all({"store", "name", "file", "message"} <= row.keys() for row in done)
