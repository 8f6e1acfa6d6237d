"""Streams that are closed or full, state and payloads of a wrong shape: an answer or a sentence."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from .conftest import Host

HOOK = [sys.executable, "-m", "pimem_tui", "hook"]
REQUEST = json.dumps({"id": 1, "event": "session_start", "session": {"id": "s", "cwd": "/"}})
FORMS = ["serve", "describe", "session_start"]


def hook(form: str, streams: str) -> subprocess.CompletedProcess[str]:
    line = f"exec {' '.join(HOOK)} {form} {streams}"
    return subprocess.run(
        ["/bin/sh", "-c", line], input=REQUEST, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("streams", [">&-", ">/dev/full"])
def test_nowhere_to_answer(form: str, streams: str) -> None:
    done = hook(form, streams)
    assert done.returncode == 4
    assert done.stderr.count("\n") == 1
    assert "Standard output is closed" in done.stderr or "cannot be written" in done.stderr


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("streams", "code"),
    [("2>&- >&-", 4), (">/dev/full 2>/dev/full", 4), ("2>&-", 0), ("2>/dev/full", 0)],
)
def test_nowhere_to_complain(form: str, streams: str, code: int) -> None:
    done = hook(form, streams)
    assert (done.returncode, done.stderr) == (code, "")


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("streams", ["<&-", "0>/dev/null"])
def test_nothing_to_read(form: str, streams: str) -> None:
    done = hook(form, streams)
    assert "Traceback" not in done.stderr
    if form == "describe":
        assert done.returncode == 0
    elif streams != "<&-":
        assert (done.returncode, done.stderr.count("\n")) == (4, 1)
        assert "Standard input cannot be read" in done.stderr
    else:
        assert done.returncode == 0
        assert ("bad_json" in done.stdout) == (form != "serve")


@pytest.mark.parametrize("cwd", ["/a\0b", "/a\ud800", "\0"])
def test_a_folder_that_no_file_system_can_have(host: Host, cwd: str) -> None:
    from pimem_core.hooks.protocol import RequestError, parse

    data = json.dumps({"id": 1, "event": "x", "session": {"id": "s", "cwd": cwd}}).encode()
    with pytest.raises(RequestError, match=r"session\.cwd is not a path") as caught:
        parse(data)
    assert caught.value.code == "missing_field"


BROKEN = [
    '{"systems": 5}',
    '{"systems": {"openpi": 5}}',
    '{"systems": {}, "answers": 5}',
    '{"systems": {}, "answers": [5]}',
    '{"systems": {}, "answers": [[1, "{"]]}',
    '{"systems": {}, "answers": [[1, "5"]]}',
    '{"systems": {}, "answers": [[1, 5]]}',
    '{"failed": {}}',
    '{"failed": [5]}',
    "[]",
    "{",
    "[" * 100_000,
    '{"systems": {"openpi": ' + "[" * 3_000 + "]" * 3_000 + "}}",
    "\x00",
]


@pytest.mark.parametrize("text", BROKEN, ids=range(len(BROKEN)))
def test_state_of_a_wrong_shape_is_put_aside(host: Host, text: str) -> None:
    host.start()
    folder = Path(host.places.state_dir) / "sessions"
    (folder / "s.json").write_text(text)
    for path in folder.glob("*.before"):
        path.unlink()
    assert [action["do"] for action in host.prompt()] == ["section"]
    assert (folder / "s.json.broken").read_text() == text
    assert "s.json is put aside" in (folder.parent / "log" / "pimem.log").read_text()
    assert json.loads((folder / "s.json").read_text())["systems"]["openpi"]["turn"] == 1


FIELDS = [
    *("@tools", "@commands", "@tail_has:pimem-handoff", "reason", "messageType", "name"),
    *("preparation", "compactionEntry", "willRetry", "params", "args", "key", "value"),
    *("@entries:zcode-memory/injected", "@tail_has:zcode-memory", "prefix", "request"),
]
WRONG: list[Any] = [5, "x", [], {}, [5], [{"a": 1}], {"a": 1}, True, None, 1.5, [[]]]


@pytest.mark.parametrize("wrong", WRONG, ids=map(repr, WRONG))
def test_payloads_of_wrong_types(host: Host, wrong: Any) -> None:
    (Path(host.places.home) / ".zcode").mkdir()
    for event in ("session_start", "before_agent_start", "session_before_compact"):
        assert "error" not in host.ask(event, payload=dict.fromkeys(FIELDS, wrong))
    host.ask("session_before_compact", payload={"preparation": {"messagesToSummarize": wrong}})
    host.ask("session_compact", payload={"compactionEntry": {"summary": wrong}})
    message = {"role": "assistant", "content": wrong}
    host.ask("session_before_compact", payload={"preparation": {"messagesToSummarize": [message]}})
    for event in ("tool", "command", "complete", "answer", "cancel"):
        answer = host.ask(event, payload=dict.fromkeys(FIELDS, wrong))
        assert answer.get("error", {}).get("code") != "internal", answer
    said = [a.get("message", "") for a in host.prompt()]
    assert not [text for text in said if "fails" in text]
    assert not (Path(host.places.state_dir) / "log" / "pimem.log").exists()
