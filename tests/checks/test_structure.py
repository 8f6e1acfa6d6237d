"""The check of the sources fails on each form of an import circle, and on long files."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent

#: Nothing is wrong with these.
TREE = {
    "core/pimem_core/__init__.py": "",
    "core/pimem_core/low.py": "LOW = 1\n",
    "core/pimem_core/high.py": "from .low import LOW\n\nfrom importlib import import_module\n",
    "core/pimem_core/room/__init__.py": "",
    "core/pimem_core/room/inner.py": "from .. import low\n",
    "tui/pimem_tui/__init__.py": "import pimem_core.high\n",
    "styles/pimem_styles/__init__.py": "",
    "extension/pimem_pi/__init__.py": "",
    "extension/pimem_pi/index.ts": 'import { a } from "./other.ts";\n',
    "extension/pimem_pi/other.ts": 'import { b } from "node:fs";\n',
}


def check(root: Path, changes: dict[str, str] | None = None) -> tuple[int, list[str]]:
    """The exit code and the lines for the tree with some files changed."""
    for name, text in {**TREE, **(changes or {})}.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    command = [sys.executable, "-m", "checks.structure", str(root)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60)
    assert not done.stderr
    return done.returncode, done.stdout.splitlines()


def test_a_tree_without_circles_passes(tmp_path: Path) -> None:
    assert check(tmp_path) == (0, ["10 modules, no import circles."])


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("from . import high\n", 1),
        ("from pimem_core.high import LOW\n", 1),
        ("def f() -> None:\n    from .high import LOW\n", 2),
        ("class A:\n    def f(self):\n        import pimem_core.high\n", 3),
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .high import LOW\n", 3),
        ("try:\n    from .high import LOW\nexcept ImportError:\n    pass\n", 2),
        ("import importlib\nimportlib.import_module('pimem_core.high')\n", 2),
        ("from importlib import import_module\nimport_module('.high', __package__)\n", 2),
        ("import importlib\nx = 'gh'\nimportlib.import_module(f'{__package__}.hi{x}')\n", 3),
    ],
)
def test_a_circle_is_found_in_whatever_form(tmp_path: Path, text: str, line: int) -> None:
    code, lines = check(tmp_path, {"core/pimem_core/low.py": "LOW = 1\n" + text})
    assert code == 1
    assert lines[:2] == [
        "Import circle of 2 modules:",
        "  pimem_core.high:1 -> pimem_core.low    from .low import LOW",
    ]
    (back,) = lines[2:]
    assert back.startswith(f"  pimem_core.low:{line + 1} -> pimem_core.high    ")


def test_a_circle_over_several_packages_is_found_whole(tmp_path: Path) -> None:
    text = "def f() -> None:\n    from pimem_tui import (\n        app,\n        run,\n    )\n"
    code, lines = check(tmp_path, {"core/pimem_core/low.py": text})
    assert code == 1
    assert lines == [
        "Import circle of 3 modules:",
        "  pimem_core.high:1 -> pimem_core.low    from .low import LOW",
        "  pimem_core.low:2 -> pimem_tui    from pimem_tui import app, run",
        "  pimem_tui:1 -> pimem_core.high    import pimem_core.high",
    ]


def test_a_package_and_its_own_module_may_make_a_circle(tmp_path: Path) -> None:
    package = "core/pimem_core/room/__init__.py"
    module = "core/pimem_core/room/inner.py"
    code, lines = check(tmp_path, {package: "from .inner import A\n", module: "from . import B\n"})
    assert code == 1
    assert lines[0] == "Import circle of 2 modules:"


@pytest.mark.parametrize(
    "text",
    [
        'import type { A } from "./index.ts";\n',
        'import {\n  a,\n  b,\n} from "./index.ts";\n',
        'export * from "./index.ts";\n',
        'const late = async () => await import("./index.ts");\n',
    ],
)
def test_a_circle_between_typescript_files_is_found(tmp_path: Path, text: str) -> None:
    code, lines = check(tmp_path, {"extension/pimem_pi/other.ts": text})
    assert code == 1
    assert lines[0] == "Import circle of 2 modules:"
    assert lines[1].startswith("  extension/pimem_pi/index.ts:1 -> extension/pimem_pi/other.ts ")


@pytest.mark.parametrize("name", ["core/pimem_core/low.py", "extension/pimem_pi/other.ts"])
def test_a_file_may_have_400_lines_and_no_more(tmp_path: Path, name: str) -> None:
    assert check(tmp_path, {name: "\n" * 400})[0] == 0
    assert check(tmp_path, {name: "\n" * 401}) == (1, [f"{name}: 401 lines, more than 400"])


def test_tests_are_counted_too(tmp_path: Path) -> None:
    code, lines = check(tmp_path, {"tests/core/test_long.py": "\n" * 500})
    assert (code, lines) == (1, ["tests/core/test_long.py: 500 lines, more than 400"])
