"""The command line, run in this process where that shows the same as a process of its own."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent))

from cli.running import Pimem
from core.folders import HEADER, Folder, topic_text
from pimem_core.systems.openpi.system import OpenpiSystem

if TYPE_CHECKING:
    from pimem_core.paths import Places


@pytest.fixture
def pimem(monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]) -> Pimem:
    return Pimem(monkeypatch, capfdbinary)


@pytest.fixture
def local(places: Places) -> Folder:
    """pi's own store, with three topics: one pinned, one old, one without a stamp."""
    folder = Folder(OpenpiSystem().stores(places)[0])
    return folder.fill(
        {
            "MEMORY.md": HEADER
            + "- [Docker setup](docker-setup.md) [pin] 2026-11-01T10:00:00+00:00 -- compose files\n"
            + "- [Old thing](old-thing.md) 2019-01-01 [stale?] -- long ago\n"
            + "- [Docker net](docker-net.md) -- bridge\n",
            "docker-setup.md": topic_text('"Docker setup"', '"compose files"', "Uses port 8080."),
            "old-thing.md": topic_text('"Old thing"', '"long ago"', "dusty"),
            "docker-net.md": topic_text('"Docker net"', '"bridge"', "overlay"),
            "unlisted.md": "not in the index\n",
        }
    )


@pytest.fixture
def empty(places: Places) -> Folder:
    """pi's own store, not there yet."""
    return Folder(OpenpiSystem().stores(places)[0])
