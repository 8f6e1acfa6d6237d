"""A library whose topics come, change and go."""

from __future__ import annotations

import os
import sqlite3
import threading
from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st
from pimem_core.progress import ignored, never, unwatched
from pimem_core.search import text_library
from pimem_core.search.material import Material
from pimem_core.search.once import read_data
from pimem_core.search.searched import Searched
from pimem_core.search.text_library import Library

from .shelves import hits, library, material, names, refill, search, shelf, topic

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    import pytest
    from pimem_core.errors import PimemError
    from pimem_core.model import Topic
    from pimem_core.progress import Cancelled

WORDS = st.sampled_from(
    ["pool", "size", "cap", "capped", "東京", "café", "deploy", "deployed", "notes", "x"]
)
BODIES = st.lists(WORDS, max_size=12).map(" ".join)
#: Words as people write them: in any case, with signs and breaks between, below front matter.
FILES = st.builds(
    str.__add__,
    st.sampled_from(["", "---\nname: pool\ncafé: size x\n---\n", "--- pool\n"]),
    st.lists(
        st.builds(
            str.__add__,
            WORDS | WORDS.map(str.upper) | WORDS.map(str.title),
            st.sampled_from([" ", "  ", "\n", ". ", " — ", "\n# ", "-", "_"]),
        ),
        max_size=12,
    ).map("".join),
)


def test_a_changed_topic_is_found_by_its_new_words_only() -> None:
    made = library((topic("A"), "old words"), (topic("B"), "other"))
    refill(made, (topic("A"), "new words"), (topic("B"), "other"))
    assert names(made, "old") == []
    assert names(made, "new") == ["A"]
    assert names(made, "word") == ["A"]
    assert len(made) == 2


def test_a_changed_summary_or_pin_counts() -> None:
    made = library((topic("A", "old"), "same"), (topic("B"), "same"))
    refill(made, (topic("A", "new"), "same"), (topic("B", pinned=True), "same"))
    assert names(made, "old") == []
    assert names(made, "new") == ["A"]
    assert names(made, "same") == ["B", "A"]


def test_a_topic_that_is_gone_is_not_found() -> None:
    made = library((topic("A"), "some words"), (topic("B"), "some words"))
    refill(made, (topic("B"), "some words"))
    assert names(made, "words") == ["B"]
    assert names(made, "name:a") == []


def on_disk(folder: Path, *names: str) -> tuple[list[Topic], Material]:
    topics = [topic(name).but(path=str(folder / f"{name.lower()}.md")) for name in names]
    return topics, Material.of(topics, {})


def test_a_file_is_read_again_only_when_it_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[str] = []

    def counting(path: str, shown: Mapping[str, bytes | None]) -> bytes:
        read.append(path)
        return read_data(path, shown)

    monkeypatch.setattr("pimem_core.search.text_library.read_data", counting)
    for name in "abc":
        (tmp_path / f"{name}.md").write_text(f"text of {name}\n")
    _topics, found = on_disk(tmp_path, "a", "b", "c")
    made = Library()
    made.fill("list", lambda: found, never, unwatched, ignored)
    assert len(read) == 3
    (tmp_path / "b.md").write_text("changed text\n")
    made.fill("list", lambda: found, never, unwatched, ignored)
    assert len(read) == 3  # nobody said that files may have changed
    made.doubt()
    made.fill("list", lambda: found, never, unwatched, ignored)
    assert read[3:] == [str(tmp_path / "b.md")]
    assert names(made, "changed") == ["b"]
    os.unlink(tmp_path / "c.md")
    made.doubt()
    made.fill("list", lambda: found, never, unwatched, ignored)
    assert names(made, '"text of"') == ["a"]


def test_files_that_cannot_be_read_are_told(tmp_path: Path) -> None:
    (tmp_path / "a.md").mkdir()
    (tmp_path / "b.md").write_text("text\n")
    _topics, found = on_disk(tmp_path, "a", "b")
    told: list[PimemError] = []
    made = Library()
    made.fill("list", lambda: found, never, unwatched, told.append)
    assert len(told) == 1
    assert names(made, "text") == ["b"]
    assert names(made, "a") == ["a"]


def test_a_fill_that_nobody_waits_for_goes_on_later() -> None:
    topics = [(topic(f"T{number}"), "needle") for number in range(200)]
    made = Library()
    looks = iter([False, False, True])
    made.fill("list", lambda: material(*topics), lambda: next(looks), unwatched, ignored)
    assert 0 < len(made) < 200
    assert len(names(made, "needle")) == len(made)
    made.fill("list", lambda: material(*topics), never, unwatched, ignored)
    assert len(names(made, "needle")) == 200


def test_results_come_while_others_are_still_taken_in() -> None:
    topics = [(topic(f"T{number}"), "needle") for number in range(200)]
    made = Library()
    reached, go_on = threading.Event(), threading.Event()

    def progress(done: int, _total: int) -> None:
        if done >= 100 and not reached.is_set():
            reached.set()
            go_on.wait(10)

    worker = threading.Thread(
        target=made.fill, args=("list", lambda: material(*topics), never, progress, ignored)
    )
    worker.start()
    assert reached.wait(10)
    early = len(names(made, "needle"))
    go_on.set()
    worker.join()
    assert 1 < early < 200
    assert len(names(made, "needle")) == 200


def test_without_full_text_search_it_goes_through_the_bodies(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def refuse(*_args: object, **_options: object) -> None:
        raise sqlite3.OperationalError("no such module: fts5")

    monkeypatch.setattr(sqlite3, "connect", refuse)
    made = library((topic("A"), "some words"))
    assert not made.indexed
    assert names(made, "word") == ["A"]


@settings(deadline=None, max_examples=60)
@given(
    st.lists(
        st.tuples(st.sampled_from(["", "pool notes", "Café SIZE (capped)", "notes\x1fx"]), FILES),
        min_size=1,
        max_size=8,
    ),
    st.lists(WORDS, min_size=1, max_size=4).map(" ".join)
    | st.sampled_from(
        ['"pool size"', "pool -size", "po", "deplo", "京", "capd", "ca*", "ize", "deployes"]
    ),
    st.booleans(),
)
def test_every_way_finds_the_same_in_the_same_order(
    texts: list[tuple[str, str]], query: str, typing: bool
) -> None:
    topics = [(topic(f"T{number}", summary), body) for number, (summary, body) in enumerate(texts)]
    one, *others = (shelf(kind, *topics) for kind in ("index", "plain", "once"))
    first = search(one, query, typing=typing)
    for other in others:
        second = search(other, query, typing=typing)
        assert [hit.__dict__ for hit in first] == [hit.__dict__ for hit in second]
        assert sorted(first.suggestions) == sorted(second.suggestions)


@settings(deadline=None, max_examples=40)
@given(st.lists(st.tuples(st.integers(0, 4), st.none() | BODIES), max_size=12), BODIES)
def test_changes_one_by_one_end_where_a_fresh_library_begins(
    changes: list[tuple[int, str | None]], query: str
) -> None:
    made = Library()
    now: dict[str, str] = {}
    for number, body in changes:
        name = f"T{number}"
        now.pop(name, None)
        if body is not None:
            now[name] = body
        refill(made, *((topic(name), body) for name, body in now.items()))
    fresh = library(*((topic(name), body) for name, body in now.items()))
    assert {hit.topic.name for hit in hits(made, query)} == {
        hit.topic.name for hit in hits(fresh, query)
    }
    assert [hit.score for hit in hits(made, query)] == [hit.score for hit in hits(fresh, query)]


def test_a_search_knows_the_topics_that_were_there_when_it_began() -> None:
    made = library((topic("A"), "some words"), (topic("B"), "some words"))
    before = made.kept()
    found = search(before, "words")
    refill(made, (topic("B"), "some words"), (topic("C"), "more words"))
    assert [hit.topic.name for hit in found] == ["A", "B"]
    assert {hit.where for hit in found} == {"body"}
    # What came since has no place in it.
    assert "C" not in names(before, "words")
    assert sorted(names(made, "words")) == ["B", "C"]


def test_stores_are_searched_in_one_order() -> None:
    from pimem_core.search.finding import find

    one = library((topic("A"), "the pool is capped"), (topic("B"), "other")).kept()
    other = shelf("once", (topic("C", store="shared"), "the pool size is capped"))
    found = find([one, other], "pool size")
    assert [(hit.topic.store, hit.topic.name) for hit in found] == [("shared", "C"), ("local", "A")]


def test_threads_that_begin_together_share_one_library(monkeypatch: pytest.MonkeyPatch) -> None:
    class Store(Searched):
        def material(self, _cancelled: Cancelled = never) -> Material:
            return material((topic("A"), "some words"))

    store = Store()
    other = threading.Thread(target=store.keep_texts)
    made: list[Library] = []

    class Slow(Library):
        def __init__(self) -> None:
            super().__init__()
            made.append(self)
            if len(made) == 1:
                other.start()
                other.join(0.2)  # it may not get ahead

    monkeypatch.setattr(text_library, "Library", Slow)
    store.keep_texts()
    other.join()
    assert len(made) == 1
