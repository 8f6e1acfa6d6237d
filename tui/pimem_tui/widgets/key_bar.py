"""The line of keys at the bottom: what works now, as many as fit."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rich.cells import cell_len
from textual.content import Content
from textual.reactive import reactive

from ..drawing.cells import clean
from ..keys.table import key_names
from .text_styles import TextStyled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual import events
    from textual.dom import DOMNode
    from textual.screen import Screen


class _Key(NamedTuple):
    key: str
    label: str
    action: str
    node: DOMNode
    enabled: bool

    @property
    def cells(self) -> int:
        return cell_len(self.key) + 1 + cell_len(self.label)


class KeyBar(TextStyled):
    """Shows the bindings that the screen names in `KEY_BAR`; a click presses one.

    The last one stays when others have to go: it is the help that lists them all.
    """

    status: reactive[str] = reactive("")
    """A word or two at the right, such as where the selection is."""

    busy: reactive[str] = reactive("")
    """What is going on, in place of the status."""

    def __init__(self) -> None:
        super().__init__()
        self._keys: list[_Key] = []
        self._places: list[tuple[int, int, _Key]] = []

    def on_mount(self) -> None:
        """Follow the bindings of the screen."""
        self.screen.bindings_updated_signal.subscribe(self, self._update)
        self.call_after_refresh(self._update, self.screen)

    def _update(self, screen: Screen[object]) -> None:
        if not self.is_attached or screen is not self.screen or not screen.is_current:
            return
        order: Sequence[str] = getattr(screen, "KEY_BAR", ())
        keys: dict[str, _Key] = {}
        for node, binding, enabled, _tooltip in screen.active_bindings.values():
            if binding.id and binding.id in order and binding.id not in keys:
                # The first key that is free: a filter being typed takes `?`, but not F1.
                shown = key_names(binding.key)
                keys[binding.id] = _Key(shown, binding.description, binding.action, node, enabled)
        found = [keys[name] for name in order if name in keys]
        if found != self._keys:
            self._keys = found
            self.refresh()

    def render(self) -> Content:
        """The line."""
        width = self.size.width
        status = clean(self.busy or self.status)
        # What is going on may push keys out, where the selection is may not.
        keys = _fitting(self._keys, width - (cell_len(status) + 2 if self.busy else 1))
        content = Content(" ")
        self._places = []
        at = 1
        for key in keys:
            self._places.append((at, at + key.cells, key))
            key_style = self.style_named("accent strong" if key.enabled else "faint")
            label_style = self.style_named("muted" if key.enabled else "faint")
            content += Content.styled(key.key, key_style)
            content += Content.styled(f" {key.label}  ", label_style)
            at += key.cells + 2
        room = width - at - 1
        if status and cell_len(status) <= room and (self.busy or len(keys) == len(self._keys)):
            content += Content.styled(
                " " * (room - cell_len(status)) + status, self.style_named("muted")
            )
        return content

    async def on_click(self, event: events.Click) -> None:
        """Do what the key would."""
        for start, end, key in self._places:
            if start <= event.x < end and key.enabled:
                await self.app.run_action(key.action, key.node)


def _fitting(keys: list[_Key], width: int) -> list[_Key]:
    """As many keys as fit; those that do nothing now go first, then those before the last."""
    kept = list(keys)
    while len(kept) > 1 and sum(key.cells + 2 for key in kept) - 2 > width:
        idle = [at for at, key in enumerate(kept[:-1]) if not key.enabled]
        del kept[idle[-1] if idle else -2]
    return kept
