"""The two zcode-memory.json, and whether the system takes part."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pimem_core.settings import trust
from pimem_core.settings.config import Settings
from pimem_core.systems import settings_sections as options
from pimem_core.systems.zcode import config
from pimem_core.systems.zcode.system import ZcodeSystem

if TYPE_CHECKING:
    from pimem_core.paths import Places


def put(places: Places, which: int, content: str | bytes | dict[str, Any]) -> Path:
    path = Path(config.paths(places)[which])
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, dict):
        content = json.dumps(content)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_where_the_files_are(places: Places) -> None:
    assert config.paths(places) == (
        f"{places.home}/.pi/agent/extensions/zcode-memory.json",
        f"{places.cwd}/.pi/zcode-memory.json",
    )


def test_defaults(places: Places) -> None:
    assert config.load(places) == (config.Config(enabled=True, dir=None, inject_index=True), None)


def test_the_project_goes_before_the_user_key_by_key(places: Places) -> None:
    put(places, 0, {"enabled": False, "dir": "/global", "unknown": {"a": 1}})
    put(places, 1, {"dir": "/project", "injectIndex": False, "unknown": {"b": 2}})
    trust.keep(places, places.cwd, True)
    found, error = config.load(places)
    assert error is None
    assert (found.enabled, found.dir, found.inject_index) == (False, "/project", False)
    assert config.load(places, project=False)[0].dir == "/global"


@pytest.mark.parametrize(
    ("content", "place"),
    [
        ("{", "line 1, column 2"),
        ('{"enabled": false,}', "column"),
        ("// c\n{}", "line 1"),
        ("", "line 1, column 1"),
        ("[]", "object"),
        ("null", "object"),
        (b"\xff{}", "byte 0"),
        ("[" * 100_000, "zcode-memory.json"),
    ],
)
def test_a_broken_file_is_ignored_and_told(
    places: Places, content: str | bytes, place: str
) -> None:
    put(places, 0, {"injectIndex": False})
    path = put(places, 1, content)
    found, error = config.load(places)
    assert found == config.Config(inject_index=False)
    assert error is not None
    assert str(path) in str(error)
    assert place in str(error)
    assert ZcodeSystem().trouble(places) is not None
    rows = {row.key: (row.value, row.source) for row in config.settings(places)}
    assert rows["zcode.enabled"] == (True, "default")
    assert rows["zcode.injectIndex"] == (False, str(config.paths(places)[0]))


def test_a_byte_order_mark_is_fine(places: Places) -> None:
    put(places, 1, b'\xef\xbb\xbf{"injectIndex": false}')
    assert config.load(places) == (config.Config(inject_index=False), None)


@pytest.mark.parametrize(
    ("key", "value"),
    [("enabled", "no"), ("enabled", 0), ("injectIndex", []), ("dir", 5), ("dir", ""), ("dir", {})],
)
def test_a_value_of_the_wrong_kind_is_named_and_left_out(
    places: Places, key: str, value: object
) -> None:
    put(places, 0, {"dir": "/global"})
    put(places, 1, {key: value})
    found, error = config.load(places)
    assert found == config.Config(dir="/global")
    assert error is not None
    assert f'"{key}" must be' in str(error)


def test_null_counts_as_left_out(places: Places) -> None:
    put(places, 0, {"dir": "/global", "enabled": False})
    put(places, 1, {"dir": None, "enabled": None})
    assert config.load(places) == (config.Config(enabled=False, dir="/global"), None)


@pytest.mark.parametrize(
    ("value", "folder"),
    [
        ("/a/b/", "/a/b"),
        ("~/mem", "{home}/mem"),
        ("~", "{home}"),
        ("~other/x", "{cwd}/~other/x"),
        ("mem/../x", "{cwd}/x"),
    ],
)
def test_dir_becomes_absolute(places: Places, value: str, folder: str) -> None:
    put(places, 1, {"dir": value})
    trust.keep(places, places.cwd, True)
    assert config.load(places)[0].dir == folder.format(home=places.home, cwd=places.cwd)
    assert ZcodeSystem().active(places).path == config.load(places)[0].dir


def test_a_path_of_windows_is_no_folder_here(places: Places) -> None:
    put(places, 1, {"dir": "D:/zcode/cli/memories/projects/chat-ace14747b286680c/memory"})
    found, error = config.load(places)
    assert found.dir is None
    assert "another system" in str(error)


def test_each_setting_with_its_source(places: Places) -> None:
    user = put(places, 0, {"enabled": False, "later": 1})
    project = put(places, 1, {"injectIndex": "x"})
    rows = {row.key: (row.value, row.source) for row in config.settings(places)}
    assert rows["zcode.enabled"] == (False, str(user))
    assert rows["zcode.dir"] == (None, "default")
    assert rows["zcode.injectIndex"] == (True, f"{project} (not usable as written)")
    assert rows["zcode.later"] == (1, f"{user} (unknown key, kept)")


def test_when_the_system_takes_part(places: Places) -> None:
    auto = Settings()
    assert not config.is_active(places, auto)
    assert config.is_active(places, Settings(systems={"zcode": "on"}))
    Path(places.home, ".zcode").mkdir()
    assert config.is_active(places, auto)
    assert not config.is_active(places, Settings(systems={"zcode": "off"}))
    put(places, 1, {"enabled": False})
    assert not config.is_active(places, auto)


def test_a_moved_root_or_a_configuration_is_enough(places: Places, tmp_path: Path) -> None:
    moved = places.but(env={"ZCODE_STORAGE_DIR": str(tmp_path)})
    assert config.is_active(moved, Settings())
    put(places, 0, {})
    assert config.is_active(places, Settings())


def test_a_folder_that_a_project_names_waits_for_the_person(places: Places) -> None:
    put(places, 0, {"dir": "/global"})
    put(places, 1, {"dir": "/elsewhere", "injectIndex": False})
    found = config.load(places)[0]
    assert (found.dir, found.waiting_dir, found.inject_index) == ("/global", "/elsewhere", False)
    store = ZcodeSystem().active(places)
    assert store.path == "/global"
    assert any("/elsewhere, which is used once you agree" in note for note in store.status().notes)
    key = f"trust.{places.cwd}"
    rows = {row.key: row for row in config.settings(places)}
    assert rows[key].kind == "switch"
    options.change(places, "zcode", key, True)
    assert ZcodeSystem().active(places).path == "/elsewhere"
    assert key not in {row.key for row in config.settings(places)}
    trust.keep(places, places.cwd, False)
    assert ZcodeSystem().active(places).path == "/global"


def test_the_answer_is_for_the_whole_work_tree(places: Places) -> None:
    put(places, 1, {"dir": "/elsewhere"})
    above = Path(places.cwd).parent
    (above / ".git").mkdir()
    (above / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    trust.keep(places, str(above), True)
    assert config.load(places)[0].dir == "/elsewhere"
