"""Styles of the named parts of a widget, for widgets that draw their own text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.style import Style

if TYPE_CHECKING:
    from textual.widget import Widget


def part_style(widget: Widget, name: str) -> Style:
    """The style of a component, background and reverse included.

    `Widget.get_visual_style` leaves both out in Textual 8.2.
    """
    return Style.from_rich_style(widget.get_component_rich_style(name))
