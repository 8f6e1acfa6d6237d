"""A layer as a whole in the manager: creating it, the current task, git, trust."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from pimem_core.settings import trust
from pimem_core.systems import registry
from pimem_tui.app import PimemApp
from pimem_tui.screens.browser import BrowserScreen
from pimem_tui.screens.confirm import ConfirmScreen
from pimem_tui.screens.edit import EditScreen
from tui.helpers import NOW, browser, manager, notices, press, shown, until

if TYPE_CHECKING:
    from collections.abc import Iterable

    from layered.worlds import World
    from pimem_core.paths import Places
    from pimem_core.systems.stores import Store

GLOBAL, WORKSPACE = 2, 3


def names_of(stores: Iterable[Store]) -> list[str]:
    return [store.name for store in stores]


def task(places: Places) -> str:
    return Path(places.home, ".pi", "memory", "state", "current-task.md").read_text()


def init_git(world: World) -> None:
    subprocess.run(["git", "init", "-q", str(world.project)], check=True)


def link_elsewhere(world: World) -> None:
    """A project whose memory leads out of it."""
    (world.home / "elsewhere").mkdir()
    world.workspace.parent.mkdir()
    world.workspace.symlink_to(world.home / "elsewhere")


async def test_a_layer_that_is_missing_is_created_and_undone(world: World) -> None:
    world.fill(global_={"user/tools.md": "just\n"})
    async with manager(world.places, start=WORKSPACE) as pilot:
        text = shown(pilot)
        assert "This project's memory does not exist yet." in text
        assert "I creates it" in text
        assert "Bound to this code" in text
        assert "I create" in text.splitlines()[-1]
        await press(pilot, "I")
        assert "Created in ~/project/.pi/memory: " in notices(pilot)[0]
        assert "index.md" in shown(pilot)
        assert browser(pilot).check_action("layer", ("init",)) is False
        await press(pilot, "u")
        assert "I creates it" in shown(pilot)
    assert not (world.workspace / "index.md").exists()


async def test_what_is_missing_is_said_with_the_key_that_makes_it(world: World) -> None:
    world.fill(global_={"user/tools.md": "just\n"})
    async with manager(world.places, start=WORKSPACE) as pilot:
        await press(pilot, "n", *"a.md", "tab", *"Some title", "f2")
        await until(pilot, lambda: bool(notices(pilot)))
        assert "so it is not used. I in the workspace creates it." in notices(pilot)[0]
        await press(pilot, "question_mark")
        assert "I in the workspace creates it." in " ".join(shown(pilot).replace("│", "").split())
        assert "pimem init" not in shown(pilot)


async def test_the_global_layer_is_created_beside_a_workspace(world: World) -> None:
    world.fill(workspace={"a.md": "text\n"})
    async with manager(world.places, start=GLOBAL) as pilot:
        assert "Your own memory does not exist yet." in shown(pilot)
        await press(pilot, "I")
        assert "user/preferences.md" in shown(pilot)
        assert "says nothing yet" in shown(pilot)
    assert (world.global_dir / "knowledge" / "lessons.md").exists()


async def test_layers_can_be_created_by_a_person_who_has_none(world: World) -> None:
    assert names_of(registry.all_stores(world.places)) == ["local", "shared"]
    stores = registry.offered_stores(world.places)
    assert names_of(stores) == ["local", "shared", "global", "workspace"]
    world.configure('[systems]\nlayered = "off"\n')
    assert names_of(registry.offered_stores(world.places)) == ["local", "shared"]
    app = PimemApp(stores, world.places, start=WORKSPACE, now=lambda: NOW)
    async with app.run_test(size=(120, 36)) as pilot:
        await until(pilot, lambda: "I creates it" in shown(pilot))
        await press(pilot, "I")
        assert "index.md" in shown(pilot)


async def test_where_there_can_be_no_memory_it_says_why(world: World) -> None:
    world.fill(global_={})
    async with manager(world.places, start=GLOBAL) as pilot:
        link_elsewhere(world)
        await press(pilot, "tab")
        assert "There can be no memory here." in shown(pilot)
        assert "leads through a symbolic link" in shown(pilot)
        assert browser(pilot).check_action("layer", ("init",)) is None
        assert browser(pilot).check_action("new", ()) is None


async def test_the_task_is_shown_edited_and_cleared(demo: Places) -> None:
    async with manager(demo, start=WORKSPACE) as pilot:
        assert "task Move the order queue" in shown(pilot)
        await press(pilot, "w")
        screen = pilot.app.screen
        assert isinstance(screen, EditScreen)
        screen.editor.load_text("[b]Write[/b] the report\n")
        await press(pilot, "f2")
        assert "task [b]Write[/b] the report" in shown(pilot)
        await press(pilot, "W")
        assert isinstance(pilot.app.screen, ConfirmScreen)
        assert "[b]Write[/b] the report" in shown(pilot)
        await press(pilot, "n")
        assert task(demo) == "[b]Write[/b] the report\n"
        await press(pilot, "W", "y")
        assert "no current task" in shown(pilot)
        assert browser(pilot).check_action("layer", ("clear_task",)) is None
        assert task(demo) == ""
        await press(pilot, "u")
        assert "task [b]Write[/b]" in shown(pilot)


async def test_a_first_task_is_written(world: World) -> None:
    world.fill(global_={})
    async with manager(world.places, start=GLOBAL) as pilot:
        assert "no current task" in shown(pilot)
        await press(pilot, "w", *"Begin", "f2")
        assert isinstance(pilot.app.screen, BrowserScreen)
        assert "task Begin" in shown(pilot)


async def test_an_unanswered_question_is_in_the_strip(world: World) -> None:
    world.fill(workspace={"a.md": "text\n"})
    init_git(world)
    async with manager(world.places, start=WORKSPACE) as pilot:
        assert "not used yet (?)" in shown(pilot)
        assert "(not agreed to yet)" in shown(pilot)
        assert "git:" not in shown(pilot)  # nothing is asked of a repository without the yes


async def test_git_is_in_the_strip_once_the_project_is_trusted(world: World) -> None:
    world.fill(workspace={"a.md": "text\n"})
    init_git(world)
    trust.keep(world.places, str(world.project), True)
    async with manager(world.places, start=WORKSPACE) as pilot:
        assert "git: 2 untracked" in shown(pilot)


async def test_a_low_screen_keeps_its_lines_for_the_list(demo: Places) -> None:
    async with manager(demo, start=WORKSPACE, size=(40, 12)) as pilot:
        assert "task Move" not in shown(pilot)
        assert "decisions.md" in shown(pilot)
        await press(pilot, "W")
        assert "Move the order queue" in shown(pilot)
