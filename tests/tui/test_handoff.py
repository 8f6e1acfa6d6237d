"""The handoff: shown newest first, edited, cleared, undone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pimem_core.systems import registry
from pimem_tui.app import PimemApp
from pimem_tui.screens.browser import BrowserScreen
from pimem_tui.screens.conflict import ConflictScreen
from pimem_tui.screens.edit import EditScreen
from pimem_tui.screens.handoff import HandoffScreen
from tui.helpers import NOW, manager, notices, press, shown, until
from tui.test_sizes import LARGE, SMALL, after

if TYPE_CHECKING:
    from collections.abc import Callable

    from pimem_core.paths import Places

TEXT = """\
## 2026-11-28T10:00:00+00:00 (threshold)

- [b]Looked[/b] into the pool

## 2026-11-29T12:30:00+00:00 (manual)

- Next step: run the migration on staging
- The dump is in `backup/`
"""


def file_of(places: Places) -> Path:
    return Path(places.agent_dir, "HANDOFF.md")


def text_of(places: Places) -> str:
    return file_of(places).read_text()


def put(places: Places, text: str = TEXT) -> None:
    file_of(places).write_text(text)


async def test_entries_come_newest_first_and_follow_the_file(demo: Places) -> None:
    put(demo)
    async with manager(demo) as pilot:
        await press(pilot, "h")
        text = shown(pilot)
        assert "2 entries, newest first · the newest goes to the model" in text
        assert text.index("run the migration") < text.index("[b]Looked[/b]")
        put(demo, TEXT.replace("staging", "live"))
        await until(pilot, lambda: "on live" in shown(pilot))
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, BrowserScreen)


async def test_without_one_it_says_what_it_is(demo: Places) -> None:
    async with manager(demo) as pilot:
        await press(pilot, "h")
        assert "When pi compacts a conversation" in shown(pilot)
        await press(pilot, "e", "E", "r")
        assert isinstance(pilot.app.screen, HandoffScreen)
    assert not file_of(demo).exists()


async def test_clearing_can_be_undone_and_redone(demo: Places) -> None:
    put(demo)
    async with manager(demo) as pilot:
        await press(pilot, "h", "r")
        assert notices(pilot)[-1] == "Cleared the handoff. u undoes it."
        assert "There is no handoff." in shown(pilot)
        assert text_of(demo) == ""
        await press(pilot, "u")
        assert text_of(demo) == TEXT
        assert "run the migration" in shown(pilot)
        await press(pilot, "U")
        assert text_of(demo) == ""


async def test_an_edit_is_merged_or_decided(demo: Places) -> None:
    put(demo)
    async with manager(demo) as pilot:
        await press(pilot, "h", "e")
        screen = pilot.app.screen
        assert isinstance(screen, EditScreen)
        assert screen.editor.text == TEXT
        assert not screen.name_field.display or not screen.name_field.region
        screen.editor.load_text(TEXT.replace("Next step:", "Now"))
        put(demo, TEXT + "\n## 2026-11-30T00:00:00+00:00 (manual)\n\n- more\n")
        await press(pilot, "ctrl+s")
        assert "Saved the handoff, merged" in notices(pilot)[-1]
        assert "- Now run" in text_of(demo)
        assert text_of(demo).endswith("- more\n")
        await press(pilot, "e", *"x")
        put(demo, "other\n")
        await press(pilot, "ctrl+s")
        assert isinstance(pilot.app.screen, ConflictScreen)
        await press(pilot, "b", "ctrl+s")
        assert isinstance(pilot.app.screen, HandoffScreen)
    assert text_of(demo).startswith("other\nx## 2026-11-28")


async def test_one_that_cannot_be_read_says_why(demo: Places) -> None:
    file_of(demo).mkdir()
    async with manager(demo) as pilot:
        await press(pilot, "h", "r", "e")
        assert "The handoff cannot be read." in shown(pilot)
        assert isinstance(pilot.app.screen, HandoffScreen)


async def test_a_folder_of_somebody_else_has_none(demo: Places, tmp_path: Path) -> None:
    app = PimemApp([registry.open_folder(str(tmp_path / "new"), demo)], demo, now=lambda: NOW)
    async with app.run_test() as pilot:
        await press(pilot, "h")
        assert isinstance(pilot.app.screen, BrowserScreen)


@pytest.mark.parametrize("size", [LARGE, SMALL], ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("text", [TEXT, ""], ids=["normal", "empty"])
def test_pictures_of_the_handoff(
    demo: Places, snap_compare: Callable[..., bool], size: tuple[int, int], text: str
) -> None:
    put(demo, text)
    app = PimemApp(registry.all_stores(demo)[:2], demo, now=lambda: NOW)
    assert snap_compare(app, terminal_size=size, run_before=after("h"))
