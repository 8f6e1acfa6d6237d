"""Running commands and looking at what came out."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pimem_core.cli import main
from waiting import PATIENCE_S

if TYPE_CHECKING:
    import pytest

ROOT = Path(__file__).parent.parent.parent
COMMAND = (sys.executable, "-m", "pimem_tui")


class Result:
    """A finished command."""

    def __init__(self, code: int, out: bytes, err: bytes) -> None:
        self.code = code
        self.raw = out
        self.out = out.decode("utf-8", "surrogateescape")
        self.err = err.decode("utf-8", "surrogateescape")
        assert "Traceback" not in self.err
        assert "Exception ignored" not in self.err
        assert "Something unexpected" not in self.err

    @property
    def json(self) -> Any:
        return json.loads(self.out)


class Pimem:
    """The command line in this process."""

    def __init__(
        self, monkeypatch: pytest.MonkeyPatch, capture: pytest.CaptureFixture[bytes]
    ) -> None:
        self.monkeypatch = monkeypatch
        self.capture = capture

    def __call__(self, *words: str, stdin: bytes = b"") -> Result:
        self.monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin)))
        self.capture.readouterr()
        code = main(list(words), open_manager=lambda *_: 99)
        out, err = self.capture.readouterr()
        return Result(code, out, err)

    def json(self, *words: str, stdin: bytes = b"") -> Any:
        return self("--json", *words, stdin=stdin).json


def environment() -> dict[str, str]:
    """The test's environment for a process of its own."""
    path = os.pathsep.join(str(ROOT / name) for name in ("core", "tui", "styles"))
    return {**os.environ, "PYTHONPATH": path}


def run(*words: str | bytes, stdin: bytes | None = b"", **more: Any) -> Result:
    """A command in a process of its own."""
    done = subprocess.run(
        [*COMMAND, *words],
        input=stdin,
        capture_output=True,
        env={**environment(), **more.pop("env", {})},
        timeout=PATIENCE_S,
        check=False,
        **more,
    )
    return Result(done.returncode, done.stdout, done.stderr)
