"""What a topic may be called, and the file that it gets."""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING, Any

import pytest
from core.folders import HEADER, Folder
from pimem_core.errors import (
    InvalidArgumentError,
    InvalidTopicError,
)
from pimem_core.systems.openpi import carry_over
from pimem_core.systems.openpi.system import OpenpiSystem

if TYPE_CHECKING:
    from pimem_core.paths import Places


@pytest.mark.parametrize("character", ["\x00", "\x1b", "\x7f", "\x85", "\u2028", "\u2029", "\x9b"])
def test_topics_with_control_characters_are_refused(local: Folder, character: str) -> None:
    with pytest.raises(InvalidTopicError, match=f"U\\+{ord(character):04X}"):
        local.write(f"a{character}b")
    assert not local.path.exists()


def test_a_tab_inside_a_topic_is_fine(local: Folder) -> None:
    assert local.write("a\tb").file == "a-b.md"


@pytest.mark.parametrize(
    ("request_", "named"),
    [
        ({"topic": None}, "topic"),
        ({"topic": 7}, "topic"),
        ({"summary": None}, "summary"),
        ({"summary": ["x"]}, "summary"),
        ({"content": None}, "content"),
        ({"content": True}, "content"),
    ],
)
def test_missing_and_mistyped_fields_are_named(
    local: Folder, request_: dict[str, Any], named: str
) -> None:
    with pytest.raises((InvalidArgumentError, InvalidTopicError), match=named):
        local.write(**{"topic": "A", "content": "c", "summary": "s", **request_})
    assert not local.path.exists()


def test_long_topics_get_a_cut_slug_with_a_hash(local: Folder) -> None:
    topic, twin = "word " * 60 + "a", "word " * 60 + "b"
    first, second = local.write(topic).file, local.write(twin).file
    mark = hashlib.sha256(topic.encode()).hexdigest()[:8]
    assert first == f"{'word-' * 40}-{mark}.md"
    assert first != second
    assert len(os.fsencode(first)) <= 255
    assert local.write(topic).outcome == "updated"
    assert local.write("x" * 252).file == "x" * 252 + ".md"


@pytest.mark.parametrize("length", [250, 251, 252])
def test_a_suffix_that_makes_a_name_too_long_cuts_the_slug(local: Folder, length: int) -> None:
    topic, twin = "x" * length, "é" + "x" * length
    mark = hashlib.sha256(twin.encode()).hexdigest()[:8]
    assert local.write(topic).file == f"{topic}.md"
    fits = length + len("-2.md") <= 255
    assert local.write(twin).file == (f"{topic}-2.md" if fits else f"{'x' * 200}-{mark}.md")
    assert local.write(twin).outcome == "updated"
    assert local.store.remove(twin).outcome == "removed"


def test_a_carried_over_name_that_would_be_too_long_is_cut(places: Places) -> None:
    local, shared = (Folder(store) for store in OpenpiSystem().stores(places))
    name = "x" * 252
    line = f"- [{name}]({name}.md) 2026-11-01 -- s"
    for folder, text in ((local, "mine"), (shared, "theirs")):
        folder.fill({"MEMORY.md": f"{HEADER}{line}\n", f"{name}.md": text})
    assert carry_over.carry_over(places, str(local.path), str(shared.path)) is None
    mark = hashlib.sha256(name.encode()).hexdigest()[:8]
    file = f"{'x' * 200}-{mark}-opim.md"
    assert (shared.path / file).read_text() == "mine"
    assert shared.lines()[-2:] == [line, line.replace(f"({name}.md)", f"({file})")]


@pytest.mark.parametrize("topic", ["重构", "😀", "Ёлка", "é"])
def test_topics_without_an_ascii_letter_are_refused_with_a_suggestion(
    local: Folder, topic: str
) -> None:
    with pytest.raises(InvalidTopicError, match=f"Notes {topic}"):
        local.write(topic)
    assert local.write(f"Notes {topic}").file == "notes.md"
