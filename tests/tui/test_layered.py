"""Layered memory in the list: files unfold into dated entries, which can be acted on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pimem_core.systems import registry
from pimem_core.systems.layers import LayerStore
from pimem_tui.app import PimemApp
from pimem_tui.rows.branches import EntryRow, list_rows
from pimem_tui.screens.browser import BrowserScreen
from pimem_tui.screens.choice import ChoiceScreen
from pimem_tui.screens.detail import DetailScreen
from pimem_tui.screens.edit import EditScreen
from textual.geometry import Offset
from tui.helpers import (
    ODDITIES,
    browser,
    manager,
    notices,
    press,
    rows,
    selected,
    settled,
    shown,
    until,
)

if TYPE_CHECKING:
    from layered.worlds import World
    from pimem_core.paths import Places
    from textual.pilot import Pilot

WORKSPACE = 3


def workspace(places: Places, file: str) -> str:
    return Path(places.cwd, ".pi", "memory", file).read_text()


def write_above(path: Path) -> None:
    """What another program does to a file: an entry before all others."""
    path.write_text(f"## 2026-11-02 Fresh\n\nNew.\n\n{path.read_text()}")


def entry(pilot: Pilot[None]) -> EntryRow:
    row = browser(pilot).frame.topic
    assert isinstance(row, EntryRow)
    return row


async def test_a_file_unfolds_into_its_entries(demo: Places) -> None:
    async with manager(demo, start=WORKSPACE, size=(100, 24)) as pilot:
        assert [row.split()[0] for row in rows(pilot)] == [*("▸", "▸", "index.md", "!", "○")]
        assert "4 workspace 4" in shown(pilot)
        await press(pilot, "right")
        await press(pilot, "down")
        assert "▾ decisions.md" in rows(pilot)[0]
        assert rows(pilot)[1].startswith(" →     FAISS as vector store")
        assert "superseded, medium" in rows(pilot)[1]
        assert rows(pilot)[2].startswith("       Chroma as vector sto")
        assert "active, high" in rows(pilot)[2]
        assert rows(pilot)[4].startswith(" ×     Feature flags")
        assert "4 workspace 4" in shown(pilot)
        assert entry(pilot).entry.title == "FAISS as vector store"
        await press(pilot, "down", "left")
        assert selected(pilot) == "decisions.md"
        assert "FAISS as vector store" not in rows(pilot)[1]


async def test_all_files_unfold_and_fold_at_once(demo: Places) -> None:
    async with manager(demo, start=WORKSPACE) as pilot:
        await press(pilot, "x")
        assert len(rows(pilot)) == 12
        await press(pilot, "down", "x")
        assert len(rows(pilot)) == 5
        assert selected(pilot) == "decisions.md"


async def test_a_click_on_the_mark_unfolds(demo: Places) -> None:
    async with manager(demo, start=WORKSPACE) as pilot:
        await pilot.click("TopicList", offset=Offset(3, 1))
        await settled(pilot)
        assert "Batch size" in rows(pilot)[2]
        await pilot.click("TopicList", offset=Offset(3, 1))
        await settled(pilot)
        assert len(rows(pilot)) == 5


async def test_what_a_prompt_does_not_get_is_said(demo: Places) -> None:
    async with manager(demo, start=2) as pilot:
        text = "\n".join(rows(pilot))
        assert "(hidden by decisions.md)" in text
        assert "(not given to the model)" in text
        assert "tok" in next(row for row in rows(pilot) if "lessons.md" in row)
        assert "tok" not in next(row for row in rows(pilot) if "decisions.md" in row)
        assert "1 hidden" in shown(pilot)
        assert "task Move the order queue" in shown(pilot)


async def test_what_the_caps_cut_is_said(world: World) -> None:
    text = "".join(
        f"## 2026-07-{day:02} Number {day}\n\n{'word ' * 60}\n\n" for day in range(1, 29)
    )
    world.fill(global_={"knowledge/lessons.md": text})
    async with manager(world.places, start=2) as pilot:
        await press(pilot, "end")
        topic = browser(pilot).frame.topic
        assert topic is not None
        assert str(topic.note).startswith("cut for lack of room, 3,")
        assert str(topic.note).endswith(f" of {len(text.rstrip()):,} characters")
        assert "(cut for lack" in rows(pilot)[-1]
        assert "1 cut" in shown(pilot)


async def test_a_status_that_stays_as_it_is_changes_nothing(demo: Places) -> None:
    before = workspace(demo, "decisions.md")
    async with manager(demo, start=WORKSPACE) as pilot:
        await press(pilot, "right", "down", "down", "S")
        assert "as it is" in shown(pilot)
        await press(pilot, "enter")
        assert notices(pilot) == []
    assert workspace(demo, "decisions.md") == before


async def test_own_changes_are_not_marked_as_those_of_others(demo: Places) -> None:
    async with manager(demo, start=WORKSPACE) as pilot:
        await press(pilot, "right", "down", "down")
        app, store, touched = (
            pilot.app,
            browser(pilot).browsing.store,
            frozenset({entry(pilot).file}),
        )
        assert isinstance(app, PimemApp)
        assert app.outcomes.by_others(store, touched) == touched
        await press(pilot, "S", "down", "enter")
        assert app.outcomes.by_others(store, touched) == frozenset()


async def test_an_entry_without_a_text_shows_its_status_alone(world: World) -> None:
    world.fill(workspace={"a.md": "## 2026-07-01 a\n\n- **status**: active\n"})
    async with manager(world.places, start=3) as pilot:
        await press(pilot, "right")
        assert "active" in rows(pilot)[1]
        assert "·" not in rows(pilot)[1]


async def test_the_status_of_an_entry_is_set_and_undone(demo: Places) -> None:
    async with manager(demo, start=WORKSPACE) as pilot:
        await press(pilot, "right")
        await press(pilot, "down", "down", "S")
        assert isinstance(pilot.app.screen, ChoiceScreen)
        await press(pilot, "down", "down", "enter")
        await until(pilot, lambda: rows(pilot)[2].startswith(" ×     Chroma"))
        assert "is deprecated now. u undoes it." in notices(pilot)[0]
        assert entry(pilot).entry.title == "Chroma as vector store"
        await press(pilot, "u")
        await until(pilot, lambda: rows(pilot)[2].startswith("       Chroma"))
        assert workspace(demo, "decisions.md").count("**status**: deprecated") == 1


async def test_an_entry_is_superseded_by_a_chosen_one_and_leads_there(demo: Places) -> None:
    async with manager(demo, start=WORKSPACE) as pilot:
        await press(pilot, "x")
        await press(pilot, "end", "up", "up", "R")
        assert "What supersedes “Outbox" in shown(pilot)
        await press(pilot, *"batch", "enter")
        assert "is superseded by 2026-11-21 Batch size" in notices(pilot)[0]
        assert "**supersedes**: 2026-09-16 Outbox" in workspace(demo, "experiments.md")
        assert entry(pilot).type == "superseded"
        await press(pilot, "f")
        assert entry(pilot).of == "experiments.md"
        await press(pilot, "f")
        assert entry(pilot).of == "patterns.md"


async def test_following_unfolds_the_other_file(demo: Places) -> None:
    layer = registry.find_store("workspace", demo)
    assert isinstance(layer, LayerStore)
    layer.supersede("patterns.md", "Outbox", "Batch size", by_file="experiments.md")
    async with manager(demo, start=WORKSPACE) as pilot:
        await press(pilot, "down", "right")
        await press(pilot, "down", "f")
        assert entry(pilot).of == "patterns.md"


async def test_an_entry_and_a_file_go_to_the_archive(demo: Places) -> None:
    async with manager(demo, start=WORKSPACE) as pilot:
        await press(pilot, "right")
        await press(pilot, "down", "A")
        assert "Moved 2026-05-04 FAISS as vector store of decisions.md" in notices(pilot)[0]
        assert "## 2026-05-04 FAISS" not in workspace(demo, "decisions.md")
        assert "FAISS" in workspace(demo, "archive/decisions.md")
        assert " ○   archive/decisions.md" in "\n".join(rows(pilot))
        await press(pilot, "u")
        assert "FAISS" in workspace(demo, "decisions.md")
        await press(pilot, "home", "left")
        await press(pilot, "down", "A")
        files = [topic.file for topic in browser(pilot).topic_list.listing.topics]
        assert "Moved" in notices(pilot)[-1]
        assert set(files) >= {"archive/experiments.md"}
        assert "experiments.md" not in files


async def test_an_archived_file_is_read_and_cannot_be_archived_again(demo: Places) -> None:
    async with manager(demo, start=WORKSPACE) as pilot:
        await press(pilot, "end")
        assert browser(pilot).check_action("topic", ("archive",)) is None
        await press(pilot, "enter")
        assert "archived" in shown(pilot)
        assert "Fixed with the new resizer." in shown(pilot)


async def test_files_are_not_removed_by_a_key_on_an_entry(demo: Places) -> None:
    async with manager(demo, start=WORKSPACE) as pilot:
        await press(pilot, "right")
        await press(pilot, "down")
        screen = browser(pilot)
        assert screen.check_action("topic", ("remove",)) is None
        assert screen.check_action("mark", ()) is None
        assert screen.check_action("topic", ("set_status",)) is True
        await press(pilot, "r", "up")
        assert screen.check_action("topic", ("set_status",)) is None
        assert screen.check_action("topic", ("remove",)) is True
        assert notices(pilot) == []


async def test_other_stores_have_no_second_level(demo: Places) -> None:
    async with manager(demo) as pilot:
        for action, name in (
            *(("tree", "unfold"), ("tree", "fold"), ("topic", "set_status"), ("topic", "archive")),
            *(("layer", "clear_task"), ("layer", "init")),
        ):
            assert browser(pilot).check_action(action, (name,)) is False, name


async def test_an_entry_is_read_and_its_relations_are_followed(demo: Places) -> None:
    async with manager(demo, start=WORKSPACE) as pilot:
        await press(pilot, "right")
        await press(pilot, "down", "enter")
        text = shown(pilot)
        assert "superseded · confidence medium · superseded by 2026-07-16 Chroma" in text
        assert "FAISS, index rebuilt each night" in text
        assert "Zero operations" not in text
        await press(pilot, "tab", "enter")
        assert "Zero operations" in shown(pilot)
        assert "Supersedes → FAISS as vector store" in shown(pilot)
        await press(pilot, "S", "down", "down", "enter")
        assert "deprecated · confidence high" in shown(pilot)
        await press(pilot, "A")
        assert isinstance(pilot.app.screen, DetailScreen)
        assert "FAISS, index rebuilt" in shown(pilot)
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, BrowserScreen)


async def test_editing_an_entry_begins_at_its_line(demo: Places) -> None:
    async with manager(demo, start=WORKSPACE) as pilot:
        await press(pilot, "right")
        await press(pilot, "down", "down", "e")
        screen = pilot.app.screen
        assert isinstance(screen, EditScreen)
        line = screen.editor.text.splitlines()[screen.editor.cursor_location[0]]
        assert line == "## 2026-07-16 Chroma as vector store"


async def test_a_filter_by_status_shows_entries(demo: Places) -> None:
    async with manager(demo, start=WORKSPACE) as pilot:
        await press(pilot, "slash", *"status:active price")
        assert [row.split()[1] for row in rows(pilot)] == ["decisions.md", "are"]
        assert "1 hit" in shown(pilot)
        await press(pilot, "escape", "escape", "t", "t")
        assert "status:superseded" in shown(pilot)
        assert len(rows(pilot)) == 2
        await press(pilot, "t", "t")
        assert len(rows(pilot)) == 5


async def test_words_show_the_entries_that_have_them(demo: Places) -> None:
    async with manager(demo, start=WORKSPACE) as pilot:
        await press(pilot, "slash", *"nightly", "enter")
        assert "decisions.md" in rows(pilot)[0]
        assert rows(pilot)[1].startswith("       Chroma")
        assert len(rows(pilot)) == 2


async def test_a_change_outside_shows_and_keeps_the_entry(demo: Places) -> None:
    async with manager(demo, start=2) as pilot:
        await press(pilot, "x")
        await press(pilot, "end", "up", "up")
        assert entry(pilot).entry.title == "Retry storms start with equal delays"
        write_above(Path(demo.home, ".pi", "memory", "knowledge", "lessons.md"))
        await until(pilot, lambda: "Fresh" in shown(pilot))
        assert entry(pilot).entry.title == "Retry storms start with equal delays"


async def test_texts_of_every_kind_are_drawn_as_they_are(world: World) -> None:
    lines = [" ".join(text.split()) for text in ODDITIES]
    text = "".join(
        f"## 2026-07-{at + 1:02} {line}\n\n- **status**: {line}\n- **x**: {line}\n\n"
        for at, line in enumerate(lines)
    )
    world.fill(
        workspace={
            "decisions.md": text.encode("utf-8", "surrogateescape"),
            "[b]x[/b].md": text.encode("utf-8", "surrogateescape"),
            "broken.md": b"\xff\xfe\x00",
            "crlf.md": "## 2026-07-01 a\r\n\r\n- **status**: active\r\n\r\n## 2026-07-01 a\r\n",
            "empty.md": "",
        }
    )
    for size in ((120, 36), (40, 12)):
        async with manager(world.places, start=3, size=size) as pilot:
            await press(pilot, "x")
            count = len(browser(pilot).topic_list.listing.topics)
            assert count > 2 * len(lines)
            for _ in range(count - 1):
                await pilot.press("down")
            await press(pilot, "home", "down", "enter", "tab", "escape", "end", "enter", "escape")
            assert "\x1b" not in shown(pilot)


async def test_two_entries_with_one_heading_are_told_apart(world: World) -> None:
    world.fill(workspace={"a.md": "## 2026-07-01 a\n\none\n\n## 2026-07-01 a\n\ntwo\n"})
    async with manager(world.places, start=3) as pilot:
        await press(pilot, "right")
        await press(pilot, "down", "down")
        assert entry(pilot).entry.line == 5
        await press(pilot, "S", "down", "enter")
        assert "matches 2 entries" in notices(pilot)[0]


def test_rows_of_ten_thousand_entries_come_from_the_worker(world: World) -> None:
    """The list gets them ready made; drawing asks for what is in view only."""
    text = "".join(f"## 2026-07-01 Number {n}\n\ntext\n\n" for n in range(2_000))
    world.fill(workspace={f"f{n}.md": text for n in range(5)})
    store = world.layer("workspace")
    names = {f"f{n}.md" for n in range(5)}
    listing = list_rows(store, order=0, unfolded=names, cancelled=lambda: False)
    assert len(listing.topics) == 10_000 + 6
    assert listing.rows["f4.md\n2026-07-01 Number 1999"] == len(listing.topics) - 2
    assert listing.count == 6
