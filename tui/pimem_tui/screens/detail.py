"""One topic to read, with the same actions as in the list, and with what its links lead to."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from pimem_core.systems.layers import LayerStore
from pimem_core.systems.stores import LinkedStore
from pimem_styles import stylesheets
from textual import getters, on
from textual.widgets import Static

from ..drawing.cells import clean, cut
from ..drawing.links import places_of, targets_of
from ..drawing.matches import NO_MARKS, NO_WORDS
from ..keys.bindings import bindings, bindings_of
from ..rows.branches import EntryRow, file_of
from ..services.manager_app import ManagerApp
from ..widgets import BodyView, KeyBar, TooSmall, TopicHeading
from ..widgets.contents import Contents
from ..widgets.list_frame import LOW
from ..workers.background import Reader
from ..workers.messages import BodyRead, LinksRead
from ..workers.reading import read_body, read_entry_links, read_links
from .base import BaseScreen
from .topic_actions import Subject, TopicActions

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pimem_core.model import StoreStatus, Topic
    from pimem_core.systems.stores import Links, Store
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from ..drawing.lines import Line
    from ..drawing.links import Target
    from ..drawing.matches import Marks, Words
    from ..services.outcomes import TopicChanged
    from ..services.watcher import StoreTouched

_PINS = {"pinned_now": True, "unpinned_now": False}
_LINK_ACTIONS = ("next_link", "follow")
_LINK_KEYS = ("link.next", "link.previous", "link.follow")
_MAX_NAME_CELLS = 32
#: Columns from which there is room for a table of contents beside the text.
_ROOMY = 140


class _Stop(NamedTuple):
    """A topic on the trail of followed links, as it was left."""

    topic: Topic
    words: Words
    links: Links | None
    lines: Sequence[Line]
    marks: Marks
    foot: Sequence[Line]
    truncated: bool
    scroll_y: int
    chosen: int | None


class DetailScreen(BaseScreen[None], Reader):
    """Read one topic and follow its links; esc goes back along them, then to the topic's row."""

    app = getters.app(ManagerApp)

    CSS_PATH = stylesheets("detail")
    AUTO_FOCUS = "BodyView"
    KEY_BAR = (
        "topic.back",
        "match.next",
        "link.next",
        "link.follow",
        "topic.edit",
        "topic.pin",
        "topic.remove",
        "entry.status",
        "entry.archive",
        "topic.copy",
        "app.help",
    )
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings("topic.back", "topic.edit", "topic.edit_outside", "topic.pin", "topic.remove"),
        *bindings("topic.copy", "entry.status", "entry.supersede", "entry.archive"),
        *bindings_of("match"),
        *bindings_of("link"),
    ]

    heading = getters.query_one(TopicHeading)
    body = getters.query_one(BodyView)
    contents = getters.query_one(Contents)
    key_bar = getters.query_one(KeyBar)

    def __init__(
        self,
        store: Store,
        status: StoreStatus | None,
        topic: Topic,
        words: Words,
        now: Callable[[], float],
    ) -> None:
        super().__init__()
        self._store = store
        self._status = status
        self._topic = topic
        self._words = words
        self._now = now
        self._actions = TopicActions(self.app, self.subject)
        self._width = 0
        self._trail: list[_Stop] = []
        self._shown_file: str | None = None
        #: The file that somebody else changed, until it is read again and the person knows.
        self._touched = ""
        self._lines: Sequence[Line] = ()
        self._marks = NO_MARKS
        self._truncated = False
        #: What stands below the body, and the links that it is about; None until they are known.
        self._foot: Sequence[Line] = ()
        self._links: Links | None = None

    @property
    def store_status(self) -> StoreStatus | None:
        """What was known of the topic's store when it was opened."""
        return self._status

    @property
    def topic(self) -> Topic:
        """The topic that is read."""
        return self._topic

    def subject(self) -> Subject:
        """What actions are about."""
        return Subject(self._store, self._status, self._topic)

    def compose(self) -> ComposeResult:
        """Heading, body and keys."""
        yield TopicHeading(self._now)
        yield Static(id="note", markup=False)
        yield BodyView()
        yield Contents()
        yield KeyBar()
        yield TooSmall()

    def on_mount(self) -> None:
        """Show what is known, read the rest."""
        self.due = True
        self.heading.show(self._topic)
        self.app.outcomes.changed.subscribe(self, self._follow_change)
        self.app.watcher.touched.subscribe(self, self._follow_others)
        self.watch(self.body, "scroll_y", self._follow_scroll, init=False)

    def _follow_scroll(self, line: float) -> None:
        # At the end the last section counts, though its heading may never reach the top.
        at_end = line >= self.body.max_scroll_y > 0
        self.contents.follow(len(self._lines) if at_end else round(line) + 1)

    def _show_contents(self) -> None:
        """The headings stand beside the text where there is room."""
        roomy = self.size.width >= _ROOMY
        self.contents.show(self._lines if roomy else (), self.body.size.height)
        self.contents.styles.offset = (0, self.body.region.y)
        self.contents.styles.max_height = max(self.body.size.height, 1)
        self._follow_scroll(self.body.scroll_y)

    @on(Contents.SectionChosen)
    def _go_to_section(self, message: Contents.SectionChosen) -> None:
        self.body.jump_to(message.line)

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
            self._read(links=self._links)
        self._show_contents()

    # Reading -----------------------------------------------------------------------------------

    def _read(self, *, again: bool = False, links: Links | None = None) -> None:
        """Read the topic; `links` are those that need not be looked for again."""
        self._links = links
        self.due |= not again
        width = self.body.measure
        job = partial(read_body, self._store, self._topic, width, again=again, words=self._words)
        self.read("body", job)

    @on(BodyRead)
    def _take_body(self, message: BodyRead) -> None:
        if message.topic.file != self._topic.file:
            return
        self.add_class("-read")
        self._topic = message.topic
        self._lines, self._truncated = message.lines, message.truncated
        self._marks = message.marks
        if self._touched == file_of(self._topic):
            self._touched = ""
            if not message.error:  # which stands in the place of the text
                self.app.notices.say(f'"{self._topic.name}" changed on disk just now.')
        self._show_text()
        store = self._store if isinstance(self._store, LinkedStore) else None
        layer = self._store if isinstance(self._store, LayerStore) else None
        has_links = store is not None or isinstance(self._topic, EntryRow)
        if message.error or not has_links:
            self.due = False
            return
        if layer is not None and isinstance(self._topic, EntryRow):
            self.read("links", partial(read_entry_links, layer, self._topic, message.width))
        elif store is not None:
            file = message.topic.file
            job = partial(read_links, store, file, message.width, links=self._links)
            self.read("links", job)

    @on(LinksRead)
    def _take_links(self, message: LinksRead) -> None:
        if (message.file, message.width) != (self._topic.file, self.body.measure):
            return
        self._links, self._foot = message.links, message.lines
        self.due = False
        self._show_text()

    def keeps_waiting(self, key: str, waited_s: float) -> bool:
        """Keys that are about links wait until these are known; the others need no more."""
        is_about = any(key in self.app.keys_for(key_id) for key_id in _LINK_KEYS)
        return is_about and super().keeps_waiting(key, waited_s)

    def _show_text(self) -> None:
        """Show heading, body and what is said of the links, all of one topic."""
        self.heading.show(self._topic)
        note = self.query_one("#note", Static)
        key = self.app.key_for("topic.edit_outside")
        said = f"This is the beginning of a long memory; {key} opens all of it."
        if self._words and not self._marks:
            said = f"The words are further on in this long memory; {key} opens all of it."
        note.update(said)
        self.set_class(self._truncated, "-noted")
        lines = [*self._lines, *self._foot]
        keep = self._shown_file == self._topic.file
        self._shown_file = self._topic.file
        self.body.show(lines, self._marks, keep_place=keep)
        if not keep and self._marks:
            self.body.go_to_match(self._marks.best)
        if self._links is not None:
            targets = targets_of(self._links)
            self.body.link_up(targets, places_of(lines, targets))
        elif not keep:
            self.body.link_up({}, ())
        self.call_after_refresh(self._show_contents)
        self._show_link()

    # Links -------------------------------------------------------------------------------------

    def _show_link(self) -> None:
        """Say in words which link is chosen or which match, or where esc goes back to."""
        target = self.body.target
        if target is not None:
            name = cut(clean(target.name), _MAX_NAME_CELLS)
            place = f"{(self.body.chosen or 0) + 1} of {self.body.link_count}"
            self.key_bar.status = f"link {place}: {name}"
        elif self.body.match is not None:
            self.key_bar.status = f"match {self.body.match + 1:,} of {self.body.match_count:,}"
        elif self._trail:
            name = cut(clean(self._trail[-1].topic.name), _MAX_NAME_CELLS)
            self.key_bar.status = f"esc to {name}"
        else:
            self.key_bar.status = ""
        self.refresh_bindings()

    def action_next_link(self, by: int) -> None:
        """Choose another link."""
        self.body.choose(self.body.next_link(by))
        self._show_link()

    def action_next_match(self, by: int) -> None:
        """Go to another match of the search that the topic was opened from."""
        self.body.choose(None)
        self.body.go_to_match(self.body.next_match(by))
        self._show_link()

    def action_follow(self) -> None:
        """Open what the chosen link leads to; without one, choose the next."""
        target = self.body.target
        if target is not None:
            self._follow(target)
            return
        self.action_next_link(1)
        target = self.body.target
        if self.body.link_count == 1 and target is not None:
            self._follow(target)

    @on(BodyView.LinkClicked)
    def _follow_clicked(self, message: BodyView.LinkClicked) -> None:
        self._follow(message.target)

    def _follow(self, target: Target) -> None:
        if target.topic is None:
            self.app.notices.say(f"Nothing has the name “{clean(target.name, 60)}” yet.")
            return
        if target.topic.file == self._topic.file:
            self.body.jump_to(0)
            return
        self._trail.append(
            _Stop(
                self._topic,
                self._words,
                self._links,
                self._lines,
                self._marks,
                self._foot,
                self._truncated,
                round(self.body.scroll_y),
                self.body.chosen,
            )
        )
        self._topic, self._words, self._foot = target.topic, NO_WORDS, ()
        self.body.choose(None)
        self.body.link_up({}, ())  # those of the old text, which shows until the new one is there
        self._read()

    def action_back(self) -> None:
        """Go back to the topic that the link was in, or to the list."""
        if not self._trail:
            self.dismiss()
            return
        stop = self._trail.pop()
        self._topic, self._words, self._links = stop.topic, stop.words, stop.links
        self._lines, self._foot, self._truncated = stop.lines, stop.foot, stop.truncated
        self._marks = stop.marks
        self.body.choose(None)
        self._show_text()
        self.body.jump_to(stop.scroll_y)
        if stop.chosen is not None and stop.chosen < self.body.link_count:
            self.body.choose(stop.chosen)
        self._show_link()
        self._read(again=True)  # it may have changed since

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Besides what all topics need: links, which most texts have none of."""
        if action == "next_match":
            return self.body.match_count > 0
        if action in _LINK_ACTIONS:
            return self.has_class("-read") and self.body.link_count > 0
        return self._actions.check(str(parameters[0])) if action == "topic" else True

    def action_topic(self, name: str) -> None:
        """Do something to the topic."""
        self._actions.run(name)

    # After a change ----------------------------------------------------------------------------

    def _follow_change(self, message: TopicChanged) -> None:
        """Show what has become of the topic; go back when it is gone."""
        change = message.change
        if message.store is not self._store:
            return
        if change.outcome == "removed":
            self._trail = [stop for stop in self._trail if stop.topic.file != change.file]
        if change.outcome == "moved" and change.name == file_of(self._topic):
            self.action_back()
            return
        if change.file != file_of(self._topic):
            return
        if change.outcome == "removed":
            self.action_back()
            return
        pinned = _PINS.get(change.outcome)
        if pinned is not None:
            self._topic = self._topic.but(pinned=pinned)
            self.heading.show(self._topic)
        self._read(again=True)

    def _follow_others(self, message: StoreTouched) -> None:
        """Show the topic anew when somebody else changed it."""
        if message.store is not self._store:
            return
        if file_of(self._topic) in message.files:
            self._touched = file_of(self._topic)
        # Its line in the index may be another now, and other topics may link here or no longer.
        self._read(again=True)
