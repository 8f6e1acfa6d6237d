"""The selected topic beside the list."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from textual import getters, on
from textual.containers import Vertical

from ..workers.background import Reader
from ..workers.messages import BodyRead
from ..workers.reading import read_body
from .body_view import BodyView
from .topic_heading import TopicHeading

if TYPE_CHECKING:
    from collections.abc import Callable

    from pimem_core.model import Topic
    from pimem_core.systems.stores import Store
    from textual.timer import Timer

    from ..drawing.matches import Words

#: Seconds the selection rests before its text is read.
_REST_S = 0.03


class Preview(Vertical, Reader):
    """Heading and text of a topic. Both change together, once the text is there."""

    heading = getters.query_one(TopicHeading)
    body = getters.query_one(BodyView)

    def __init__(self, now: Callable[[], float]) -> None:
        super().__init__()
        self._now = now
        self._wanted: tuple[Store, Topic, Words] | None = None
        self._shown: tuple[str, str] | None = None
        self._short = False
        self._rest: Timer | None = None

    async def fill(self) -> None:
        """Mount heading and text; until then there is room for them only."""
        await self.mount(TopicHeading(self._now), BodyView(can_focus=False))
        self.heading.short = self._short

    def shorten(self, short: bool) -> None:
        """Keep the heading short, as on a low screen."""
        self._short = short
        if self.children:
            self.heading.short = short

    def show(self, store: Store, topic: Topic | None, words: Words) -> None:
        """Show another topic, or the same one changed, when the selection has come to rest."""
        self._wanted = None if topic is None else (store, topic, words)
        if self._rest is not None:
            self._rest.stop()
        self._rest = self.set_timer(_REST_S, self._read)

    @on(BodyView.MeasureChanged)
    def _lay_out_anew(self, message: BodyView.MeasureChanged) -> None:
        message.stop()
        self._read()

    def on_show(self) -> None:
        """Catch up with the selection, which nobody followed out of sight."""
        self._read()

    @property
    def is_current(self) -> bool:
        """Whether heading and text are those of the selection, or nothing is to be seen of them."""
        if not self.display:
            return True
        wanted = None if self._wanted is None else (self._wanted[0].place, self._wanted[1].file)
        return bool(self.children) and self._rest is None and self._shown == wanted

    def _read(self) -> None:
        self._rest = None
        if not self.display or not self.children or not self.body.size.width:
            return  # there is a message when the width is known
        if self._wanted is None:
            self.heading.show(None)
            self.body.show(())
            self._shown = None
            return
        store, topic, words = self._wanted
        self.read("preview", partial(read_body, store, topic, self.body.measure, words=words))

    @on(BodyRead)
    def _show_body(self, message: BodyRead) -> None:
        message.stop()
        if self._wanted is None:
            return
        store, topic, _words = self._wanted
        if (message.store, message.topic.file) != (store, topic.file):
            return
        self.heading.show(topic)
        place = (store.place, topic.file)
        self.body.show(message.lines, message.marks, keep_place=self._shown == place)
        self._shown = place
