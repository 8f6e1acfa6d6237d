"""The settings: what they are, where they come from, and changing them without losing a comment."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pimem_core.systems import registry
from pimem_tui.app import PimemApp
from pimem_tui.screens.browser import BrowserScreen
from pimem_tui.screens.confirm import ConfirmScreen
from pimem_tui.screens.settings import SettingsScreen
from tui.helpers import NOW, manager, notices, press, settled, shown
from tui.test_sizes import LARGE, NORMAL, SMALL, after

if TYPE_CHECKING:
    from collections.abc import Callable

    from pimem_core.paths import Places
    from textual.pilot import Pilot

RULES = """\
{
  // What is worth keeping.
  "always_persist": [
    "Solved problems", // the fix
    "[b]Preferences[/b]"
  ],
  /* at most */ "max_lines": 300,
  "own": {"a": 1},
}
"""


@pytest.fixture
def rules(demo: Places) -> Path:
    path = Path(demo.agent_dir, "memory.jsonc")
    path.write_text(RULES)
    return path


def text_of(path: Path) -> str:
    return path.read_text()


def put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def settings(pilot: Pilot[None]) -> SettingsScreen:
    screen = pilot.app.screen
    assert isinstance(screen, SettingsScreen), screen
    return screen


async def choose(pilot: Pilot[None], key: str, item: int | None = None) -> None:
    """Open the settings if need be and select one."""
    if not isinstance(pilot.app.screen, SettingsScreen):
        await press(pilot, "c")
    screen = settings(pilot)
    at = next(
        n
        for n, row in enumerate(screen._rows)
        if row.setting is not None and (row.setting.key, row.item) == (key, item)
    )
    screen.rows.selected = at
    await settled(pilot)


async def test_every_setting_shows_its_value_and_source(demo: Places, rules: Path) -> None:
    async with manager(demo) as pilot:
        await press(pilot, "c")
        text = shown(pilot)
        assert "- [b]Preferences[/b]" in text
        assert "always_persist: ~/.pi/agent/memory.jsonc" in text
        await choose(pilot, "max_lines")
        assert "max_lines: ~/.pi/agent/memory.jsonc" in shown(pilot)
        await choose(pilot, "own")
        assert "(unknown key, kept); it cannot be changed here" in shown(pilot)
        await press(pilot, "enter", "n", "r")
        assert isinstance(pilot.app.screen, SettingsScreen)
        await choose(pilot, "undo.max_mb")
        assert "undo.max_mb: default" in shown(pilot)
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, BrowserScreen)
    assert text_of(rules) == RULES


async def test_a_number_is_checked_as_it_is_typed(demo: Places, rules: Path) -> None:
    async with manager(demo) as pilot:
        await choose(pilot, "max_lines")
        await press(pilot, "e", "backspace", "backspace")
        assert "max_lines must be a number, 50 to 1000." in shown(pilot)
        await press(pilot, "enter", "x")
        assert "Type a number." in shown(pilot)
        await press(pilot, "escape")
        assert "300" in shown(pilot)
        await press(pilot, "e", "backspace", "backspace", "backspace", *"250", "enter")
        assert notices(pilot)[-1] == "max_lines is 250 now; it was 300."
        assert settings(pilot)._row == settings(pilot)._rows[settings(pilot).rows.selected]
    assert text_of(rules) == RULES.replace("300", "250")


async def test_rules_are_added_changed_and_taken_out(demo: Places, rules: Path) -> None:
    async with manager(demo) as pilot:
        await choose(pilot, "always_persist", 0)
        await press(pilot, "n", *'"New"', "enter")
        await choose(pilot, "always_persist", 2)
        await press(pilot, "enter", *"!", "enter")
        await choose(pilot, "always_persist", 0)
        await press(pilot, "r")
        assert isinstance(pilot.app.screen, ConfirmScreen)
        assert "Solved problems" in shown(pilot)
        await press(pilot, "escape")
        assert '"Solved problems", // the fix' in text_of(rules)
        await press(pilot, "r", "y")
        assert notices(pilot)[-1] == "always_persist has 2 items now."
    text = text_of(rules)
    assert '"\\"New\\""' in text
    assert '"[b]Preferences[/b]!"' in text
    assert "Solved problems" not in text
    for line in ("  // What is worth keeping.", '  /* at most */ "max_lines": 300,'):
        assert line in text.splitlines()


async def test_switches_turn_and_choices_go_on(demo: Places, rules: Path) -> None:
    async with manager(demo) as pilot:
        await choose(pilot, "consolidate_on_compact")
        await press(pilot, "enter")
        assert notices(pilot)[-1] == "consolidate_on_compact is true now; it was false."
        await choose(pilot, "inject.mode")
        await press(pilot, "enter")
        await press(pilot, "enter")
        await choose(pilot, "theme")
        await press(pilot, "enter")
        await press(pilot, "enter")
        assert pilot.app.theme == "textual-light"
    assert '"consolidate_on_compact": true' in text_of(rules)
    own = text_of(Path(demo.config_dir, "config.toml"))
    assert own == 'theme = "light"\n\n[inject]\nmode = "scheduled"\n'


async def test_a_broken_file_is_told_with_line_and_column(demo: Places, rules: Path) -> None:
    put(rules, '{\n  "max_lines": 3 0\n}\n')
    async with manager(demo) as pilot:
        await press(pilot, "c")
        assert "line 2, column 18" in " ".join(shown(pilot).split())
        await choose(pilot, "inject.stamps")
        put(Path(demo.config_dir, "config.toml"), "a = = 1\n")
        await press(pilot, "enter")
        assert "line 1, column 5" in notices(pilot)[-1]
        assert "line 1, column 5" in shown(pilot)


async def test_a_file_that_cannot_be_written_is_a_notice(demo: Places) -> None:
    put(Path(demo.config_dir), "in the way")
    async with manager(demo) as pilot:
        await choose(pilot, "inject.stamps")
        await press(pilot, "enter")
        assert "cannot be written" in notices(pilot)[-1]
        assert isinstance(pilot.app.screen, SettingsScreen)


@pytest.mark.parametrize("size", [LARGE, NORMAL, SMALL], ids=lambda size: f"{size[0]}x{size[1]}")
def test_pictures_of_the_settings(
    demo: Places, rules: Path, snap_compare: Callable[..., bool], size: tuple[int, int]
) -> None:
    assert rules.exists()
    app = PimemApp(registry.all_stores(demo)[:2], demo, now=lambda: NOW)
    keys = ["c", *["down"] * 5, "e", *"0"]
    assert snap_compare(app, terminal_size=size, run_before=after(*keys))
