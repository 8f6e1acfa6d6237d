"""The editor of the app: new, edit, conflicts, drafts, secrets."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pimem_core.errors import SecretError, StorageError
from pimem_tui.screens.browser import BrowserScreen
from pimem_tui.screens.confirm import ConfirmScreen
from pimem_tui.screens.conflict import ConflictScreen
from pimem_tui.screens.edit import EditScreen
from pimem_tui.widgets import BodyView
from tui.helpers import (
    MemoryStore,
    Watching,
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
    from typing import Any

    from pimem_core.paths import Places
    from textual.pilot import Pilot

FILE = "user-preferences.md"


def path_of(places: Places, file: str = FILE) -> Path:
    return Path(places.agent_dir, "memory", file)


def drafts(places: Places) -> list[str]:
    folder = os.path.join(places.state_dir, "drafts")
    return os.listdir(folder) if os.path.isdir(folder) else []


def rights(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def typed_in(path: Path) -> dict[str, Any]:
    row: dict[str, Any] = json.loads(path.read_text())
    return row


def put(path: Path, text: str) -> None:
    path.write_text(text)


def editor(pilot: Pilot[None]) -> EditScreen:
    screen = pilot.app.screen
    assert isinstance(screen, EditScreen), screen
    return screen


async def drafted(pilot: Pilot[None], places: Places) -> None:
    await until(pilot, lambda: len(drafts(places)) == 1)
    await settled(pilot)


async def test_an_edit_changes_what_was_typed_and_nothing_else(demo: Places) -> None:
    before = path_of(demo).read_text()
    async with manager(demo) as pilot:
        await press(pilot, "down", "down", "e")
        assert "short answers first" in shown(pilot)
        await press(pilot, *"xy")
        assert "unsaved" in shown(pilot)
        await press(pilot, "ctrl+s")
        assert isinstance(pilot.app.screen, BrowserScreen)
        assert selected(pilot) == FILE
        assert notices(pilot)[0].startswith('Saved "User Preferences".')
        assert notices(pilot)[0].endswith("u undoes it.")
        after = path_of(demo).read_text()
        old, new = before.split("\n"), after.split("\n")
        changed = [b for a, b in zip(old, new, strict=True) if a != b]
        assert [line.split(":")[0] for line in changed] == [
            "last_updated",
            "xy- short answers first, details on request",
        ]
        await press(pilot, "u")
        assert path_of(demo).read_text() == before
        assert notices(pilot)[-1].startswith('Undid the edit of "User Preferences".')
        await press(pilot, "U")
        assert path_of(demo).read_text() == after
    assert drafts(demo) == []


async def test_name_and_summary_follow_into_the_index(demo: Places) -> None:
    async with manager(demo) as pilot:
        await press(pilot, "down", "down", "e")
        editor(pilot).summary_field.value = "new words"
        await press(pilot, "f2")
        assert "new words" in shown(pilot)
    index = path_of(demo, "MEMORY.md").read_text()
    assert "-- new words" in index
    assert 'description: "new words"' in path_of(demo).read_text()


async def test_a_new_topic_is_checked_while_it_is_typed(demo: Places) -> None:
    async with manager(demo) as pilot:
        await press(pilot, "n", *"[x")
        assert "leave it out" in shown(pilot)
        await press(pilot, "ctrl+s")
        assert editor(pilot).dirty
        await press(pilot, "backspace", "backspace", *"Ship", "enter", *"how", "enter")
        assert "leave it out" not in shown(pilot)
        await press(pilot, *"body", "tab", "space", "ctrl+s")
        assert notices(pilot)[-1].startswith('Created "Ship" (ship.md).')
        assert selected(pilot) == "ship.md"
        assert " ● Ship" in shown(pilot)
    text = path_of(demo, "ship.md").read_text()
    assert text.endswith("\nbody\n")


@pytest.mark.parametrize(
    "body", ["a\r\nb\r\n", "a\r\nb\n", "tab\there\x0cform\x1bfeed\u2028sep\n", "no end", "\n\n\nx"]
)
async def test_odd_bytes_survive_an_edit(demo: Places, body: str) -> None:
    path = path_of(demo)
    path.write_bytes(body.encode())
    async with manager(demo) as pilot:
        await press(pilot, "down", "down", "e")
        assert "\x1b" not in shown(pilot)
        text = editor(pilot).editor
        text.move_cursor(text.document.end)
        await press(pilot, "Z", "ctrl+s")
        assert isinstance(pilot.app.screen, BrowserScreen)
    assert path.read_bytes().decode() == body + "Z"


async def test_leaving_asks_only_when_something_was_typed(demo: Places) -> None:
    async with manager(demo) as pilot:
        await press(pilot, "e", "escape")
        assert isinstance(pilot.app.screen, BrowserScreen)
        await press(pilot, "e", "x", "escape")
        assert isinstance(pilot.app.screen, ConfirmScreen)
        await press(pilot, "escape")
        assert editor(pilot).dirty
        await drafted(pilot, demo)
        await press(pilot, "ctrl+q", "y")
        assert isinstance(pilot.app.screen, BrowserScreen)
        await until(pilot, lambda: drafts(demo) == [])
    assert "x" not in path_of(demo, "postgresql-setup.md").read_text()[:1]


async def test_changes_elsewhere_in_the_text_are_merged(demo: Places) -> None:
    async with manager(demo) as pilot:
        await press(pilot, "down", "down", "e", *"mine ")
        with path_of(demo).open("a") as file:
            file.write("theirs\n")
        await press(pilot, "ctrl+s")
        assert "merged with a change made meanwhile" in notices(pilot)[-1]
        assert "u undoes it" in notices(pilot)[-1]
    text = path_of(demo).read_text()
    assert "mine - short answers" in text
    assert text.endswith("theirs\n")


def rewrite_first_line(places: Places, line: str) -> None:
    path = path_of(places)
    old = "- short answers first, details on request"
    path.write_text(path.read_text().replace(old, line))


@pytest.mark.parametrize(
    ("key", "expected"),
    [("t", ["theirs"]), ("m", ["mine - short"]), ("b", ["theirs", "mine - short"])],
)
async def test_a_conflict_shows_both_and_one_key_decides(
    demo: Places, key: str, expected: list[str]
) -> None:
    async with manager(demo) as pilot:
        await press(pilot, "down", "down", "e", *"mine ")
        rewrite_first_line(demo, "theirs")
        await press(pilot, "ctrl+s")
        assert isinstance(pilot.app.screen, ConflictScreen)
        text = shown(pilot)
        assert "- theirs" in text
        assert "+ mine - short" in text
        await press(pilot, "ctrl+s")
        assert isinstance(pilot.app.screen, ConflictScreen)
        await press(pilot, key, "ctrl+s")
        assert isinstance(pilot.app.screen, BrowserScreen)
    lines = path_of(demo).read_text().split("\n---\n")[1].strip().split("\n")
    assert all(line.startswith(start) for line, start in zip(lines, expected, strict=False))
    assert len(lines) == 4 + len(expected)


async def test_a_conflict_shows_no_line_where_there_is_none(demo: Places) -> None:
    async with manager(demo) as pilot:
        await press(pilot, "down", "down", "e", *"mine ")
        path = path_of(demo)
        lines = path.read_text().splitlines(keepends=True)
        # Taken out on disk: the same line, and one that nobody else touched.
        gone = ("- short answers first", "created:")
        path.write_text("".join(line for line in lines if not line.startswith(gone)))
        await press(pilot, "ctrl+s", "t")
        assert isinstance(pilot.app.screen, ConflictScreen)
        assert "(nothing here)" in shown(pilot)
        result = pilot.app.screen.query_one("#result BodyView", BodyView)
        drawn = [line.text[2:].strip() for line in result._lines]
        decided = pilot.app.screen.result().splitlines()
        assert drawn.count("") == decided.count("")
        assert "(nothing here)" in drawn


async def test_back_from_a_conflict_loses_nothing(demo: Places) -> None:
    async with manager(demo) as pilot:
        await press(pilot, "down", "down", "e", *"mine ")
        rewrite_first_line(demo, "theirs")
        await press(pilot, "ctrl+s", "m", "escape")
        assert editor(pilot).editor.text.startswith("mine - short")
        assert path_of(demo).read_text().count("theirs") == 1
        await press(pilot, "ctrl+s")
        assert isinstance(pilot.app.screen, ConflictScreen)


async def test_a_second_change_during_the_decision_asks_again(demo: Places) -> None:
    async with manager(demo) as pilot:
        await press(pilot, "down", "down", "e", *"mine ")
        rewrite_first_line(demo, "theirs")
        await press(pilot, "ctrl+s", "m")
        path = path_of(demo)
        path.write_text(path.read_text().replace("theirs", "third"))
        await press(pilot, "ctrl+s")
        assert isinstance(pilot.app.screen, ConflictScreen)
        assert "- third" in shown(pilot)


async def test_a_deleted_file_is_written_anew(demo: Places) -> None:
    async with manager(demo) as pilot:
        await press(pilot, "down", "down", "e", *"mine ")
        path_of(demo).unlink()
        await press(pilot, "ctrl+s")
        assert editor(pilot).editor.text.startswith("mine - short")
        assert "deleted" in shown(pilot)
        await press(pilot, "ctrl+s")
        assert isinstance(pilot.app.screen, BrowserScreen)
    assert "mine - short answers" in path_of(demo).read_text()


async def test_a_draft_follows_the_keys_and_comes_back(demo: Places) -> None:
    async with manager(demo) as pilot:
        await press(pilot, "down", "down", "e", *"kept ")
        await drafted(pilot, demo)
        (name,) = drafts(demo)
        path = Path(demo.state_dir, "drafts", name)
        await until(pilot, lambda: typed_in(path)["body"].startswith("kept - "))
        assert rights(path) == 0o600
        row = typed_in(path)
        # As if another process had written it and was gone.
        row["process"] = [row["process"][0], 2**22 - 3, "gone"]
        saved = json.dumps(row)
        await press(pilot, "escape", "y")
        await until(pilot, lambda: drafts(demo) == [])
        put(path, saved)
    async with manager(demo, ready=False) as pilot:
        await until(pilot, lambda: "1 draft (D)" in shown(pilot))
        await press(pilot, "D")
        assert 'Go on with "User Preferences"?' in shown(pilot)
        await press(pilot, "escape")
        assert "1 draft (D)" in shown(pilot)
        await press(pilot, "D", "y")
        assert editor(pilot).editor.text.startswith("kept - short")
        await press(pilot, "ctrl+s")
        await until(pilot, lambda: isinstance(pilot.app.screen, BrowserScreen))
    assert "kept - short" in path_of(demo).read_text()
    assert drafts(demo) == []


async def test_ending_the_app_keeps_the_last_keys(demo: Places) -> None:
    async with manager(demo) as pilot:
        await press(pilot, "down", "down", "e")
        await pilot.press(*"last ")
        pilot.app.exit()
    (name,) = drafts(demo)
    assert typed_in(Path(demo.state_dir, "drafts", name))["body"].startswith("last ")


async def test_a_secret_asks_before_it_is_stored(demo: Places) -> None:
    store = MemoryStore([make_topic("alpha")])
    store.bodies = {"alpha.md": "old\n"}
    store.errors["save"] = SecretError("Line 1 looks like a key (rule aws).")
    async with manager(demo, [store]) as pilot:
        await press(pilot, "e", *"x", "ctrl+s")
        assert isinstance(pilot.app.screen, ConfirmScreen)
        assert "Line 1 looks like a key" in shown(pilot)
        await press(pilot, "escape")
        assert editor(pilot).dirty
        await press(pilot, "ctrl+s", "y")
        assert isinstance(pilot.app.screen, BrowserScreen)
    assert store.bodies["alpha.md"] == "xold\n"
    assert "save_secret" in store.calls


async def test_a_failed_save_stays_in_the_editor(demo: Places) -> None:
    store = MemoryStore([make_topic("alpha")])
    store.errors["save"] = StorageError("The disk is full.")
    async with manager(demo, [store]) as pilot:
        await press(pilot, "e", *"x", "ctrl+s")
        assert editor(pilot).editor.text == "x"
        assert notices(pilot) == ["The disk is full. What you typed is still here."]
    assert len(drafts(demo)) == 1


async def test_an_open_topic_says_that_it_changed(demo: Places, watching: Watching) -> None:
    async with manager(demo) as pilot:
        await press(pilot, "down", "down", "e")
        await watching.starts(pilot)
        with path_of(demo).open("a") as file:
            file.write("theirs\n")
        await until(pilot, lambda: "theirs" in editor(pilot).editor.text)
        await press(pilot, "x")
        with path_of(demo).open("a") as file:
            file.write("more\n")
        await until(pilot, lambda: "saving merges" in shown(pilot))
        assert "more" not in editor(pilot).editor.text


async def test_a_real_secret_is_asked_about_in_the_words_of_the_manager(demo: Places) -> None:
    async with manager(demo) as pilot:
        await press(pilot, "n", *"key", "tab", *"s", "tab")
        editor(pilot).editor.text = "ghp_" + "x8Kq2LmN4pRs6TuVwXyZ1aBcD3eFgHiJkL5M"
        await press(pilot, "f2")
        assert isinstance(pilot.app.screen, ConfirmScreen)
        text = " ".join(shown(pilot).replace("│", " ").split())
        assert "looks like a credential" in text
        assert "Cancel goes back" in text
        assert "--allow-secret" not in text


@pytest.mark.parametrize("key", ["e", "E"])
async def test_a_line_without_a_file_is_told_with_the_way_out(demo: Places, key: str) -> None:
    async with manager(demo) as pilot:
        await press(pilot, *["down"] * 6, key)
        assert selected(pilot) == "release-notes-style.md"
        assert notices(pilot)[-1] == (
            "~/.pi/agent/memory/release-notes-style.md does not exist. "
            "r takes its line out of the index."
        )
