"""Layered memory in an isolated home: a git project with a workspace, and a global layer."""

from __future__ import annotations

import datetime as dt
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent))

import time_machine
from layered.worlds import FILLED, NAME, World

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def world(isolated_home: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    """A home with a git project in it; neither layer exists yet."""
    project = isolated_home / "project"
    project.mkdir()
    (project / ".git").mkdir()
    (project / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    monkeypatch.chdir(project)
    return World(isolated_home, project)


@pytest.fixture
def both(world: World) -> World:
    """Both layers with an index, and the person's yes to the workspace."""
    world.store.init("global")
    world.store.init("workspace")
    return world


@pytest.fixture
def utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A host in UTC."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.fixture
def frozen(utc: None) -> Any:
    with time_machine.travel(dt.datetime(2026, 11, 15, 10, 20, 30, tzinfo=dt.UTC), tick=False):
        yield


@pytest.fixture
def filled(both: World) -> World:
    """Both layers, and a reviewed checkpoint in the workspace's inbox."""
    return both.fill(workspace={f"inbox/{NAME}": FILLED})
