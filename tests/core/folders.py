"""Store folders for tests: filled from a mapping, looked at byte for byte."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from pimem_core.systems.stores import WriteRequest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pimem_core.model import Change
    from pimem_core.systems.openpi.store import OpenpiStore

HEADER = "# Memory Index\n\n"


class Folder:
    """A store and its folder on disk."""

    def __init__(self, store: OpenpiStore) -> None:
        self.store = store
        self.path = Path(store.path)

    def fill(self, files: Mapping[str, str | bytes]) -> Folder:
        """Put files there; texts as UTF-8, line ends as they are."""
        for name, content in files.items():
            path = self.path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        return self

    def bytes(self, name: str) -> bytes:
        return (self.path / name).read_bytes()

    def text(self, name: str) -> str:
        return self.bytes(name).decode()

    @property
    def index(self) -> str:
        return self.text("MEMORY.md")

    def lines(self) -> list[str]:
        """The entry lines of the index."""
        return [line for line in self.index.split("\n") if line.startswith("- [")]

    def write(
        self, topic: str, content: str = "text", summary: str = "s", **more: object
    ) -> Change:
        request = WriteRequest(topic=topic, content=content, summary=summary, **more)  # type: ignore[arg-type]
        return self.store.write(request)

    def replace(self, topic: str, content: str = "text", summary: str = "s") -> Change:
        return self.write(topic, content, summary, mode="replace")


def snapshot(root: Path | str) -> dict[str, tuple[object, ...]]:
    """Every entry below a folder: kind and mode, size, time of change, content."""
    found: dict[str, tuple[object, ...]] = {}
    for folder, folders, files in os.walk(root):
        for name in [*folders, *files]:
            path = os.path.join(folder, name)
            status = os.lstat(path)
            content: object = None
            if stat.S_ISREG(status.st_mode) and status.st_size < 1 << 20:
                content = Path(path).read_bytes()
            elif stat.S_ISLNK(status.st_mode):
                content = os.readlink(path)
            size = 0 if stat.S_ISDIR(status.st_mode) else status.st_size
            found[path] = (status.st_mode, size, status.st_mtime_ns, content)
    return found


def topic_text(name: str, description: str = "d", body: str = "body") -> str:
    """A topic file as the pair writes it."""
    return (
        f"---\nmetadata:\n  node_type: memory\nname: {name}\ndescription: {description}\n"
        f"last_updated: 2026-01-01T00:00:00+00:00\ncreated: 2026-01-01T00:00:00+00:00\n---\n"
        f"\n{body}\n"
    )
