"""The base of every screen: it follows the terminal's last size, and knows what it still awaits.

A screen lays itself out for every size that it is told, and tells itself the size that it had
then. When the terminal changes while an older size is still on its way, the two would take turns
for ever. It learns the classes of its size only after its widgets are styled, which would style
them all twice. And when it shows for the first time, it styles them once more.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.screen import Screen, ScreenResultType
from textual.worker import Worker, WorkerState

from ..keys.type_ahead import PATIENCE_S
from ..widgets.text_styles import TEXT_STYLE_CLASSES

if TYPE_CHECKING:
    from pimem_core.model import StoreStatus
    from textual.events import Resize, ScreenResume
    from textual.geometry import Size


class BaseScreen(Screen[ScreenResultType]):
    """A screen that leaves sizes alone that the terminal no longer has.

    A dialog has `ModalScreen` as its first base, whose style rules it needs, and names the
    component classes itself: a class has those of its first base only.
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {*TEXT_STYLE_CLASSES}

    #: Whether something is still on its way that a key asked for, and that keys may be about.
    due = False
    _has_shown = False

    @property
    def store_status(self) -> StoreStatus | None:
        """What is known of the store that the screen is about, where it is about one."""
        return None

    def was_displayed(self) -> None:
        """Something was just drawn while this is the screen."""

    def keeps_waiting(self, key: str, waited_s: float) -> bool:
        """Whether a key is about something that is still to come, and that is worth the wait."""
        return self.due and waited_s < PATIENCE_S

    @on(Worker.StateChanged)
    def _expect_no_more(self, event: Worker.StateChanged) -> None:
        if event.state is WorkerState.ERROR:
            self.due = False

    def action_back(self) -> None:
        """Go back."""
        self.dismiss()

    def on_compose(self) -> None:
        """Take the classes of the terminal's size, before there are widgets to style."""
        self._take_size(self.app.size)

    def _take_size(self, size: Size) -> None:
        classes: dict[str, bool] = {}
        for cells, points in (
            (size.width, self.app.HORIZONTAL_BREAKPOINTS),
            (size.height, self.app.VERTICAL_BREAKPOINTS),
        ):
            fitting = max((point for point in points or () if point[0] <= cells), default=None)
            classes |= {point[1]: point == fitting for point in points or ()}
        self.update_classes(classes, animate=False)

    def _on_screen_resume(self, event: ScreenResume) -> None:
        """Leave the styles of a new screen alone; colours may have changed under one come back."""
        if not self._has_shown:
            event.refresh_styles = False
        self._has_shown = True

    async def _on_resize(self, event: Resize) -> None:
        if event.size != self.app.size:
            event.stop()
            event.prevent_default()
        else:
            self._take_size(event.size)
