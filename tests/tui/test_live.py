"""The list while others write, several topics at once, orders, history, injection."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pimem_tui.app import PimemApp
from pimem_tui.screens.browser import BrowserScreen
from pimem_tui.screens.confirm import ConfirmScreen
from pimem_tui.screens.detail import DetailScreen
from pimem_tui.screens.history import HistoryScreen
from pimem_tui.screens.injection import InjectionScreen
from tui.helpers import (
    MemoryStore,
    Watching,
    browser,
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
    from pimem_core.paths import Places
    from textual.pilot import Pilot


def folder_of(places: Places) -> Path:
    return Path(places.agent_dir, "memory")


def change_index(places: Places, old: str, new: str) -> None:
    path = folder_of(places) / "MEMORY.md"
    path.write_text(path.read_text().replace(old, new))


def row(pilot: Pilot[None], name: str) -> str:
    return next(line for line in shown(pilot).splitlines() if name in line)


async def test_the_list_follows_others_and_marks_what_changed(
    demo: Places, watching: Watching
) -> None:
    async with manager(demo) as pilot:
        pilot.app.animation_level = "none"
        await press(pilot, *["down"] * 4)
        await watching.starts(pilot)
        place = browser(pilot).topic_list.scroll_y
        change_index(demo, "- [Flaky Tests](", "- [Shaky Tests](")
        await until(pilot, lambda: "*  Shaky Tests" in shown(pilot))
        assert selected(pilot) == "api-conventions.md"
        assert browser(pilot).topic_list.scroll_y == place
        # Without motion the mark stays until the next key.
        await press(pilot, "down")
        assert "*  Shaky Tests" not in shown(pilot)
        (folder_of(demo) / "build-cache.md").write_text("new text\n")
        await until(pilot, lambda: "*  Build Cache" in shown(pilot))
        assert "*" not in row(pilot, "Flaky" if "Flaky" in shown(pilot) else "Shaky")


async def test_own_changes_are_no_news(demo: Places, watching: Watching) -> None:
    async with manager(demo) as pilot:
        await watching.starts(pilot)
        await press(pilot, *["down"] * 3, "p")
        await watching.tells(pilot, "MEMORY.md")
        assert " ● Test Database" in shown(pilot)
        assert "*" not in row(pilot, "Test Database")[:4]


async def test_the_filter_stays_while_others_write(demo: Places, watching: Watching) -> None:
    async with manager(demo) as pilot:
        await press(pilot, "slash", *"deploy", "enter")
        await watching.starts(pilot)
        before = selected(pilot)
        (folder_of(demo) / "gpu-box.md").write_text("how to deploy here\n")
        await until(pilot, lambda: "GPU Box" in shown(pilot))
        assert selected(pilot) == before


async def test_a_folder_that_appears_is_noticed(demo: Places) -> None:
    folder = folder_of(demo)
    folder.rename(folder.with_name("away"))
    async with manager(demo) as pilot:
        assert "No memories here yet" in shown(pilot)
        folder.with_name("away").rename(folder)
        await until(pilot, lambda: "GPU Box" in shown(pilot))


async def test_an_open_detail_says_that_it_changed(demo: Places, watching: Watching) -> None:
    async with manager(demo) as pilot:
        await press(pilot, "enter")
        await watching.starts(pilot)
        (folder_of(demo) / "postgresql-setup.md").write_text("other words\n")
        await until(pilot, lambda: "other words" in shown(pilot))
        assert notices(pilot) == ['"PostgreSQL Setup" changed on disk just now.']
        assert isinstance(pilot.app.screen, DetailScreen)


async def test_an_open_detail_says_that_it_was_removed(demo: Places, watching: Watching) -> None:
    async with manager(demo, size=(50, 24)) as pilot:
        await press(pilot, "enter")
        await watching.starts(pilot)
        (folder_of(demo) / "postgresql-setup.md").unlink()
        await until(pilot, lambda: "exist." in shown(pilot))  # the end of a long line
        lines = (folder_of(demo) / "MEMORY.md").read_text().splitlines(keepends=True)
        kept = "".join(line for line in lines if "postgresql" not in line)
        (folder_of(demo) / "MEMORY.md").write_text(kept)
        await until(pilot, lambda: "“PostgreSQL Setup” is not in this store any" in shown(pilot))
        assert "more." in shown(pilot)
        assert not notices(pilot)  # which would call it changed


async def test_a_removal_means_the_topic_and_never_the_row(demo: Places) -> None:
    path = folder_of(demo) / "MEMORY.md"
    async with manager(demo) as pilot:
        await press(pilot, *["down"] * 4)
        lines = path.read_text().split("\n")
        path.write_text("\n".join([*lines[:2], *reversed(lines[2:])]))
        await press(pilot, "r")
        assert 'Remove "API Conventions"' in shown(pilot)
        await press(pilot, "y")
        assert notices(pilot)[-1].startswith('Removed "API Conventions"')
    assert "api-conventions" not in path.read_text()
    assert "gpu-box" in path.read_text()


async def test_what_was_undone_is_named(demo: Places) -> None:
    async with manager(demo) as pilot:
        await press(pilot, *["down"] * 3, "r", "y", "u")
        assert notices(pilot)[-1].startswith('Undid the removal of "Test Database".')


async def test_a_topic_that_is_gone_is_refused_without_a_command(demo: Places) -> None:
    path = folder_of(demo) / "MEMORY.md"
    async with manager(demo) as pilot:
        await press(pilot, *["down"] * 3, "r")
        lines = path.read_text().splitlines(keepends=True)
        path.write_text("".join(line for line in lines if "test-database" not in line))
        await press(pilot, "y")
        assert notices(pilot)[-1].startswith('No topic matches "test-database.md"')
        assert "pimem list" not in notices(pilot)[-1]


async def test_several_are_pinned_and_removed_at_once(demo: Places) -> None:
    async with manager(demo) as pilot:
        await press(pilot, *["down"] * 3, "space", "space")
        assert "+  Test Database" in shown(pilot)
        assert "+  API Conventions" in shown(pilot)
        assert shown(pilot).splitlines()[-1].endswith("2 marked · 6 of 19")
        await press(pilot, "p")
        assert notices(pilot)[-1].startswith("Pinned 2 topics.")
        await press(pilot, "p")
        assert notices(pilot)[-1] == "Unpinned 2 topics. u undoes them one by one."
        await press(pilot, "home", "space", "r")
        assert isinstance(pilot.app.screen, ConfirmScreen)
        assert "Remove 3 topics?" in shown(pilot)
        assert "Pinned ones (1)" in shown(pilot)
        await press(pilot, "escape", "r", "y")
        assert "1 not changed" in notices(pilot)[-2]
        assert notices(pilot)[-1] == "Removed 2 topics. u undoes them one by one."
        assert "Test Database" not in shown(pilot)
        await press(pilot, "u", "u")
        assert "Test Database" in shown(pilot)
        assert "API Conventions" in shown(pilot)
        await press(pilot, "escape", "home", "space", "space", "r")  # both pinned: no question
        assert notices(pilot)[-1] == "All 2 are pinned; p unpins them."
        await press(pilot, "escape")
        assert isinstance(pilot.app.screen, BrowserScreen)
        assert "marked" not in shown(pilot)


async def test_marking_all_and_none(demo: Places) -> None:
    async with manager(demo) as pilot:
        await press(pilot, "slash", *"deploy", "enter", "a")
        marked = len(browser(pilot).browsing.view.marked_topics)
        assert marked == len(browser(pilot).topic_list.listing.topics) > 0
        await press(pilot, "a")
        assert not browser(pilot).browsing.view.marked_topics


async def test_orders(demo: Places) -> None:
    store = MemoryStore(
        [
            make_topic("beta", stamp="2026-01-02"),
            make_topic("Alpha", stamp="2026-03-01T00:00:00+02:00", line="x " * 50),
            make_topic("gamma", stamp="2026-02-28T23:30:00+00:00", pinned=True),
        ]
    )
    async with manager(demo, [store]) as pilot:

        def names() -> list[str]:
            return [topic.name for topic in browser(pilot).topic_list.listing.topics]

        seen = []
        for _ in range(6):
            await press(pilot, "s")
            seen.append(names())
        assert seen == [
            ["Alpha", "beta", "gamma"],
            ["gamma", "Alpha", "beta"],
            ["beta", "Alpha", "gamma"],
            ["gamma", "beta", "Alpha"],
            ["Alpha", "beta", "gamma"],
            ["beta", "Alpha", "gamma"],
        ]
        assert selected(pilot) == "beta.md"


async def test_a_click_on_the_selected_row_opens(
    demo: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(PimemApp, "CLICK_CHAIN_TIME_THRESHOLD", 0)  # no two are a double click
    async with manager(demo) as pilot:
        await pilot.click("TopicList", offset=(8, 3))
        assert selected(pilot) == "test-database.md"
        assert isinstance(pilot.app.screen, BrowserScreen)
        await pilot.click("TopicList", offset=(8, 3))
        await until(pilot, lambda: isinstance(pilot.app.screen, DetailScreen))


async def test_undo_says_why_it_cannot(demo: Places) -> None:
    async with manager(demo) as pilot:
        await press(pilot, "u")
        assert notices(pilot)[-1] == "There is nothing to undo."
        await press(pilot, "e", "x", "ctrl+s")
        (folder_of(demo) / "postgresql-setup.md").write_text("other\n")
        await press(pilot, "u")
        assert "was changed by somebody else" in notices(pilot)[-1]
        assert "\n" not in notices(pilot)[-1]


async def test_the_history_shows_changes_with_their_difference(demo: Places) -> None:
    async with manager(demo) as pilot:
        await press(pilot, "H")
        assert isinstance(pilot.app.screen, HistoryScreen)
        assert "Nothing was changed through pimem yet" in shown(pilot)
        await press(pilot, "escape", *["down"] * 3, "p", "e", "x", "ctrl+s", "H")
        lines = shown(pilot).splitlines()
        assert "edit    Test Database" in lines[1]
        assert "pin     Test Database" in lines[2]
        assert "+x" in shown(pilot)
        await press(pilot, "down")
        assert "[pin]" in shown(pilot)
        await press(pilot, "u")
        assert notices(pilot)[-1].startswith('Undid the edit of "Test Database"')
        assert "undo    Test Database" in shown(pilot).splitlines()[1]
        await press(pilot, "U", "escape")
        assert isinstance(pilot.app.screen, BrowserScreen)


def break_journal(places: Places, *, whole: bool = False) -> None:
    folder = Path(places.state_dir, "undo")
    if whole:
        shutil.rmtree(folder)
        folder.symlink_to(folder)  # cannot be listed, not even by root
    else:
        folder.mkdir(parents=True)
        (folder / "01790000000000000-1-abcdef.json").write_text("{}")


async def test_a_journal_that_cannot_be_read_is_no_empty_one(demo: Places) -> None:
    break_journal(demo)
    async with manager(demo) as pilot:
        await press(pilot, "H")
        assert "! 1 record left out: ~/.local/state/pimem/undo/01790000" in shown(pilot)
        assert "Nothing was changed through pimem yet" in shown(pilot)
        break_journal(demo, whole=True)
        await press(pilot, "escape", "H")
        assert "The history cannot be read." in shown(pilot)
        assert "~/.local/state/pimem/undo cannot be listed: Too many levels" in shown(pilot)


async def test_the_injection_begins_with_what_cannot_be_read(demo: Places) -> None:
    (folder_of(demo) / "MEMORY.md").write_bytes(b"\xff")
    async with manager(demo, size=(80, 24), ready=False) as pilot:
        await press(pilot, "i")
        assert isinstance(pilot.app.screen, InjectionScreen)
        assert "! openpi cannot be read" in shown(pilot)
        assert "! openpi: ~/.pi/agent/memory/MEMORY.md is not UTF-8" in shown(pilot)
        assert "layered workspace" in shown(pilot)


async def test_the_injection_tells_topics_apart_whatever_store_shows(demo: Places) -> None:
    async with manager(demo) as pilot:
        told = []
        for store in ("1", "3", "4"):
            await press(pilot, store, "i")
            text = shown(pilot)
            assert "PostgreSQL Setup" in text
            assert "(openpi index: all else)" in text
            assert "(layered workspace)" in text
            assert "index.md" not in text.split("│", 1)[1]  # no line of it is given
            told.append(text)
            await press(pilot, "escape")
        assert told[0] == told[1] == told[2]


async def test_the_injection_is_what_the_command_prints(demo: Places) -> None:
    async with manager(demo) as pilot:
        await press(pilot, "i")
        assert isinstance(pilot.app.screen, InjectionScreen)
        assert "about 671 tokens" in shown(pilot) or "tokens" in shown(pilot).splitlines()[0]
        before = shown(pilot)
        assert "▌ " in before
        await press(pilot, "down", "down")
        assert shown(pilot) != before
        await press(pilot, "q")
        assert isinstance(pilot.app.screen, BrowserScreen)


def put_settings(places: Places, text: str) -> None:
    folder = Path(places.config_dir)
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text(text)


def settings_text(places: Places) -> str:
    return Path(places.config_dir, "config.toml").read_text()


async def test_a_theme_that_cannot_be_kept_holds_all_the_same(demo: Places) -> None:
    put_settings(demo, "theme = = 1\n")
    async with manager(demo) as pilot:
        await press(pilot, "T")
        assert pilot.app.theme == "textual-light"
        assert "line 1, column 9" in notices(pilot)[-1]
        assert "nothing was changed" in notices(pilot)[-1]
    assert settings_text(demo) == "theme = = 1\n"


async def test_themes_go_round_and_settings_choose_one(demo: Places) -> None:
    put_settings(
        demo,
        'theme = "light"\n[keys]\n"topic.pin" = "ctrl+b"\nlist.sort = ["f5", "o"]\n'
        'none.such = "x"\n',
    )
    async with manager(demo) as pilot:
        assert pilot.app.theme == "textual-light"
        assert "keys.none.such: unknown key id" in notices(pilot)[0]
        await press(pilot, "T")
        assert pilot.app.theme == "ansi-dark"
        await press(pilot, "T")
        assert pilot.app.theme == "textual-dark"
        assert notices(pilot)[-1] == "Theme dark, kept in config.toml."
        await press(pilot, "o")
        assert settings_text(demo).startswith('theme = "dark"\n[keys]\n"topic.pin" = "ctrl+b"\n')
        assert "by name" in shown(pilot)
        assert "ctrl+b pin" in shown(pilot)
        await press(pilot, "f1")
        assert "ctrl+b" in shown(pilot)


async def test_of_themes_chosen_in_a_row_the_last_is_kept(demo: Places) -> None:
    async with manager(demo, notifications=True) as pilot:
        app = pilot.app
        assert isinstance(app, PimemApp)
        with app.jobs.turn:  # as while another change is written
            for _ in range(4):
                await pilot.press("T")
        await settled(pilot)
        assert app.theme == "textual-light"
        assert notices(pilot) == ["Theme light, kept in config.toml."]
        assert settings_text(demo) == 'theme = "light"\n'


async def test_a_pinned_topic_is_refused_with_the_key_that_unpins_it(demo: Places) -> None:
    async with manager(demo, size=(40, 20)) as pilot:
        await press(pilot, "r")
        assert notices(pilot) == ['"PostgreSQL Setup" is pinned. p unpins it.']


async def test_a_notice_takes_the_place_of_the_one_before(
    demo: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with manager(demo) as pilot:
        await press(pilot, "p")
        assert [said.split(" ", 1)[0] for said in notices(pilot)] == ["Unpinned"]
        # However quick the test is, the two keys do not belong together.
        monkeypatch.setattr("pimem_tui.services.notices._TOGETHER_S", 0)
        await press(pilot, "u")
        assert [said.split(" ", 1)[0] for said in notices(pilot)] == ["Undid"]


@pytest.mark.parametrize("height", [20, 12])
async def test_a_long_notice_is_whole_on_a_narrow_screen(demo: Places, height: int) -> None:
    async with manager(demo, size=(40, height), notifications=True) as pilot:
        browser(pilot).app.notices.say("word " * 20 + "end.")
        await until(pilot, lambda: "end." in shown(pilot))
        assert shown(pilot).count("word") == 20
