"""Every text can be read on what it stands on, in each theme."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from textual.geometry import Region
from tui.helpers import manager, press, settled

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pimem_core.paths import Places
    from rich.segment import Segment
    from textual.pilot import Pilot

#: What is drawn and not read: lines, bars, scrollbars, the edge of a notice.
_DRAWN = " ─│┬┴╭╮╰╯▁▂▃▄▅▆▇█▌▔"
#: The least contrast of what is greyed out, and of what stands under the cursor of the list.
_LEAST, _SELECTED = 3.0, 4.0
#: The numbers that terminals have for two of their colours.
_BLACK, _WHITE = 0, 15
SCREENS = {
    "list": [],
    "filter": ["slash", "p", "o"],
    "marked": ["space", "space"],
    "detail": ["enter", "tab"],
    "edit": ["e"],
    "question": ["down", "down", "down", "r"],
    "injection": ["i", "down"],
    "settings": ["c"],
    "search": ["F", "p", "o"],
    "history": ["p", "p", "H"],
    "entries": ["4", "x"],
    "inbox": ["4", "b"],
    "promotion": ["4", "b", "down", "p", "enter"],
    "new entry": ["4", "n"],
}


def segments(pilot: Pilot[None]) -> Iterator[Segment]:
    """What is drawn, of a dialog its box only: what is below it is dimmed."""
    screen = pilot.app.screen
    boxes = screen.query("#box")
    whole = Region(0, 0, *screen.size)
    box = boxes.first().region if boxes else whole
    for strip in screen._compositor.render_strips()[box.y : box.bottom]:
        yield from strip.crop(box.x, box.right)


def contrast(segment: Segment) -> float:
    """How far letters stand out, from 1 to 21, as WCAG measures it."""
    style = segment.style
    assert style is not None
    assert style.color is not None
    assert style.bgcolor is not None
    light = []
    for color in (style.color, style.bgcolor):
        triplet = color.triplet
        assert triplet is not None
        parts = [part / 255 for part in triplet]
        linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        light.append(0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2])
    darker, lighter = sorted(light)
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("theme", ["textual-dark", "textual-light"])
@pytest.mark.parametrize("name", SCREENS)
async def test_every_text_stands_out(demo: Places, theme: str, name: str) -> None:
    async with manager(demo) as pilot:
        pilot.app.theme = theme
        await settled(pilot)
        await press(pilot, *SCREENS[name])
        for segment in segments(pilot):
            if segment.text.strip(_DRAWN):
                least = _SELECTED if segment.style and segment.style.bold else _LEAST
                assert contrast(segment) >= least, (segment.text, segment.style)


@pytest.mark.parametrize("name", SCREENS)
async def test_the_terminal_s_own_colours_hide_nothing(demo: Places, name: str) -> None:
    async with manager(demo) as pilot:
        pilot.app.theme = "ansi-dark"
        await settled(pilot)
        await press(pilot, *SCREENS[name])
        for segment in segments(pilot):
            style = segment.style
            if not segment.text.strip(_DRAWN) or style is None:
                continue
            assert style.color is not None
            assert style.bgcolor is not None
            letters, ground = style.color.number, style.bgcolor.number
            if style.reverse:
                letters, ground = ground, letters
            # On a colour of the terminal's only black and white are sure to be read.
            assert ground in (None, _BLACK) or letters in (_BLACK, _WHITE), (segment.text, style)


async def test_the_list_stays_visible_below_a_question_in_every_theme(demo: Places) -> None:
    for theme in ("textual-dark", "textual-light", "ansi-dark"):
        async with manager(demo) as pilot:
            pilot.app.theme = theme
            await settled(pilot)
            await press(pilot, "down", "down", "down", "r")
            text = "\n".join(s.text for s in pilot.app.screen._compositor.render_strips())
            assert "PostgreSQL Setup" in text
