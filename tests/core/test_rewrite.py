"""Configuration files that several processes change: no change is lost, nothing misread."""

from __future__ import annotations

import fcntl
import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pimem_core.errors import ConflictError, StorageError
from pimem_core.files.read import is_there
from pimem_core.files.rewrite import rewrite
from pimem_core.formats import jsonedit
from pimem_core.history import transaction
from pimem_core.pi import package
from pimem_core.settings.config import load_settings, settings_path
from pimem_core.settings.editing import change_setting
from pimem_core.systems import registry
from pimem_core.systems.openpi import config
from pimem_core.systems.openpi.system import OpenpiSystem
from pimem_core.systems.stores import WriteRequest

if TYPE_CHECKING:
    from pimem_core.paths import Places

_WRITER = """
import sys
from pimem_core.files.rewrite import rewrite
path, name, count = sys.argv[1:]
for n in range(int(count)):
    rewrite(path, lambda text: text + f"{name}{n}\\n")
"""


def _run(*arguments: str) -> subprocess.Popen[bytes]:
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.Popen([sys.executable, "-c", _WRITER, *arguments], env=env)


def test_two_processes_lose_no_change(tmp_path: Path) -> None:
    path = tmp_path / "config"
    writers = [_run(str(path), name, "60") for name in "ab"]
    assert [writer.wait(60) for writer in writers] == [0, 0]
    lines = path.read_text().split()
    assert sorted(lines) == sorted(f"{name}{n}" for name in "ab" for n in range(60))
    assert not list(tmp_path.glob("*.tmp-*"))


def test_what_another_program_writes_in_between_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "config"
    path.write_text("one\n")
    calls = []

    def edit(text: str) -> str:
        calls.append(text)
        if len(calls) == 1:
            path.write_text("one\nforeign\n")
        return f"{text}mine\n"

    assert rewrite(str(path), edit) == ("one\nforeign\n", "one\nforeign\nmine\n")
    assert path.read_text() == "one\nforeign\nmine\n"


def test_a_program_that_never_stops_is_a_conflict(tmp_path: Path) -> None:
    path = tmp_path / "config"
    path.write_text("")

    def edit(text: str) -> str:
        path.write_text(f"{text}x")
        return f"{text}mine"

    with pytest.raises(ConflictError, match="keeps being changed"):
        rewrite(str(path), edit)
    assert set(path.read_text()) == {"x"}
    assert not list(tmp_path.glob("*.tmp-*"))


@pytest.mark.parametrize("error", [OSError(5, "EIO"), OSError(116, "ESTALE")])
def test_a_file_that_cannot_be_looked_at_is_not_missing(
    places: Places, monkeypatch: pytest.MonkeyPatch, error: OSError
) -> None:
    """Whatever call fails, no such file is replaced by a fresh one."""
    change_setting(places, "theme", "dark")
    config.change(places, "max_lines", 77)
    own, theirs = Path(settings_path(places)), Path(config.config_path(places))
    own.write_text("# mine\n" + own.read_text())
    before = own.read_bytes(), theirs.read_bytes()

    def failing(call: object) -> object:
        def fails(path: object, *arguments: object, **options: object) -> object:
            if str(path) in (str(own), str(theirs)):
                raise error
            return call(path, *arguments, **options)  # type: ignore[operator]

        return fails

    for name in ("open", "stat", "lstat"):
        with monkeypatch.context() as patched:
            patched.setattr(os, name, failing(getattr(os, name)))
            with pytest.raises(StorageError):
                change_setting(places, "undo.max_mb", 5)
            with pytest.raises(StorageError):
                config.change(places, "max_lines", 88)
            if name == "open":
                assert "cannot be read" in str(load_settings(places)[1])
        assert (own.read_bytes(), theirs.read_bytes()) == before, name


def test_what_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "link").symlink_to("nowhere")
    (tmp_path / "file").write_text("")
    (tmp_path / "loop").symlink_to("loop")
    assert is_there(str(tmp_path / "link"))
    assert not is_there(str(tmp_path / "link"), follow=True)
    assert not is_there(str(tmp_path / "loop"), follow=True)
    assert not is_there(str(tmp_path / "file" / "below"))
    monkeypatch.setattr(os, "stat", _eio)
    monkeypatch.setattr(os, "lstat", _eio)
    with pytest.raises(StorageError, match="cannot be looked at"):
        is_there(str(tmp_path / "file"))


def _eio(*_arguments: object, **_options: object) -> object:
    raise OSError(5, "Input/output error")


def test_without_locks_the_comparison_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fcntl, "flock", _eio)
    assert rewrite(str(tmp_path / "x"), lambda text: f"{text}a")[1] == "a"


TWICE = '{"a": [1], "b": 1, "a": [2, 3], "b": 2}'


def test_of_a_key_that_is_there_twice_the_one_that_counts_is_edited() -> None:
    assert json.loads(jsonedit.add_item(TWICE, "a", 4))["a"] == [2, 3, 4]
    assert json.loads(jsonedit.set_item(TWICE, "a", 1, 9))["a"] == [2, 9]
    assert json.loads(jsonedit.remove_item(TWICE, "a", 0))["a"] == [3]
    assert json.loads(jsonedit.set_value(TWICE, "b", 7))["b"] == 7
    assert jsonedit.raw_item(TWICE, "a", 1) == "3"


def test_uninstall_does_not_forget_what_to_put_back(places: Places) -> None:
    settings = Path(package.settings_path(places))
    settings.parent.mkdir(parents=True)
    settings.write_text('{"packages": ["npm:openpi-memory"]}\n')
    package.install(places, registry.SYSTEMS, take_over=True)
    installed = settings.read_text()
    (record,) = Path(places.state_dir).glob("pi-install.json")
    good = record.read_text()
    for broken in ("{", "{}", "[1]", '[{"key": 1}]', "[" * 5000):
        record.write_text(broken)
        with pytest.raises(StorageError, match=r"pi-install\.json is broken"):
            package.uninstall(places)
        assert settings.read_text() == installed
        assert record.read_text() == broken
    record.write_text(good)
    assert package.uninstall(places).changed
    assert json.loads(settings.read_text()) == {"packages": ["npm:openpi-memory"]}
    assert not record.exists()


def test_what_was_written_is_not_said_to_be_unchanged(
    places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    change_setting(places, "theme", "dark")
    real = os.fsync

    def fails(descriptor: int) -> None:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            _eio()
        real(descriptor)

    monkeypatch.setattr(os, "fsync", fails)
    with pytest.raises(StorageError, match="was written, but the disk did not confirm it") as told:
        change_setting(places, "theme", "light")
    assert "nothing was changed" not in str(told.value)
    assert 'theme = "light"' in Path(settings_path(places)).read_text()
    store = OpenpiSystem().active(places)
    with pytest.raises(StorageError, match="nothing was changed"):
        store.write(WriteRequest(topic="A", content="b", summary="s"))
    assert not os.path.exists(store.path) or os.listdir(store.path) == []


def test_a_failure_is_told_in_whole_sentences(
    places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = OpenpiSystem().active(places)
    store.write(WriteRequest(topic="A", content="b", summary="s"))
    monkeypatch.setattr(transaction, "sync_folders", _eio)
    monkeypatch.setattr(transaction, "rename_at", _eio)
    with pytest.raises(StorageError) as told:
        store.write(WriteRequest(topic="A", content="c", summary="s"))
    said = str(told.value)
    assert "could not be taken back" in said
    assert ".." not in said.replace("...", "")
    assert ".)" not in said


def test_text_is_utf8_whatever_the_locale(places: Places) -> None:
    env = {
        **{k: v for k, v in os.environ.items() if not k.startswith(("LC_", "LANG", "PYTHON"))},
        "LC_ALL": "C",
        "PYTHONUTF8": "0",
        "PYTHONCOERCECLOCALE": "0",
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    command = [sys.executable, "-m", "pimem_tui", "write", "Zürich", "--summary", "Größe"]
    done = subprocess.run([*command, "--content", "naïve"], env=env, capture_output=True)
    assert done.returncode == 0, done.stderr
    assert "Zürich" in done.stdout.decode()
    store = OpenpiSystem().active(places)
    (topic,) = store.list()
    assert (topic.name, topic.summary) == ("Zürich", "Größe")
    assert "naïve" in store.read(topic.file).body
