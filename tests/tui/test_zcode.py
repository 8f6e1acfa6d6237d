"""ZCode's store in the manager: types, what the index misses, folders named with --dir."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pimem_core.systems import registry
from pimem_tui.app import PimemApp
from pimem_tui.keys.commands import commands_of
from pimem_tui.screens.detail import DetailScreen
from pimem_tui.widgets import TopicList
from pimem_tui.widgets.filter_bar import FilterInput
from tui.facts import FACTS, aged, metadata, number_of, open_fact, pictured
from tui.helpers import (
    NOW,
    browser,
    manager,
    notices,
    opened_file,
    press,
    settled,
    shown,
    until,
)
from tui.test_sizes import LARGE, NORMAL, SMALL, after
from zcode.folder import Project, fact

if TYPE_CHECKING:
    from collections.abc import Callable

    from pimem_core.paths import Places
    from textual.pilot import Pilot


@pytest.fixture
def project(demo: Places) -> Project:
    """A project of ZCode's beside the sample stores: an orphan line, an unlisted file, links."""
    return aged(Project(demo).fill(FACTS))


def rows(pilot: Pilot[None]) -> dict[str, str]:
    """The line on the screen of each fact."""
    lines = shown(pilot).splitlines()
    names = [topic.name for topic in browser(pilot).topic_list.listing.topics]
    return {name: next(line for line in lines[2:] if name in line) for name in names}


async def test_the_store_is_in_the_switcher_with_its_folder(project: Project) -> None:
    async with manager(project.places) as pilot:
        number = number_of(project.places) + 1
        assert f"{number} zcode 5" in shown(pilot)
        await press(pilot, str(number))
        lines = shown(pilot).splitlines()
        assert "/memories/projects/" in lines[1]
        assert "3 notes (?)" in lines[1]
        assert "1 problem" in lines[1]
        await press(pilot, "question_mark")
        text = str(pilot.app.screen.query_one("#text").render())
        assert str(project.path).removeprefix(project.places.home) in text
        assert '1 fact file not in the index: "works-late.md".' in text
        assert "1 index link without a file (line 7)." in text
        assert "○           not in the index" in text


async def test_how_the_folder_was_found_is_told(demo: Places) -> None:
    sibling = Path(Project(demo).path.parent.parent, "x-0000000000000000", "memory")
    name = Project(demo).path.parent.name.rpartition("-")[0]
    Project(demo).at(Path(str(sibling).replace("x-", f"{name}-"))).fill(FACTS)
    async with manager(demo, start=number_of(demo)) as pilot:
        await press(pilot, "question_mark")
        text = str(pilot.app.screen.query_one("#text").render())
        assert "the only one of that name" in text
        assert 'set "dir" in .pi/zcode-memory.json' in text


async def test_an_empty_project_says_where_it_will_be(demo: Places) -> None:
    name = Project(demo).path.parent.name.rpartition("-")[0]
    for digit in "01":
        folder = Project(demo).path.parent.parent / f"{name}-{digit * 16}" / "memory"
        folder.mkdir(parents=True)
    async with manager(demo, start=number_of(demo)) as pilot:
        text = " ".join(shown(pilot).replace("│", " ").split())
        assert "No memories here yet." in text
        assert "n writes the first one" in text
        assert "2 folders in" in text


async def test_types_are_a_column_where_there_is_room(project: Project) -> None:
    start = number_of(project.places)
    for size in (LARGE, NORMAL):
        async with manager(project.places, size=size, start=start) as pilot:
            assert "  project    host, port" in rows(pilot)["staging-db"]
            assert "  user       (not in the index)" in rows(pilot)["works-late"]
    async with manager(project.places, size=SMALL, start=start) as pilot:
        assert rows(pilot)["staging-db"].split() == ["staging-db", "3d"]
        assert "○ works-late" in rows(pilot)["works-late"]
    async with manager(project.places) as pilot:
        assert "project" not in rows(pilot)["PostgreSQL Setup"]


async def test_orphans_and_unlisted_files_are_marked_with_signs_and_words(
    project: Project,
) -> None:
    async with manager(project.places, start=number_of(project.places)) as pilot:
        assert rows(pilot)["lost"].startswith(" ! lost")
        assert "(file missing)" in rows(pilot)["lost"]
        assert rows(pilot)["works-late"].startswith(" ○ works-late")
        await open_fact(pilot, "works-late.md")
        assert "○ works-late" in shown(pilot)
        assert "user · 3 days ago (" in shown(pilot)
        assert "works-late.md · not in the index" in shown(pilot)
        await press(pilot, "escape")
        await open_fact(pilot, "lost.md")
        assert "file missing · lost.md" in shown(pilot)
        await press(pilot, "enter", "tab", "E")
        assert isinstance(pilot.app.screen, DetailScreen)


async def test_a_type_in_the_filter_keeps_to_it(project: Project) -> None:
    async with manager(project.places, start=number_of(project.places)) as pilot:
        await press(pilot, "slash", *"type:proj")
        assert list(rows(pilot)) == ["staging-db", "release-train"]
        assert "2 hits" in shown(pilot)
        await press(pilot, "space", *"monday")
        assert list(rows(pilot)) == ["release-train"]
        assert "line 8: …" in shown(pilot) or "line 9: " in shown(pilot)
        await press(pilot, *"qqqq")
        assert list(rows(pilot)) == []
        assert "Nothing of type “proj” contains “mondayqqqq”." in shown(pilot)
        await press(pilot, "escape")
        assert len(rows(pilot)) == 6


async def test_a_key_goes_through_the_types_and_keeps_the_words(project: Project) -> None:
    async with manager(project.places, start=number_of(project.places)) as pilot:
        seen = []
        for _ in range(6):
            await press(pilot, "t")
            assert isinstance(pilot.app.focused, TopicList)
            seen.append(
                (browser(pilot).browsing.query, len(browser(pilot).topic_list.listing.topics))
            )
        assert seen == [
            ("type:feedback", 1),
            ("type:project", 2),
            ("type:reference", 1),
            ("type:user", 1),
            ("type:none", 1),
            ("", 6),
        ]
        assert not browser(pilot).frame.has_class("-filtering")
        await press(pilot, "slash", *"staging", "enter", "t", "t")
        assert browser(pilot).browsing.query == "type:project staging"
        assert list(rows(pilot)) == ["staging-db", "release-train"]
        await press(pilot, "slash")
        assert isinstance(pilot.app.focused, FilterInput)
        assert pilot.app.focused.value == "type:project staging"
        await press(pilot, "escape")
        assert len(rows(pilot)) == 6


@pytest.fixture
def type_in_text(demo: Places) -> None:
    path = Path(demo.agent_dir, "memory", "deploy-checklist.md")
    path.write_text("set type:user in the form\n")


@pytest.mark.usefixtures("type_in_text")
async def test_a_store_without_types_has_no_key_for_them(project: Project) -> None:
    async with manager(project.places) as pilot:
        ids = [command.title for command in commands_of(pilot.app.screen, now=False)]
        assert "List: Type" not in ids
        await press(pilot, "t")
        assert not browser(pilot).frame.has_class("-filtering")
        await press(pilot, "slash", *"type:user")
        assert list(rows(pilot)) == []  # no topic here has a type
        await press(pilot, "escape", "escape", str(number_of(project.places) + 1))
        assert "t type" in shown(pilot).splitlines()[-1]
        commands = {command.title: command for command in commands_of(pilot.app.screen)}
        assert "type:" in commands["List: Type"].help


@pytest.mark.parametrize("kind", ["claude", "zcode"])
async def test_folders_of_others_open_with_dir(demo: Places, tmp_path: Path, kind: str) -> None:
    claude = metadata("user").replace("metadata:", "metadata: ") + "\n  originSessionId: 1-2"
    folder = tmp_path / ".claude/projects/-home-ann-chat/memory"
    if kind == "zcode":
        folder = tmp_path / "copied"
    facts = {
        "MEMORY.md": "- [Ann](user_ann.md) — who she is\n",
        "user_ann.md": fact("Ann", "who she is", claude, "\nSee [[b]].\n"),
        "b.md": fact("b", '"x"', claude),
    }
    Project(demo).at(folder).fill(facts)
    async with opened(demo, folder) as pilot:
        assert "read-only" not in shown(pilot)
        assert "user" in rows(pilot)["Ann"]
        await open_fact(pilot, "user_ann.md")
        await press(pilot, "enter")
        assert opened_file(pilot) == "b.md"
        await press(pilot, "r", "y")
        assert not (folder / "b.md").exists()


async def test_an_unknown_folder_with_topics_says_why_it_is_read_only(
    demo: Places, tmp_path: Path
) -> None:
    folder = tmp_path / "notes"
    Project(demo).at(folder).fill({"MEMORY.md": "Prose.\n§\nMore of it.\n"})
    async with opened(demo, folder) as pilot:
        await until(pilot, lambda: "read-only: " in shown(pilot))
        await press(pilot, "r", "E", "t", "question_mark")
        text = str(pilot.app.screen.query_one("#text").render())
        assert "This store" in text
        assert "read-only" in text
        assert notices(pilot) == []


def opened(places: Places, folder: Path) -> AsyncPilot:
    return AsyncPilot(places, folder)


class AsyncPilot:
    """A manager on one folder, as `pimem --dir` opens it."""

    def __init__(self, places: Places, folder: Path) -> None:
        store = registry.open_folder(str(folder), places)
        self._running = PimemApp([store], places, now=lambda: NOW).run_test(size=LARGE)

    async def __aenter__(self) -> Pilot[None]:
        pilot = await self._running.__aenter__()
        await until(pilot, lambda: "Reading" not in shown(pilot))
        await settled(pilot)
        return pilot

    async def __aexit__(self, *error: object) -> None:
        await self._running.__aexit__(*error)  # type: ignore[arg-type]


@pytest.mark.parametrize("size", [LARGE, NORMAL], ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize(("name", "keys"), [("list", []), ("detail", ["enter", "tab"])])
def test_pictures_of_facts(
    demo: Places,
    snap_compare: Callable[..., bool],
    name: str,
    keys: list[str],
    size: tuple[int, int],
) -> None:
    del name
    assert snap_compare(pictured(demo), terminal_size=size, run_before=after(*keys))
