"""The form for a new entry: its fields, what it refuses, and what it writes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pimem_tui.screens.browser import BrowserScreen
from pimem_tui.screens.confirm import ConfirmScreen
from pimem_tui.screens.edit import EditScreen
from pimem_tui.widgets.entry_fields import EntryFields
from textual.widgets import Input
from tui.helpers import manager, notices, press, rows, shown, until

if TYPE_CHECKING:
    from pimem_core.paths import Places
    from textual.pilot import Pilot

WORKSPACE = 3


def form(pilot: Pilot[None]) -> EditScreen:
    screen = pilot.app.screen
    assert isinstance(screen, EditScreen)
    assert isinstance(screen.form, EntryFields)
    return screen


def put(pilot: Pilot[None], **values: str) -> None:
    """Fill fields; `text` is what stands below them."""
    for key, value in values.items():
        if key == "text":
            form(pilot).editor.load_text(value)
        else:
            form(pilot).query_one(f"#{key}", Input).value = value


def workspace(places: Places, file: str) -> str:
    return Path(places.cwd, ".pi", "memory", file).read_text()


async def test_an_entry_is_written_as_it_was_shown(demo: Places) -> None:
    async with manager(demo, start=WORKSPACE) as pilot:
        await press(pilot, "n")
        assert form(pilot).name_field.value == "decisions.md"
        assert pilot.app.focused is form(pilot).summary_field
        await press(pilot, *"Use [b]")
        put(pilot, confidence="high", valid_from="2026-11", text="- **decision**: Streams")
        await press(pilot, "tab")
        assert "2026-11-30 Use [b]" in shown(pilot)
        assert "tokens per prompt" in shown(pilot)
        await press(pilot, "f2")
        assert 'Added to decisions.md: "Use [b]".' in notices(pilot)[0]
        await press(pilot, "right")
        assert "Use [b]" in rows(pilot)[5]
        written = workspace(demo, "decisions.md").split("\n## ")[-1].split("\n", 1)[1]
        assert written == (
            "\n- **status**: active\n- **confidence**: high\n- **valid_from**: 2026-11\n"
            "- **decision**: Streams\n"
        )
        await press(pilot, "u")
        assert "Streams" not in workspace(demo, "decisions.md")


async def test_the_older_entry_is_retired_with_it_in_one_step(demo: Places) -> None:
    before = workspace(demo, "decisions.md")
    async with manager(demo, start=WORKSPACE) as pilot:
        await press(pilot, "n", *"pgvector", "f5")
        await until(pilot, lambda: "Which entry does this one supersede?" in shown(pilot))
        await press(pilot, *"chroma", "enter")
        assert form(pilot).query_one("#supersedes", Input).value.endswith("Chroma as vector store")
        await press(pilot, "f2")
        assert "2026-07-16 Chroma as vector store is superseded by it." in notices(pilot)[0]
        await press(pilot, "right")
        assert rows(pilot)[2].startswith(" →     Chroma")
        await press(pilot, "u")
        assert workspace(demo, "decisions.md") == before


async def test_what_is_wrong_is_said_while_it_is_typed(demo: Places) -> None:
    async with manager(demo, start=WORKSPACE) as pilot:
        await press(pilot, "n")
        assert form(pilot).check_action("save", ()) is None
        for values, said in (
            ({"status": "done"}, 'Unknown status "done"; there are active, superseded'),
            ({"summary": "A title", "status": "activ"}, 'Unknown status "activ"'),
            ({"status": "active", "confidence": "sure"}, 'Unknown confidence "sure"'),
            ({"confidence": "low", "valid_from": "soon"}, 'valid_from is "soon"; write it as'),
            ({"valid_from": "", "text": "## 2026-01-02 b"}, "begins another entry"),
            ({"text": "", "name": "inbox/x.md"}, "inbox/ is not memory"),
            ({"name": "../x.md"}, "is not a path of a memory file"),
            ({"name": "index.md"}, "holds no entries"),
            ({"name": "new.md", "summary": " "}, "There is no title"),
        ):
            put(pilot, **values)
            await press(pilot)
            if "summary" not in values and "status" in values and values["status"] == "done":
                said = "There is no title"
            assert said in shown(pilot)
            assert form(pilot).check_action("save", ()) is None
        put(pilot, summary="Fine")
        await press(pilot)
        assert form(pilot).check_action("save", ()) is True


async def test_the_file_is_chosen_from_a_list(demo: Places) -> None:
    async with manager(demo, start=2) as pilot:
        await press(pilot, "n", "f4")
        await until(pilot, lambda: "Which file?" in shown(pilot))
        assert "workspace" not in shown(pilot).split("Which file?")[1]
        await press(pilot, *"know", *"ledge/bugs", "enter")
        assert form(pilot).name_field.value == "knowledge/bugs.md"


async def test_leaving_asks_and_a_draft_comes_back_into_its_fields(demo: Places) -> None:
    async with manager(demo, start=WORKSPACE) as pilot:
        await press(pilot, "n", *"Kept")
        put(pilot, verified="twice", text="Body.")
        await press(pilot, "tab", "escape")
        assert isinstance(pilot.app.screen, ConfirmScreen)
        await press(pilot, "n")
        await until(pilot, lambda: any(Path(demo.state_dir, "drafts").glob("*")))
    async with manager(demo, start=WORKSPACE) as pilot:
        await press(pilot, "D")
        await until(pilot, lambda: isinstance(pilot.app.screen, ConfirmScreen))
        await press(pilot, "y")
        assert form(pilot).summary_field.value == "Kept"
        assert form(pilot).query_one("#verified", Input).value == "twice"
        assert form(pilot).editor.text == "Body."
        await press(pilot, "f2")
        assert "**verified**: twice\n\nBody." in workspace(demo, "decisions.md")
        assert isinstance(pilot.app.screen, BrowserScreen)
