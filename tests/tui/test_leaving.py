"""Leaving: what goes back, what quits, and that no question takes keys from before it showed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pimem_tui.screens.browser import BrowserScreen
from pimem_tui.screens.confirm import ConfirmScreen
from pimem_tui.screens.edit import EditScreen
from textual import events
from tui.helpers import manager, notices, press, settled, shown, until

if TYPE_CHECKING:
    from pimem_core.paths import Places


def draft_of(places: Places) -> str:
    """The text of the only draft."""
    (draft,) = Path(places.state_dir, "drafts").iterdir()
    return str(json.loads(draft.read_text())["body"])


def index_of(places: Places) -> str:
    return Path(places.agent_dir, "memory", "MEMORY.md").read_text()


async def test_esc_never_ends_it_and_names_what_does(demo: Places) -> None:
    async with manager(demo) as pilot:
        await press(pilot, *["escape"] * 3)
        assert pilot.app.is_running
        assert set(notices(pilot)) == {"q quits."}
        pilot.app.post_message(events.Key("q", "q"))
        await until(pilot, lambda: not pilot.app.is_running)
        assert pilot.app.return_code == 0


@pytest.mark.parametrize(
    "opener", [["enter"], ["H"], ["i"], ["c"], ["h"], ["question_mark"], ["r"]]
)
async def test_q_goes_back_everywhere_else(demo: Places, opener: list[str]) -> None:
    async with manager(demo) as pilot:
        await press(pilot, *["down"] * 4, *opener)
        assert not isinstance(pilot.app.screen, BrowserScreen)
        await press(pilot, "q")
        assert pilot.app.is_running
        assert isinstance(pilot.app.screen, BrowserScreen)


@pytest.mark.parametrize("opener", [[], ["enter"], ["slash"], ["F"], ["r"], ["question_mark"]])
async def test_ctrl_c_twice_quits_from_anywhere(demo: Places, opener: list[str]) -> None:
    async with manager(demo) as pilot:
        await press(pilot, *["down"] * 4, *opener)
        await press(pilot, "ctrl+c")
        assert notices(pilot)[-1:] == ["ctrl+c again quits; unsaved text is kept as a draft."]
        assert pilot.app.is_running
        await press(pilot, "x", "ctrl+c")  # not twice in a row
        assert pilot.app.is_running
        await pilot.press("ctrl+c")
        await until(pilot, lambda: not pilot.app.is_running)


async def test_ctrl_c_twice_in_the_editor_keeps_a_draft(demo: Places) -> None:
    async with manager(demo) as pilot:
        await press(pilot, "down", "down", "e", *"typed ")
        await press(pilot, "shift+left", "ctrl+c", "ctrl+c")  # copies what is selected
        assert isinstance(pilot.app.screen, EditScreen)
        await press(pilot, "right")
        await pilot.press("ctrl+c", "ctrl+c")
        await until(pilot, lambda: not pilot.app.is_running)
    assert "typed" in draft_of(demo)


async def test_keys_before_a_question_showed_are_not_for_it(demo: Places) -> None:
    before = index_of(demo)
    async with manager(demo) as pilot:
        app = pilot.app
        for key in (*["down"] * 4, "r", "y"):
            app.post_message(events.Key(key, key if len(key) == 1 else None))
        await until(pilot, lambda: isinstance(app.screen, ConfirmScreen))
        await settled(pilot)
        assert isinstance(app.screen, ConfirmScreen)
        assert index_of(demo) == before
        await press(pilot, "y")  # seen by now
        assert notices(pilot)[0].startswith("Removed")
        assert index_of(demo) != before


async def test_no_question_opens_at_the_start(demo: Places) -> None:
    async with manager(demo) as pilot:
        await press(pilot, "down", "down", "e", *"left ")
        pilot.app.exit()
    async with manager(demo) as pilot:
        await until(pilot, lambda: "1 draft (D)" in shown(pilot))
        assert isinstance(pilot.app.screen, BrowserScreen)
        await press(pilot, "D")
        assert 'Go on with "User Preferences"?' in shown(pilot)
