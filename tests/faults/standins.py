"""Stand-ins for the programs that share a store: they change it as those do, without pimem.

Formats are the common ones; what differs between the generations is how they treat the lock.
"""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

from pimem_core.clock import stamp
from pimem_core.systems.openpi import topic as topics
from pimem_core.systems.openpi.index import INDEX_NAME, INITIAL, Index, named

_TOMBSTONES = ".ocl-removed"


def write(
    folder: Path, topic: str, content: str, *, shared: bool, summary: str = "a summary"
) -> None:
    """Write a topic and its line as openpi-memory does, whoever holds the lock."""
    folder.mkdir(parents=True, exist_ok=True)
    moment = datetime.now(UTC)
    path = folder / INDEX_NAME
    index = Index(path.read_text() if path.exists() else INITIAL)
    known = named(index.entries(), topic)
    file = known.file if known else topics.file_for(
        topic,
        is_indexed={entry.file for entry in index.entries()}.__contains__,
        exists=lambda name: (folder / name).exists(),
        owner=lambda name: topics.owner_name((folder / name).read_text()),
    )  # fmt: skip
    text = topics.new_text(topic, summary, content, moment)
    if (folder / file).exists():
        text = topics.updated_text(
            (folder / file).read_text(),
            name=topic,
            summary=summary,
            content=content,
            replace=False,
            moment=moment,
        )
    publish(folder / file, text)
    index.upsert(topic, file, pin=False, stamp=stamp(moment), summary=summary)
    index.maintain(lambda name: (folder / name).is_file(), stale_after_days=180, moment=moment)
    publish(path, index.text())
    tombstones = folder / _TOMBSTONES
    if shared and tombstones.exists():
        names = [name for name in tombstones.read_text().splitlines() if name != file]
        publish(tombstones, "".join(f"{name}\n" for name in names))


def publish(path: Path, text: str) -> None:
    """Rename a whole file into place."""
    temporary = path.with_name(f"{path.name}.tmp-{os.getpid()}-peer")
    temporary.write_text(text)
    temporary.rename(path)
