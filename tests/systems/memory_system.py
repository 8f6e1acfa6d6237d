"""A tiny memory system that lives in this process only: all that a new system needs."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from pimem_core.errors import TopicNotFoundError
from pimem_core.model import Document, StoreStatus, Topic
from pimem_core.progress import never
from pimem_core.search.material import Material
from pimem_core.systems import actions
from pimem_core.systems.hosting import HookContext, Hooks, Offer, Part
from pimem_core.systems.stores import Store
from pimem_core.systems.system import System

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from pimem_core.paths import Places
    from pimem_core.progress import Cancelled
    from pimem_core.settings.config import Settings
    from pimem_core.systems.actions import Action

EVENTS = ("session_start", "before_agent_start", "turn_end")


class NoteStore(Store):
    """Notes by name."""

    system = "notes"

    def __init__(self, notes: dict[str, str]) -> None:
        self.name = "notes"
        self._notes = notes

    def list(self, **_options: Any) -> Sequence[Topic]:
        return [self._topic(name) for name in self._notes]

    def _topic(self, name: str) -> Topic:
        summary = self._notes[name]
        return Topic(store=self.name, name=name, file=name, path="", summary=summary)

    def find(self, topic: str) -> Topic:
        if topic not in self._notes:
            raise TopicNotFoundError(f"There is no note {topic}.", name=topic)
        return self._topic(topic)

    def read(self, file: str) -> Document:
        text = self._notes[self.find(file).name]
        return Document(
            store=self.name, name=file, file=file, path="", front_matter={}, body=text, text=text
        )

    def preview(self, file: str) -> str:
        return self.read(file).body

    def material(self, cancelled: Cancelled = never) -> Material:
        topics = list(self.list())
        return Material(
            topic_at=topics.__getitem__,
            paths=list(self._notes),
            lines=[topic.described for topic in topics],
            shown={name: text.encode() for name, text in self._notes.items()},
        )

    def status(self) -> StoreStatus:
        return StoreStatus(
            store=self.name,
            system="notes",
            path="",
            exists=True,
            active=True,
            count=len(self._notes),
        )


class NoteHooks(Hooks):
    """Gives the notes with every prompt; `at` is called at the beginning of each event."""

    def __init__(self, notes: dict[str, str], at: Callable[[str, HookContext], object]) -> None:
        self._notes = notes
        self.at = at

    def offer(self, places: Places) -> Offer:
        self.at("offer", None)  # type: ignore[arg-type]
        tool = {"name": "read_note", "description": "Read a note", "parameters": {}}
        rows = [
            {"name": name, "fields": [], "deadline_ms": 250, "awaited": True} for name in EVENTS
        ]
        commands = [{"name": "notes", "description": "Notes"}, {"name": "memory"}]
        return Offer(tools=[tool], commands=commands, events=rows)

    def event(self, name: str, payload: Mapping[str, Any], context: HookContext) -> list[Action]:
        context.state["events"] = [*context.state.get("events", ()), name]
        self.at(name, context)
        if name != "before_agent_start":
            return []
        return [actions.section("notes", part.text) for part in self.inject(context, turn=1)]

    def start(self, context: HookContext) -> list[Action]:
        self.at("start", context)
        context.state["started"] = True
        return [actions.notify("notes are ready")]

    def tool(self, name: str, params: Mapping[str, Any], context: HookContext) -> list[Action]:
        self.at("tool", context)
        return [actions.tool_result(self._notes[params["name"]])]

    def command(self, name: str, args: str, context: HookContext) -> list[Action] | None:
        self.at("command", context)
        return [actions.notify(f"{len(self._notes)} notes")]

    def inject(self, context: HookContext, *, turn: int) -> Sequence[Part]:
        return [Part(name="notes", text=" ".join(self._notes.values()))]


class NoteSystem(System):
    """Always in use."""

    name = "notes"

    def __init__(self, notes: dict[str, str] | None = None) -> None:
        self.notes = notes if notes is not None else {"tea": "Green tea at four"}
        self._hooks = NoteHooks(self.notes, lambda _name, _context: None)

    @property
    def hooks(self) -> NoteHooks:
        return self._hooks

    def is_active(self, places: Places, settings: Settings) -> bool:
        return True

    def stores(self, places: Places) -> Sequence[NoteStore]:
        return [NoteStore(self.notes)]

    def active(self, places: Places) -> NoteStore:
        return NoteStore(self.notes)


class Stuck:
    """Makes one event hang until it is let go; `reached` is set when it hangs."""

    def __init__(self, *events: str, session: str | None = None) -> None:
        self.events = events
        self.session = session
        self.reached = threading.Event()
        self.let_go = threading.Event()

    def __call__(self, name: str, context: HookContext | None) -> None:
        is_meant = self.session is None or context is None or context.session.id == self.session
        if name in self.events and is_meant:
            self.reached.set()
            self.let_go.wait(60)
