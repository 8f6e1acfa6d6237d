"""Pictures of the editor's screens when there is nothing, much, too much, or something wrong."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pimem_core.systems import registry
from pimem_tui.app import PimemApp
from tui.helpers import NOW, browser, press, settled
from tui.test_sizes import LARGE, NORMAL, SMALL, after

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from pimem_core.paths import Places
    from textual.pilot import Pilot

    Compare = Callable[..., bool]
    Size = tuple[int, int]

PREFERENCES = "user-preferences.md"


def local(places: Places) -> Path:
    return Path(places.agent_dir, "memory")


def nothing(places: Places) -> None:
    for path in [*local(places).iterdir(), *Path(places.home, ".agents", "memory").iterdir()]:
        path.unlink()


def much(places: Places) -> None:
    lines = [
        f"- [Topic Number {n}](topic-{n}.md) 2026-11-20T10:00:00+00:00 -- what topic {n} is about"
        for n in range(1, 1201)
    ]
    (local(places) / "MEMORY.md").write_text("# Memory Index\n\n" + "\n".join(lines) + "\n")
    for n in range(1, 1201):
        (local(places) / f"topic-{n}.md").write_text(f"Topic {n}.\n")


def long_text(places: Places) -> None:
    path = local(places) / PREFERENCES
    body = "".join(f"## Part {n}\n\nA line that is long. {'word ' * 40}\n\n" for n in range(400))
    path.write_text(path.read_text() + body)


def broken(places: Places) -> None:
    (local(places) / "MEMORY.md").write_bytes(b"\xff\xfe")
    (local(places) / "HANDOFF.md").mkdir()


def broken_record(places: Places) -> None:
    folder = Path(places.state_dir, "undo")
    folder.mkdir(parents=True)
    (folder / "01790000000000000-1-abcdef.json").write_text("{[b]")


def rewrite(pilot: Pilot[None]) -> None:
    """What another program does meanwhile: every other part of the long text changes."""
    path = Path(browser(pilot).browsing.store.place, PREFERENCES)
    text = path.read_text().replace("## Part 1", "## Theirs 1").replace("short answers", "long")
    path.write_text(text)


def run(*keys: str) -> Callable[[Pilot[None]], Awaitable[None]]:
    async def before(pilot: Pilot[None]) -> None:
        await settled(pilot)
        if "REWRITE" in keys:
            at = keys.index("REWRITE")
            await press(pilot, *keys[:at])
            rewrite(pilot)
            await press(pilot, *keys[at + 1 :])
        await after(*(keys if "REWRITE" not in keys else ()))(pilot)

    return before


TO_PREFERENCES = ["down", "down"]
CHANGES = ["down", "p", "down", "r", "y", "u"]
MINE = [*TO_PREFERENCES, "e", *"mine "]
CASES = {
    "history-empty": (None, ["H"], (NORMAL, SMALL)),
    "history": (None, [*CHANGES, "H"], (LARGE, NORMAL, SMALL)),
    "history-huge": (long_text, [*TO_PREFERENCES, "e", "ctrl+a", "x", "f2", "H"], (LARGE, NORMAL)),
    "history-error": (broken_record, [*CHANGES, "H"], (NORMAL, SMALL)),
    "injection-empty": (nothing, ["i"], (NORMAL, SMALL)),
    "injection": (None, ["i", "down"], (LARGE, NORMAL, SMALL)),
    "injection-huge": (much, ["i", "end"], (LARGE, NORMAL)),
    "injection-error": (broken, ["i"], (NORMAL,)),
    "edit-huge": (long_text, [*TO_PREFERENCES, "e"], (LARGE, SMALL)),
    "new-empty": (nothing, ["n"], (NORMAL, SMALL)),
    "conflict-huge": (long_text, [*MINE, "REWRITE", "f2"], (LARGE, NORMAL)),
}


@pytest.mark.parametrize(
    ("name", "size"),
    [(name, size) for name, (_made, _keys, sizes) in CASES.items() for size in sizes],
    ids=lambda value: value if isinstance(value, str) else f"{value[0]}x{value[1]}",
)
def test_pictures_of_states(demo: Places, snap_compare: Compare, name: str, size: Size) -> None:
    made, keys, _sizes = CASES[name]
    if made is not None:
        made(demo)
    app = PimemApp(registry.all_stores(demo)[:2], demo, now=lambda: NOW)
    assert snap_compare(app, terminal_size=size, run_before=run(*keys))


@pytest.mark.parametrize("name", ["history", "injection", "new-empty"])
def test_pictures_without_colour(
    demo: Places, snap_compare: Compare, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    _made, keys, _sizes = CASES[name]
    app = PimemApp(registry.all_stores(demo)[:2], demo, now=lambda: NOW)
    assert snap_compare(app, terminal_size=NORMAL, run_before=run(*keys))
