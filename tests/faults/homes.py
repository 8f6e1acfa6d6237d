"""A user's home in a known state, put back before every run, and what it looks like."""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from faults import standins, tracer
from pimem_core.history import record
from pimem_core.history.intents import INTENTS
from pimem_core.paths import Places, find_places
from pimem_core.systems.openpi.index import INDEX_NAME, entries
from pimem_core.systems.openpi.system import OpenpiSystem

if TYPE_CHECKING:
    from collections.abc import Callable

    from pimem_core.systems.openpi.store import OpenpiStore

    #: Relative path to text, times written as `T`.
    Look = dict[str, str]

#: Whether all is tried, as `make faults` does, or a sample.
EVERY = bool(os.environ.get("PIMEM_FAULTS"))
PIMEM = [sys.executable, "-m", "pimem_tui"]
_TIME = re.compile(r"\d{4}-\d\d-\d\d(?:T\d\d:\d\d:\d\d[+-]\d\d:\d\d)?")
_EDITOR = "#!/bin/sh\nprintf 'a line from the editor\\n' >> \"$1\"\n"


class Home:
    """A home folder below `base`, its environment, and snapshots of it."""

    def __init__(self, base: Path, *, shared: bool = False) -> None:
        self.base = base
        self.root = base / "home"
        self.root.mkdir(exist_ok=True)
        editor = base / "editor.sh"
        editor.write_text(_EDITOR)
        editor.chmod(0o755)
        self.env = {
            "HOME": str(self.root),
            "PATH": os.environ["PATH"],
            "LANG": "C.UTF-8",
            "EDITOR": str(editor),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONPATH": os.pathsep.join(filter(os.path.isabs, sys.path)),
        }
        self.places: Places = find_places(self.env, str(self.root))
        self.shared = shared
        if shared:
            agent = Path(self.places.agent_dir)
            agent.mkdir(parents=True, mode=0o700)
            (agent / "memory.jsonc").write_text('{"shared_dir": true}\n')

    @property
    def store(self) -> OpenpiStore:
        """The active store, as a fresh front sees it."""
        return OpenpiSystem().active(self.places)

    @property
    def folder(self) -> Path:
        return Path(self.store.path)

    @property
    def state(self) -> Path:
        return Path(self.places.state_dir)

    def keep(self, name: str) -> None:
        """Remember the home as it is now."""
        shutil.rmtree(self.base / name, ignore_errors=True)
        shutil.copytree(self.root, self.base / name, symlinks=True)

    def restore(self, name: str) -> None:
        """Put the home back."""
        shutil.rmtree(self.root)
        shutil.copytree(self.base / name, self.root, symlinks=True)

    def run(
        self,
        command: list[str],
        *,
        stdin: bytes = b"",
        kill_at: int = 0,
        error_at: int = 0,
        error: int = 0,
        sticky: bool = False,
    ) -> tracer.Ended:
        """Run a command as a process of its own, under the tracer."""
        return tracer.run(
            command,
            root=self.root,
            env=self.env,
            stdin=stdin,
            kill_at=kill_at,
            error_at=error_at,
            error=error,
            sticky=sticky,
        )

    def look(self) -> Look:
        """Topics, indexes and lists of removed ones; an empty list is as good as none."""
        found = {}
        for folder in (Path(self.places.agent_dir, "memory"), Path(self.places.shared_home)):
            for path in sorted(folder.rglob("*")):
                inside = path.relative_to(self.root).as_posix()
                if ".tmp-" in path.name or path.name == ".lock":
                    continue
                is_empty_list = path.name == ".ocl-removed" and path.stat().st_size == 0
                if path.is_file() and "memory/" in inside and not is_empty_list:
                    found[inside] = _TIME.sub("T", path.read_bytes().decode())
        return found

    def seen(self) -> Look:
        """The index and its topics as readers show them."""
        view = self.store.folder.view()
        found = {INDEX_NAME: _TIME.sub("T", view.text or "")}
        for entry in entries(view.text or ""):
            if entry.name != "Gone":
                found[entry.file] = _TIME.sub("T", self.store.read_bytes(entry.file).decode())
        return found

    def leftovers(self) -> list[str]:
        """Locks, temporary files and intents."""
        return [
            str(path.relative_to(self.root))
            for path in self.root.rglob("*")
            if path.name == ".lock"
            or ".tmp-" in path.name
            or (path.parent.name == "intents" and path.parent.parent == self.state)
        ]

    def stamps(self) -> dict[str, tuple[int, int, int]]:
        """What changes when anything is written anywhere."""
        return {
            str(path): (status.st_ino, status.st_mtime_ns, status.st_size)
            for path in (self.root, *self.root.rglob("*"))
            for status in [path.lstat()]
        }

    def age_lock(self, seconds: float = 61) -> None:
        """Let time go by for the locks that a kill left without an intent that names them."""
        intents = list(record.records(self.places.state_dir, INTENTS))
        for path in self.root.rglob(".lock"):
            if path.read_text() in [token for left in intents for token in left.tokens]:
                continue
            moment = path.stat().st_mtime - seconds
            os.utime(path, (moment, moment))


class Kind(NamedTuple):
    """A kind of change: how the home is before it, and the command that makes it."""

    name: str
    command: list[str]
    prepare: Callable[[Home], None]
    topic: str = "Note"
    shared: bool = False
    stdin: bytes = b""


def _write(home: Home, topic: str, content: str, **more: str) -> None:
    standins.write(home.folder, topic, content, shared=home.shared, **more)


def filled(home: Home) -> None:
    """A store with prose, a line without a file, an old topic and two others."""
    agent = Path(home.places.agent_dir)
    agent.mkdir(parents=True, exist_ok=True, mode=0o700)
    if not home.shared:
        (agent / "memory.jsonc").write_text("{}\n")
    _write(home, "Keep", "kept as it is")
    _write(home, "Note", "first\nsecond\nthird")
    _write(home, "Other", "of another matter")
    index = home.folder / INDEX_NAME
    _heading, _blank, _gap, keep, *others = index.read_text().split("\n")
    prose = ["# Memory Index", "", "A word of my own.", keep.replace("2026", "2020", 1)]
    lost = "- [Gone](gone.md) 2026-01-01 -- its file is lost"
    index.write_text("\n".join([*prose, lost, *others, ""]))


def _pinned(home: Home) -> None:
    filled(home)
    home.store.pin("Note", True)


def _removed(home: Home) -> None:
    filled(home)
    home.store.remove("Note")


def _undoable(action: str) -> Callable[[Home], None]:
    def prepare(home: Home) -> None:
        filled(home)
        _do(home, action)

    return prepare


def _redoable(action: str) -> Callable[[Home], None]:
    def prepare(home: Home) -> None:
        filled(home)
        _do(home, action)
        undo(home)

    return prepare


def _do(home: Home, action: str) -> None:
    from pimem_core.systems.stores import WriteRequest

    if action == "remove":
        home.store.remove("Note")
        return
    topic = "Fresh" if action == "create" else "Note"
    mode = "replace" if action == "replace" else "append"
    home.store.write(WriteRequest(topic=topic, content="new text", summary="new", mode=mode))


def undo(home: Home) -> None:
    """Take the newest change back, an undo too."""
    newest = next(record.records(home.places.state_dir, record.JOURNAL, newest_first=True))
    home.store.revert(newest, "redo" if newest.about.action == "undo" else "undo")


def _local_only(home: Home) -> None:
    """A local store that was never carried over, one name of it taken in the shared one."""
    local = Path(home.places.agent_dir, "memory")
    for topic in ("Keep", "Note", "Alpha"):
        standins.write(local, topic, f"the local {topic}", shared=False)
    standins.write(home.folder, "Keep", "the shared one", shared=True)


def _recap(home: Home) -> None:
    filled(home)
    standins.write(home.folder, "Last Session Recap", "what was done", shared=True)


def _new(home: Home) -> None:
    del home


_RETIRE = (
    "from pimem_core.paths import find_places\n"
    "from pimem_core.systems.openpi.recap import retire\n"
    "print(*retire(find_places()))"
)
_FRESH = [*PIMEM, "write", "Fresh", "--summary", "fresh text"]
_AGAIN = [*PIMEM, "write", "Note", "--summary", "more to say"]
_REPLACE = [*_AGAIN, "--mode", "replace"]

KINDS = [
    Kind("first write", _FRESH, _new, "Fresh", stdin=b"text\n"),
    Kind("write new", _FRESH, filled, "Fresh", stdin=b"text\n"),
    Kind("write append", _AGAIN, filled, stdin=b"text\n"),
    Kind("write replace", _REPLACE, filled, stdin=b"text\n"),
    Kind("pin", [*PIMEM, "pin", "Note"], filled),
    Kind("unpin", [*PIMEM, "unpin", "Note"], _pinned),
    Kind("remove", [*PIMEM, "remove", "Note"], filled),
    Kind("edit", [*PIMEM, "edit", "Note"], filled),
    Kind("undo new", [*PIMEM, "undo"], _undoable("create"), "Fresh"),
    Kind("undo replace", [*PIMEM, "undo"], _undoable("replace")),
    Kind("redo new", [*PIMEM, "redo"], _redoable("create"), "Fresh"),
    Kind("redo append", [*PIMEM, "redo"], _redoable("append")),
    Kind("shared write new", _FRESH, filled, "Fresh", shared=True, stdin=b"text\n"),
    Kind("shared write removed", _AGAIN, _removed, shared=True, stdin=b"text\n"),
    Kind("shared replace", _REPLACE, filled, shared=True, stdin=b"text\n"),
    Kind("shared remove", [*PIMEM, "remove", "Note"], filled, shared=True),
    Kind("shared edit", [*PIMEM, "edit", "Note"], filled, shared=True),
    Kind("shared undo remove", [*PIMEM, "undo"], _undoable("remove"), shared=True),
    Kind("shared redo remove", [*PIMEM, "redo"], _redoable("remove"), shared=True),
    Kind("carry-over", [*PIMEM, "unpin", "Alpha"], _local_only, "Alpha", shared=True),
    Kind("retirement", [sys.executable, "-c", _RETIRE], _recap, "Keep", shared=True),
]
