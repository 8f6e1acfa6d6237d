"""Editing in the person's own editor."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pimem_core.errors import ConflictError, ReadOnlyFormatError, SecretError, StorageError
from pimem_tui.screens.confirm import ConfirmScreen
from textual.app import App
from tui.helpers import MemoryStore, make_topic, manager, notices, press, selected, settled, shown

if TYPE_CHECKING:
    from collections.abc import Callable

    from pimem_core.paths import Places

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


def text_of(*path: str) -> str:
    return Path(*path).read_text()


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


@pytest.mark.parametrize(
    "error",
    [
        ConflictError("Somebody else changed the same lines."),
        StorageError("The disk is full."),
        RuntimeError("a bug"),
    ],
)
async def test_a_failed_save_keeps_the_draft(
    demo: Places, editor: SetEditor, error: Exception
) -> None:
    editor(APPEND)
    store = one_store()
    store.errors["save"] = error
    async with manager(demo, [store]) as pilot:
        await press(pilot, "E")
        await settled(pilot)
        assert f"Your text is kept in {demo.state_dir}/drafts/" in notices(pilot)[0]
        assert "alpha" in shown(pilot)
    (draft,) = drafts(demo)
    assert text_of(demo.state_dir, "drafts", draft) == "old text\nan added line\n"


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
    assert "save" not in store.calls
    assert len(drafts(demo)) == 1


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
        assert len(notices(pilot)) == 2
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
        assert "Nothing was saved. Your text is kept in" in notices(pilot)[0]
        assert "save_secret" not in store.calls
        await press(pilot, "E")
        await settled(pilot)
        await press(pilot, "y")
        assert "save_secret" in store.calls
    assert len(drafts(demo)) == 1


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
