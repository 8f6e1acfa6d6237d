"""Every key does something, and says what in the help and the palette."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pimem_tui.app import PimemApp
from pimem_tui.keys.commands import PimemCommands, commands_of
from pimem_tui.keys.problems import flaws
from pimem_tui.keys.table import KEYS, rows
from pimem_tui.screens.browser import BrowserScreen
from pimem_tui.screens.choice import ChoiceScreen
from pimem_tui.screens.confirm import ConfirmScreen
from pimem_tui.screens.conflict import ConflictScreen
from pimem_tui.screens.detail import DetailScreen
from pimem_tui.screens.edit import EditScreen
from pimem_tui.screens.handoff import HandoffScreen
from pimem_tui.screens.help import HelpScreen
from pimem_tui.screens.history import HistoryScreen
from pimem_tui.screens.inbox import InboxScreen
from pimem_tui.screens.injection import InjectionScreen
from pimem_tui.screens.promotion import PromotionScreen
from pimem_tui.screens.search import SearchInput, SearchScreen
from pimem_tui.screens.settings import SettingsScreen, ValueInput
from pimem_tui.widgets import BodyView, TopicList
from pimem_tui.widgets.choice import Choice
from pimem_tui.widgets.filter_bar import FilterInput
from pimem_tui.widgets.rows import Rows
from textual.actions import parse
from textual.binding import Binding
from textual.command import CommandPalette
from tui.helpers import (
    MemoryStore,
    browser,
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
    from textual.dom import DOMNode
    from textual.pilot import Pilot

OWN = (
    PimemApp,
    BrowserScreen,
    DetailScreen,
    ConfirmScreen,
    HelpScreen,
    EditScreen,
    ConflictScreen,
    HistoryScreen,
    InjectionScreen,
    InboxScreen,
    PromotionScreen,
    ChoiceScreen,
    TopicList,
    BodyView,
    Rows,
    FilterInput,
    Choice,
    SettingsScreen,
    ValueInput,
    HandoffScreen,
    SearchScreen,
    SearchInput,
)


def test_bindings_are_named_described_and_unique() -> None:
    ids: dict[str, tuple[str, str]] = {}
    for cls in OWN:
        for binding in cls.__dict__["BINDINGS"]:
            assert isinstance(binding, Binding)
            assert binding.id, binding
            assert binding.description, binding
            assert binding.tooltip, binding
            entry = (binding.action, binding.description)
            assert ids.setdefault(binding.id, entry) == entry


def test_the_table_has_every_binding_and_no_other() -> None:
    used = {binding.id for cls in OWN for binding in cls.__dict__["BINDINGS"]}
    assert used == set(KEYS)
    told = list(rows({"topic.pin": "ctrl+b"}))
    assert [row["id"] for row in told] == list(KEYS)
    assert {
        key: value
        for row in told
        if row["id"] == "topic.pin"
        for key, value in row.items()
        if key != "action"
    } == {"id": "topic.pin", "keys": "ctrl+b", "where": "list, detail"}


TWO = ['"f5" is the key of form.older too', '"S" is the key of entry.status too']


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"topic.pin": "ctrl+b", "change.undo": "ctrl+z,f5", "list.sort": "S,plus,ä"}, TWO),
        ({"topic.pin": "r", "topic.remove": "p"}, []),
        ({"list.filter": "less_than_sign, full_stop,/"}, []),
        ({"none.such": "x"}, ["keys.none.such: unknown key id"]),
        ({"topic.pin": "Ctrl+b,ctrl+B,return,,f25"}, ["unknown key"] * 5),
        ({"topic.pin": "y"}, ['"y" is the key of topic.copy too']),
        ({"layer.inbox": "q"}, ['"q" is the key of app.quit too']),
        ({"list.filter": "?"}, ['"question_mark" is the key of app.help too']),
        ({"conflict.mine": "p"}, []),  # pins elsewhere
        ({"conflict.mine": "ctrl+g", "conflict.both": "ctrl+g"}, ["conflict.mine too"]),
        ({key_id: key.keys for key_id, key in KEYS.items()}, []),
    ],
)
def test_bound_keys_that_cannot_work_are_told(changed: dict[str, str], told: list[str]) -> None:
    said = list(flaws(changed))
    assert len(said) == len(told), said
    assert all(part in sentence for part, sentence in zip(told, said, strict=True)), said


async def each_action_exists(pilot: Pilot[None]) -> None:
    for command in commands_of(pilot.app.screen, now=False):
        namespace, name, _parameters = parse(command.action)
        node: DOMNode = {"app": pilot.app, "screen": pilot.app.screen}.get(namespace, command.node)
        assert hasattr(node, f"action_{name}"), command


async def the_help_has_all(pilot: Pilot[None]) -> None:
    commands = list(commands_of(pilot.app.screen, now=False))
    await press(pilot, "f1")
    assert isinstance(pilot.app.screen, HelpScreen)
    text = str(pilot.app.screen.query_one("#text").render())
    text = text.replace("\n" + " " * 12, " ")  # what goes on in the next line
    for command in commands:
        assert f"{command.keys:<11} {command.help}" in text
    await press(pilot, "escape")


async def test_every_action_of_every_screen_exists_and_is_in_the_help(demo: Places) -> None:
    async with manager(demo) as pilot:
        for keys in (
            [],
            ["enter"],
            ["r"],
            ["slash"],
            ["e"],
            ["n"],
            ["i"],
            ["H"],
            ["c"],
            ["h"],
            ["F"],
        ):
            await press(pilot, "home", "down", "down", "down", *keys)
            await each_action_exists(pilot)
            if not isinstance(pilot.app.screen, ConfirmScreen):
                await the_help_has_all(pilot)
            if keys:
                await press(pilot, "escape")


async def test_the_same_holds_for_layered_memory(demo: Places) -> None:
    async with manager(demo, start=3) as pilot:
        await press(pilot, "right")
        await press(pilot, "down")
        for keys in ([], ["enter"], ["S"], ["n"], ["b"], ["b", "p", *"space/dec", "enter"]):
            await press(pilot, *keys)
            await each_action_exists(pilot)
            if not isinstance(pilot.app.screen, ChoiceScreen):
                await the_help_has_all(pilot)
            while not isinstance(pilot.app.screen, BrowserScreen):
                await press(pilot, "escape")


async def test_keys_that_show_are_keys_that_work(demo: Places) -> None:
    async with manager(demo) as pilot:
        assert shown(pilot).splitlines()[-1].split("  ")[:7] == [
            " enter open", "e edit", "p pin", "r remove", "/ filter", "n new", "? help",
        ]  # fmt: skip
        await press(pilot, "enter")  # a text with a link
        line = " esc back  {}e edit  p pin  r remove  y copy  ? help"
        assert shown(pilot).splitlines()[-1] == line.format("tab next link  enter follow  ")
        await press(pilot, "escape", *["down"] * 3, "enter")
        assert shown(pilot).splitlines()[-1] == line.format("")
        await press(pilot, "escape", "slash")
        assert " enter to list  esc clear" in shown(pilot).splitlines()[-1]


async def test_keys_that_do_nothing_now_make_room_for_those_that_do(demo: Places) -> None:
    async with manager(demo, [MemoryStore()], size=(40, 12)) as pilot:
        assert shown(pilot).splitlines()[-1] == " enter open  / filter  n new  ? help"


async def test_the_key_line_can_be_clicked(demo: Places) -> None:
    async with manager(demo) as pilot:
        await press(pilot, "down", "down", "down")
        await pilot.click("KeyBar", offset=(22, 0))
        await settled(pilot)
        assert notices(pilot)[0].startswith('Pinned "Test Database"')
        await pilot.click("KeyBar", offset=(2, 0))
        await settled(pilot)
        assert isinstance(pilot.app.screen, DetailScreen)


async def test_help_opens_everywhere_and_explains_the_marks(demo: Places) -> None:
    async with manager(demo, size=(80, 24)) as pilot:
        for opener, closer in (("question_mark", "escape"), ("f1", "q"), ("f1", "f1")):
            await press(pilot, opener)
            assert isinstance(pilot.app.screen, HelpScreen)
            await press(pilot, "end")
            assert "pinned" in shown(pilot)
            await press(pilot, closer)
            assert isinstance(pilot.app.screen, BrowserScreen)


async def test_the_palette_holds_every_action(demo: Places) -> None:
    async with manager(demo) as pilot:
        await press(pilot, "down", "down", "down")
        provider = PimemCommands(browser(pilot))
        found = [hit.text async for hit in provider.discover()]
        for title in (
            "Topic: Open", "Topic: Pin", "Topic: Remove", "Topic: Edit", "List: Filter",
            "List: First", "Store: Next", "Store: Show store 2", "App: Help", "App: Palette",
            "App: Quit", "Topic: $EDITOR",
        ):  # fmt: skip
            assert title in found
        assert "Store: Show store 5" not in found
        assert not [title for title in found if title and title.startswith("Filter")]
        assert len(found) == len(set(found))
        hits = [hit async for hit in provider.search("pin")]
        assert "Topic: Pin" in [hit.text for hit in hits]


async def test_the_palette_has_what_a_line_to_type_into_can_do_while_it_shows(
    demo: Places,
) -> None:
    async with manager(demo) as pilot:

        async def found() -> list[str | None]:
            return [hit.text async for hit in PimemCommands(pilot.app.screen).discover()]

        await press(pilot, "slash")
        assert "Filter: To list" in await found()
        await press(pilot, "escape")
        assert "Filter: To list" not in await found()
        await press(pilot, "c", "down", "down", "down")
        assert "Value: Keep" not in await found()
        await press(pilot, "enter")
        assert "Value: Keep" in await found()


async def test_the_palette_runs_an_action(demo: Places) -> None:
    async with manager(demo) as pilot:
        await press(pilot, "down", "down", "down", "ctrl+p")
        assert isinstance(pilot.app.screen, CommandPalette)
        await pilot.press(*"topic pin")
        await until(pilot, lambda: "Topic: Pin" in shown(pilot))
        await pilot.press("enter", "enter")
        await until(pilot, lambda: bool(notices(pilot)))
        assert notices(pilot)[0].startswith('Pinned "Test Database"')
        assert selected(pilot) == "test-database.md"


async def test_keys_can_be_changed_by_id(demo: Places) -> None:
    async with manager(demo) as pilot:
        pilot.app.set_keymap({"topic.pin": "ctrl+b"})
        await press(pilot, "down", "down", "down", "p")
        assert notices(pilot) == []
        await press(pilot, "ctrl+b")
        assert notices(pilot)[0].startswith("Pinned")
        assert "ctrl+b pin" in shown(pilot)


async def test_sentences_name_the_keys_as_they_hold(demo: Places) -> None:
    changed = {
        "app.help": "f9",
        "filter.clear": "f10",
        "search.back": "f11",
        "list.settings": "f12",
        "choice.cancel": "f13",
    }
    async with manager(demo) as pilot:
        pilot.app.set_keymap(changed)
        await press(pilot, "2", "1")
        assert "note (f9)" in shown(pilot)
        await press(pilot, "slash", *"zzz")
        assert "f10 clears the filter." in shown(pilot)
        await press(pilot, "f10", "f10", "F", *"zzz")
        assert "f11 clears the words." in shown(pilot)
        await press(pilot, "f11", "f11", "h")
        assert "settings (f12)" in shown(pilot)
        await press(pilot, "escape", "4", "b", "p")
        assert "f13 leaves it as it is" in shown(pilot)
