"""One of ours among the writers: `writer.py FRONT SECONDS NAME LOG` with a home in the environment.

Logs each change with its outcome, and whether it was gone when the lock was released. The fronts
are `core`, `cli` and `slow`: the core on a machine that stops it now and then for as long as an
openclaude-memory 0.6.2 waits for the lock.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import random
import select
import sys
import time
from typing import TYPE_CHECKING, Any

from pimem_core.cli.main import main as command_line
from pimem_core.errors import PimemError
from pimem_core.files import publish
from pimem_core.files.lock import StoreLock
from pimem_core.history import record, recovery, transaction
from pimem_core.paths import find_places
from pimem_core.systems.openpi.system import OpenpiSystem
from pimem_core.systems.stores import WriteRequest

if TYPE_CHECKING:
    from pimem_core.history.record import FileRecord, Record
    from pimem_core.systems.openpi.store import OpenpiStore

_made: list[Record] = []
_gone: list[str] = []
_looked_at: list[int] = []


def _watch(is_slow: bool) -> None:
    """See at each release of the lock whether the change made under it is there.

    What a peer wrote after the last look before the release is nobody's fault.
    """
    confirm, release = recovery.confirm, StoreLock._release
    chance = random.Random()

    def stop() -> None:
        if is_slow and chance.random() < 0.2:
            select.select([], [], [], 0.7)

    def swapped(temporary: str, path: str) -> None:
        stop()
        publish.swap(temporary, path)

    def confirmed(done: Record) -> bool:
        stop()
        _made.append(done)
        _looked_at.append(time.time_ns())
        return confirm(done)

    def released(lock: StoreLock) -> None:
        for file in (file for made in _made for file in made.files):
            if not recovery._is_there(file) and _changed(file) < _looked_at[-1]:
                _gone.append(file.path)
        _made.clear()
        release(lock)

    vars(transaction)["swap"] = swapped
    recovery.confirm = confirmed
    StoreLock._release = released  # type: ignore[method-assign, assignment]


def _changed(file: FileRecord) -> int:
    try:
        return os.lstat(file.path).st_ctime_ns
    except FileNotFoundError:
        return 0


class Writer:
    """Makes changes through one front."""

    def __init__(self, front: str, name: str) -> None:
        self.front, self.name = front, name
        self.chance = random.Random(name)
        self.store: OpenpiStore = OpenpiSystem().active(find_places())
        self.own: dict[str, bool] = {}
        self.count = 0

    def step(self) -> dict[str, Any]:
        """Make one change; the row for the log."""
        self.count += 1
        marker = f"<{self.name}-{self.count}>"
        op = self.chance.choice(("append", "append", "create", "pin", "remove"))
        topic = f"Common {self.chance.randrange(4)}"
        if op == "create":
            topic = f"Own {self.name} {self.count}"
        elif op != "append":
            topic = self.chance.choice(list(self.own)) if self.own else topic
            op = op if self.own else "append"
        pinned = not self.own.get(topic, False)
        _gone.clear()
        outcome, notes = self._do(op, topic, marker, pinned)
        if outcome in ("created", "updated") and op == "create":
            self.own[topic] = False
        if outcome in ("pinned_now", "unpinned_now"):
            self.own[topic] = pinned
        if outcome == "removed":
            del self.own[topic]
        row = {"op": op, "topic": topic, "marker": marker, "outcome": outcome, "notes": notes}
        return {**row, "gone": list(_gone), "own": self.own}

    def _do(self, op: str, topic: str, marker: str, pinned: bool) -> tuple[str, list[str]]:
        if self.front == "cli":
            return self._run(op, topic, marker, pinned)
        try:
            if op == "pin":
                change = self.store.pin(topic, pinned)
            elif op == "remove":
                change = self.store.remove(topic)
            else:
                change = self.store.write(WriteRequest(topic=topic, content=marker, summary="s"))
        except PimemError as error:
            return error.outcome, [str(error)]
        return change.outcome, list(change.notes)

    def _run(self, op: str, topic: str, marker: str, pinned: bool) -> tuple[str, list[str]]:
        words = {"pin": ["pin" if pinned else "unpin", topic], "remove": ["remove", topic]}.get(
            op, ["write", topic, "--summary", "s", "--content", marker]
        )
        with (
            contextlib.redirect_stdout(io.StringIO()) as out,
            contextlib.redirect_stderr(io.StringIO()) as err,
        ):
            command_line([*words, "--json"], open_manager=lambda *_: 2)
        return json.loads(out.getvalue())["outcome"], err.getvalue().splitlines()


def main() -> None:
    """Change the store until the time is over."""
    front, seconds, name, log = sys.argv[1:]
    _watch(front == "slow")
    writer = Writer(front, name)
    end = time.monotonic() + float(seconds)
    with open(log, "w") as out:
        while time.monotonic() < end:
            print(json.dumps(writer.step()), file=out, flush=True)
            select.select([], [], [], writer.chance.uniform(0.01, 0.2))


if __name__ == "__main__":
    main()
    assert record.unreadable(find_places().state_dir) == []
