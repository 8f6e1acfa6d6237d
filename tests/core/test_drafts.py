"""Drafts: what a killed session left is offered, what is no draft hides none."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pimem_core.history.drafts import Typed, TypedDraft, left_drafts
from pimem_core.systems.openpi.system import OpenpiSystem
from pimem_core.systems.stores import WriteRequest
from waiting import wait_for

if TYPE_CHECKING:
    from pimem_core.paths import Places


def keep(places: Places, name: str = "a.md") -> Path:
    draft = TypedDraft.begin(places, name)
    draft.keep(
        Typed(system="openpi", folder="/x", opened=None, name="n", summary="", body="b", time=2.0)
    )
    return Path(draft.path)


BROKEN: dict[str, Any] = {
    "deep": "[" * 100_000,
    "not an object": "[]",
    "huge time": {"time": 1e300},
    "endless time": {"time": float("inf")},
    "no time": {"time": None},
    "name": {"name": ["n"]},
    "body": {"body": 1},
    "unknown field": {"more": 1},
    "process": {"process": [1, 2, 3]},
    "no process": {"process": "x"},
    "opened": {"opened": [1]},
    "opened without text": {"opened": {"name": "a"}},
    "outside of the drafts": {"outside": "/etc/hostname"},
    "outside above": {"outside": "../x"},
}


@pytest.mark.parametrize("broken", BROKEN.values(), ids=BROKEN)
def test_what_is_no_draft_is_put_aside_and_hides_none(places: Places, broken: Any) -> None:
    good = keep(places)
    bad = keep(places, "b.md")
    row = json.loads(bad.read_text())
    bad.write_text(broken if isinstance(broken, str) else json.dumps({**row, **broken}))
    assert [draft.path for draft, _typed in left_drafts(places)] == [str(good)]
    assert not bad.exists()
    assert bad.with_name(f"{bad.name}.unreadable").exists()
    assert "is not a draft" in Path(places.state_dir, "log", "pimem.log").read_text()


def test_drafts_that_others_can_have_written_are_not_offered(places: Places) -> None:
    path = keep(places)
    path.chmod(0o666)
    assert left_drafts(places) == []
    path.chmod(0o600)
    assert len(left_drafts(places)) == 1
    path.parent.chmod(0o777)
    assert left_drafts(places) == []


def test_what_an_editor_saved_before_its_pimem_was_killed_is_offered(
    places: Places, tmp_path: Path
) -> None:
    store = OpenpiSystem().active(places)
    store.write(WriteRequest(topic="A", content="body", summary="s"))
    editor = tmp_path / "editor.sh"
    editor.write_text(f'#!/bin/sh\necho typed >> "$1"\ntouch {tmp_path}/saved\nexec sleep 60\n')
    editor.chmod(0o755)
    process = subprocess.Popen(
        [sys.executable, "-m", "pimem_tui", "edit", "A"],
        env={**os.environ, "EDITOR": str(editor), "PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )
    wait_for((tmp_path / "saved").exists, "the saved text")
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    ((draft, typed),) = left_drafts(places)
    assert (typed.name, typed.system, typed.folder) == ("A", "openpi", store.path)
    assert typed.whole
    assert typed.body.endswith("typed\n")
    assert typed.opened is not None
    assert typed.body.startswith(typed.opened["text"])
    draft.discard()
    assert os.listdir(Path(places.state_dir, "drafts")) == []
