"""A person's home with a project: its layers, its hooks, its command line."""

from __future__ import annotations

import io
import json
import os
from contextlib import redirect_stderr, redirect_stdout
from typing import TYPE_CHECKING, Any

from asking import answer_of
from pimem_core.cli import main
from pimem_core.hooks.protocol import Request
from pimem_core.hooks.runner import Runner
from pimem_core.paths import Places, find_places
from pimem_core.settings.config import load_settings
from pimem_core.systems.hosting import SessionInfo
from pimem_core.systems.layered.system import LayeredSystem

if TYPE_CHECKING:
    from pathlib import Path

    from pimem_core.systems.layered.store import LayeredStore

CLOSING = "\n</pi_memory>"
OPENING = "<pi_memory>\n"

NAME = "checkpoint-2026-07-21T16-30-00.md"
FILLED = """# Checkpoint 2026-07-21

> Made by /memory:checkpoint. Fill in what you should know next time, then promote it.

## Summary

Moved the queue to Redis.


Two blank lines above stay.

## Knowledge to Record

### Decisions

- ...
- Use streams, not lists.

### Lessons

- ...

### TODO

- ...
"""


class World:
    """One home and one project."""

    def __init__(self, home: Path, project: Path) -> None:
        self.home, self.project = home, project
        self.global_dir = home / ".pi" / "memory"
        self.workspace = project / ".pi" / "memory"
        self.runner = Runner(in_background=False)
        self._count = 0

    @property
    def places(self) -> Places:
        return find_places(cwd=str(self.project))

    @property
    def store(self) -> LayeredStore:
        """The active layer, as a fresh front sees it."""
        return LayeredSystem().active(self.places)

    def layer(self, name: str) -> LayeredStore:
        found = self.store.layer(name)
        assert found is not None
        return found

    def fill(self, **layers: dict[str, str | bytes]) -> World:
        """Put files into `global_` and `workspace`; each layer gets an index if it has none."""
        for name, files in layers.items():
            root = self.global_dir if name == "global_" else self.workspace
            for file, content in {**({} if root.exists() else {"index.md": ""}), **files}.items():
                path = root / file
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(content.encode() if isinstance(content, str) else content)
        return self

    def configure(self, text: str) -> World:
        path = self.home / ".config" / "pimem" / "config.toml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        assert load_settings(self.places)[1] is None
        return self

    # pi

    def ask(self, event: str, *, session: str = "s", mode: str = "rpc", **payload: Any) -> Any:
        """One request of pi's; its answer."""
        self._count += 1
        trusted, missed = payload.pop("trusted", True), payload.pop("missed", ())
        info = SessionInfo(
            id=session,
            cwd=str(self.project),
            trusted=trusted,
            mode=mode,
            features=frozenset({"sections"}),
        )
        return answer_of(
            self.runner,
            Request(id=self._count, event=event, session=info, payload=payload, missed=missed),
        )

    def actions(self, event: str, **more: Any) -> list[dict[str, Any]]:
        answer = self.ask(event, **more)
        assert "error" not in answer, answer
        return list(answer["actions"])

    def block(self, **more: Any) -> str:
        """The section of the next prompt with its tag; empty when there is none."""
        for action in self.actions("before_agent_start", **more):
            if action["do"] == "section" and action["name"] == "pi_memory":
                return f"{OPENING}{action['text']}{CLOSING}"
        return ""

    def slash(self, name: str, args: str = "", **more: Any) -> str:
        """What a slash command tells."""
        found = self.actions("command", name=f"memory:{name}", args=args, **more)
        assert [action["do"] for action in found] == ["notify"]
        return str(found[0]["message"])

    # The command line

    def run(self, *words: str, stdin: str = "") -> tuple[int, str, str]:
        """Exit code, output and messages of a command."""
        out, err = io.StringIO(), io.StringIO()
        old = os.getcwd()
        os.chdir(self.project)
        try:
            with redirect_stdout(out), redirect_stderr(err):
                code = main(list(words), open_manager=lambda *_: 0)
        finally:
            os.chdir(old)
        return code, out.getvalue(), err.getvalue()

    def json(self, *words: str, code: int = 0) -> Any:
        got, out, err = self.run(*words, "--json")
        assert got == code, (out, err)
        return json.loads(out)


def tree(root: Path) -> dict[str, tuple[int, bytes | None]]:
    """Every entry below a folder: time of change and content."""
    found = {}
    for path in sorted(root.rglob("*")):
        status = path.lstat()
        content = path.read_bytes() if path.is_file() and not path.is_symlink() else None
        found[str(path.relative_to(root))] = (status.st_mtime_ns, content)
    return found
