"""A real pi with the real pimem."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any

from pi.harness import HERE, PATIENT_MS, Pi
from pimem_core.paths import Places, find_places
from waiting import PATIENCE_S

if TYPE_CHECKING:
    from pathlib import Path

    from pi.harness import Rpc
    from pi.model import FakeModel

RELAY = str(HERE / "relay.py")
HELPER = ("-e", str(HERE / "helper.ts"))
FORMS = ("served", "one-shot")
WORDS = "many words to make it long " * 25


class Real(Pi):
    """pi with pimem as `pimem pi install` leaves it; every request passes the relay."""

    started = "answered session_start"

    def __init__(
        self, version: str, box: Path, shared_temp: Path, model: FakeModel, form: str
    ) -> None:
        super().__init__(version, box, shared_temp, model)
        self._strict: tuple[str, ...] = ()
        self.configure(packages=[])
        (self.state / "pimem" / "describe" / "last.json").unlink()
        self.pimem("pi", "install")
        self.settings = json.loads((self.agent / "settings.json").read_text())
        self.relay(form)
        self.places: Places = find_places(self.env, str(self.project))

    def relay(self, form: str) -> None:
        """Put the relay between them."""
        words = [sys.executable, "-I", RELAY, form, str(self.stand_in)]
        self.env["PIMEM_COMMAND"] = json.dumps(words)

    def argv(self, *args: str) -> list[str]:
        """The command line; what pi reads of us first has long deadlines like all that follows."""
        for path in (self.state / "pimem" / "describe").glob("*.json"):
            document = json.loads(path.read_text())
            for event in document["describe"]["events"]:
                if event["name"] not in self._strict:
                    event["deadline_ms"] = PATIENT_MS
            path.write_text(json.dumps(document))
        return super().argv(*args)

    def strict(self, *events: str) -> None:
        """Leave the deadlines of these events as they are."""
        self._strict = events
        (self.stand_in / "strict.json").write_text(json.dumps(events))

    def faults(self, **rules: list[dict[str, Any]]) -> None:
        """What goes wrong with which event."""
        (self.stand_in / "faults.json").write_text(json.dumps(rules))

    def pimem(self, *words: str, code: int = 0) -> str:
        """What pimem's command line prints for this user."""
        done = subprocess.run(
            [sys.executable, "-m", "pimem_tui", *words],
            cwd=self.project,
            env={**self.env, "PWD": str(self.project)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
        assert done.returncode == code, done
        return done.stdout

    def write(self, topic: str, summary: str = "s") -> None:
        """A topic, written by the command line."""
        self.pimem("write", topic, "--summary", summary, "--content", f"body of {topic}")

    def config(self, text: str) -> None:
        """pimem's own settings."""
        folder = self.box / "config" / "pimem"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "config.toml").write_text(text)

    def memory_config(self, **keys: Any) -> None:
        """The keys of memory.jsonc; without rules, which would be in every prompt."""
        (self.agent / "memory.jsonc").write_text(json.dumps(keys))

    @property
    def index(self) -> str:
        """The index of the store."""
        return (self.agent / "memory" / "MEMORY.md").read_text()

    @property
    def handoff(self) -> str:
        """The handoff file."""
        path = self.agent / "HANDOFF.md"
        return path.read_text() if path.exists() else ""

    def block(self, index: int = -1) -> str:
        """Our block in a request's system prompt, empty when there is none."""
        found = re.findall(r"<memory>\n.*?\n</memory>", self.system(index), re.DOTALL)
        assert len(found) <= 1
        return "".join(found)

    def small(self) -> None:
        """A window so small that a few prompts can be compacted."""
        self.window = 8000
        self.configure(compaction={"enabled": True, "reserveTokens": 1000, "keepRecentTokens": 10})

    def handoffs(self, index: int = -1) -> int:
        """How many handoffs a request holds, wherever they are."""
        return json.dumps(self.model.requests[index]).count("## Compaction Handoff")


def talk(rpc: Rpc, *prompts: str) -> None:
    """Long prompts, one after the other."""
    for text in prompts:
        rpc.prompt(f"{text} {WORDS}")


def told_apart(pi: Real) -> list[Any]:
    """What the provider received, without what differs from run to run."""
    text = json.dumps(pi.model.requests).replace(str(pi.box), "BOX")
    text = re.sub(r"\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)", "STAMP", text)
    return list(json.loads(re.sub(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", "ID", text)))
