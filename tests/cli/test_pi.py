"""`pimem pi`: what it says is what pi loads, and it takes out what it put in."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pimem_core.formats import jsonedit
from pimem_core.pi import package

if TYPE_CHECKING:
    from cli.running import Pimem
    from pimem_core.paths import Places


@pytest.fixture
def settings(places: Places) -> Path:
    path = Path(package.settings_path(places))
    path.parent.mkdir(parents=True)
    return path


def packages(path: Path) -> list[Any]:
    return list(json.loads(path.read_text()).get("packages", []))


@pytest.mark.parametrize(
    "text", ['{\n  // mine\n  "a": 1\n}\n', '{"a": [1,],}', "\ufeff{}", '{"a": 1} // end']
)
def test_settings_that_pi_cannot_read(pimem: Pimem, settings: Path, text: str) -> None:
    settings.write_text(text)
    said = pimem("pi", "install").out
    assert "pi cannot read its settings, so it loads no package" in said
    done = pimem("pi", "status")
    assert "works: no" in done.out
    assert "line" in done.err
    status = pimem.json("pi", "status")
    assert (status["registered"], status["works"]) == (True, False)
    pimem("pi", "uninstall")
    assert settings.read_text() == text


def test_a_key_twice(pimem: Pimem, settings: Path) -> None:
    settings.write_text('{"packages": ["a"], "packages": ["b"]}')
    pimem("pi", "install")
    assert packages(settings) == ["b", package.package_folder()]
    assert pimem.json("pi", "status")["registered"]


def test_the_description_that_pi_reads_is_gone(
    pimem: Pimem, settings: Path, places: Places
) -> None:
    pimem("pi", "install")
    assert pimem.json("pi", "status")["troubles"] == []
    shutil.rmtree(Path(places.state_dir) / "describe")
    status = pimem.json("pi", "status")
    assert status["works"] is False
    assert "pimem pi install writes it" in status["troubles"][0]


@pytest.mark.parametrize("is_there", [True, False])
def test_another_installation(pimem: Pimem, settings: Path, tmp_path: Path, is_there: bool) -> None:
    other = tmp_path / "moved" / "pimem_pi"
    if is_there:
        other.mkdir(parents=True)
    before = {"packages": ["x", str(other), {"source": str(other), "skills": []}]}
    settings.write_text(json.dumps(before))
    status = pimem.json("pi", "status")
    assert (status["registered"], status["works"]) == (False, False)
    assert str(other) in status["troubles"][0]
    pimem("pi", "install")
    assert packages(settings) == ["x", package.package_folder()]
    settings.write_text(json.dumps({"packages": [str(other), package.package_folder(), "x"]}))
    assert pimem.json("pi", "status")["works"] is False
    pimem("pi", "install")
    assert packages(settings) == [package.package_folder(), "x"]
    settings.write_text(json.dumps(before))
    pimem("pi", "uninstall")
    assert packages(settings) == ["x"]


@pytest.mark.parametrize(
    "text", ["{}", '{\n  "a": 1\n}\n', '{"a": 1}', '{\n\t"a": {"packages": []},\n\t"b": 2\n}']
)
def test_no_empty_list_is_left(pimem: Pimem, settings: Path, text: str) -> None:
    settings.write_text(text)
    pimem("pi", "install")
    assert packages(settings) == [package.package_folder()]
    pimem("pi", "uninstall")
    assert settings.read_text() == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"k": []}', "{}"),
        ('{\n  "k": []\n}\n', "{}\n"),
        ('{"a": 1, "k": []}', '{"a": 1}'),
        ('{"k": [], "a": 1}', '{"a": 1}'),
        ('{\n  "a": 1, // one\n  "k": [] // two\n}', '{\n  "a": 1 // one // two\n}'),
        ('{"a": {"k": 1}, "b": 2}', '{"a": {"k": 1}, "b": 2}'),
        ('{"k": 1, "k": [2]}', '{"k": 1}'),
    ],
)
def test_taking_a_key_out(text: str, expected: str) -> None:
    assert jsonedit.remove_key(text, "k") == expected


def test_status_says_that_memory_is_off(pimem: Pimem, settings: Path) -> None:
    pimem("pi", "install")
    pimem("off")
    status = pimem.json("pi", "status")
    assert status["works"] is False
    assert "off in pi" in status["troubles"][0]
