"""Links between facts in the manager: chosen, followed, clicked, and what leads nowhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pimem_tui.screens.browser import BrowserScreen
from textual.events import MouseMove
from textual.geometry import Offset
from tui.facts import FACTS, metadata, number_of, open_fact
from tui.helpers import (
    detail,
    manager,
    notices,
    opened_file,
    press,
    selected,
    settled,
    shown,
)
from tui.test_sizes import LARGE, NORMAL, SMALL
from zcode.folder import Project, fact

if TYPE_CHECKING:
    from pimem_core.paths import Places
    from textual.pilot import Pilot


@pytest.fixture
def project(demo: Places) -> Project:
    """A project of ZCode's beside the sample stores: an orphan line, an unlisted file, links."""
    return Project(demo).fill(FACTS)


async def test_links_are_followed_and_esc_goes_back_along_them(project: Project) -> None:
    async with manager(project.places, size=LARGE, start=number_of(project.places)) as pilot:
        await open_fact(pilot, "staging-db.md")
        assert "tab next link  enter follow" in shown(pilot).splitlines()[-1]
        await press(pilot, "tab")
        assert "link 1 of 5: release-train" in shown(pilot).splitlines()[-1]
        await press(pilot, "enter")
        assert opened_file(pilot) == "release-train.md"
        assert "The branch is cut on Monday." in shown(pilot)
        assert "esc to staging-db" in shown(pilot).splitlines()[-1]
        await press(pilot, "end", "shift+tab")
        assert "Linked from 1 memory" in shown(pilot)
        assert "link 2 of 2: staging-db" in shown(pilot).splitlines()[-1]
        place = detail(pilot).body.scroll_y
        assert place > 0
        await press(pilot, "enter")
        assert opened_file(pilot) == "staging-db.md"
        assert detail(pilot).body.scroll_y == 0
        await press(pilot, "escape")
        assert opened_file(pilot) == "release-train.md"
        assert detail(pilot).body.scroll_y == place
        assert "link 2 of 2: staging-db" in shown(pilot).splitlines()[-1]
        await press(pilot, "escape")
        assert opened_file(pilot) == "staging-db.md"
        assert detail(pilot).body.chosen == 0
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, BrowserScreen)
        assert selected(pilot) == "staging-db.md"


async def test_what_links_here_and_what_is_missing_stand_below(project: Project) -> None:
    for size in (LARGE, NORMAL):
        async with manager(project.places, size=size, start=number_of(project.places)) as pilot:
            await open_fact(pilot, "staging-db.md")
            text = shown(pilot)
            assert "Leads nowhere yet: vpn-access" in text
            assert "Linked from 2 memories" in text
            assert "← release-train  every second Tuesday" in text
            assert "← works-late  no calls before ten" in text
            await press(pilot, "tab")
            assert "every ▸[release-train]]" in " ".join(shown(pilot).split())
            await press(pilot, "tab", "tab", "enter")
            assert notices(pilot) == ["Nothing has the name “vpn-access” yet."]
            await press(pilot, "tab", "tab", "enter")
            assert opened_file(pilot) == "works-late.md"


async def test_the_only_link_needs_no_choosing(project: Project) -> None:
    async with manager(project.places, start=number_of(project.places)) as pilot:
        await open_fact(pilot, "works-late.md")
        await press(pilot, "enter")
        assert opened_file(pilot) == "staging-db.md"
        await press(pilot, "enter")
        assert detail(pilot).body.chosen == 0
        await press(pilot, "escape", "escape")
        await open_fact(pilot, "short-answers.md")
        assert detail(pilot).check_action("follow", ()) is False
        await press(pilot, "enter", "tab", "shift+tab")
        assert opened_file(pilot) == "short-answers.md"


def where(pilot: Pilot[None], text: str) -> Offset:
    """Where a text stands in the body that shows."""
    body = detail(pilot).body
    row = next(n for n, line in enumerate(body._lines) if text in line.text)
    cell = body._lines[row].text.index(text)
    return Offset(body.left + cell + 3, row - round(body.scroll_y))


async def test_links_can_be_clicked(project: Project) -> None:
    async with manager(project.places, size=(160, 40), start=number_of(project.places)) as pilot:
        await open_fact(pilot, "staging-db.md")
        await pilot.click("BodyView", offset=where(pilot, "Port 6543"))
        await pilot.click("BodyView", offset=where(pilot, "[[not-a-link]]"))
        await settled(pilot)
        assert opened_file(pilot) == "staging-db.md"
        await pilot.click("BodyView", offset=where(pilot, "[[grafana"))
        await settled(pilot)
        assert opened_file(pilot) == "grafana.md"
        await pilot.click("BodyView", offset=where(pilot, "staging-db"))
        await settled(pilot)
        assert opened_file(pilot) == "staging-db.md"


async def test_selecting_text_over_a_link_follows_nothing(project: Project) -> None:
    async with manager(project.places, start=number_of(project.places)) as pilot:
        await open_fact(pilot, "works-late.md")
        body = detail(pilot).body
        start = where(pilot, "[[staging-db")
        end = (start.x + 6, start.y)
        await pilot.mouse_down(body, offset=start)
        await pilot._post_mouse_events([MouseMove], body, end, button=1)
        await pilot.mouse_up(body, offset=end)
        await settled(pilot)
        assert pilot.app.screen.get_selected_text()
        assert opened_file(pilot) == "works-late.md"


async def test_removing_on_the_trail_goes_back_to_what_is_left(project: Project) -> None:
    async with manager(project.places, start=number_of(project.places)) as pilot:
        await open_fact(pilot, "release-train.md")
        await press(pilot, "tab", "enter")
        await press(pilot, "tab", "enter")
        assert opened_file(pilot) == "release-train.md"
        assert len(detail(pilot)._trail) == 2
        await press(pilot, "r", "y")
        assert opened_file(pilot) == "staging-db.md"
        assert "Leads nowhere yet: release-train, vpn-access" in shown(pilot)
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, BrowserScreen)


async def test_names_in_links_are_never_markup(project: Project) -> None:
    project.fill(
        {
            "[b]odd.md": fact('"[b]"', '"[red]x[/]"', metadata("user"), "\n[[grafana]] [[[/]]]\n"),
            "long.md": fact(
                "long",
                '"日本語"',
                metadata("user"),
                f"\n{'word ' * 14}[[日本語 の メモ]] [[{'n' * 200}]]\n",
            ),
        }
    )
    for size in (LARGE, NORMAL, SMALL):
        async with manager(project.places, size=size, start=number_of(project.places)) as pilot:
            await open_fact(pilot, "grafana.md")
            await press(pilot, "tab")
            assert "▸ [b]odd" in shown(pilot)
            await press(pilot, "enter")
            assert opened_file(pilot) == "[b]odd.md"
            await press(pilot, "escape", "escape")
            await open_fact(pilot, "long.md")
            await press(pilot, "tab", "enter", "tab", "tab", "enter", "escape")
            await pilot.resize_terminal(90, 20)
            await settled(pilot)
