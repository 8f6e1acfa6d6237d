"""The styles that text is drawn in: the same few for lists, headings and lines of every screen.

Every screen has them as component classes; `base.tcss` says how each looks.
"""

from __future__ import annotations

from typing import Any

from rich.style import Style as RichStyle
from textual.style import Style
from textual.widget import Widget

_TEXT_STYLES = (
    *("name", "muted", "faint", "accent", "warning", "error", "success"),
    *("strong", "match", "cursor", "resting", "tab"),
)
_QUIET = ("muted", "faint")
#: The component classes of a screen.
TEXT_STYLE_CLASSES = frozenset(f"text--{name}" for name in _TEXT_STYLES)


class TextStyled(Widget):
    """A widget that draws its own text in named styles."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._known_styles: dict[str, RichStyle] = {}

    def notify_style_update(self) -> None:
        """Forget the styles of the old colours."""
        super().notify_style_update()
        self._known_styles.clear()

    def rich_style_named(self, names: str) -> RichStyle:
        """A style by its name, on the background of this widget.

        Args:
            names: The name, or several to lay over each other, such as `accent strong`; empty for
                the widget's own style.
        """
        style = self._known_styles.get(names)
        if style is None:
            style = self._known_styles[names] = self._work_out(names.split())
        return style

    def style_named(self, names: str) -> Style:
        """The same for text that is put together as Textual's content."""
        return Style.from_rich_style(self.rich_style_named(names))

    def _work_out(self, names: list[str]) -> RichStyle:
        # `get_component_rich_style` would put the colours on the background of the screen.
        style = self.rich_style
        _, background = self.background_colors
        for name in names:
            if name in _QUIET and "cursor" in names:
                continue  # the selected row is read first
            styles = self.screen.get_component_styles(f"text--{name}")
            style += styles.text_style
            if style.reverse:
                continue  # a colour would be the ground, and words on it might not be read
            if styles.has_rule("background"):
                background += styles.background
                style += RichStyle.from_color(bgcolor=background.rich_color)
            if styles.has_rule("color"):
                color = styles.color
                if styles.has_rule("auto_color") and styles.auto_color:
                    color = background.get_contrast_text(color.a)
                style += RichStyle.from_color((background + color).rich_color)
        return style
