"""The wire: broken requests are answered, and the served runner lives on."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pimem_core.hooks.protocol import MAX_BYTES, dump, dump_answer, failure, response
from pimem_core.systems import actions

SESSION = {"id": "s", "cwd": "/"}
HOOK = [sys.executable, "-m", "pimem_tui", "hook"]
TEXT = st.text(st.characters(), max_size=20)
ACTIONS = st.lists(
    st.one_of(
        st.builds(actions.section, TEXT, TEXT),
        st.builds(actions.append_prompt, TEXT),
        st.builds(actions.notify, TEXT),
    ),
    max_size=4,
)


def serve(*lines: bytes) -> list[dict[str, Any]]:
    done = subprocess.run(
        [*HOOK, "serve"], input=b"\n".join(lines) + b"\n", capture_output=True, check=True
    )
    assert done.stderr == b""
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_a_served_runner_outlives_every_kind_of_broken_request() -> None:
    good = json.dumps({"id": "ok", "event": "describe", "session": SESSION}).encode()
    answers = serve(
        b"not json",
        b"[1]",
        b'{"id": {}, "event": "x"}',
        b'{"id": NaN, "event": "describe", "session": {"id": "s", "cwd": "/"}}',
        b'{"id": 1e999, "event": "describe", "session": {"id": "s", "cwd": "/"}}',
        b"\xff\xfe",
        b'{"id": 3, "event": "describe"}',
        b'{"id": 4, "event": "describe", "session": {"id": "s"}}',
        b'{"id": 5, "session": {"id": "s", "cwd": "/"}}',
        b'{"id": 6, "event": "nope", "session": {"id": "s", "cwd": "/"}}',
        b'"' + b"x" * (MAX_BYTES + 10) + b'"',
        b"",
        good,
    )
    codes = {json.dumps(a["id"]): a.get("error", {}).get("code") for a in answers}
    assert [a.get("error", {}).get("code") for a in answers if a["id"] is None] == [
        *["bad_json"] * 6,
        "too_long",
    ]
    assert (codes["3"], codes["4"], codes["5"]) == ("missing_field",) * 3
    assert codes["6"] == "unknown_event"
    assert answers[-1]["id"] == "ok"
    assert answers[-1]["result"]["protocol"] == 1


def test_ids_come_back_as_the_scalars_they_were() -> None:
    ids = [7, "a", None, True, 1.5]
    lines = [json.dumps({"id": i, "event": "nope", "session": SESSION}).encode() for i in ids]
    assert [answer["id"] for answer in serve(*lines)] == ids


@pytest.mark.parametrize(
    ("event", "request_text", "code"),
    [
        ("nope", {"session": SESSION}, 0),
        ("complete", {"event": "tool", "session": SESSION}, 2),
        ("complete", {"id": 1, "session": SESSION}, 0),
        ("cancel", {"id": 1, "session": SESSION, "payload": {"request": 5}}, 0),
    ],
)
def test_the_one_shot_form_exits_0_whenever_it_answered(
    event: str, request_text: dict[str, Any], code: int
) -> None:
    data = json.dumps(request_text).encode()
    done = subprocess.run([*HOOK, event], input=data, capture_output=True, check=False)
    assert done.returncode == code
    assert bool(done.stdout) == (code == 0)
    assert (b'"unknown_event"' in done.stdout) == (event == "nope")


def test_hook_describe_prints_the_bare_document() -> None:
    done = subprocess.run([*HOOK, "describe"], capture_output=True, check=True)
    document = json.loads(done.stdout)
    assert set(document) == {"protocol", "version", "systems", "tools", "commands", "events"}


@pytest.mark.usefixtures("unmeasured")
def test_the_hook_path_loads_nothing_heavy() -> None:
    heavy = (
        *("textual", "rich", "argparse", "pathlib", "dataclasses", "typing", "filelock", "yaml"),
        *("pimem_core.search", "pimem_core.systems.stores", "pimem_core.hooks.requests"),
    )
    code = (
        "import sys, io; sys.stdin = io.TextIOWrapper(io.BytesIO(sys.argv[1].encode()));"
        "from pimem_tui.__main__ import main; main(['hook', 'before_agent_start']);"
        f"print([m for m in {heavy!r} if m in sys.modules], file=sys.stderr)"
    )
    data = json.dumps({"id": 1, "session": SESSION, "payload": {}})
    done = subprocess.run([sys.executable, "-c", code, data], capture_output=True, check=True)
    assert done.stderr.decode().strip() == "[]"


@given(ACTIONS, TEXT, st.none() | st.dictionaries(TEXT, TEXT))
def test_an_answer_is_the_line_that_any_document_is(
    done: list[actions.Action], text: str, keep: dict[str, str] | None
) -> None:
    for answer in (response(text, done, keep=keep), failure(1, "internal", text)):
        line = dump_answer(answer)
        assert line == dump(answer)
        assert line.count(b"\n") == 1
        assert json.loads(line) == answer
