"""What the wheel holds, and what a headless command never loads."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from waiting import PATIENCE_S

pytestmark = pytest.mark.usefixtures("unmeasured")

ROOT = Path(__file__).parent.parent.parent
HEAVY = ("textual", "rich", "yaml", "frontmatter", "filelock", "dataclasses", "inspect", "typing",
         "pathlib", "json", "datetime", "detect_secrets", "merge3", "markdown_it", "shtab",
         "platformdirs", "subprocess", "shutil", "asyncio")  # fmt: skip


def loaded(code: str, names: tuple[str, ...] = HEAVY) -> list[str]:
    """Which modules a fresh interpreter has after some code that it had not before."""
    path = os.pathsep.join(str(ROOT / name) for name in ("core", "tui", "styles"))
    script = (
        "import sys\nbefore = set(sys.modules)\n"
        f"{code}\n"
        "after = set(sys.modules) - before\n"
        f"sys.stderr.write(__import__('json').dumps([n for n in {names!r} if n in after]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=True,
        env={**os.environ, "PYTHONPATH": path},
    )
    found: list[str] = json.loads(done.stderr)
    return found


def test_importing_the_command_line_loads_nothing_heavy() -> None:
    assert loaded("import pimem_core.cli") == []


@pytest.mark.parametrize(
    "words", [["list"], ["list", "--store", "shared"], ["--version"], ["--help"]]
)
def test_everyday_commands_load_nothing_heavy(words: list[str], isolated_home: Path) -> None:
    store = isolated_home / ".pi/agent/memory"
    store.mkdir(parents=True)
    (store / "MEMORY.md").write_text("# Memory Index\n\n- [A](a.md) 2026-01-01 -- s\n")
    (store / "a.md").write_text("a")
    code = f"from pimem_tui.__main__ import main\nmain({words!r})"
    # memory.jsonc decides which store is listed, so its parser is needed.
    assert loaded(code) == (["json"] if words[0] == "list" else [])


def test_reading_a_topic_loads_no_interface_and_no_lock(isolated_home: Path) -> None:
    store = isolated_home / ".pi/agent/memory"
    store.mkdir(parents=True)
    (store / "MEMORY.md").write_text("- [A](a.md) 2026-01-01 -- s\n")
    (store / "a.md").write_text("---\nname: A\n---\nbody\n")
    for words in (["show", "A"], ["search", "body"], ["status"]):
        code = f"from pimem_tui.__main__ import main\nmain({words!r})"
        assert loaded(code, ("textual", "rich", "filelock", "detect_secrets", "markdown_it")) == []


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """The wheel, built by the backend itself, which needs no network."""
    pytest.importorskip("hatchling", reason="the build backend is not installed here")
    out = tmp_path_factory.mktemp("wheel")
    code = f"from hatchling.build import build_wheel; build_wheel({str(out)!r})"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, timeout=PATIENCE_S,
                   capture_output=True)  # fmt: skip
    (built,) = out.glob("*.whl")
    return zipfile.ZipFile(built)


def test_the_wheel_holds_every_package_with_its_data(wheel: zipfile.ZipFile) -> None:
    names = set(wheel.namelist())
    for package in ("core/pimem_core", "tui/pimem_tui", "styles/pimem_styles"):
        for path in (ROOT / package).rglob("*"):
            if path.is_file() and "__pycache__" not in path.parts:
                assert path.relative_to((ROOT / package).parent).as_posix() in names
        assert f"{Path(package).name}/py.typed" in names
    assert any(name.endswith(".tcss") for name in names)


def test_the_wheel_holds_nothing_else(wheel: zipfile.ZipFile) -> None:
    tops = {name.split("/", 1)[0] for name in wheel.namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} <= {
        "pimem_core",
        "pimem_tui",
        "pimem_styles",
        "pimem_pi",
    }


def test_the_console_script_is_the_light_one(wheel: zipfile.ZipFile) -> None:
    (entry,) = [name for name in wheel.namelist() if name.endswith("entry_points.txt")]
    assert "pimem = pimem_tui.__main__:run" in wheel.read(entry).decode()
