"""Draw the pictures of the README: the manager on its sample store, with the clock stopped."""

from __future__ import annotations

import asyncio
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from pimem_core.demo import make_demo
from pimem_core.systems import registry
from pimem_tui.app import PimemApp

if TYPE_CHECKING:
    from textual.pilot import Pilot

NOW = 1_796_000_000.0
PICTURES = {
    "list": ((120, 36), ()),
    "list-80x24": ((80, 24), ()),
    "list-40x12": ((40, 12), ()),
    "detail": ((120, 36), (*["down"] * 4, "enter")),
    "filter": ((120, 36), ("slash", *"deploy", "down")),
    "confirm": ((120, 36), (*["down"] * 5, "r")),
    "layered": ((120, 36), ("4", "x", "down", "down")),
    "inbox": ((120, 36), ("4", "b", "down", "down", "space")),
    "new-entry": ((120, 36), ("4", "n", *"pgvector", "f5", *"chroma", "enter")),
}


async def draw(name: str, size: tuple[int, int], keys: tuple[str, ...]) -> None:
    """Run the manager, press the keys and save what it shows."""
    with tempfile.TemporaryDirectory() as folder:
        places = make_demo(folder, NOW)
        app = PimemApp(registry.all_stores(places), places, now=lambda: NOW)
        async with app.run_test(size=size) as pilot:
            await settled(pilot)
            for key in keys:
                await pilot.press(key)
                await settled(pilot)
            picture = app.export_screenshot(title="pimem")
    Path(__file__).with_name(f"{name}.svg").write_text(picture, encoding="utf-8")
    print(f"screenshots/{name}.svg")


async def settled(pilot: Pilot[None]) -> None:
    """Wait until nothing is being read any more."""
    quiet = 0
    while quiet < 4:
        await pilot.pause(0.03)
        quiet = 0 if any(not worker.is_finished for worker in pilot.app.workers) else quiet + 1


def main() -> None:
    """Draw all pictures, always in the same colours."""
    for variable in ("NO_COLOR", "TEXTUAL_THEME"):
        os.environ.pop(variable, None)
    for name, (size, keys) in PICTURES.items():
        asyncio.run(draw(name, size, keys))


if __name__ == "__main__":
    main()
