"""The inbox: what waits there is read, edited, chosen from, and promoted as it was shown."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pimem_tui.screens.browser import BrowserScreen
from pimem_tui.screens.choice import ChoiceScreen
from pimem_tui.screens.confirm import ConfirmScreen
from pimem_tui.screens.detail import DetailScreen
from pimem_tui.screens.edit import EditScreen
from pimem_tui.screens.inbox import InboxScreen
from pimem_tui.screens.promotion import PromotionScreen
from tui.helpers import manager, notices, press, settled, shown, until

if TYPE_CHECKING:
    from layered.worlds import World
    from pimem_core.paths import Places
    from textual.pilot import Pilot

WORKSPACE = 3
FILLED = "inbox/checkpoint-2026-11-29T16-30-00.md"


def path(places: Places, file: str) -> Path:
    return Path(places.cwd, ".pi", "memory", file)


def own(places: Places, file: str) -> Path:
    return Path(places.home, ".pi", "memory", file)


def write(path: Path, text: str) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)


def inbox(pilot: Pilot[None]) -> InboxScreen:
    screen = pilot.app.screen
    assert isinstance(screen, InboxScreen)
    return screen


async def choose(pilot: Pilot[None], *words: str) -> None:
    """Ask for a target, type it and take it."""
    await press(pilot, "p")
    await until(pilot, lambda: isinstance(pilot.app.screen, ChoiceScreen))
    await press(pilot, *"".join(words), "enter")


async def test_files_show_with_their_sections_and_text(demo: Places) -> None:
    async with manager(demo, start=WORKSPACE) as pilot:
        assert "inbox 2" in shown(pilot)
        await press(pilot, "b")
        text = shown(pilot)
        assert "Inbox: 2 files to review and promote" in text
        assert "[x] Summary" in text
        assert "checkpoint-2026-11-30T09-05-00.md  to fill in" in text
        assert "3 of 3 sections" in text
        assert "Streams are trimmed to a day" in text
        await press(pilot, "end", *["down"] * 9)
        assert inbox(pilot).check_action("promote", ()) is None
        assert inbox(pilot).check_action("choose", ()) is None
        await press(pilot, "b")
        assert isinstance(pilot.app.screen, BrowserScreen)


async def test_all_is_promoted_after_a_look_and_comes_back(demo: Places) -> None:
    before = path(demo, FILLED).read_text(), path(demo, "decisions.md").read_text()
    async with manager(demo, start=WORKSPACE) as pilot:
        await press(pilot, "b")
        await choose(pilot, "space/dec")
        assert isinstance(pilot.app.screen, PromotionScreen)
        text = shown(pilot)
        assert "Add to ~/project/.pi/memory/decisions.md" in text
        assert f"{FILLED} goes; u brings it back." in text
        assert f"Promoted from {FILLED}" in text
        assert "  ## 2026-10-17 Feature flags" in text
        assert "+ - One consumer group" in text
        assert path(demo, "decisions.md").read_text() == before[1]
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, InboxScreen)
        assert notices(pilot)[0].startswith(f"Promoted {FILLED} to ")
        assert "Inbox: 1 file to review" in shown(pilot)
        assert not path(demo, FILLED).exists()
        assert "One consumer group" in path(demo, "decisions.md").read_text()
        await press(pilot, "u")
        assert "Inbox: 2 files" in shown(pilot)
    assert (path(demo, FILLED).read_text(), path(demo, "decisions.md").read_text()) == before


async def test_only_chosen_sections_go_to_a_new_file(demo: Places) -> None:
    async with manager(demo, start=WORKSPACE) as pilot:
        await press(pilot, "b", "down", "space", "down", "space")
        assert "[ ] Summary" in shown(pilot)
        assert "1 of 3 sections" in shown(pilot)
        await choose(pilot, "knowledge/redis")
        assert "Make ~/.pi/memory/knowledge/redis.md" in shown(pilot)
        assert "the rest stays there" in shown(pilot)
        assert "One consumer group" not in shown(pilot)
        await press(pilot, "p")
        assert "Summary, Decisions stays in the inbox" in notices(pilot)[0]
        assert "[ ] Decisions" in shown(pilot)
    made = own(demo, "knowledge/redis.md").read_text()
    assert "XAUTOCLAIM" in made
    assert "consumer group" not in made
    assert "One consumer group" in path(demo, FILLED).read_text()


async def test_with_nothing_chosen_there_is_nothing_to_promote(demo: Places) -> None:
    async with manager(demo, start=WORKSPACE) as pilot:
        await press(pilot, "b", "space")
        assert "0 of 3 sections" in shown(pilot)
        assert inbox(pilot).check_action("promote", ()) is None
        await press(pilot, "space")
        assert "3 of 3 sections" in shown(pilot)


async def test_a_refused_target_says_why_and_another_can_be_chosen(demo: Places) -> None:
    async with manager(demo, start=WORKSPACE) as pilot:
        await press(pilot, "b")
        for typed, said in (
            ("elsewhere/x.md", "Unknown target"),
            ("index.md", "lists files and holds no memories"),
            ("knowledge/.hidden", "is not a plain file name"),
        ):
            await choose(pilot, typed)
            assert said in shown(pilot)
            assert "nothing was changed" in shown(pilot)
            assert pilot.app.screen.check_action("promote", ()) is None
            await press(pilot, "enter", "escape")
        await choose(pilot, "elsewhere/x.md")
        await press(pilot, "t", *"lessons", "enter")
        assert "lessons.md" in shown(pilot).splitlines()[0]
        await press(pilot, "escape")
        assert path(demo, FILLED).exists()
        assert notices(pilot) == []


async def test_what_is_wrong_by_the_time_it_is_written_is_told(demo: Places) -> None:
    async with manager(demo, start=WORKSPACE) as pilot:
        await press(pilot, "b")
        await choose(pilot, "space/dec")
        path(demo, FILLED).unlink()
        await press(pilot, "enter")
        assert "is not in the inbox" in notices(pilot)[0]
        assert "Promoted" not in path(demo, "decisions.md").read_text()
        await press(pilot, "escape")
        assert "Inbox: 1 file" in shown(pilot)


async def test_a_linked_target_is_refused(demo: Places, tmp_path: Path) -> None:
    outside = tmp_path / "outside.md"
    outside.write_text("mine\n")
    path(demo, "lessons.md").symlink_to(outside)
    async with manager(demo, start=WORKSPACE) as pilot:
        await press(pilot, "b")
        await choose(pilot, "workspace/lessons.md")
        assert "is refused; nothing was changed" in shown(pilot)
    assert outside.read_text() == "mine\n"


async def test_a_credential_is_promoted_only_when_the_person_says_so(world: World) -> None:
    secret = "ghp_" + "A1b2C3d4E5f6G7h8I9j0" + "K1l2M3n4O5p6Q7r8"
    world.fill(workspace={"inbox/x.md": f"# Notes\n\ntoken: {secret}\n"})
    async with manager(world.places, start=WORKSPACE) as pilot:
        await press(pilot, "b")
        await choose(pilot, "lessons")
        await press(pilot, "enter")
        assert isinstance(pilot.app.screen, ConfirmScreen)
        assert "Promote it anyway?" in shown(pilot)
        await press(pilot, "n")
        assert "Nothing was promoted." in notices(pilot)[-1]
        assert not (world.workspace / "lessons.md").exists()
        await press(pilot, "enter", "y")
        assert secret in (world.workspace / "lessons.md").read_text()


async def test_a_file_is_read_edited_and_removed(demo: Places) -> None:
    async with manager(demo, start=WORKSPACE) as pilot:
        await press(pilot, "b", "enter")
        assert isinstance(pilot.app.screen, DetailScreen)
        assert "XAUTOCLAIM" in shown(pilot)
        assert "waits in the inbox" in shown(pilot)
        await press(pilot, "escape", "e")
        screen = pilot.app.screen
        assert isinstance(screen, EditScreen)
        screen.editor.load_text("# Checkpoint\n\n## Mine\n\nNew text.\n")
        await press(pilot, "f2")
        assert "[x] Mine" in shown(pilot)
        assert "1 of 1 section" in shown(pilot)
        await press(pilot, "r", "y")
        assert not path(demo, FILLED).exists()
        await press(pilot, "u")
        assert "New text." in path(demo, FILLED).read_text()


async def test_a_checkpoint_is_made(world: World) -> None:
    world.fill(workspace={})
    async with manager(world.places, start=WORKSPACE) as pilot:
        await press(pilot, "b")
        assert "Nothing waits in the inbox." in shown(pilot)
        assert "n puts an empty checkpoint there" in shown(pilot)
        await press(pilot, "n")
        assert "to fill in" in shown(pilot)
        assert "Created ~/project/.pi/memory/inbox/checkpoint-" in notices(pilot)[0]


async def test_a_project_without_a_memory_says_so(world: World) -> None:
    world.fill(global_={"inbox/note.md": "# Note\n\n[/] text\n"})
    async with manager(world.places, start=2) as pilot:
        await press(pilot, "b")
        assert "[x] Note" in shown(pilot)
        await press(pilot, "p")
        await until(pilot, lambda: isinstance(pilot.app.screen, ChoiceScreen))
        assert "workspace/" not in shown(pilot).replace("knowledge/redis.md", "")
        await press(pilot, "escape", "n")
        assert "no workspace memory yet" in notices(pilot)[0]


async def test_both_inboxes_show_with_their_layer(demo: Places) -> None:
    write(own(demo, "inbox/idea.md"), "An [b]idea[/].\n")
    async with manager(demo, start=2) as pilot:
        await press(pilot, "b")
        await settled(pilot)
        text = shown(pilot)
        assert "Inbox: 3 files" in text
        assert "idea.md  global" in text
        assert "An [b]idea[/]." in text
        await choose(pilot, "user/tools")
        await press(pilot, "enter")
        assert "Inbox: 2 files" in shown(pilot)
