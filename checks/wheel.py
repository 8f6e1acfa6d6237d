"""Builds the wheel as a release does, installs it into a fresh environment, and uses it there.

An editable installation finds files that the wheel may lack; this sees only what a person gets.
It needs a package index, for the build backend and the dependencies.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).parent.parent

_SHEETS = """
from pathlib import Path
import pimem_styles
from textual.app import App
from textual.css.stylesheet import Stylesheet

sheets = sorted(Path(pimem_styles.__file__).parent.glob("*.tcss"))
for path in sheets:
    sheet = Stylesheet(variables=App().get_css_variables())
    sheet.read(path)
    sheet.parse()
    assert sheet.rules, path
print(len(sheets))
"""


def main() -> int:
    """Build, install, use; the first thing that fails ends it with its own words."""
    with tempfile.TemporaryDirectory(prefix="pimem-wheel-") as folder:
        built = Path(folder, "built")
        _run(sys.executable, "-m", "build", "--outdir", str(built), str(ROOT))  # sdist, then wheel
        (wheel,) = built.glob("*.whl")
        environment = Path(folder, "environment")
        venv.create(environment, with_pip=True)
        python = str(environment / "bin" / "python")
        install = (python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
        _run(*install, "--constraint", str(ROOT / "constraints.txt"), str(wheel))
        _run(python, "-m", "pip", "check")
        _use(environment, Path(folder, "home"))
    print(f"{wheel.name} installs and works.")
    return 0


def _use(environment: Path, home: Path) -> None:
    """Call the installed command with an empty home, which must stay empty."""
    home.mkdir()
    pimem = str(environment / "bin" / "pimem")

    def asked(*command: str) -> str:
        return _run(*command, cwd=home, env={"HOME": str(home), "PATH": os.defpath})

    version = re.search(r'__version__ = "(.+)"', (ROOT / "core/pimem_core/__init__.py").read_text())
    assert version is not None
    _expect(version[1] in asked(pimem, "--version"), "pimem --version says another version")
    _expect("q" in asked(pimem, "keys"), "pimem keys lists no keys")
    _expect(json.loads(asked(pimem, "list", "--json")) == [], "an empty home has topics")
    described = json.loads(asked(pimem, "hook", "describe"))
    _expect(described["version"] == version[1], "the runner says another version")
    _expect(not any(home.iterdir()), f"reading has left {sorted(home.iterdir())}")
    sheets = int(asked(str(environment / "bin" / "python"), "-I", "-c", _SHEETS))
    wanted = len(list((ROOT / "styles/pimem_styles").glob("*.tcss")))
    _expect(sheets == wanted, f"{sheets} sheets of {wanted} are installed")
    package = Path(json.loads(asked(pimem, "pi", "status", "--json"))["path"])
    _expect(environment in package.parents, f"the package for pi is in {package}")
    for source in (ROOT / "extension/pimem_pi").rglob("*.*"):
        name = source.relative_to(ROOT / "extension/pimem_pi")
        if "__pycache__" not in name.parts:
            _expect((package / name).is_file(), f"the package for pi lacks {name}")


def _run(*command: str, cwd: Path | None = None, env: dict[str, str] | None = None) -> str:
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, timeout=900)
    _expect(done.returncode == 0, f"{' '.join(command)}:\n{done.stdout}{done.stderr}")
    return done.stdout


def _expect(holds: bool, otherwise: str) -> None:
    if not holds:
        sys.exit(otherwise)


if __name__ == "__main__":
    sys.exit(main())
