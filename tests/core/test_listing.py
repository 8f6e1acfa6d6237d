"""Topics of an index: what they work out of their lines is what the lines say."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from core.test_index import FILES, TEXT
from hypothesis import given
from pimem_core.model import Topic
from pimem_core.paths import find_places
from pimem_core.systems.openpi.folder import TopicFolder, View
from pimem_core.systems.openpi.index import entries
from pimem_core.systems.openpi.rows import Rows

if TYPE_CHECKING:
    from core.folders import Folder

PRESENT = frozenset(FILES) - {"gone.md"}


def rows(path: str) -> Rows:
    """The rows of a folder that need not be there."""
    return Rows(TopicFolder("local", path, find_places()))


@given(TEXT)
def test_listed_topics_have_the_fields_of_their_lines(text: str) -> None:
    view = View(text, {}, {})
    listed = rows("/store").listed(view, PRESENT)
    firsts = {entry.file: entry for entry in reversed(entries(text))}
    assert list(listed) == list(dict.fromkeys(entry.file for entry in entries(text)))
    for file, topic in listed.items():
        entry = firsts[file]
        plain = Topic(
            store="local",
            name=entry.name,
            file=file,
            path=f"/store/{file}",
            summary=entry.summary,
            stamp=entry.stamp,
            pinned=entry.pinned,
            stale=entry.stale,
            line=entry.line.removesuffix(entry.tail) if entry.tail else entry.line,
            problem=None if file in PRESENT else "file missing",
        )
        assert topic == plain
        assert plain == topic
        assert hash(topic) == hash(plain)
        assert topic.but(name="other") == plain.but(name="other") != topic


def test_equal_lines_make_equal_topics_in_the_same_store_only() -> None:
    view = View("- [A](a.md) 2026-11-01 -- text", {}, {})
    here, there = rows("/store"), rows("/other")
    first = here.listed(view, PRESENT)["a.md"]
    assert first == here.listed(view, PRESENT)["a.md"]
    assert first != there.listed(view, PRESENT)["a.md"]
    with pytest.raises(AttributeError):
        first.name = "other"  # type: ignore[misc]


@pytest.mark.parametrize("count", [0, 1, 3, 5, 100])
def test_skimming_gives_the_top_of_the_list(local: Folder, count: int) -> None:
    lines = ["# Memory Index", ""]
    for number in range(6):
        local.fill({f"t{number}.md": "text"})
        lines.append(f"- [T {number}](t{number}.md) 2026-11-0{number + 1} -- summary")
    lines[4:4] = ["prose", "- [Gone](gone.md) -- no file", "- [Again](t0.md) -- twice"]
    local.fill({"MEMORY.md": "\n".join(lines)})
    whole = list(local.store.list())
    assert len(whole) == 7
    top = list(local.store.skim(count))
    assert top == whole[: len(top)]
    assert len(top) in (count, count - 1, 7)  # a repeated line makes no topic of its own


def test_skimming_an_absent_store_gives_nothing(local: Folder) -> None:
    assert list(local.store.skim(10)) == []
