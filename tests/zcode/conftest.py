"""Stores of facts in folders below the isolated home."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent))

from pimem_core.paths import find_places
from zcode.folder import HEADER, Project, fact
from zcode.host import Host

if TYPE_CHECKING:
    from pimem_core.paths import Places


@pytest.fixture
def places(isolated_home: Path, monkeypatch: pytest.MonkeyPatch) -> Places:
    """A user in a project folder below the home."""
    project = isolated_home / "work" / "chat"
    project.mkdir(parents=True)
    monkeypatch.chdir(project)
    return find_places()


@pytest.fixture
def project(places: Places) -> Project:
    """The store of that project; nothing is there yet."""
    return Project(places)


@pytest.fixture
def host(project: Project) -> Host:
    """A session in a project with one fact."""
    project.fill({"MEMORY.md": f"{HEADER}- [A](a.md) — about a\n", "a.md": fact("a")})
    host = Host(project.places)
    assert host.start() == []
    return host
