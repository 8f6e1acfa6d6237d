"""Stand-ins for the programs that share a store: they change it as those do, without pimem.

Formats are the common ones; what differs between the generations is how they treat the lock. As a
script, `standins.py GENERATION FOLDER SECONDS NAME LOG`, one writes until the time is over and logs
what it wrote.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import secrets
import select
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from pimem_core.clock import stamp
from pimem_core.systems.openpi import topic as topics
from pimem_core.systems.openpi.index import INDEX_NAME, INITIAL
from pimem_core.systems.openpi.index_changes import Index

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_TOMBSTONES = ".ocl-removed"


def write(
    folder: Path, topic: str, content: str, *, shared: bool, summary: str = "a summary"
) -> None:
    """Write a topic and its line as openpi-memory does, whoever holds the lock."""
    folder.mkdir(parents=True, exist_ok=True)
    moment = datetime.now(UTC)
    path = folder / INDEX_NAME
    index = Index(path.read_text() if path.exists() else INITIAL)
    known = index.named(topic)
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


@contextlib.contextmanager
def old_lock(folder: Path) -> Iterator[bool]:
    """openclaude-memory 0.6.2: after half a second it writes anyway, and unlinks whatever is there.

    Yields whether it got the lock. 0.6.4 does the same in its local store.
    """
    path = folder / ".lock"
    got = _wait(path, b"", 0.5, lambda: _age(path) > 10)
    yield got
    path.unlink(missing_ok=True)


@contextlib.contextmanager
def full_lock(folder: Path) -> Iterator[bool]:
    """openclaude-memory 0.6.7: never without the lock. Yields whether it got it."""
    path = folder / ".lock"
    token = f"{os.getpid()}\t{time.time_ns() // 1_000_000}\t{secrets.token_hex(6)}".encode()
    got = _wait(path, token, 2, lambda: _is_dead(path)) or _wait(
        path, token, 2, lambda: _is_dead(path)
    )
    yield got
    with contextlib.suppress(FileNotFoundError):
        if got and path.read_bytes() == token:
            path.unlink()


def _wait(path: Path, content: bytes, seconds: float, is_stale: Callable[[], bool]) -> bool:
    path.parent.mkdir(parents=True, exist_ok=True)
    end = time.monotonic() + seconds
    while True:
        with contextlib.suppress(FileExistsError):
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
            os.write(descriptor, content)
            os.close(descriptor)
            return True
        if is_stale():
            path.unlink(missing_ok=True)
        elif time.monotonic() > end:
            return False
        else:
            select.select([], [], [], 0.025)


def _age(path: Path) -> float:
    try:
        return time.time() - path.stat().st_mtime
    except FileNotFoundError:
        return 0


def _is_dead(path: Path) -> bool:
    if _age(path) <= 10:
        return False
    try:
        os.kill(int(path.read_bytes().split(b"\t")[0]), 0)
    except ProcessLookupError:
        return True
    except (ValueError, OSError):
        return False
    return False


def main() -> None:
    """Write until the time is over."""
    generation, folder, seconds, name, log = sys.argv[1:]
    lock = full_lock if generation == "0.6.7" else old_lock
    chance = random.Random(name)
    end = time.monotonic() + float(seconds)
    count = 0
    with open(log, "w") as out:
        while time.monotonic() < end:
            count += 1
            topic = f"Common {chance.randrange(4)}" if count % 4 else f"Peer {name} {count}"
            with lock(Path(folder)) as got:
                if got or generation != "0.6.7":
                    marker = f"<{name}-{count}>"
                    write(Path(folder), topic, marker, shared=True)
                    row = {"op": "append", "topic": topic, "marker": marker, "outcome": "updated"}
                    print(json.dumps({**row, "locked": got}), file=out, flush=True)
            # A person, or a model, thinks in between.
            select.select([], [], [], chance.uniform(0.01, 0.2))


if __name__ == "__main__":
    main()
