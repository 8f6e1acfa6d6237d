"""One topic to read, with the same actions as in the list."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from pimem_styles import stylesheet
from textual import getters, on
from textual.widgets import Static

from ..bindings import bindings
from ..messages import BodyRead, StoreTouched, TopicChanged
from ..reading import read_body
from ..widgets import BodyView, KeyBar, TooSmall, TopicHeading
from .topic_screen import LOW, TopicScreen

if TYPE_CHECKING:
    from collections.abc import Callable

    from pimem_core.model import StoreStatus, Topic
    from pimem_core.systems.base import Store
    from textual.app import ComposeResult
    from textual.binding import BindingType

_PINS = {"pinned_now": True, "unpinned_now": False}


class DetailScreen(TopicScreen):
    """Read one topic; esc goes back to its row."""

    CSS_PATH = stylesheet("detail.tcss")
    AUTO_FOCUS = "BodyView"
    KEY_BAR = (
        "topic.back",
        "topic.edit",
        "topic.pin",
        "topic.remove",
        "topic.copy",
        "app.help",
    )
    BINDINGS: ClassVar[list[BindingType]] = [*bindings("topic.back"), *TopicScreen.BINDINGS]

    heading = getters.query_one(TopicHeading)
    body = getters.query_one(BodyView)

    def __init__(
        self,
        store: Store,
        status: StoreStatus | None,
        topic: Topic,
        query: str,
        now: Callable[[], float],
    ) -> None:
        super().__init__()
        self._store = store
        self._status = status
        self._topic = topic
        self._query = query
        self._now = now
        self._width = 0

    @property
    def store(self) -> Store:
        """The store of the topic."""
        return self._store

    @property
    def store_status(self) -> StoreStatus | None:
        """What was known of that store when the topic was opened."""
        return self._status

    @property
    def topic(self) -> Topic | None:
        """The topic."""
        return self._topic

    def compose(self) -> ComposeResult:
        """Heading, body and keys."""
        yield TopicHeading(self._now)
        yield Static(id="note", markup=False)
        yield BodyView()
        yield KeyBar()
        yield TooSmall()

    def on_mount(self) -> None:
        """Show what is known, read the rest."""
        self.heading.show(self._topic)
        self.app.topic_changed.subscribe(self, self._follow_change)
        self.app.store_touched.subscribe(self, self._follow_others)

    def on_resize(self) -> None:
        """Lay the text out for the new width, once it is known."""
        self.call_after_refresh(self._fit)

    def _fit(self) -> None:
        self.heading.short = self.size.height < LOW
        left, width = self.body.left, self.body.measure
        right = max(self.size.width - left - width, 0)
        self.heading.styles.padding = (0, right, 0, left)
        self.query_one("#note", Static).styles.padding = (0, right, 0, left)
        if width != self._width:
            self._width = width
            self._read()

    def _read(self, *, again: bool = False) -> None:
        width = self.body.measure
        self.read("body", partial(read_body, self._store, self._topic, width, again=again))

    @on(BodyRead)
    def _show_body(self, message: BodyRead) -> None:
        first = not self.has_class("-read")
        self.add_class("-read")
        self._topic = message.topic
        self.heading.show(message.topic)
        note = self.query_one("#note", Static)
        note.update("This is the beginning of a long memory; E opens all of it.")
        self.set_class(message.truncated, "-noted")
        self.body.show(message.lines, query=self._query, keep_place=not first)

    def action_back(self) -> None:
        """Go back to the list."""
        self.dismiss()

    def _follow_change(self, message: TopicChanged) -> None:
        """Show what has become of the topic; go back when it is gone."""
        change = message.change
        if message.store is not self._store or change.file != self._topic.file:
            return
        if change.outcome == "removed":
            self.dismiss()
            return
        pinned = _PINS.get(change.outcome)
        if pinned is not None:
            self._topic = self._topic.but(pinned=pinned)
            self.heading.show(self._topic)
        self._read(again=True)

    def _follow_others(self, message: StoreTouched) -> None:
        """Show the topic anew, and say so, when somebody else changed it."""
        if message.store is self._store and self._topic.file in message.files:
            self.app.say(f'"{self._topic.name}" changed on disk just now.')
            self._read(again=True)
