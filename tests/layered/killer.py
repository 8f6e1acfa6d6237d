"""Kills one kind of change at each of its calls that change the disk, in forked processes.

Runs as a script: `killer.py FOLDER KIND...`. A process that forks must have no threads, so this is
not done inside the test process. Says what went wrong, or how many points each kind had.
"""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pimem_core.history import record
from pimem_core.paths import Places, find_places
from pimem_core.systems.layered.system import LayeredSystem
from pimem_core.systems.stores import WriteRequest

if TYPE_CHECKING:
    from collections.abc import Callable

    from pimem_core.systems.layered.store import LayeredStore

    Look = dict[str, str]

CALLS = (
    *("open", "write", "fsync", "rename", "unlink", "mkdir", "link", "chmod", "fchmod", "fchown"),
    "utime",
)
MARK = "the only copy of this"
INBOX = "inbox/c.md"
CHECKPOINT = f"# Checkpoint\n\n## Summary\n\n{MARK}\n\n### Decisions\n\n- streams\n"
ENTRIES = "## 2026-01-01 Old\n\n- **status**: active\n\nold\n\n## 2026-02-01 New\n\nnew\n"


class Home:
    """A home with a project and both layers in a known state."""

    def __init__(self, base: Path) -> None:
        self.base, self.root = base, base / "home"
        self.project = self.root / "project"
        (self.project / ".git").mkdir(parents=True)
        (self.project / ".git" / "HEAD").write_text("x")
        self.places: Places = find_places({"HOME": str(self.root)}, str(self.project))
        self.state = Path(self.places.state_dir)

    def layer(self, name: str) -> LayeredStore:
        return LayeredSystem().active(self.places).sibling(name)

    @property
    def workspace(self) -> LayeredStore:
        return self.layer("workspace")

    def fill(self) -> None:
        self.workspace.init("global")
        self.workspace.init("workspace")
        for store, file, text in (
            (self.workspace, INBOX, CHECKPOINT),
            (self.workspace, "d.md", ENTRIES),
            (self.workspace, "e.md", "## 2026-03-01 Later\n"),
            (self.layer("global"), "knowledge/lessons.md", "# Lessons\n\nold\n"),
            (self.layer("global"), "state/current-task.md", "doing"),
        ):
            Path(store.path, file).write_text(text)

    def keep(self) -> dict[Path, bytes | None]:
        """Every entry as it is now; folders without content."""
        return {p: None if p.is_dir() else p.read_bytes() for p in sorted(self.root.rglob("*"))}

    def restore(self, kept: dict[Path, bytes | None]) -> None:
        """Put everything back that is not so already."""
        for path in sorted(self.root.rglob("*"), reverse=True):
            if path not in kept:
                path.rmdir() if path.is_dir() else path.unlink()
        for path, data in kept.items():
            if data is None:
                path.mkdir(exist_ok=True)
            elif not path.exists() or path.read_bytes() != data:
                path.write_bytes(data)

    def look(self) -> Look:
        """Every file of both layers as the disk has it."""
        return {
            str(path.relative_to(self.root)): path.read_text()
            for folder in (".pi", "project/.pi")
            for path in sorted((self.root / folder).rglob("*"))
            if path.is_file()
        }

    def seen(self) -> Look:
        """Every file of both layers as readers see it, and the block of a prompt."""
        found = {"block": str(self.workspace.load().total)}
        for store in (self.layer("global"), self.workspace):
            others = [one.file for one in store.files.others(store.files.shown())]
            for file in [*(topic.file for topic in store.list()), *others]:
                found[f"{store.name}:{file}"] = store.read(file).text
        return found

    def stamps(self) -> dict[str, tuple[int, int]]:
        return {
            str(path): (path.lstat().st_ino, path.lstat().st_mtime_ns)
            for path in self.root.rglob("*")
        }

    def leftovers(self) -> list[str]:
        return [
            str(path.relative_to(self.root))
            for path in self.root.rglob("*")
            if path.name == ".lock"
            or ".tmp-" in path.name
            or (path.parent.name == "intents" and path.suffix == ".json")
        ]


def promote(folder: str, target: str, *sections: str) -> Callable[[Home], Any]:
    return lambda home: home.workspace.promote(INBOX, folder, target, sections=sections or None)


def write(topic: str) -> Callable[[Home], Any]:
    request = WriteRequest(topic=topic, content="c", summary="s")
    return lambda home: home.workspace.write(request)


def undo(home: Home) -> Any:
    newest = next(record.records(home.places.state_dir, record.JOURNAL, newest_first=True))
    return home.workspace.revert(newest, "redo" if newest.about.action == "undo" else "undo")


def after(act: Callable[[Home], Any]) -> Callable[[Home], None]:
    def prepare(home: Home) -> None:
        home.fill()
        act(home)

    return prepare


PROMOTE = promote("knowledge", "lessons.md")
#: How the home is before the change, and the change.
KINDS: dict[str, tuple[Callable[[Home], None], Callable[[Home], Any]]] = {
    "promote": (Home.fill, PROMOTE),
    "promote new": (Home.fill, promote("facts", "new.md")),
    "promote workspace": (Home.fill, promote("workspace", "d.md")),
    "promote section": (Home.fill, promote("workspace", "d.md", "Summary")),
    "promote undo": (after(PROMOTE), undo),
    "write": (Home.fill, write("d.md")),
    "write new": (Home.fill, write("sub/new.md")),
    "remove": (Home.fill, lambda home: home.workspace.remove("d.md")),
    "archive": (Home.fill, lambda home: home.workspace.archive("d.md")),
    "archive entry": (Home.fill, lambda home: home.workspace.archive("d.md", "Old")),
    "supersede": (
        Home.fill,
        lambda home: home.workspace.supersede("d.md", "Old", "Later", by_file="e.md"),
    ),
    "clear": (Home.fill, lambda home: home.workspace.clear_task()),
    "edit": (
        Home.fill,
        lambda home: home.workspace.save("d.md", opened=ENTRIES, text=ENTRIES + "x\n"),
    ),
}


def killed(home: Home, act: Callable[[Home], Any], at: int) -> bool:
    """Make the change in a process that is killed at a call; whether there was such a call."""
    child = os.fork()
    if child == 0:
        count = 0

        def counting(real: Callable[..., Any]) -> Callable[..., Any]:
            def call(*args: Any, **more: Any) -> Any:
                nonlocal count
                is_read = real.__name__ == "open" and not args[1] & (os.O_CREAT | os.O_TRUNC)
                if not is_read:
                    count += 1
                    if count == at:
                        os.kill(os.getpid(), signal.SIGKILL)
                return real(*args, **more)

            return call

        for name in CALLS:
            setattr(os, name, counting(getattr(os, name)))
        act(home)
        os._exit(0)
    _pid, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    assert code in (0, -signal.SIGKILL), code
    return code != 0


def main(kind: str, base: Path) -> int:
    """Kill everywhere; the number of points."""
    home = Home(base)
    prepare, act = KINDS[kind]
    prepare(home)
    kept = home.keep()
    before = home.look(), home.seen()
    act(home)
    assert home.leftovers() == [], home.leftovers()
    done = home.look(), home.seen()
    assert before[0] != done[0]
    at = 0
    while True:
        at += 1
        home.restore(kept)
        if not killed(home, act, at):
            return at - 1
        where = f"{kind}, killed at {at}"
        stamps = home.stamps()
        assert home.seen() in (before[1], done[1]), where
        assert home.stamps() == stamps, where
        # Either layer repairs what touches it, whichever the change was recorded for.
        home.layer("global" if at % 2 and kind.startswith("promote") else "workspace").recover()
        if kind in ("promote workspace", "promote section"):
            home.workspace.recover()
        found = home.look()
        assert found in (before[0], done[0]), where
        if "promote" in kind:
            assert sum(text.count(MARK) for text in found.values()) == 1, where
        assert home.leftovers() == [], (where, home.leftovers())


if __name__ == "__main__":
    for name in sys.argv[2:]:
        sys.stdout.write(f"{main(name, Path(sys.argv[1], name))} {name}\n")
