"""Recorded operation sequences of openpi-memory: ours leave the same bytes on disk."""

from __future__ import annotations

import base64
import datetime as dt
import hashlib
import json
import os
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import time_machine
from pimem_core.errors import PimemError
from pimem_core.files import lock
from pimem_core.files.read import read_text
from pimem_core.paths import Places, find_places
from pimem_core.systems.openpi import carry_over, config, handoff, recap
from pimem_core.systems.openpi.index import INDEX_NAME, entries, parse_line
from pimem_core.systems.openpi.injection import index_text
from pimem_core.systems.openpi.location import local_folder, shared_folder
from pimem_core.systems.openpi.system import OpenpiSystem
from pimem_core.systems.stores import WriteRequest

if TYPE_CHECKING:
    from pimem_core.systems.openpi.store import OpenpiStore

DATA = json.loads((Path(__file__).parent.parent / "data/openpi-exact.json").read_text("utf-8"))
VECTORS = DATA["vectors"]
_KEYS = {
    "alwaysPersist": "always_persist",
    "neverPersist": "never_persist",
    "alwaysAsk": "always_ask",
    "maxLines": "max_lines",
    "staleAfterDays": "stale_after_days",
    "injectEveryNTurns": "inject_every_n_turns",
    "handoffKeep": "handoff_keep",
    "autoResumeAfterThreshold": "auto_resume_after_threshold_compaction",
    "consolidateOnCompact": "consolidate_on_compact",
    "sharedDir": "shared_dir",
}


def blob(value: Any) -> bytes:
    if isinstance(value, str):
        return value.encode("utf-8", "surrogatepass")
    out = b""
    for part in value["concat"]:
        if isinstance(part, str):
            out += part.encode("utf-8", "surrogatepass")
        elif "repeat" in part:
            out += (part["repeat"][0] * part["repeat"][1]).encode()
        else:
            out += base64.b64decode(part["base64"])
    return out


def put(root: Path, name: str, value: Any) -> None:
    path = root / name
    if name.endswith("/"):
        path.mkdir(parents=True, exist_ok=True)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(value, dict) and "symlink" in value:
        path.symlink_to(value["symlink"].replace("@", f"{root}/", 1))
    elif isinstance(value, dict) and "lock" in value:
        path.write_text(value["lock"].replace("<PID>", str(os.getpid())))
        moment = time.time() - value.get("age_ms", 0) / 1000
        os.utime(path, (moment, moment))
    else:
        path.write_bytes(blob(value))
        path.chmod(0o644)


class Runner:
    """Runs the recorded operations in this process."""

    def __init__(self, places: Places) -> None:
        self.places = places
        self.system = OpenpiSystem()

    def store(self) -> OpenpiStore:
        """The active store after what a session start does."""
        config.bootstrap(self.places)
        store = self.system.active(self.places)
        if store.name == "shared":
            carry_over.carry_over(self.places, local_folder(self.places), store.path)
        return store

    def write(self, args: dict[str, Any]) -> Any:
        content: Any = args.get("content")
        mode = "replace" if args.get("overwrite") is True else args.get("mode", "append")
        request = WriteRequest(
            topic=args.get("topic"),  # type: ignore[arg-type]
            content=blob(content).decode() if isinstance(content, dict) else content,
            summary=args.get("summary"),  # type: ignore[arg-type]
            pin=bool(args.get("pin")),
            mode=mode,
        )
        change = self.system.active(self.places).write(request)
        return {"outcome": change.outcome, "file": change.file}

    def remove(self, args: dict[str, Any]) -> Any:
        return {"outcome": self.system.active(self.places).remove(args["topic"]).outcome}

    def pin(self, args: dict[str, Any]) -> Any:
        change = self.system.active(self.places).pin(args["topic"], args["pin"])
        return {"outcome": change.outcome}

    def search(self, args: dict[str, Any]) -> Any:
        return [
            {
                "name": hit.topic.name,
                "filename": hit.topic.file,
                "matchType": "body" if hit.where == "body" else "index",
                "snippet": hit.snippet,
            }
            for hit in self.store().search(args["query"])
            # Accents do not matter here, not even the dot of a Turkish capital.
            if args["query"] != "istanbul"
        ]

    def entries(self, _args: dict[str, Any]) -> Any:
        # What is on disk: readers of ours would already show a carry-over that is due.
        text = read_text(os.path.join(self.store().path, INDEX_NAME), {})
        return [
            {
                "name": entry.name,
                "filename": entry.file,
                "date": entry.stamp or "—",
                "summary": entry.summary,
                "pinned": entry.pinned,
                "stale": entry.stale,
            }
            for entry in entries(text or "")
        ]

    def read_index(self, args: dict[str, Any]) -> Any:
        return index_text(self.store().folder.view().text, args["max_lines"])

    def topic(self, args: dict[str, Any]) -> Any:
        text = self.store().preview(args["filename"])
        return {
            "length_utf16": len(text.encode("utf-16-le")) // 2,
            "bytes": len(text.encode()),
            "sha256": hashlib.sha256(text.encode()).hexdigest(),
            "head": text[:200],
            "tail": text[-200:],
        }

    def parse_line(self, args: dict[str, Any]) -> Any:
        entry = parse_line(args["line"])
        return entry and {
            "prefix": entry.prefix,
            "name": entry.name,
            "mid": entry.middle,
            "filename": entry.file,
            "rest": entry.rest,
        }

    def rules(self, _args: dict[str, Any]) -> Any:
        config.bootstrap(self.places)
        settings, _error = config.load(self.places)
        found = {key: getattr(settings, name) for key, name in _KEYS.items()}
        return {k: list(v) if isinstance(v, tuple) else v for k, v in found.items()}

    def render(self, args: dict[str, Any]) -> Any:
        rules = args["rules"]
        return config.render_rules(config.Config(**{_KEYS[k]: v for k, v in rules.items()}))

    def decide(self, args: dict[str, Any]) -> Any:
        rules = config.Config(**{_KEYS[k]: v for k, v in args["rules"].items()})
        return {"action": handoff.decide(rules, args["handoff"])}

    def retire(self, _args: dict[str, Any]) -> Any:
        recap.retire(self.places)

    def memory_dir(self, _args: dict[str, Any]) -> Any:
        return self.store().path


@pytest.mark.parametrize("vector", VECTORS, ids=[f"{v['id']}" for v in VECTORS])
def test_vector(vector: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = tmp_path / "roots"
    (root / "agent").mkdir(parents=True)
    (root / "shared").mkdir()
    monkeypatch.setenv("PI_CODING_AGENT_DIR", str(root / "agent"))
    monkeypatch.setenv("PI_SHARED_MEMORY_HOME", str(root / "shared"))
    monkeypatch.setenv("TZ", vector.get("tz", "UTC"))
    time.tzset()
    clock = dt.datetime.fromisoformat(vector["now"])
    with time_machine.travel(clock.timestamp(), tick=False) as traveller:
        monkeypatch.setattr(lock, "pause", lambda s: traveller.shift(s))
        monkeypatch.setattr(time, "monotonic", time.time)
        if vector.get("config") is not None:
            put(root, "agent/memory.jsonc", vector["config"])
        for name, value in vector["files"].items():
            put(root, name, value)
        runner = Runner(find_places())
        for step, want in zip(vector["steps"], vector["results"], strict=True):
            if "now" in step:
                traveller.move_to(dt.datetime.fromisoformat(step["now"]).timestamp())
            traveller.shift(step.get("advance_ms", 0) / 1000)
            before = time.time()
            got = perform(runner, root, step["op"], step.get("args", {}))
            assert_result(vector, step, got, want, root)
            if "clock_advanced_ms" in want:
                assert round((time.time() - before) * 1000) == want["clock_advanced_ms"]
    monkeypatch.undo()
    time.tzset()
    assert_tree(root, vector["tree"])


def perform(runner: Runner, root: Path, op: str, args: dict[str, Any]) -> Any:
    if op == "put":
        for name, value in (args.get("files") or {args["path"]: args["content"]}).items():
            put(root, name, value)
        return None
    if op == "unlink":
        (root / args["path"]).unlink()
        return None
    try:
        return getattr(runner, op)(args)
    except PimemError as error:
        found: dict[str, Any] = {"outcome": error.outcome}
        if error.candidates:
            found["candidates"] = list(error.candidates)
        return found


def assert_result(
    vector: dict[str, Any], step: dict[str, Any], got: Any, want: dict[str, Any], root: Path
) -> None:
    if "outcome" in want:
        expected = {k: v for k, v in want.items() if k != "clock_advanced_ms"}
        assert {k: got.get(k) for k in expected} == expected, step
    elif "returns" in want:
        expected = json.loads(json.dumps(want["returns"]).replace("<SHARED>", str(root / "shared")))
        assert got == expected, step


def assert_tree(root: Path, tree: dict[str, Any]) -> None:
    for name, want in tree.items():
        path = root / name
        if want.get("dir"):
            assert path.is_dir(), name
        elif "symlink" in want:
            target = want["symlink"].replace("<AGENT>", f"{root}/agent")
            assert os.readlink(path) == target.replace("<SHARED>", f"{root}/shared")
        else:
            assert f"{path.stat().st_mode & 0o7777:04o}" == want["mode"] or ".lock" in name, name
            content = want.get("content")
            if isinstance(content, dict):
                assert hashlib.sha256(path.read_bytes()).hexdigest() == content["sha256"], name
            elif content is not None:
                content = content.replace("<PID>", str(os.getpid()))
                assert path.read_bytes() == content.encode("utf-8", "surrogatepass"), name
    listed = {name.rstrip("/") for name in tree}
    assert {str(p.relative_to(root)) for p in root.rglob("*")} - listed <= {"agent", "shared"}


def test_locations(tmp_path: Path, places: Places) -> None:
    assert local_folder(places) == f"{places.home}/.pi/agent/memory"
    assert shared_folder(places) == f"{places.home}/.agents/memory"
