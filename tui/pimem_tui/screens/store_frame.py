"""The frame of the list: header, rows, preview and keys, and what is mounted once the rows show."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from pimem_core.formats.text import visible
from textual import getters
from textual.containers import Horizontal
from textual.widget import MountError
from textual.widgets import Static

from ..hints import shorten_paths
from ..widgets import (
    FilterBar,
    HeaderLine,
    KeyBar,
    LayerStrip,
    Preview,
    StoreAbout,
    StoreTabs,
    TooSmall,
    TopicList,
)
from .awaited import AwaitedScreen
from .topic_screen import LOW

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from textual.app import ComposeResult

#: Seconds that a paint is given before anything else takes its share of the processor.
PAINT_S = 0.01


class StoreFrame(AwaitedScreen):
    """The widgets of the list and where they are; it knows nothing of what they show."""

    tabs = getters.query_one(StoreTabs)
    about = getters.query_one(StoreAbout)
    topic_list = getters.query_one(TopicList)
    key_bar = getters.query_one(KeyBar)
    preview = getters.query_one(Preview)

    def __init__(self, names: Sequence[str], home: str, now: Callable[[], float]) -> None:
        super().__init__()
        self._names = names
        self._home = home
        self._now = now
        # Nothing of these is to be seen at first, so they are mounted once the rows show.
        self.strip = LayerStrip()
        self.filter_bar = FilterBar()
        self._state = Static(id="state", markup=False)
        self._is_filling = False

    @property
    def is_complete(self) -> bool:
        """Whether everything is mounted."""
        return bool(self.filter_bar.children)

    def compose(self) -> ComposeResult:
        """Header, list, preview and keys; a message takes the place of the list when needed."""
        yield StoreTabs(self._names)
        yield StoreAbout(self._home)
        yield HeaderLine()
        with Horizontal(id="body"):
            yield TopicList(self._now)
            yield Preview(self._now)
        yield KeyBar()

    def fill_later(self) -> None:
        """Mount the rest, once, when the rows had their turn."""
        if not self._is_filling:
            self._is_filling = True
            self.set_timer(PAINT_S, self._fill)

    async def _fill(self) -> None:
        """Mount what the rows need not wait for."""
        self.app.sheets.bring("parts")
        with contextlib.suppress(MountError):  # the app ends already
            await self.preview.fill()
            await self.mount(self.strip, self.filter_bar, before=self.query_one(HeaderLine))
            await self.query_one("#body").mount(self._state, before=self.preview)
            await self.mount(TooSmall())
            self._show_state()

    def _show_state(self) -> None:
        """Put a message in the place of the list when there is nothing to list."""
        raise NotImplementedError

    def say_instead(self, text: str | None) -> None:
        """Show a text in the place of the list, or the list."""
        self.set_class(text is not None and self._state.is_attached, "-message")
        self._state.update(visible(shorten_paths(text or "", self._home)))

    def on_resize(self) -> None:
        """Join the lines at the top to the preview's, once sizes are known."""
        self.call_after_refresh(self._join_lines)

    def _join_lines(self) -> None:
        self.preview.shorten(self.size.height < LOW)
        self.query_one(HeaderLine).joint = self.preview.region.x if self.preview.display else None
