"""The core's tests work on real folders below the isolated home."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent))

from core.folders import Folder
from pimem_core.systems.openpi.system import OpenpiSystem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pimem_core.paths import Places


@pytest.fixture
def local(places: Places) -> Folder:
    """pi's own store."""
    return Folder(OpenpiSystem().stores(places)[0])


@pytest.fixture
def shared(places: Places) -> Folder:
    """The shared store, switched on; the local one is empty."""
    agent = Path(places.agent_dir)
    agent.mkdir(parents=True)
    (agent / "memory.jsonc").write_text('{"shared_dir": true}')
    return Folder(OpenpiSystem().stores(places)[1])


@pytest.fixture
def utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A host in UTC, so that stamps are the same everywhere."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()
