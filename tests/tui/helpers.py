"""What the tests of the manager share: waiting, looking at the screen, stores in memory."""

from __future__ import annotations

import asyncio
import threading
import time
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from pimem_core.errors import Hint, PimemError, PinnedError, TopicNotFoundError
from pimem_core.model import Change, Document, StoreStatus, Topic
from pimem_core.progress import never
from pimem_core.search.material import Material
from pimem_core.systems import registry
from pimem_core.systems.stores import (
    ComposingStore,
    EditableStore,
    FolderStore,
    PinningStore,
    Removal,
    RemovingStore,
    Store,
    WritableStore,
    WriteRequest,
)
from pimem_tui.app import PimemApp
from pimem_tui.screens.browser import BrowserScreen
from pimem_tui.screens.detail import DetailScreen
from pimem_tui.widgets import Preview
from pimem_tui.widgets.edit_preview import EditPreview
from textual._context import active_app
from waiting import PATIENCE_S

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Sequence
    from typing import Any

    from pimem_core.paths import Places
    from pimem_core.progress import Cancelled
    from pimem_tui.rows.listing import Listing
    from textual.app import App
    from textual.pilot import Pilot

NOW = 1_796_000_000.0
"""The time that every test sees: 30 November 2026."""

ODDITIES = [
    "[0] x",
    "[/",
    "[/]",
    "[b",
    "[b]bold[/b]",
    "[@click=app.quit]x[/]",
    "$text {x} %s \\[x]",
    "\x1b[31mred\x1b[0m\x1b]0;title\x07",
    "\x9b2J\x00\x08\x7f",
    "a" * 300,
    "日本語のメモ" * 12,
    "שלום עולם ‮evil‬",
    "👨‍👩‍👧 🖥️ 👍🏽 🇩🇪",
    "\u0301\u0302 lone",
    "zero\u200bwidth\ufeff\u00ad",
    "line\nbreak\ttab\r",
    "\udce9 lone surrogate",
]
"""Texts that have crashed or garbled terminal programs."""


class PlainStore(FolderStore, WritableStore):
    """A store without a disk that only takes new topics."""

    system = "memory"

    def __init__(self, topics: Sequence[Topic] = (), *, name: str = "memory") -> None:
        self.name = name
        self.path = f"/stores/{name}"
        self.topics = list(topics)
        self.bodies: dict[str, str] = {}
        self.state = StoreStatus(
            store=name, system=self.system, path=self.path, exists=True, active=False
        )
        #: Raised by the call with this name.
        self.errors: dict[str, Exception] = {}
        #: Runs at the start of the call with this name.
        self.hooks: dict[str, Callable[[], object]] = {}
        self.calls: list[str] = []

    def _called(self, name: str) -> None:
        self.calls.append(name)
        if name in self.hooks:
            self.hooks[name]()
        if name in self.errors:
            raise self.errors[name]

    def list(self, *, cancelled: Cancelled = never) -> Sequence[Topic]:
        self._called("list")
        return list(self.topics)

    def find(self, topic: str) -> Topic:
        self._called("find")
        for known in self.topics:
            if topic in (known.file, known.name):
                return known
        raise TopicNotFoundError(f"No topic matches {topic}.")

    def read(self, file: str) -> Document:
        self._called("read")
        body = self.bodies.get(file, "")
        topic = self.find(file)
        return Document(
            store=self.name,
            name=topic.name,
            file=file,
            path=topic.path,
            front_matter={},
            body=body,
            text=body,
        )

    def read_bytes(self, file: str) -> bytes:
        return self.read(file).text.encode()

    def preview(self, file: str) -> str:
        self._called("preview")
        return self.bodies.get(file, "")[:51_200]

    def material(self, cancelled: Cancelled = never) -> Material:
        self._called("search")
        return Material.of(
            list(self.topics),
            {
                topic.path: self.bodies.get(topic.file, "").encode("utf-8", "replace")
                for topic in self.topics
            },
        )

    def status(self) -> StoreStatus:
        self._called("status")
        return self.state.but(count=len(self.topics))

    def refuse_changes(self) -> None:
        self._called("refuse_changes")

    def announce(self) -> None:
        self._called("announce")

    def check(self, request: WriteRequest, opened: Document | None = None) -> str | None:
        return "The name holds a bracket." if "[" in request.topic else None

    def cost(self, name: str, summary: str) -> int:
        return len(name) + len(summary)

    def write(self, request: WriteRequest) -> Change:
        self._called("write")
        topic = make_topic(request.topic)
        self.topics.append(topic)
        self.bodies[topic.file] = request.content
        return self._change("created", topic, f'Created "{topic.name}".')

    def _replace(self, topic: Topic) -> None:
        self.topics = [topic if old.file == topic.file else old for old in self.topics]

    def _change(self, outcome: str, topic: Topic, message: str) -> Change:
        return Change(
            outcome=outcome, store=self.name, name=topic.name, file=topic.file, message=message
        )

    def recover(self) -> Sequence[str]:
        return ()


class Watching:
    """What the watch of the list has done so far."""

    def __init__(self) -> None:
        #: Set once it has looked at the folder: it tells each change after that.
        self.begun = threading.Event()
        #: The names of all files that it told.
        self.told: set[str] = set()

    async def starts(self, pilot: Pilot[None]) -> None:
        """Wait until every change is followed."""
        await until(pilot, self.begun.is_set)
        await settled(pilot)

    async def tells(self, pilot: Pilot[None], file: str) -> None:
        """Wait until a change of the file was told, and all that came of it."""
        await until(pilot, lambda: file in self.told)
        await settled(pilot)


class MemoryStore(PlainStore, EditableStore, ComposingStore, PinningStore, RemovingStore):
    """A store without a disk, for states that are hard to make for real."""

    def compose(self, document: Document, *, name: str, summary: str, body: str) -> str:
        return body

    def pin(self, topic: str, pinned: bool) -> Change:
        self._called("pin")
        found = self.find(topic)
        self._replace(found.but(pinned=pinned))
        verb, outcome = ("Pinned", "pinned_now") if pinned else ("Unpinned", "unpinned_now")
        return self._change(outcome, found, f'{verb} "{found.name}".')

    def removal(self, topic: str) -> Removal:
        self._called("removal")
        found = self.find(topic)
        if found.pinned:
            raise PinnedError(f'"{found.name}" is pinned.', name=found.name, hint=Hint(Hint.UNPIN))
        return Removal(question=f'Remove "{found.name}"?', goes_and_stays=f"{found.file} stays.")

    def remove(self, topic: str) -> Change:
        self._called("remove")
        found = self.find(topic)
        self.topics = [old for old in self.topics if old.file != found.file]
        return self._change("removed", found, f'Removed "{found.name}".')

    def save(self, file: str, *, opened: str, text: str, allow_secret: bool = False) -> Change:
        self._called("save_secret" if allow_secret else "save")
        self.bodies[file] = text
        return self._change("updated", self.find(file), f'Saved "{self.find(file).name}".')


def make_topic(name: str, file: str | None = None, **values: Any) -> Topic:
    """A topic with defaults that do not matter."""
    file = file or f"{name}.md"
    fields: dict[str, Any] = {
        "store": "memory",
        "name": name,
        "file": file,
        "path": f"/stores/memory/{file}",
        "summary": f"about {name}",
        "line": f"- [{name}]({file}) -- about it",
    }
    return Topic(**{**fields, **values})


@asynccontextmanager
async def manager(
    places: Places,
    stores: Sequence[Store] | None = None,
    *,
    size: tuple[int, int] = (120, 36),
    start: int = 0,
    ready: bool = True,
    notifications: bool = False,
    top: Listing | None = None,
    search: str = "",
) -> AsyncIterator[Pilot[None]]:
    """A running manager, by default on the stores on disk and with the list read."""
    used: Sequence[Store] = registry.all_stores(places) if stores is None else list(stores)
    app = PimemApp(used, places, start=start, now=lambda: NOW, top=top, search=search)
    async with app.run_test(size=size, notifications=notifications) as pilot:
        if ready:
            await until(pilot, lambda: browser(pilot).browsing.view.is_read)
            await settled(pilot)
        yield pilot


async def until(pilot: Pilot[None], condition: Callable[[], bool]) -> None:
    """Wait for a condition, letting the app work meanwhile."""
    end = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < end, f"still not so:\n{shown(pilot)}"
        await pilot.pause(0.01)
    await pilot.pause(0)  # what came with it, such as a notice, is told too


async def settled(pilot: Pilot[None]) -> None:
    """Wait until nothing is read or changed any more and the screen shows what came of it."""
    await _quiet(pilot, rested=True)


async def press(pilot: Pilot[None], *keys: str) -> None:
    """Press keys, wait for what each does, and at the end for what happens when keys rest."""
    for key in keys:
        await pilot.press(key)
        await _quiet(pilot, rested=False)
    await settled(pilot)


async def _quiet(pilot: Pilot[None], *, rested: bool) -> None:
    while True:
        await messages_taken()
        working = any(not worker.is_finished for worker in pilot.app.workers)
        if not working and not (rested and _waits_for_rest(pilot)):
            await pilot.pause(0)  # what is being handled just now ends
            if not is_behind(pilot.app):
                return
        else:
            await asyncio.sleep(0.003)


def _waits_for_rest(pilot: Pilot[None]) -> bool:
    """Whether something is read or measured only when no key comes for a moment."""
    screen = pilot.app.screen
    previews = [*screen.query(Preview), *screen.query(EditPreview)]
    return any(not preview.is_current for preview in previews)


async def messages_taken() -> None:
    """Wait until every message is taken and the screen shows what came of it.

    Threads may still read or change something; `settled` waits for them too. An app that has ended
    takes no more.
    """
    app, end, quiet = active_app.get(), time.monotonic() + PATIENCE_S, 0
    while quiet < 2 and app.is_running:
        assert time.monotonic() < end, "messages come without end"
        await asyncio.sleep(0.001)
        app.screen._on_timer_update()
        quiet = 0 if is_behind(app) else quiet + 1


def is_behind(app: App[None]) -> bool:
    """Whether there are messages to take, or something of the screen to lay out or to draw."""
    screen = app.screen
    if isinstance(app, PimemApp) and app.type_ahead.is_busy:
        return True
    if app._resize_event is not None or screen.size != app.size:
        return True
    if screen._callbacks or screen._layout_required or screen._dirty_widgets:
        return True
    below = app.screen_stack[:-1]
    return any(
        pump.message_queue_size or pump._next_callbacks
        for pump in (app, *below, *screen.walk_children(with_self=True))
    )


def shown(pilot: Pilot[None]) -> str:
    """The text on the screen."""
    strips = pilot.app.screen._compositor.render_strips()
    return "\n".join(strip.text.rstrip() for strip in strips)


def notices(pilot: Pilot[None]) -> list[str]:
    """The texts of the notices that show."""
    return [notice.message for notice in pilot.app._notifications]


def browser(pilot: Pilot[None]) -> BrowserScreen:
    """The list screen, on top or not."""
    screen = pilot.app.screen_stack[0]
    assert isinstance(screen, BrowserScreen)
    return screen


def detail(pilot: Pilot[None]) -> DetailScreen:
    """The detail screen, which must be on top."""
    screen = pilot.app.screen
    assert isinstance(screen, DetailScreen)
    return screen


def opened_file(pilot: Pilot[None]) -> str:
    """The file of the topic that the detail screen shows."""
    topic = detail(pilot).topic
    assert topic is not None
    return topic.file


def selected(pilot: Pilot[None]) -> str:
    """The file of the selected topic."""
    topic = browser(pilot).topic_list.topic
    return topic.file if topic else ""


def rows(pilot: Pilot[None]) -> list[str]:
    """The rows of the list as they are drawn, without the preview beside them."""
    found = []
    width = browser(pilot).topic_list.region
    for line in shown(pilot).splitlines()[width.y : width.bottom]:
        text = line[width.x : width.right].rstrip()
        if text:
            found.append(text)
    return found


def failing(error: PimemError) -> MemoryStore:
    """A store that cannot be read."""
    store = MemoryStore([make_topic("a")])
    store.errors["list"] = error
    return store
