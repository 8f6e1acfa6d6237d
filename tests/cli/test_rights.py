"""Folders and files that this user may not read or write, or that are none: said, never hung."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from cli.running import Result, environment
from core.folders import HEADER, snapshot, topic_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

NOBODY = 65534
READS = (["list"], ["show", "a.md"], ["search", "body"], ["status"])
WRITE = ["write", "A", "--summary", "s", "--content", "c"]
CHANGES = (WRITE, ["pin", "A"], ["remove", "A"])


class Nobody:
    """A user without rights, with a store of one topic in a home that others can reach."""

    def __init__(self, home: Path, server: subprocess.Popen[str]) -> None:
        self.home = home
        self.server = server
        self.agent = home / ".pi/agent"
        self.store = self.agent / "memory"
        self.store.mkdir(parents=True)
        (self.store / "MEMORY.md").write_text(HEADER + "- [A](a.md) 2026-11-01 -- s\n")
        (self.store / "a.md").write_text(topic_text("A"))
        (self.agent / "memory.jsonc").write_text("{}")
        self.own()

    def own(self) -> None:
        """Give everything to the user; what is made later stays ours."""
        if os.getuid() == 0:
            for path in [self.home, *self.home.rglob("*")]:
                os.chown(path, NOBODY, NOBODY, follow_symlinks=False)

    def __call__(self, *words: str, refused: Path | None = None) -> Result:
        request = {
            "probe": str(refused or ""),
            "home": str(self.home),
            "words": ["--json", *words],
        }
        assert self.server.stdin is not None
        assert self.server.stdout is not None
        self.server.stdin.write(json.dumps(request) + "\n")
        self.server.stdin.flush()
        done = json.loads(self.server.stdout.readline())
        assert done["code"] != 77, f"{refused} could be opened: the test tests nothing"
        return Result(done["code"], done["out"].encode("latin-1"), done["err"].encode("latin-1"))


@pytest.fixture(scope="module")
def server() -> Iterator[subprocess.Popen[str]]:
    script = str(Path(__file__).parent / "unprivileged.py")
    with subprocess.Popen(
        [sys.executable, script],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=environment(),
    ) as started:
        yield started
        assert started.stdin is not None
        started.stdin.close()


@pytest.fixture
def nobody(server: subprocess.Popen[str]) -> Iterator[Nobody]:
    # pytest's own folders are closed to others.
    home = Path(tempfile.mkdtemp(prefix="pimem-rights-"))
    home.chmod(0o755)
    try:
        yield Nobody(home, server)
    finally:
        for path in [home, *home.rglob("*")]:
            if path.is_dir() and not path.is_symlink():
                path.chmod(0o700)
        shutil.rmtree(home)


def failed(result: Result, path: Path) -> None:
    assert (result.code, result.json["outcome"]) == (4, "storage_error")
    assert str(path) in result.json["message"]


def test_an_unreadable_index_is_an_error_for_all_but_status(nobody: Nobody) -> None:
    index = nobody.store / "MEMORY.md"
    index.chmod(0)
    before = snapshot(nobody.home)
    for words in [*READS[:2], ["search", "x", "--store", "local"], *CHANGES]:
        failed(nobody(*words, refused=index), index)
    status = nobody("status", refused=index)
    assert status.code == 0
    assert any(str(index) in note for note in status.json[0]["notes"])
    everywhere = nobody("search", "x", refused=index)
    assert (everywhere.code, everywhere.json) == (4, [])
    assert str(index) in everywhere.err
    (nobody.agent / "memory.jsonc").write_text('{"always_ask": ["All"]}')
    given = nobody("inject", refused=index)
    assert (given.code, given.err.count(str(index))) == (4, 1)
    assert [part["name"] for part in given.json["systems"][0]["parts"]] == ["rules"]
    after = snapshot(nobody.store)
    assert after == {path: entry for path, entry in before.items() if path in after}


def test_an_unreadable_topic_is_an_error_where_its_text_is_needed(nobody: Nobody) -> None:
    topic = nobody.store / "a.md"
    topic.chmod(0)
    before = snapshot(nobody.store)
    failed(nobody("show", "A", refused=topic), topic)
    failed(nobody("show", "A", "--raw", refused=topic), topic)
    failed(nobody(*WRITE, refused=topic), topic)
    assert snapshot(nobody.store) == before
    assert nobody("list", refused=topic).json[0]["name"] == "A"
    assert nobody("search", "body", refused=topic).json == []
    assert nobody("pin", "A", refused=topic).json["outcome"] == "pinned_now"


@pytest.mark.parametrize("mode", [0o000, 0o444, 0o111])
def test_a_folder_without_rights_is_an_error_and_never_empty(nobody: Nobody, mode: int) -> None:
    nobody.store.chmod(mode)
    for words in [["list"], ["show", "A"], *CHANGES]:
        failed(nobody(*words, refused=nobody.store), nobody.store)
    status = nobody("status", refused=nobody.store).json[0]
    assert any(str(nobody.store) in note for note in status["notes"])
    nobody.store.chmod(0o755)
    assert sorted(os.listdir(nobody.store)) == ["MEMORY.md", "a.md"]


def test_a_folder_above_without_rights_is_an_error(nobody: Nobody) -> None:
    nobody.agent.chmod(0)
    for words in [["list"], WRITE]:
        assert nobody(*words, refused=nobody.agent).code == 4


def test_a_read_only_folder_can_be_read_and_refuses_changes(nobody: Nobody) -> None:
    nobody.store.chmod(0o555)
    before = snapshot(nobody.store)
    for words in READS:
        assert nobody(*words, refused=nobody.store).code == 0
    for words in CHANGES:
        failed(nobody(*words, refused=nobody.store), nobody.store)
    assert snapshot(nobody.store) == before


def test_a_home_without_rights_says_that_nothing_can_be_recorded(nobody: Nobody) -> None:
    state = nobody.home / ".local"
    state.mkdir()
    state.chmod(0)
    before = snapshot(nobody.store)
    result = nobody(*WRITE, refused=state)
    assert (result.code, result.json["outcome"]) == (4, "storage_error")
    assert snapshot(nobody.store) == before


def test_a_file_in_place_of_the_state_folder_is_named_and_nothing_changes(nobody: Nobody) -> None:
    state = nobody.home / ".local/state/pimem"
    state.parent.mkdir(parents=True)
    state.touch()
    nobody.own()
    before = snapshot(nobody.store)
    for words in CHANGES:
        message = nobody(*words).json["message"]
        assert message.startswith(str(state))
        assert "Not a directory; nothing was changed" in message
    assert snapshot(nobody.store) == before


def test_a_history_that_cannot_be_read_is_a_refusal_as_any_other(nobody: Nobody) -> None:
    state = nobody.home / ".local/state/pimem"
    state.parent.mkdir(parents=True)
    state.symlink_to(state)
    refused = nobody("history")
    assert (refused.code, refused.json["outcome"], refused.json["name"]) == (4, "storage_error", "")


@pytest.mark.parametrize("name", ["memory.jsonc", "RULES.jsonc"])
def test_an_unreadable_configuration_is_a_notice(nobody: Nobody, name: str) -> None:
    path = nobody.agent / name
    if name == "RULES.jsonc":
        (nobody.agent / "memory.jsonc").unlink()
        path = nobody.store / name
        path.write_text("{}")
    path.chmod(0)
    listed = nobody("list", refused=path)
    assert (listed.code, len(listed.json)) == (0, 1)
    assert str(path) in listed.err
    assert nobody("config", refused=path).code == 1


def make_socket(path: Path) -> None:
    # The name of a socket is short; the folder may be long.
    here = os.open(path.parent, os.O_RDONLY)
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(f"/proc/self/fd/{here}/{path.name}")
    os.close(here)


KINDS: dict[str, Callable[[Path], object]] = {
    "folder": lambda path: path.mkdir(),
    "pipe": lambda path: os.mkfifo(path),
    "socket": make_socket,
    "link": lambda path: path.symlink_to("/etc/passwd"),
    "dangling": lambda path: path.symlink_to("/nowhere/at/all"),
    "loop": lambda path: path.symlink_to(path),
}


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> Callable[[Path], object]:
    return KINDS[request.param]


def test_an_index_that_is_no_file_is_an_error(
    nobody: Nobody, kind: Callable[[Path], object]
) -> None:
    index = nobody.store / "MEMORY.md"
    index.unlink()
    kind(index)
    before = snapshot(nobody.store)
    for words in [["list"], ["show", "A"], *CHANGES]:
        failed(nobody(*words), index)
    assert nobody("status").code == 0
    assert snapshot(nobody.store) == before


def test_a_topic_that_is_no_file_is_refused(nobody: Nobody, kind: Callable[[Path], object]) -> None:
    topic = nobody.store / "a.md"
    topic.unlink()
    kind(topic)
    before = snapshot(nobody.store)
    for words in (["show", "A"], ["show", "A", "--raw"], WRITE):
        result = nobody(*words)
        assert (result.code, result.json["outcome"]) == (1, "invalid_topic")
        assert str(topic) in result.json["message"]
    for words in (["list"], ["search", "A"], ["status"]):
        assert nobody(*words).code == 0
    assert snapshot(nobody.store) == before


def test_a_lock_that_is_no_file_is_busy(nobody: Nobody, kind: Callable[[Path], object]) -> None:
    lock = nobody.store / ".lock"
    kind(lock)
    before = snapshot(nobody.store)
    result = nobody("pin", "A")
    assert (result.code, result.json["outcome"]) == (3, "busy")
    assert str(lock) in result.json["message"]
    assert snapshot(nobody.store) == before


def test_a_list_of_removed_topics_that_is_no_file_stops_changes_of_the_shared_store(
    nobody: Nobody, kind: Callable[[Path], object]
) -> None:
    shared = nobody.home / ".agents/memory"
    nobody.store.rename(nobody.home / "moved")
    shared.parent.mkdir()
    (nobody.home / "moved").rename(shared)
    nobody.own()
    kind(shared / ".ocl-removed")
    before = snapshot(shared)
    for words in (WRITE, ["remove", "A"]):
        failed(nobody("--store", "shared", *words), shared / ".ocl-removed")
    assert nobody("--store", "shared", "list").code == 0
    assert snapshot(shared) == before


def test_a_configuration_that_is_no_file_is_a_notice(
    nobody: Nobody, kind: Callable[[Path], object]
) -> None:
    path = nobody.agent / "memory.jsonc"
    path.unlink()
    kind(path)
    for words in (["list"], WRITE):
        result = nobody(*words)
        assert result.code == 0
        assert str(path) in result.err
    assert nobody("config").code == 1


@pytest.mark.parametrize("name", ["pipe", "socket", "dangling", "loop", "link"])
def test_a_store_that_is_no_folder_is_an_error(nobody: Nobody, name: str) -> None:
    shutil.rmtree(nobody.store)
    KINDS[name](nobody.store)
    before = snapshot(nobody.agent)
    for words in [["list"], ["show", "A"], *CHANGES]:
        failed(nobody(*words), nobody.store)
    assert nobody("status").code == 0
    assert snapshot(nobody.agent) == before


def test_a_linked_store_folder_can_be_read_and_refuses_changes_naming_the_real_one(
    nobody: Nobody,
) -> None:
    real = nobody.home / "dotfiles"
    nobody.store.rename(real)
    nobody.store.symlink_to(real)
    assert [row["name"] for row in nobody("list").json] == ["A"]
    assert nobody("show", "A").code == 0
    before = snapshot(real)
    for words in CHANGES:
        failed(nobody(*words), real)
    assert snapshot(real) == before


def test_a_huge_file_stalls_nothing(nobody: Nobody) -> None:
    with (nobody.store / "a.md").open("r+b") as file:
        file.seek(100_000_000)
        file.write(b"needle\n")
    (nobody.store / "b.md").write_text("needle here\n")
    assert len(nobody("list").json) == 1
    assert [row["file"] for row in nobody("search", "needle here").json] == ["b.md"]
    assert nobody("pin", "A").code == 0
    assert nobody("status").json[0]["bytes"] > 100_000_000
