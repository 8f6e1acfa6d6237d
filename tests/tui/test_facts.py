"""New and edited facts in the form with title and type: ZCode's folders and Claude Code's."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pimem_core.systems import registry
from pimem_tui.app import PimemApp
from pimem_tui.screens.browser import BrowserScreen
from pimem_tui.screens.edit import EditScreen
from pimem_tui.screens.help import HelpScreen
from tui.facts import FACTS, number_of, pictured
from tui.helpers import NOW, browser, manager, notices, press, selected, settled, shown, until
from tui.test_sizes import LARGE, NORMAL, SMALL, after
from zcode.folder import Project

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from pimem_core.paths import Places
    from textual.pilot import Pilot


@pytest.fixture
def project(demo: Places) -> Project:
    return Project(demo).fill(FACTS)


def form(pilot: Pilot[None]) -> EditScreen:
    screen = pilot.app.screen
    assert isinstance(screen, EditScreen), screen
    return screen


async def open_store(pilot: Pilot[None], project: Project) -> None:
    await press(pilot, str(number_of(project.places) + 1))


async def edit(pilot: Pilot[None], project: Project, file: str) -> EditScreen:
    await open_store(pilot, project)
    row = browser(pilot).topic_list.listing.row_of(file)
    assert row is not None
    browser(pilot).topic_list.select(row)
    await settled(pilot)
    await press(pilot, "e")
    return form(pilot)


def changed_lines(before: bytes, after: bytes) -> list[tuple[bytes, bytes]]:
    pairs = zip(before.split(b"\n"), after.split(b"\n"), strict=True)
    return [(old, new) for old, new in pairs if old != new]


async def test_a_new_fact_is_checked_as_it_is_typed(project: Project) -> None:
    async with manager(project.places) as pilot:
        await open_store(pilot, project)
        await press(pilot, "n", *"My Fact")
        assert 'name "My Fact" is not a slug' in shown(pilot)
        assert 'for example "my-fact"' in shown(pilot)
        form(pilot).name_field.value = "my-fact"
        await settled(pilot)
        assert "description is blank" in shown(pilot)
        await press(pilot, "tab", *"My", "space", *"title", "tab", *"when")
        assert "type is missing; it must be one of user, feedback" in shown(pilot)
        await press(pilot, "ctrl+s")  # greyed: nothing happens
        assert "tokens per prompt" in shown(pilot)
        await press(pilot, "tab", "right", "right", "right", "left")
        assert form(pilot).type_choice.value == "feedback"
        assert "(•) feedback" in shown(pilot)
        assert "! " not in shown(pilot).splitlines()[5]
        await press(pilot, "enter", *"body", "ctrl+s")
        assert notices(pilot)[-1].startswith('Created "my-fact" (my-fact.md).')
        assert selected(pilot) == "my-fact.md"
    assert (project.path / "my-fact.md").read_text() == (
        '---\nname: "my-fact"\ndescription: "when"\nmetadata:\n  node_type: memory\n'
        "  type: feedback\n---\n\nbody\n"
    )
    assert "- [My title](my-fact.md) — when\n" in (project.path / "MEMORY.md").read_text()


async def test_only_what_changed_in_the_form_changes_in_the_file(project: Project) -> None:
    path = project.path / "staging-db.md"
    text = (
        "---\r\n# by hand\r\nname: staging-db\r\nmodified: 2026-01-02\r\n"
        "description: 'host, port, how it is reset'\r\nmetadata: \r\n    node_type: memory\r\n"
        "    type: project # sure\r\n    originSessionId: sess_1\r\n---\r\n\r\nText.\r\n"
    )
    path.write_bytes(text.encode())
    async with manager(project.places) as pilot:
        screen = await edit(pilot, project, "staging-db.md")
        assert screen.title_field.value == "Staging database"
        assert screen.type_choice.value == "project"
        screen.type_choice.value = "reference"
        screen.summary_field.value = "where it is"
        await settled(pilot)
        await press(pilot, "ctrl+s")
        assert notices(pilot)[-1].startswith('Saved "staging-db".')
        assert changed_lines(text.encode(), path.read_bytes()) == [
            (b"description: 'host, port, how it is reset'\r", b'description: "where it is"\r'),
            (b"    type: project # sure\r", b"    type: reference # sure\r"),
        ]
        await press(pilot, "u")
        assert path.read_bytes() == text.encode()


async def test_a_title_is_the_line_of_the_index_alone(project: Project) -> None:
    path, index = project.path / "grafana.md", project.path / "MEMORY.md"
    before, listed = path.read_bytes(), index.read_bytes()
    async with manager(project.places) as pilot:
        screen = await edit(pilot, project, "grafana.md")
        screen.title_field.value = "Dashboards"
        await settled(pilot)
        await press(pilot, "ctrl+s")
        assert isinstance(pilot.app.screen, BrowserScreen)
    assert path.read_bytes() == before
    assert changed_lines(listed, index.read_bytes()) == [
        (
            "- [Grafana](grafana.md) — where the dashboards are".encode(),
            "- [Dashboards](grafana.md) — where the dashboards are".encode(),
        )
    ]


async def test_a_title_lists_a_fact_that_was_not(project: Project) -> None:
    async with manager(project.places) as pilot:
        screen = await edit(pilot, project, "works-late.md")
        screen.title_field.value = "Hours"
        await settled(pilot)
        await press(pilot, "ctrl+s")
    assert (
        "- [Hours](works-late.md) — no calls before ten" in (project.path / "MEMORY.md").read_text()
    )


async def test_a_name_that_another_fact_has_is_refused(project: Project) -> None:
    before = (project.path / "grafana.md").read_bytes()
    async with manager(project.places) as pilot:
        screen = await edit(pilot, project, "grafana.md")
        screen.name_field.value = "staging-db"
        await settled(pilot)
        await press(pilot, "ctrl+s")
        assert '"staging-db" is the name of staging-db.md already' in notices(pilot)[-1]
        assert form(pilot).dirty
        screen.name_field.value = "MEMORY"
        await settled(pilot)
        assert "is not a slug" in shown(pilot)
    assert (project.path / "grafana.md").read_bytes() == before


async def test_front_matter_that_cannot_be_changed_is_left_alone(project: Project) -> None:
    path = project.path / "grafana.md"
    path.write_text("---\nname: grafana\nno end\n")
    async with manager(project.places) as pilot:
        screen = await edit(pilot, project, "grafana.md")
        screen.type_choice.value = "user"
        await settled(pilot)
        await press(pilot, "ctrl+s")
        assert "is never closed" in notices(pilot)[-1]
        assert form(pilot).dirty
    assert path.read_text() == "---\nname: grafana\nno end\n"


async def test_a_claude_folder_takes_new_facts(demo: Places, tmp_path: Path) -> None:
    folder = tmp_path / "memory"
    folder.mkdir()
    (folder / "MEMORY.md").write_text("- [Style](feedback_style.md) — short\n")
    (folder / "feedback_style.md").write_text(
        "---\nname: How to write\ndescription: short\nmetadata: \n  type: feedback\n---\n\nx\n"
    )
    app = PimemApp([registry.open_folder(str(folder), demo)], demo, now=lambda: NOW)
    async with app.run_test(size=LARGE) as pilot:
        await until(pilot, lambda: browser(pilot).browsing.view.is_read)
        await settled(pilot)
        await press(pilot, "n", *"new", "tab", "tab", *"hook", "tab", "space", "f2")
        assert (folder / "new.md").exists()
        await press(pilot, "home", "e", *"y", "f2")
    assert (
        (folder / "feedback_style.md")
        .read_text()
        .endswith("metadata: \n  type: feedback\n---\n\nyx\n")
    )


async def test_a_draft_keeps_title_and_type(project: Project) -> None:
    async with manager(project.places) as pilot:
        await open_store(pilot, project)
        await press(pilot, "n", *"kept", "tab", *"Title", "tab", "tab", "right", "right")
        pilot.app.exit()
    async with manager(project.places, ready=False) as pilot:
        await until(pilot, lambda: "1 draft (D)" in shown(pilot))
        await press(pilot, "D")
        assert 'Go on with "kept"?' in shown(pilot)
        await press(pilot, "y")
        assert form(pilot).fields()[:4] == ("kept", "Title", "", "feedback")


async def test_the_choice_has_its_keys_in_the_help_and_takes_clicks(project: Project) -> None:
    async with manager(project.places) as pilot:
        await open_store(pilot, project)
        await press(pilot, "n")
        await pilot.click(form(pilot).type_choice, offset=(14, 0))
        await settled(pilot)
        assert form(pilot).type_choice.value == "feedback"
        await press(pilot, "f1")
        assert isinstance(pilot.app.screen, HelpScreen)
        assert "Choose the one before" in str(pilot.app.screen.query_one("#text").render())


@pytest.mark.parametrize("size", [LARGE, NORMAL, SMALL], ids=lambda size: f"{size[0]}x{size[1]}")
def test_pictures_of_the_form(
    demo: Places, snap_compare: Callable[..., bool], size: tuple[int, int]
) -> None:
    keys = ["n", *"My Fact", "tab", "tab", *"when", "tab", "right", "right"]
    assert snap_compare(pictured(demo), terminal_size=size, run_before=after(*keys))
