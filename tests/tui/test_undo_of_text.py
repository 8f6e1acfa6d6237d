"""Undo and redo in the editor, of texts longer than the screen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pimem_tui.widgets.text_editor import TextEditor
from textual import events
from tui.helpers import manager, press, settled

if TYPE_CHECKING:
    from pimem_core.paths import Places


@pytest.mark.parametrize("size", [(120, 30), (40, 12)])
@pytest.mark.parametrize("ending", ["\n", ""])
async def test_a_paste_longer_than_the_screen(
    demo: Places, size: tuple[int, int], ending: str
) -> None:
    pasted = "\n".join(f"line {number} " + "x" * number for number in range(60)) + ending
    async with manager(demo, size=size) as pilot:
        await press(pilot, "n", *"Long", "tab", "tab")
        editor = pilot.app.screen.query_one(TextEditor)
        editor.focus()
        await press(pilot, *"ab")
        pilot.app.post_message(events.Paste(pasted))
        await settled(pilot)
        assert editor.text == f"ab{pasted}"
        await press(pilot, "ctrl+z")
        assert editor.text == "ab"
        await press(pilot, "ctrl+y")
        assert editor.text == f"ab{pasted}"
        await press(pilot, "ctrl+z", "ctrl+z")
        assert editor.text == ""
        assert editor.selection.end == (0, 0)
        await press(pilot, "ctrl+y", "ctrl+y")
        assert editor.text == f"ab{pasted}"
        editor.select_all()
        await press(pilot, "delete")
        assert editor.text == ""
        await press(pilot, "ctrl+z")
        assert editor.text == f"ab{pasted}"
