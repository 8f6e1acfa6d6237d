"""The next start repairs what a kill left unfinished, whichever front it is."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from pimem_core.history import transaction
from pimem_core.systems import registry
from pimem_core.systems.openpi.system import OpenpiSystem
from pimem_core.systems.stores import WriteRequest

if TYPE_CHECKING:
    import pytest
    from pimem_core.paths import Places


def test_repair_takes_back_a_change_that_died_before_its_index(
    places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = OpenpiSystem().active(places)
    store.write(WriteRequest(topic="One", content="first", summary="s"))
    folder = Path(store.path)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    child = os.fork()
    if child == 0:
        calls = iter((False, True))

        def swap(temporary: str, path: str) -> None:
            if next(calls):
                os._exit(9)
            os.rename(temporary, path)

        monkeypatch.setattr(transaction, "swap", swap)
        store.write(WriteRequest(topic="Two", content="second", summary="s"))
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
    (said,) = registry.repair(places)
    assert "Two" in said
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before
    assert registry.repair(places) == []
