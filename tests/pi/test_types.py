"""The shim against the types that each pi ships."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING

import pytest
from pi import installing
from pi.harness import PACKAGE
from waiting import PATIENCE_S

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.smoke
def test_the_shim_fits_the_types_of_pi(pi_version: str, tmp_path: Path) -> None:
    tools = installing.typescript() / "node_modules"
    modules = installing.pi(pi_version) / "node_modules"
    options = {
        "target": "ES2023",
        "module": "ESNext",
        "moduleResolution": "bundler",
        "strict": True,
        "noUncheckedIndexedAccess": True,
        "noUnusedLocals": True,
        "noUnusedParameters": True,
        "noFallthroughCasesInSwitch": True,
        "allowImportingTsExtensions": True,
        "noEmit": True,
        "skipLibCheck": True,
        "types": ["node"],
        "typeRoots": [str(tools / "@types")],
        "paths": {"@earendil-works/*": [f"{modules}/@earendil-works/*"]},
    }
    config = {"compilerOptions": options, "files": [str(PACKAGE / "index.ts")]}
    (tmp_path / "tsconfig.json").write_text(json.dumps(config))
    done = subprocess.run(
        [installing.node(), tools / "typescript" / "bin" / "tsc", "-p", tmp_path],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "")


def test_the_package_is_found_from_python() -> None:
    manifest = json.loads((PACKAGE / "package.json").read_text(encoding="utf-8"))
    for path in manifest["pi"]["extensions"] + manifest["pi"]["skills"]:
        assert (PACKAGE / path).exists()
    assert "pi-package" in manifest["keywords"]
