"""Pilots for the manager on the sample stores, and pictures at a moment that never passes."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import time_machine

sys.path.insert(0, str(Path(__file__).parent.parent))

from layered.worlds import World
from pimem_core.demo import make_demo
from pimem_core.files import watch
from pimem_core.hooks import next_prompt
from textual.widgets import Input, TextArea
from tui.helpers import NOW, Watching, messages_taken

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence
    from typing import Any

    from pimem_core.hooks.next_prompt import Given
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


@pytest.fixture
def snap_compare(
    snap_compare: Callable[..., bool], monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., bool]]:
    """Pictures look the same on every day and in every zone: at `NOW`, in UTC.

    Nothing is watched: to that clock all files would be of the future, and so have just changed.
    No cursor blinks: one that is stopped while it is away stays away. What a prompt is given
    names one home wherever the tests run, or its tokens would differ.
    """

    def same_home(places: Places, **options: Any) -> Sequence[Given]:
        return [
            system.but(
                parts=[
                    part.but(text=part.text.replace(places.home, "/home/ann"))
                    for part in system.parts
                ]
            )
            for system in given(places, **options)
        ]

    given = next_prompt.given
    with monkeypatch.context() as patched:
        patched.setattr(next_prompt, "given", same_home)
        patched.setattr("pimem_tui.screens.injection.given", same_home)
        patched.setattr(watch, "watch", lambda *_, **_options: None)
        patched.setattr(TextArea, "_toggle_cursor_blink_visible", lambda _area: None)
        patched.setattr(Input, "_toggle_cursor", lambda _input: None)
        patched.setenv("TZ", "UTC")
        time.tzset()
        with time_machine.travel(NOW, tick=False):
            yield snap_compare
    time.tzset()


@pytest.fixture
def watching(monkeypatch: pytest.MonkeyPatch) -> Watching:
    """The watch of the manager's list, for tests that wait for it."""
    watching, follow, remote = Watching(), watch.watch, watch.is_remote

    def followed(folder: str, changed: Callable[[Collection[str]], object], **options: Any) -> None:
        def told(names: Collection[str]) -> None:
            changed(names)
            watching.told.update(names)

        follow(folder, told, **options)

    def looked(folder: str) -> bool:
        watching.begun.set()
        return remote(folder)

    monkeypatch.setattr(watch, "watch", followed)
    monkeypatch.setattr(watch, "is_remote", looked)
    return watching


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
