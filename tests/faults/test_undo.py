"""Undoing any run of changes gives back the first bytes, redoing it the last ones."""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import tempfile
from pathlib import Path
from unittest import mock

import pytest
from faults.homes import EVERY, Home, filled
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pimem_core.cli.main import main as command_line
from pimem_core.errors import PimemError
from pimem_core.history import journal
from pimem_core.systems.stores import WriteRequest

TOPICS = ["Note", "Keep", "Other", "Fresh", "Café 1"]
TEXT = st.text(st.sampled_from("ab \n-#[]€\t:\"'"), max_size=30)
CHANGE = st.tuples(
    st.sampled_from(["append", "replace", "pinned write", "pin", "unpin", "remove", "edit"]),
    st.sampled_from(TOPICS),
    TEXT,
    st.booleans(),
)


def _bytes(home: Home) -> dict[str, bytes]:
    return {
        str(path.relative_to(home.root)): path.read_bytes()
        for path in home.root.rglob("*")
        if path.is_file() and "memory/" in str(path)
    }


def _command(home: Home, *words: str) -> int:
    """Run the command line in this process, with the home's environment."""
    with (
        mock.patch.dict(os.environ, home.env, clear=True),
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()),
    ):
        return command_line(list(words), open_manager=lambda *_: 2)


def _change(home: Home, action: str, topic: str, text: str, by_command: bool) -> None:
    mode = "replace" if action == "replace" else "append"
    if by_command:
        words = {
            "pin": ["pin", topic],
            "unpin": ["unpin", topic],
            "remove": ["remove", topic],
            "edit": ["edit", topic],
        }.get(action, ["write", topic, f"--summary={text}", f"--content={text}", "--mode", mode])
        if action == "pinned write":
            words.append("--pin")
        assert _command(home, *words) in (0, 1)
        return
    store = home.store
    with contextlib.suppress(PimemError):
        if action in ("pin", "unpin"):
            store.pin(topic, action == "pin")
        elif action == "remove":
            store.remove(topic)
        elif action == "edit":
            file = store.find(topic).file
            opened = store.read(file).text
            store.save(file, opened=opened, text=opened.replace("a", text) + text)
        else:
            pin = action == "pinned write"
            store.write(WriteRequest(topic=topic, content=text, summary=text, pin=pin, mode=mode))


def _back(home: Home, action: str, by_command: bool) -> None:
    if by_command:
        assert _command(home, action) == 0
        return
    newest = journal.newest_undoable if action == "undo" else journal.newest_redoable
    store = home.store
    store.revert(newest(home.places.state_dir, {store.path}), action)


@pytest.mark.timeout(900)
@pytest.mark.parametrize("shared", [False, True], ids=["local", "shared"])
def test_undo_gives_back_the_first_bytes_and_redo_the_last(tmp_path: Path, shared: bool) -> None:
    @settings(
        max_examples=150 if EVERY else 12,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        database=None,
        derandomize=not EVERY,
    )
    @given(st.lists(CHANGE, min_size=1, max_size=30), st.lists(st.booleans(), min_size=60))
    def prove(changes: list[tuple[str, str, str, bool]], fronts: list[bool]) -> None:
        base = Path(tempfile.mkdtemp(dir=tmp_path))
        home = Home(base, shared=shared)
        filled(home)
        states = [_bytes(home)]
        front = iter(fronts)
        for change in changes:
            _change(home, *change)
            made = _bytes(home)
            if made != states[-1]:
                states.append(made)
        count = len(states) - 1
        assert len(journal.history(home.places.state_dir, {home.store.path})) == count
        for state in reversed(states[:-1]):
            _back(home, "undo", next(front))
            assert _bytes(home) == state
        for state in states[1:]:
            _back(home, "redo", next(front))
            assert _bytes(home) == state
        for _ in range(count):
            _back(home, "undo", False)
        assert _bytes(home) == states[0]
        assert home.leftovers() == []
        shutil.rmtree(base)

    prove()
