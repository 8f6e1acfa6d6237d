"""Pilots for the manager on the sample stores, with a clock that stands still."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent))

from layered.worlds import World
from pimem_core.demo import make_demo
from tui.helpers import NOW, messages_taken

if TYPE_CHECKING:
    from pimem_core.paths import Places


@pytest.fixture
def demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Places:
    """The sample stores in a folder of the test's own."""
    monkeypatch.setenv("TEXTUAL_ANIMATIONS", "none")
    folder = tmp_path / "demo"
    folder.mkdir()
    return make_demo(str(folder), NOW)


@pytest.fixture
def world(isolated_home: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    """A home with a project in git, without any layer of a memory yet."""
    monkeypatch.setenv("TEXTUAL_ANIMATIONS", "none")
    project = isolated_home / "project"
    (project / ".git").mkdir(parents=True)
    (project / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    monkeypatch.chdir(project)
    return World(isolated_home, project)


@pytest.fixture(autouse=True)
def waiting_for_messages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keys wait until their messages are taken, not until the processor looks idle."""

    async def wait(*_limits: float) -> None:
        await messages_taken()

    monkeypatch.setattr("textual.app.wait_for_idle", wait)
    monkeypatch.setattr("textual.pilot.wait_for_idle", wait)


@pytest.fixture(autouse=True)
def lasting_notices(monkeypatch: pytest.MonkeyPatch) -> None:
    """Notices that outlast a test: on a busy machine they would go before they are looked at."""
    monkeypatch.setattr("pimem_tui.services.notices._NOTICE_S", 60)
    monkeypatch.setattr("pimem_tui.services.notices._ERROR_S", 60)
