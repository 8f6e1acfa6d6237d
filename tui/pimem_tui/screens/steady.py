"""Screens that follow the terminal's last size only.

A screen lays itself out for every size that it is told, and tells itself the size that it had
then. When the terminal changes while an older size is still on its way, the two would take turns
for ever.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.screen import ModalScreen, Screen, ScreenResultType

if TYPE_CHECKING:
    from textual.events import Resize


class SteadyScreen(Screen[ScreenResultType]):
    """A screen that leaves sizes alone that the terminal no longer has."""

    async def _on_resize(self, event: Resize) -> None:
        if event.size != self.app.size:
            event.stop()
            event.prevent_default()


class SteadyModal(ModalScreen[ScreenResultType]):
    """The same as a dialog above another screen."""

    async def _on_resize(self, event: Resize) -> None:
        if event.size != self.app.size:
            event.stop()
            event.prevent_default()
