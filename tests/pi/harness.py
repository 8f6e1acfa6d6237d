"""A real pi in a folder of its own, with the stand-in for pimem and a fake model."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pi import installing
from pi.terminals import Terminal
from waiting import PATIENCE_S, alive, wait_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pi.model import FakeModel

HERE = Path(__file__).parent
PACKAGE = HERE.parent.parent / "extension" / "pimem_pi"
STAND_IN = [sys.executable, "-I", str(HERE / "stand_in.py")]

REMEMBER: dict[str, Any] = {
    "name": "write_memory",
    "label": "Write Memory",
    "description": "Stores a fact.",
    "parameters": {
        "type": "object",
        "properties": {"topic": {"type": "string"}, "content": {"type": "string"}},
        "required": ["topic"],
    },
    "promptSnippet": "Store facts",
    "promptGuidelines": ["Use write_memory for what will be needed again."],
}


#: A deadline that a busy machine keeps as well.
PATIENT_MS = 60_000
#: A deadline for an answer that does not come. The first prompt has two seconds all the same.
SHORT_MS = 250


def event(
    name: str, *fields: str, deadline_ms: int | None = PATIENT_MS, awaited: bool = True
) -> Any:
    """An entry of the document's `events`."""
    return {"name": name, "fields": fields, "deadline_ms": deadline_ms, "awaited": awaited}


DESCRIBE: dict[str, Any] = {
    "protocol": 1,
    "version": "0",
    "systems": ["openpi"],
    "tools": [REMEMBER],
    "commands": [{"name": "memory", "description": "Memories"}],
    "events": [
        event("session_start", "reason"),
        event("before_agent_start", "messageType", "prompt"),
        event("session_shutdown", "reason", deadline_ms=1000),
    ],
}


def with_event(name: str, *fields: str, **more: Any) -> dict[str, Any]:
    """The description with another entry for one event."""
    others = [e for e in DESCRIBE["events"] if e["name"] != name]
    return {**DESCRIBE, "events": [*others, event(name, *fields, **more)]}


HURRIED = with_event("before_agent_start", "messageType", "prompt", deadline_ms=SHORT_MS)
"""The description for prompts that pimem does not answer, or answers late."""


class Pi:
    """One version of pi in one isolated folder; `model` has what it sent to the provider."""

    #: The event after which a session can be typed to.
    started = "session_start"

    def __init__(self, version: str, box: Path, shared_temp: Path, model: FakeModel) -> None:
        self.version, self.box, self.model = version, box, model
        self.sections = version != "0.74.0"
        self.custom_runs = version in {"1.3.0", "1.6.0"}
        self.node = installing.node()
        home = installing.pi(version) / "node_modules" / "@earendil-works" / "pi-coding-agent"
        manifest = json.loads((home / "package.json").read_text(encoding="utf-8"))
        self.cli = home / manifest["bin"]["pi"]
        self.project, self.agent = box / "project", box / "agent"
        self.state, self.stand_in = box / "state", box / "stand-in"
        for folder in (box, self.project, self.agent, box / "home", self.state, self.stand_in):
            folder.mkdir()
        self.env = {
            "HOME": str(box / "home"),
            "XDG_STATE_HOME": str(self.state),
            "XDG_CONFIG_HOME": str(box / "config"),
            "PI_CODING_AGENT_DIR": str(self.agent),
            "PI_OFFLINE": "1",
            "PI_SKIP_VERSION_CHECK": "1",
            "PI_TELEMETRY": "0",
            "PIMEM_STAND_IN": str(self.stand_in),
            "PATH": f"{self.node.parent}:/usr/local/bin:/usr/bin:/bin",
            "TMPDIR": str(shared_temp),
            "NODE_COMPILE_CACHE": str(shared_temp / "node"),
            "LANG": "C.UTF-8",
            "TERM": "xterm-256color",
        }
        self.settings: dict[str, Any] = {
            "defaultProvider": "fake",
            "defaultModel": "fake-1",
            "defaultProjectTrust": "never",
            "enableInstallTelemetry": False,
            "quietStartup": True,
            "packages": [str(PACKAGE)],
        }
        self.window = 128_000
        self.configure()
        self.plan()

    def configure(self, **settings: Any) -> None:
        """Write pi's own settings and the fake model's."""
        self.settings |= settings
        model = {"id": "fake-1", "name": "Fake", "reasoning": False, "input": ["text"]}
        model |= {"contextWindow": self.window, "maxTokens": 4096}
        model["cost"] = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}
        provider = {"baseUrl": self.model.url, "api": "openai-completions", "apiKey": "sk-fake"}
        provider["models"] = [model]  # type: ignore[assignment]
        (self.agent / "settings.json").write_text(json.dumps(self.settings))
        (self.agent / "models.json").write_text(json.dumps({"providers": {"fake": provider}}))

    # What the stand-in does and saw

    def plan(
        self,
        answers: dict[str, Any] | None = None,
        *,
        describe: dict[str, Any] | None = None,
        live: dict[str, Any] | None = None,
        stubborn: bool = False,
    ) -> None:
        """Say how pimem behaves. `live` is its own description when it differs from the stored."""
        described = DESCRIBE if describe is None else describe
        rules = {k: v if isinstance(v, list) else [v] for k, v in (answers or {}).items()}
        plan = {"describe": live or described, "answers": rules, "stubborn": stubborn}
        (self.stand_in / "plan.json").write_text(json.dumps(plan))
        self.store("last", described)

    def store(self, name: str, describe: dict[str, Any], command: list[str] | None = None) -> None:
        """Write a describe document as pimem would."""
        folder = self.state / "pimem" / "describe"
        folder.mkdir(parents=True, exist_ok=True)
        document = {"command": command or STAND_IN, "describe": describe}
        (folder / f"{name}.json").write_text(json.dumps(document))

    @property
    def log(self) -> list[dict[str, Any]]:
        """All requests that the stand-in got so far, in order."""
        try:
            lines = (self.stand_in / "requests.jsonl").read_text(encoding="utf-8").splitlines()
        except FileNotFoundError:
            return []
        return [json.loads(line) for line in lines]

    def asked(self, name: str) -> list[dict[str, Any]]:
        """The requests for one event."""
        return [line["request"] for line in self.log if line["request"]["event"] == name]

    def wait_asked(self, name: str, count: int = 1) -> list[dict[str, Any]]:
        """The requests for one event, once there are that many."""

        def enough() -> list[dict[str, Any]]:
            found = self.asked(name)
            return found if len(found) >= count else []

        return wait_for(enough, f"{count} {name}")

    @property
    def runners(self) -> list[int]:
        """The process ids of all runners there were."""
        return list(dict.fromkeys(line["pid"] for line in self.log))

    def assert_no_runner(self) -> None:
        """After pi has ended its runners have as well."""
        for pid in self.runners:
            wait_for(lambda pid=pid: not alive(pid), f"runner {pid} to end")  # type: ignore[misc]

    # What the provider received

    def texts(self, index: int = -1) -> list[tuple[str, str]]:
        """Role and text of each message of one request."""
        return [
            (message["role"], _text(message["content"]))
            for message in self.model.requests[index]["messages"]
        ]

    def system(self, index: int = -1) -> str:
        """The system prompt of one request."""
        return "\n".join(text for role, text in self.texts(index) if role in _SYSTEM)

    def tools(self, index: int = -1) -> dict[str, Any]:
        """The tools of one request by name."""
        found = self.model.requests[index].get("tools", [])
        return {tool["function"]["name"]: tool["function"] for tool in found}

    # Running it

    def argv(self, *args: str) -> list[str]:
        """The command line, with the real node binary first."""
        return [str(self.node), str(self.cli), *args]

    def start(self, *args: str, **options: Any) -> subprocess.Popen[bytes]:
        """Start it in the project folder."""
        return subprocess.Popen(self.argv(*args), cwd=self.project, env=self.env, **options)

    def run(self, *args: str) -> subprocess.CompletedProcess[str]:
        """Run it to its end."""
        return subprocess.run(
            self.argv(*args),
            cwd=self.project,
            env=self.env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )

    def prompt(self, *prompts: str, options: tuple[str, ...] = ()) -> str:
        """What `pi -p` prints; it must succeed, and say nothing on stderr."""
        done = self.run(*options, "-p", *prompts)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout.strip()

    @contextmanager
    def rpc(self, *args: str) -> Iterator[Rpc]:
        """A session that is driven by JSON lines."""
        process = self.start(
            *args,
            "--mode",
            "rpc",
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        rpc = Rpc(process)
        try:
            yield rpc
            rpc.close()
        finally:
            _end(process)
            rpc.join()

    @contextmanager
    def terminal(self, *args: str, socket: Path) -> Iterator[Terminal]:
        """A session on a real terminal."""
        terminal = Terminal(socket)
        try:
            terminal.start(self.argv(*args), self.project, self.env, self.box / "terminal.err")
            terminal.wait("fake-1")
            self.wait_asked(self.started)
            yield terminal
        finally:
            terminal.end()


_SYSTEM = ("system", "developer")


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "".join(part.get("text", "") for part in content or [])


def _end(process: subprocess.Popen[bytes]) -> None:
    try:
        process.wait(PATIENCE_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait(PATIENCE_S)


class Rpc:
    """pi's `--mode rpc`: every record that came, and answers to its questions."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self.records: list[dict[str, Any]] = []
        self.answers: dict[str, bool] = {}
        self.errors = ""
        self._count = self._sent = 0
        self._threads = [threading.Thread(target=self._read), threading.Thread(target=self._drain)]
        for thread in self._threads:
            thread.start()

    def _read(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            record = json.loads(line)
            if record.get("type") == "extension_ui_request" and record["method"] == "confirm":
                yes = self.answers.get(record["title"], False)
                self.write({"type": "extension_ui_response", "id": record["id"], "confirmed": yes})
            self.records.append(record)

    def _drain(self) -> None:
        assert self.process.stderr
        self.errors = self.process.stderr.read().decode()

    def write(self, record: dict[str, Any]) -> None:
        """Send one record."""
        assert self.process.stdin
        self.process.stdin.write(json.dumps(record).encode() + b"\n")
        self.process.stdin.flush()

    def until(self, condition: Callable[[dict[str, Any]], bool], what: str) -> dict[str, Any]:
        """The first record since the last command that fulfils the condition."""

        def found() -> dict[str, Any]:
            return next(filter(condition, self.records[self._sent :]), {})

        try:
            return wait_for(found, what)
        except AssertionError as error:
            kinds = [r.get("method") or r.get("type") for r in self.records[self._sent :]]
            raise AssertionError(f"{error}; since the last command: {kinds}") from None

    def send(self, kind: str, **fields: Any) -> dict[str, Any]:
        """A command and its response."""
        response: dict[str, Any] = {}

        def answered() -> bool:
            nonlocal response
            self._count += 1
            self._sent = len(self.records)
            name = f"r{self._count}"
            self.write({"id": name, "type": kind, **fields})
            response = self.until(lambda r: r.get("id") == name, f"response to {kind}")
            # pi says that a run has ended a moment before it takes the next prompt.
            return "already processing" not in str(response.get("error"))

        wait_for(answered, f"pi to take {kind}")
        assert response.get("success"), response
        return dict(response.get("data") or {})

    def prompt(self, text: str) -> None:
        """A prompt, until the model has done with it."""
        self.send("prompt", message=text)
        self.until(lambda r: r.get("type") == "agent_end", "end of the run")

    def notices(self) -> list[str]:
        """What the person was told so far."""
        return [r["message"] for r in self.records if r.get("method") == "notify"]

    def close(self) -> None:
        """End the session and see that pi ends by itself."""
        assert self.process.stdin
        self.process.stdin.close()
        assert self.process.wait(PATIENCE_S) == 0

    def join(self) -> None:
        """Let go of the pipes."""
        for thread in self._threads:
            thread.join(PATIENCE_S)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            if pipe:
                pipe.close()
