"""How the manager looks: pictures of each screen, and every size down to nothing."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pimem_core.systems import registry
from pimem_tui.app import PimemApp
from pimem_tui.screens.browser import BrowserScreen
from textual.events import Resize
from textual.geometry import Size
from tui.helpers import (
    NOW,
    MemoryStore,
    browser,
    make_topic,
    manager,
    press,
    selected,
    settled,
    shown,
)

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from pimem_core.paths import Places
    from textual.pilot import Pilot

    Compare = Callable[..., bool]

LARGE, NORMAL, SMALL = (120, 36), (80, 24), (40, 12)


def rewrite(pilot: Pilot[None]) -> None:
    """What another program does to the topic that is being edited."""
    path = Path(browser(pilot).browsing.store.place, "user-preferences.md")
    path.write_text(path.read_text().replace("short answers first", "long answers"))


def after(*keys: str) -> Callable[[Pilot[None]], Awaitable[None]]:
    async def run(pilot: Pilot[None]) -> None:
        await settled(pilot)
        for key in keys:
            if key == "REWRITE":
                rewrite(pilot)
            else:
                await press(pilot, key)
        pilot.app.clear_notifications()
        for widget in pilot.app.screen.query("Input, TextArea"):
            widget.cursor_blink = False  # type: ignore[attr-defined]
        await settled(pilot)

    return run


@pytest.mark.parametrize("size", [LARGE, NORMAL, SMALL], ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("list", []),
        ("detail", [*["down"] * 4, "enter"]),
        ("confirm", [*["down"] * 5, "r"]),
        ("filter", ["slash", *"deploy"]),
        ("edit", ["down", "down", "e", *"## Answers", "enter"]),
        ("new", ["n", *"[b"]),
        ("conflict", ["down", "down", "e", *"mine ", "REWRITE", "f2"]),
        ("marked", ["space", "down", "space", "s"]),
    ],
)
def test_pictures(
    demo: Places, snap_compare: Compare, name: str, keys: list[str], size: tuple[int, int]
) -> None:
    app = PimemApp(registry.all_stores(demo), demo, now=lambda: NOW)
    assert snap_compare(app, terminal_size=size, run_before=after(*keys))


def test_picture_without_colour(
    demo: Places, snap_compare: Compare, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app = PimemApp(registry.all_stores(demo), demo, now=lambda: NOW)
    assert snap_compare(app, terminal_size=LARGE, run_before=after("slash", *"deploy", "enter"))


def test_picture_of_a_conflict_without_colour(
    demo: Places, snap_compare: Compare, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app = PimemApp(registry.all_stores(demo), demo, now=lambda: NOW)
    keys = ["down", "down", "e", *"mine ", "REWRITE", "f2", "b"]
    assert snap_compare(app, terminal_size=LARGE, run_before=after(*keys))


def test_picture_of_the_help(demo: Places, snap_compare: Compare) -> None:
    app = PimemApp(registry.all_stores(demo), demo, now=lambda: NOW)
    assert snap_compare(app, terminal_size=LARGE, run_before=after("question_mark"))


async def test_small_lists_keep_mark_name_and_age(demo: Places) -> None:
    async with manager(demo, size=SMALL) as pilot:
        lines = shown(pilot).splitlines()
        assert next(line for line in lines if "GPU Box" in line).split() == [
            "~",
            "GPU",
            "Box",
            "6mo",
        ]
        assert "? help" in lines[-1]


@pytest.mark.parametrize("size", [(29, 24), (80, 7), (20, 5), (2, 2), (1, 1)])
async def test_too_small_says_so_and_keeps_working(demo: Places, size: tuple[int, int]) -> None:
    async with manager(demo, size=size) as pilot:
        if size[0] >= 20:
            assert "pimem needs" in shown(pilot)
            assert "GPU Box" not in shown(pilot)
        await press(
            pilot, "down", "enter", "escape", "slash", "x", "escape", "escape", "f1", "escape"
        )
        await pilot.resize_terminal(100, 30)
        await settled(pilot)
        assert isinstance(pilot.app.screen, BrowserScreen)
        assert selected(pilot) == "deploy-checklist.md"
        assert "Freeze merges" in shown(pilot)
        assert pilot.app.focused is browser(pilot).topic_list


async def test_resizing_keeps_selection_and_joins_the_lines(demo: Places) -> None:
    async with manager(demo, size=(140, 40)) as pilot:
        await press(pilot, *["down"] * 15)
        for width, height in ((80, 10), (120, 12), (40, 9), (200, 50)):
            await pilot.resize_terminal(width, height)
            await settled(pilot)
            assert selected(pilot) == "backup-restore-drill.md"
            assert "Backup Restore D" in shown(pilot)
            lines = shown(pilot).splitlines()
            if width >= 100 and height >= 16:
                assert lines[2].index("┬") == lines[3].index("│")


async def test_no_colour_reaches_the_terminal(
    demo: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with manager(demo) as pilot:
        for strip in pilot.app.screen._compositor.render_strips():
            for segment in strip:
                for color in (segment.style.color, segment.style.bgcolor) if segment.style else ():
                    if color is not None and color.triplet is not None:
                        assert len(set(color.triplet)) == 1
        cursor = browser(pilot).topic_list.render_line(0)
        assert any(segment.style and segment.style.reverse for segment in cursor)
    assert os.environ.get("NO_COLOR") in (None, "1")


async def test_another_theme_recolours_what_is_shown(demo: Places) -> None:
    async with manager(demo) as pilot:
        screen = browser(pilot)

        def backgrounds() -> list[object]:
            strips = screen.topic_list.render_line(3), screen.frame.preview.body.render_line(0)
            return [segment.style.bgcolor for strip in strips for segment in strip if segment.style]

        dark = backgrounds()
        pilot.app.theme = "textual-light"
        await settled(pilot)
        assert not set(map(str, dark)) & set(map(str, backgrounds()))


@pytest.mark.parametrize("width", [30, 40, 59, 80])
async def test_a_question_is_never_cut(demo: Places, width: int) -> None:
    async with manager(demo, size=(width, 14)) as pilot:
        await press(pilot, *["down"] * 3, "r")
        words = shown(pilot).replace("│", " ").split()
        asked = 'Remove "Test Database" from the index? The file test-database.md stays on disk.'
        asked += " u brings it back."
        start = words.index("Remove")
        text = " ".join(words[start:])
        for word in asked.split():
            assert word in text
        assert "Cancel" in text


async def test_too_small_names_the_key_that_quits_where_it_does(demo: Places) -> None:
    async with manager(demo, size=(20, 6)) as pilot:
        for keys, quits in (
            ([], True),
            (["enter"], False),
            (["e"], False),
            (["escape", "H"], False),
        ):
            await press(pilot, *keys)
            text = shown(pilot)
            assert "30 x 8 cells." in text
            assert ("q quits." in text) is quits
            # What is covered keeps its scrollbars to itself.
            assert not pilot.app.screen.show_vertical_scrollbar


async def test_what_a_key_does_goes_on_below_itself(demo: Places) -> None:
    async with manager(demo, size=SMALL) as pilot:
        await press(pilot, "question_mark")
        drawn = [line.strip("│ ▁▂▃▄▅▆▇█") for line in shown(pilot).splitlines()]
        begin = next(n for n, line in enumerate(drawn) if line.startswith("enter "))
        at = shown(pilot).splitlines()[begin].index("Open the topic")
        assert shown(pilot).splitlines()[begin + 1][at:].strip("│ ").startswith("it")
        assert drawn[begin + 1] == "it"


async def test_a_row_that_is_too_long_says_so(demo: Places) -> None:
    async with manager(demo, size=(34, 12)) as pilot:
        await press(pilot, "i")
        assert "(layered works…" in shown(pilot)


@pytest.mark.parametrize("keys", [[], ["down", "r"]], ids=["screen", "dialog"])
async def test_an_older_size_that_is_still_on_its_way_is_let_go(
    demo: Places, keys: list[str]
) -> None:
    async with manager(demo, size=(120, 30)) as pilot:
        await press(pilot, *keys)
        screen, last = pilot.app.screen, pilot.app.size
        seen: list[Size] = []
        screen.screen_layout_refresh_signal.subscribe(screen, lambda _: seen.append(screen.size))
        # Two sizes on their way would take turns for ever, each bringing itself back.
        screen.post_message(Resize(Size(90, 30), Size(90, 30)))
        await settled(pilot)
        assert set(seen) <= {last}
        assert screen.has_class("-wide")


@pytest.mark.parametrize("width", [30, 40, 50, 59, 80])
async def test_the_shown_store_always_has_its_name_in_the_tabs(demo: Places, width: int) -> None:
    long = "/srv/projects/of-somebody-else/a-memory-with-a-long-name"
    names = ["local", "shared", "global", "workspace", "zcode", long]
    stores = [MemoryStore([make_topic("a")], name=name) for name in names]
    async with manager(demo, stores, size=(width, 12)) as pilot:
        for number, name in enumerate(names[:-1], 1):
            await press(pilot, str(number))
            line = shown(pilot).splitlines()[0]
            assert f" {number} {name} 1 " in f"{line} "
            for other in range(1, 7):
                assert f" {other} " in f"{line} "
            await pilot.click("StoreTabs", offset=(line.index(" 3 ") + 1, 0))
            await settled(pilot)
            assert browser(pilot).browsing.store.name == "global"
        await press(pilot, "6")
        line = shown(pilot).splitlines()[0]
        assert " 6 of-somebody" in line
        assert "… 1" in line


async def test_more_stores_than_fit_show_those_around_the_shown_one(demo: Places) -> None:
    stores = [MemoryStore([make_topic("a")], name=f"store-{n}") for n in range(1, 15)]
    async with manager(demo, stores, size=(30, 12), start=6) as pilot:
        line = shown(pilot).splitlines()[0]
        assert " 6  7 store-7 1  8 " in line
        assert len(line) <= 30
        await press(pilot, "1")
        assert shown(pilot).startswith("  1 store-1 1  2 ")
        await press(pilot, "shift+tab")
        assert " 13  14 store-14 1" in shown(pilot).splitlines()[0]


async def test_the_only_store_has_its_name_cut_when_it_must(demo: Places) -> None:
    store = MemoryStore([make_topic("a")], name="/srv/memories/of-many-years-and-more")
    async with manager(demo, [store], size=(30, 12)) as pilot:
        line = shown(pilot).splitlines()[0]
        assert line == "  memories/of-many-years-… 1"
