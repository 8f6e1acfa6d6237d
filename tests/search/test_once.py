"""Searching once: what a child looks through, whatever becomes of it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pimem_core.search.ahead import Ends
from pimem_core.systems.openpi.system import OpenpiSystem
from pimem_core.systems.stores import WriteRequest

if TYPE_CHECKING:
    from pimem_core.paths import Places
    from pimem_core.systems.openpi.store import OpenpiStore

# A process without threads, as commands are.
_SEARCH = """
import os, sys
from pimem_core.search import ahead, once as search
from pimem_core.paths import find_places
from pimem_core.systems.openpi.system import OpenpiSystem
search._MANY = int(sys.argv[1])
ahead.possible = search.possible = lambda: True
if sys.argv[2] == "killed":
    inner = search.read_data
    def killed(*arguments, parent=os.getpid()):
        return inner(*arguments) if os.getpid() == parent else os.kill(os.getpid(), 9)
    search.read_data = killed
elif sys.argv[2] == "unwaited":
    import signal
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
elif sys.argv[2] in ("fork", "pipe"):
    def refused():
        raise OSError(11, "Resource temporarily unavailable")
    setattr(os, sys.argv[2], refused)
elif sys.argv[2] == "orphan":
    # Its parent is another one than at the fork: the child has to notice.
    inner = search.read_data
    search._STEP = 1
    os.getppid = lambda: 1
    def counted(*arguments, parent=os.getpid()):
        if os.getpid() != parent:
            os.write(2, b"an orphan reads on")
        return inner(*arguments)
    search.read_data = counted
looks = iter([False, True])
cancelled = (lambda: next(looks)) if sys.argv[2] == "left" else (lambda: False)
search._STEP = 1 if sys.argv[2] == "left" else search._STEP
found = OpenpiSystem().active(find_places()).search("line", cancelled=cancelled)
for hit in found:
    print(hit.topic.file, hit.where, hit.line, hit.snippet)
try:
    os.waitpid(-1, os.WNOHANG)
    print("a child is left")
except ChildProcessError:
    pass
"""


@pytest.fixture
def store(places: Places) -> OpenpiStore:
    made = OpenpiSystem().active(places)
    made.write(WriteRequest(topic="A", content="body", summary="old"))
    return made


def test_a_search_with_kept_texts_finds_the_same(store: OpenpiStore) -> None:
    Path(store.path, "b.md").write_text("Grüße und Ωmega\nsecond LINE\n")
    queries = ("line", "grüße", "ωmega", "old", "body", "nothing", "bodi", "")
    before = [[hit.__dict__ for hit in store.search(query)] for query in queries]
    store.keep_texts()
    for _ in range(2):
        assert [[hit.__dict__ for hit in store.search(query)] for query in queries] == before
    Path(store.path, "b.md").write_text("nothing\n")
    store.forget_texts()
    assert [hit.topic.file for hit in store.search("nothing")] == ["b.md"]


def searched(places: Places, *words: str) -> str:
    command = [sys.executable, "-c", _SEARCH, *words]
    env = {**os.environ, "HOME": places.home}
    done = subprocess.run(command, capture_output=True, text=True, env=env, check=True)
    assert done.stderr == ""
    return done.stdout


def test_a_child_that_looks_through_some_of_it_changes_no_hit(
    store: OpenpiStore, places: Places
) -> None:
    for number in range(9):
        name, body = f"T{number}", "a LINE\n" if number % 2 else "ü\nthe lıne, the line\n"
        summary = "a line" if number == 7 else ""
        store.write(WriteRequest(topic=name, content=body, summary=summary))
    Path(store.path, "unlisted.md").write_text("unlisted line\n")
    alone = searched(places, "1000", "whole")
    assert len(alone.splitlines()) == 10
    assert "t7.md summary None" in alone
    assert searched(places, "2", "whole") == alone
    assert searched(places, "2", "killed") == alone
    assert searched(places, "2", "left") == ""


@pytest.mark.parametrize("hindrance", ["unwaited", "fork", "pipe"])
def test_a_child_that_cannot_be_had_or_waited_for_changes_no_hit(
    store: OpenpiStore, places: Places, hindrance: str
) -> None:
    for number in range(9):
        store.write(WriteRequest(topic=f"T{number}", content="a line\n", summary=""))
    alone = searched(places, "1000", "whole")
    assert len(alone.splitlines()) == 9
    assert searched(places, "2", hindrance) == alone


def test_the_child_of_a_killed_search_reads_no_further(store: OpenpiStore, places: Places) -> None:
    for number in range(9):
        store.write(WriteRequest(topic=f"T{number}", content="a line\n", summary=""))
    searched(places, "2", "orphan")  # which fails when anything is said on stderr


@given(st.integers(0, 40), st.integers(1, 7), st.lists(st.booleans(), max_size=60))
def test_two_that_take_from_both_ends_leave_nothing_out(
    total: int, step: int, turns: list[bool]
) -> None:
    ends = Ends(total, step)
    both = {True: ends.from_front(), False: ends.from_back()}
    taken: dict[bool, list[int]] = {True: [], False: []}
    for turn in [*turns, *[True] * (total + 1), False]:
        taken[turn] += next(both[turn], ())
    assert sorted(taken[True] + taken[False]) == list(range(total))
    assert taken[True] == list(range(len(taken[True])))
