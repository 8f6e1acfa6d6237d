"""The served runner with a fourth system, registered by one line."""

from __future__ import annotations

import itertools
import json
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent))

from pimem_core.hooks.apart import Workers
from pimem_core.hooks.protocol import parse
from pimem_core.hooks.runner import Runner
from pimem_core.systems import registry
from systems.memory_system import NoteSystem

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pimem_core.paths import Places


class Served:
    """Asks a runner as the served form does, which looks after it from a thread of its own."""

    def __init__(self, places: Places) -> None:
        self.places = places
        self.runner = Runner(in_background=True, spawn=Workers().spawn)
        self.over = threading.Event()
        self._ids = itertools.count(1)
        self._watch = threading.Thread(target=self._look)
        self._watch.start()

    def _look(self) -> None:
        while not self.over.wait(min(self.runner.look(), 0.02)):
            pass

    def send(self, event: str, session: str = "s", **more: Any) -> Waiting:
        about = {"id": session, "cwd": self.places.cwd, "mode": "tui", "features": ["sections"]}
        request = {"id": next(self._ids), "event": event, "session": about, **more}
        waiting = Waiting(request["id"])
        self.runner.submit(parse(json.dumps(request).encode()), waiting.take)
        return waiting

    def ask(self, event: str, session: str = "s", **more: Any) -> list[dict[str, Any]]:
        """The actions of an answer."""
        answer = self.send(event, session, **more).answer()
        assert "error" not in answer, answer
        return list(answer["actions"])

    def state(self, name: str = "s.json") -> dict[str, Any]:
        path = Path(self.places.state_dir) / "sessions" / name
        try:
            found: dict[str, Any] = json.loads(path.read_text())["systems"]
        except FileNotFoundError:
            return {}
        return {system: part for system, part in found.items() if part}


class Waiting:
    """A request under way."""

    def __init__(self, request_id: int) -> None:
        self.id = request_id
        self._done = threading.Event()
        self._answer: Mapping[str, Any] = {}

    def take(self, answer: Mapping[str, Any]) -> None:
        self._answer = answer
        self._done.set()

    @property
    def is_answered(self) -> bool:
        return self._done.is_set()

    def answer(self) -> Mapping[str, Any]:
        assert self._done.wait(30), "no answer"
        return self._answer


@pytest.fixture
def notes(monkeypatch: pytest.MonkeyPatch) -> NoteSystem:
    """The fourth system."""
    system = NoteSystem()
    monkeypatch.setattr(registry, "SYSTEMS", (*registry.SYSTEMS, system))
    return system


@pytest.fixture
def served(notes: NoteSystem, places: Places) -> Iterator[Served]:
    made = Served(places)
    yield made
    made.over.set()
