"""Killed at every call that changes the disk, a change is whole or was never made.

`make test` takes a few points of each kind of change, `make faults` all of them.
"""

from __future__ import annotations

import json
import signal
from typing import TYPE_CHECKING

import pytest
from faults import standins
from faults.homes import EVERY, KINDS, PIMEM, Home, Kind, undo

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from faults.homes import Look
    from faults.tracer import Call


def points(calls: int, turn: int) -> list[int]:
    """The calls to be killed at; one more is the unkilled run."""
    if EVERY:
        return list(range(1, calls + 1))
    # Later calls matter more; the kinds together cover them.
    return sorted({max(1, calls - turn % 5), max(1, calls - 5 - turn % 11)})


class Killing:
    """One kind of change, its state before and after, and the runs that are killed."""

    def __init__(self, kind: Kind, base: Path) -> None:
        self.kind = kind
        self.home = Home(base, shared=kind.shared)
        kind.prepare(self.home)
        self.home.keep("before")
        whole = self.home.run(kind.command, stdin=kind.stdin)
        assert whole.code == 0, whole.err
        assert self.home.leftovers() == []
        self.home.keep("after")
        self.calls: list[Call] = whole.calls

    def both(self, act: Callable[[Home], object]) -> list[Look]:
        """What something makes of the state before and of the one after."""
        found = []
        for name in ("before", "after"):
            self.home.restore(name)
            act(self.home)
            found.append(self.home.look())
        return found

    def kill(self, at: int) -> None:
        """Leave the home as a kill at the given call does."""
        self.home.restore("before")
        ended = self.home.run(self.kind.command, stdin=self.kind.stdin, kill_at=at)
        assert ended.code == -signal.SIGKILL, (at, ended)
        assert ended.calls == self.calls[:at]
        self.home.keep("killed")


@pytest.mark.timeout(900)
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_kill_leaves_the_state_before_or_after(
    kind: Kind, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    killing = Killing(kind, tmp_path)
    home = killing.home
    plain = killing.both(lambda home: None)
    shown = [_seen(killing, "before"), _seen(killing, "after")]
    elsewhere = killing.both(_peer_adds)
    same = killing.both(lambda home: _peer_appends(home, kind.topic))
    pinned: list[Look] = []
    reached = points(len(killing.calls), KINDS.index(kind))
    for at in reached:
        where = f"{kind.name}, killed at {at}: {killing.calls[at - 1]}"
        killing.kill(at)

        # Reading: another process shows one of both states, and writes nothing.
        stamps = home.stamps()
        listed = home.run([*PIMEM, "list", "--json"])
        assert listed.code == 0, where
        seen = home.seen()
        assert seen in shown, where
        assert len(json.loads(listed.out)) == seen["MEMORY.md"].count("]("), where
        assert home.stamps() == stamps, where

        # The next change, through the command line or the core.
        is_ours = any((home.state / "intents").glob("*.json"))
        home.age_lock()
        # A carry-over's lock on the local store is for the next one to take.
        if at % 2 and kind.name != "carry-over":
            assert home.store.recover() is not None
            assert home.leftovers() == [], where
            assert home.look() in plain, where
            _assert_undoable(home, plain, where)
        else:
            ended = home.run([*PIMEM, "pin", "Keep"])
            assert home.leftovers() == [], where
            repaired = home.look()
            pinned = pinned or killing.both(_pin)
            assert repaired in pinned, (where, ended)

        # A peer wrote before the repair: another topic, with the lock left or taken over.
        for takes_lock in (False, True):
            home.restore("killed")
            if takes_lock or not is_ours:
                _drop_locks(home)
            _peer_adds(home)
            home.store.recover()
            _assert_same(home.look(), elsewhere, where)
            assert home.leftovers() == [], where

        # A peer wrote the very topic.
        home.restore("killed")
        _drop_locks(home)
        _peer_appends(home, kind.topic)
        home.seen()
        home.store.recover()
        _assert_same(home.look(), same, where)
        assert home.leftovers() == [], where
    record_property("kill points", f"{len(reached)} of {len(killing.calls)}: {kind.name}")
    assert not EVERY or len(set(reached)) == len(killing.calls)


def _seen(killing: Killing, name: str) -> Look:
    killing.home.restore(name)
    return killing.home.seen()


def _pin(home: Home) -> None:
    home.run([*PIMEM, "pin", "Keep"])


def _peer_adds(home: Home) -> None:
    standins.write(home.folder, "Peer", "of a peer", shared=home.shared)


def _peer_appends(home: Home, topic: str) -> None:
    standins.write(home.folder, topic, "of a peer", shared=home.shared)


def _drop_locks(home: Home) -> None:
    for path in home.root.rglob(".lock"):
        path.unlink()


def _assert_same(found: Look, wanted: list[Look], where: str) -> None:
    """Equal to one of the states, with index lines in any order: the peer's came in between."""
    assert _ordered(found) in [_ordered(look) for look in wanted], where


def _ordered(look: Look) -> dict[str, list[str]]:
    return {
        path: sorted(filter(None, text.split("\n"))) if path.endswith("MEMORY.md") else [text]
        for path, text in look.items()
    }


def _assert_undoable(home: Home, plain: list[Look], where: str) -> None:
    """A change that was completed is in the journal, and undo takes it back."""
    if home.look() == plain[1] != plain[0]:
        undo(home)
        assert home.look() == plain[0], where
