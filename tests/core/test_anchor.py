"""A folder that is swapped for a link between a look and a write is not written through."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pimem_core.errors import PimemError, StorageError
from pimem_core.files.anchor import anchored
from pimem_core.files.publish import make_folder, publish, stage, swap
from pimem_core.files.read import content, is_regular, read_bytes
from pimem_core.history import recovery, transaction
from pimem_core.systems.openpi.system import OpenpiSystem
from pimem_core.systems.stores import WriteRequest

if TYPE_CHECKING:
    from collections.abc import Callable

    from pimem_core.paths import Places


class Trap:
    """A folder of somebody else's files, and a store that is exchanged for a link to it."""

    def __init__(self, base: Path, store: Path) -> None:
        self.store, self.moved = store, base / "moved"
        self.victim = base / "victim"
        self.victim.mkdir(exist_ok=True)
        (self.victim / "a.md").write_text("victim")

    def spring(self) -> None:
        if not self.moved.exists():
            self.store.rename(self.moved)
            self.store.symlink_to(self.victim)

    def is_untouched(self) -> bool:
        return [(p.name, p.read_text()) for p in self.victim.iterdir()] == [("a.md", "victim")]


@pytest.fixture
def trap(tmp_path: Path) -> Trap:
    store = tmp_path / "store"
    (store / "sub").mkdir(parents=True)
    (store / "a.md").write_text("mine")
    return Trap(tmp_path, store)


def test_every_call_reaches_the_folder_that_was_opened(trap: Trap) -> None:
    path = str(trap.store / "a.md")
    with anchored(str(trap.store)):
        trap.spring()
        assert read_bytes(path) == b"mine"
        publish(path, b"new")
        publish(str(trap.store / "b.md"), b"b", exclusive=True)
        staged = stage(str(trap.store / "sub" / "c.md"), b"c")
        swap(staged, str(trap.store / "sub" / "c.md"))
        make_folder(str(trap.store / "deep" / "er"))
        publish(str(trap.store / "deep" / "er" / "d.md"), b"d")
        transaction.put(str(trap.store / "b.md"), None, 0o600)
        assert content(str(trap.store / "b.md")) is None
        assert is_regular(path)
    assert trap.is_untouched()
    assert (trap.moved / "a.md").read_bytes() == b"new"
    assert (trap.moved / "sub" / "c.md").read_bytes() == b"c"
    assert (trap.moved / "deep" / "er" / "d.md").read_bytes() == b"d"
    assert read_bytes(path) == b"victim"  # nothing is held any more


def test_no_folder_below_is_a_link(trap: Trap) -> None:
    (trap.store / "sub").rmdir()
    (trap.store / "sub").symlink_to(trap.victim)
    with anchored(str(trap.store)):
        for work in (
            lambda: read_bytes(str(trap.store / "sub" / "a.md")),
            lambda: transaction.put(str(trap.store / "sub" / "a.md"), b"x", 0o600),
            lambda: transaction.put(str(trap.store / "sub" / "a.md"), None, 0o600),
            lambda: transaction.put(str(trap.store / "sub" / "new" / "a.md"), b"x", 0o600),
        ):
            with pytest.raises(PimemError):
                work()
    assert trap.is_untouched()


def test_what_may_be_held(trap: Trap, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(trap.store)
    with anchored(str(link)):
        assert read_bytes(str(link / "a.md")) == b"mine"
    with pytest.raises(StorageError, match="symbolic link"), anchored(str(link), follow=False):
        pass
    with (
        pytest.raises(StorageError, match="through a symbolic link"),
        anchored(str(link / "sub"), follow=False),
    ):
        pass
    os.lchown(link, 12345, 12345)
    with pytest.raises(StorageError, match="another user"), anchored(str(link)):
        pass


@pytest.fixture
def filled(places: Places) -> Places:
    store = OpenpiSystem().active(places)
    for content_ in ("body", "more of it"):
        store.write(WriteRequest(topic="A", content=content_, summary="s"))
    return places


STAGES = {
    "a file is staged": (transaction, "stage"),
    "the record is published": (transaction, "publish"),
    "a file is compared": (transaction, "_refuse_changed"),
    "a file is swapped": (transaction, "swap"),
    "the names are synced": (transaction, "sync_folders"),
    "the change is confirmed": (recovery, "confirm"),
}


@pytest.mark.parametrize("stage_", STAGES.values(), ids=STAGES)
@pytest.mark.parametrize("action", ["write", "pin", "remove", "undo"])
def test_a_store_swapped_during_a_change_is_not_written_through(
    filled: Places,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    stage_: tuple[object, str],
    action: str,
) -> None:
    store = OpenpiSystem().active(filled)
    trap = Trap(tmp_path, Path(store.path))
    module, name = stage_
    original: Callable[..., object] = getattr(module, name)

    def sprung(*arguments: object, **options: object) -> object:
        trap.spring()
        return original(*arguments, **options)

    monkeypatch.setattr(module, name, sprung)
    try:
        if action == "write":
            store.write(WriteRequest(topic="A", content="more", summary="s"))
        elif action == "pin":
            store.pin("A", True)
        elif action == "remove":
            store.remove("A")
        else:
            from pimem_core.systems import undo

            undo.step(filled, [store], "undo")
    except PimemError:
        pass
    assert trap.moved.exists()
    assert trap.is_untouched()
    assert not list(trap.moved.glob("*.tmp-*"))
    assert not (trap.moved / ".lock").exists()
