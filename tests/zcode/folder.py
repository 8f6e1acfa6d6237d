"""A project's store for tests: filled from a mapping, looked at byte for byte."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from pimem_core.systems.stores import WriteRequest
from pimem_core.systems.zcode.store import ZcodeStore
from pimem_core.systems.zcode.system import ZcodeSystem

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pimem_core.model import Change, Topic
    from pimem_core.paths import Places

HEADER = "# Memory Index\n\n"

#: An index and a fact as people keep them by hand.
INDEX = (
    "# Memory Index\r\n\r\n## People\r\n- **[Ann](./user_ann.md)** `user` — who she is\r\n"
    "- ~~[Old](old.md) — gone~~\r\n| [Row](row.md) | in a table |\r\n\r\nfooter, no line end"
)
ANN = (
    "\ufeff---\r\n# by hand\r\nname: Ann, the lead\r\nmetadata: \r\n  node_type: memory\r\n"
    "  type: user\r\n  originSessionId: sess_1\r\n  modified: 2026-07-01T10:00:00.000Z\r\n"
    "description: who she is\r\nextra: {a: 1}\r\n---\r\nAnn leads.\r\n"
)


class Project:
    """A store and its folder on disk."""

    def __init__(self, places: Places, store: ZcodeStore | None = None) -> None:
        self.places = places
        self.store = store or ZcodeSystem().active(places)
        self.path = Path(self.store.path)

    def at(self, folder: Path) -> Project:
        """Another folder of the same user."""
        return Project(self.places, ZcodeStore(str(folder), str(folder), self.places))

    def fill(self, files: Mapping[str, str | bytes]) -> Project:
        """Put files there; texts as UTF-8, line ends as they are."""
        for name, content in files.items():
            path = self.path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)
        return self

    def data(self, name: str) -> bytes:
        return (self.path / name).read_bytes()

    def text(self, name: str) -> str:
        return self.data(name).decode()

    @property
    def index(self) -> str:
        return self.text("MEMORY.md")

    def names(self) -> list[str]:
        return [topic.name for topic in self.store.list()]

    def topic(self, name: str) -> Topic:
        return next(topic for topic in self.store.list() if name in (topic.name, topic.file))

    def write(
        self,
        name: str,
        content: str = "text",
        description: str = "d",
        type_: str | None = "project",
        **more: object,
    ) -> Change:
        request = WriteRequest(
            topic=name,
            content=content,
            summary=description,
            type=type_,
            **more,  # type: ignore[arg-type]
        )
        return self.store.write(request)

    def files(self) -> dict[str, bytes]:
        """Everything below the folder by its path, links as where they lead."""
        found: dict[str, bytes] = {}
        for folder, _, names in os.walk(self.path):
            for name in names:
                path = os.path.join(folder, name)
                key = os.path.relpath(path, self.path)
                if os.path.islink(path):
                    found[key] = b"-> " + os.fsencode(os.readlink(path))
                else:
                    found[key] = Path(path).read_bytes()
        return found


def fact(
    name: str = "fact",
    description: str = '"d"',
    metadata: str = "\n  node_type: memory\n  type: project",
    body: str = "\nBody.\n",
    more: str = "",
) -> str:
    """A fact file as ZCode writes it."""
    return f"---\nname: {name}\ndescription: {description}\nmetadata:{metadata}\n{more}---\n{body}"
