"""Editing in the person's own editor."""

from __future__ import annotations

import contextlib
import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pimem_core.errors import ReadOnlyFormatError, SecretError, StorageError
from pimem_core.history.drafts import left_drafts
from pimem_tui.screens.browser import BrowserScreen
from pimem_tui.screens.confirm import ConfirmScreen
from pimem_tui.screens.conflict import ConflictScreen
from pimem_tui.screens.edit import EditScreen
from textual.app import App
from tui.helpers import (
    MemoryStore,
    make_topic,
    manager,
    notices,
    press,
    selected,
    settled,
    shown,
    until,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from pimem_core.paths import Places
    from textual.pilot import Pilot

    SetEditor = Callable[[str], Path]


@pytest.fixture
def editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SetEditor:
    """Sets $EDITOR to a Python script that gets the draft's path as `path`; returns its log."""
    monkeypatch.setattr(App, "suspend", lambda _self: contextlib.nullcontext())
    log = tmp_path / "editor.log"

    def set_editor(code: str) -> Path:
        script = tmp_path / "an editor.py"
        script.write_text(
            "import os, sys\nfrom pathlib import Path\npath = Path(sys.argv[-1])\n"
            f"Path({str(log)!r}).open('a').write(f'{{path}}\\n')\n{code}\n"
        )
        monkeypatch.setenv("EDITOR", f"{sys.executable} -I '{script}' --wait")
        return log

    return set_editor


APPEND = "path.open('a').write('an added line\\n')"


def drafts(places: Places) -> list[str]:
    folder = os.path.join(places.state_dir, "drafts")
    return os.listdir(folder) if os.path.isdir(folder) else []


def text_of(*path: str | Path) -> str:
    return Path(*path).read_text()


def add(path: str, text: str) -> None:
    with open(path, "a") as stream:
        stream.write(text)


def bring_back(left: Path, places: Places) -> None:
    """Put drafts there as if the process that wrote them were gone."""
    for file in left.iterdir():
        text = file.read_text()
        if file.name.endswith(".json"):
            row = json.loads(text)
            row["process"] = [row["process"][0], 2**22 - 3, "gone"]
            text = json.dumps(row)
        Path(places.state_dir, "drafts", file.name).write_text(text)


def edited(pilot: Pilot[None]) -> str:
    """The text in the editor of the app, which must be on top."""
    screen = pilot.app.screen
    assert isinstance(screen, EditScreen), screen
    return screen.editor.text


def one_store() -> MemoryStore:
    store = MemoryStore([make_topic("alpha"), make_topic("beta")])
    store.bodies = {"alpha.md": "old text\n", "beta.md": "other\n"}
    return store


async def test_an_edit_is_saved_and_shown(demo: Places, editor: SetEditor) -> None:
    editor(APPEND)
    async with manager(demo) as pilot:
        await press(pilot, "down", "down", "E")
        await settled(pilot)
        assert 'Saved "User Preferences"' in notices(pilot)[0]
        assert "an added line" in shown(pilot)
        assert selected(pilot) == "user-preferences.md"
    saved = text_of(demo.agent_dir, "memory", "user-preferences.md")
    assert saved.endswith("an added line\n")
    assert drafts(demo) == []


async def test_an_edit_in_the_detail_shows_there(demo: Places, editor: SetEditor) -> None:
    editor(APPEND)
    async with manager(demo) as pilot:
        await press(pilot, "down", "down", "enter", "E")
        await settled(pilot)
        assert "an added line" in shown(pilot)
        assert "pinned · just now" in shown(pilot) or "pinned ·" in shown(pilot)


async def test_unchanged_text_writes_nothing(demo: Places, editor: SetEditor) -> None:
    log = editor("os.utime(path)")
    store = one_store()
    async with manager(demo, [store]) as pilot:
        await press(pilot, "E")
        await settled(pilot)
        assert notices(pilot) == ['"alpha" is unchanged.']
    assert "save" not in store.calls
    assert drafts(demo) == []
    assert log.read_text().strip().endswith("alpha.md")


@pytest.mark.parametrize("error", [StorageError("The disk is full."), RuntimeError("a bug")])
async def test_a_failed_save_goes_on_in_the_app_and_outlives_it(
    demo: Places, editor: SetEditor, error: Exception
) -> None:
    editor(APPEND)
    store = one_store()
    store.errors["save"] = error
    async with manager(demo, [store]) as pilot:
        await press(pilot, "E")
        await settled(pilot)
        assert notices(pilot)[0].endswith("What you typed is still here.")
        assert edited(pilot) == "old text\nan added line\n"
    async with manager(demo, [store], ready=False) as pilot:
        await until(pilot, lambda: "1 draft (D)" in shown(pilot))
        await press(pilot, "D")
        assert 'Go on with "alpha"?' in shown(pilot)
        await press(pilot, "y")
        assert edited(pilot) == "old text\nan added line\n"
        del store.errors["save"]
        await press(pilot, "f2")
    assert store.bodies["alpha.md"] == "old text\nan added line\n"
    assert drafts(demo) == []


REWRITE = (
    "text = path.read_text()\n"
    "path.write_text(text.replace('short answers first', 'mine'))\n"
    "real = Path({real!r})\n"
)


async def test_changes_in_different_parts_are_merged(demo: Places, editor: SetEditor) -> None:
    real = Path(demo.agent_dir, "memory", "user-preferences.md")
    editor(REWRITE.format(real=str(real)) + "real.open('a').write('theirs\\n')")
    async with manager(demo) as pilot:
        await press(pilot, "down", "down", "E")
        await settled(pilot)
        assert "merged with a change made meanwhile" in notices(pilot)[-1]
    assert "- mine, details" in text_of(real)
    assert text_of(real).endswith("theirs\n")
    assert drafts(demo) == []


async def test_the_same_lines_are_decided_on_the_conflict_screen(
    demo: Places, editor: SetEditor
) -> None:
    real = Path(demo.agent_dir, "memory", "user-preferences.md")
    editor(
        REWRITE.format(real=str(real))
        + "real.write_text(real.read_text().replace('short answers first', 'theirs'))"
    )
    async with manager(demo) as pilot:
        await press(pilot, "down", "down", "E")
        await settled(pilot)
        assert isinstance(pilot.app.screen, ConflictScreen)
        assert "- - theirs, details" in shown(pilot)
        await press(pilot, "escape")
        assert "mine, details" in edited(pilot)
        await press(pilot, "ctrl+s", "b", "ctrl+s")
        assert isinstance(pilot.app.screen, BrowserScreen)
        assert "Saved" in notices(pilot)[-1]
    text = text_of(real)
    assert text.index("- theirs, details") < text.index("- mine, details")
    assert drafts(demo) == []


async def test_a_file_deleted_meanwhile_is_written_anew(demo: Places, editor: SetEditor) -> None:
    real = Path(demo.agent_dir, "memory", "user-preferences.md")
    editor(REWRITE.format(real=str(real)) + "real.unlink()")
    async with manager(demo) as pilot:
        await press(pilot, "down", "down", "E")
        await settled(pilot)
        assert "Saving creates it again" in notices(pilot)[-1]
        assert edited(pilot).startswith("- mine, details")
        await press(pilot, "ctrl+s")
    assert "- mine, details" in text_of(real)
    assert text_of(real).count("---") == 2


async def test_a_kill_while_the_editor_is_open_loses_nothing(
    demo: Places, editor: SetEditor, tmp_path: Path
) -> None:
    """The state folder as it is while the editor runs is what a killed process leaves."""
    left = tmp_path / "left"
    editor(f"import shutil\n{APPEND}\nshutil.copytree(path.parent, {str(left)!r})\nsys.exit(1)")
    async with manager(demo, [one_store()]) as pilot:
        await press(pilot, "E")
        await settled(pilot)
        assert "1 draft (D)" in shown(pilot)
        await press(pilot, "D", "y", "escape", "y")
        await until(pilot, lambda: drafts(demo) == [])
    bring_back(left, demo)
    async with manager(demo, [one_store()], ready=False) as pilot:
        await until(pilot, lambda: "1 draft (D)" in shown(pilot))
        await press(pilot, "D")
        assert 'Go on with "alpha"?' in shown(pilot)
        await press(pilot, "y")
        assert edited(pilot) == "old text\nan added line\n"


async def test_an_editor_that_fails_saves_nothing_and_keeps_what_was_typed(
    demo: Places, editor: SetEditor
) -> None:
    editor(APPEND + "; sys.exit(1)")
    store = one_store()
    async with manager(demo, [store]) as pilot:
        await press(pilot, "E")
        await settled(pilot)
        assert notices(pilot)[0].startswith(
            "The editor ended with code 1; nothing was saved. Your text is kept in "
        )
        assert notices(pilot)[0].endswith("D opens it.")
        assert "1 draft (D)" in shown(pilot)
        await press(pilot, "D", "y")
        assert edited(pilot) == "old text\nan added line\n"
    assert "save" not in store.calls


async def test_an_editor_that_is_not_there_is_named(
    demo: Places, editor: SetEditor, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor("")
    monkeypatch.setenv("VISUAL", "/nowhere/[b]ed")
    async with manager(demo, [one_store()]) as pilot:
        await press(pilot, "E")
        await settled(pilot)
        assert "Cannot start the editor /nowhere/[b]ed: No such file" in notices(pilot)[0]
    assert drafts(demo) == []


async def test_an_editor_that_removes_or_breaks_the_draft(demo: Places, editor: SetEditor) -> None:
    store = one_store()
    editor("path.write_bytes(b'\\xff\\xfe')")
    async with manager(demo, [store]) as pilot:
        await press(pilot, "E")
        await settled(pilot)
        assert "UTF-8" in notices(pilot)[0]
        editor("path.unlink()")
        await press(pilot, "E")
        await settled(pilot)
        assert "UTF-8" not in notices(pilot)[-1]
    assert "save" not in store.calls


async def test_a_secret_asks_first(demo: Places, editor: SetEditor) -> None:
    editor(APPEND)
    store = one_store()
    store.errors["save"] = SecretError("Line 2 looks like a key (rule aws).")
    async with manager(demo, [store]) as pilot:
        await press(pilot, "E")
        await settled(pilot)
        assert isinstance(pilot.app.screen, ConfirmScreen)
        assert "Line 2 looks like a key" in shown(pilot)
        await press(pilot, "enter")
        assert edited(pilot) == "old text\nan added line\n"
        assert "save_secret" not in store.calls
        await press(pilot, "f2", "y")
        assert isinstance(pilot.app.screen, BrowserScreen)
    assert "save_secret" in store.calls
    assert drafts(demo) == []


async def test_a_store_that_takes_no_changes_opens_no_editor(
    demo: Places, editor: SetEditor
) -> None:
    log = editor(APPEND)
    store = one_store()
    store.errors["refuse_changes"] = ReadOnlyFormatError("Another program's format.")
    async with manager(demo, [store]) as pilot:
        await press(pilot, "E")
        assert notices(pilot) == ["Another program's format."]
    assert not log.exists()


async def test_pressing_twice_opens_one_editor(demo: Places, editor: SetEditor) -> None:
    log = editor(APPEND)
    async with manager(demo, [one_store()]) as pilot:
        await pilot.press("E", "E", "E")
        await settled(pilot)
        await settled(pilot)
    assert 1 <= len(log.read_text().splitlines()) <= 3


async def test_what_the_window_of_an_editor_saves_is_taken(
    demo: Places, editor: SetEditor, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = editor("")
    monkeypatch.setenv("EDITOR", os.environ["EDITOR"].removesuffix(" --wait"))
    topic = os.path.join(demo.agent_dir, "memory", "user-preferences.md")
    before = text_of(topic)
    async with manager(demo) as pilot:
        await press(pilot, "down", "down", "E")
        await settled(pilot)
        assert "open in the editor's window" in notices(pilot)[0]
        assert text_of(topic) == before
        window = text_of(log).strip()
        add(window, "first line\n")
        await until(pilot, lambda: "first line\n" in text_of(topic))
        add(window, "second line\n")
        await until(pilot, lambda: "second line\n" in text_of(topic))
        await settled(pilot)
        assert "second line" in shown(pilot)
    assert text_of(topic).endswith("first line\nsecond line\n")
    # What comes after the end is offered at the next start.
    assert left_drafts(demo) == []
    add(window, "after the end\n")
    ((_draft, typed),) = left_drafts(demo)
    assert typed.body.endswith("second line\nafter the end\n")
