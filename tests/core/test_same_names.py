"""Two topics of one name: reading and changing mean the same one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.folders import HEADER, topic_text

if TYPE_CHECKING:
    from core.folders import Folder


def test_reading_and_changing_mean_the_same_of_two_topics_of_one_name(local: Folder) -> None:
    text = topic_text("A", body="old")
    lines = "- [A](one.md) 2026-01-01 -- s\n- [a](two.md) 2026-01-01 -- s\n"
    local.fill({"MEMORY.md": HEADER + lines, "one.md": text, "two.md": text})
    assert local.store.find("A").file == "two.md"
    assert local.write("A", "new").file == "two.md"
    assert local.store.pin("A", True).file == "two.md"
    assert local.store.pin("A", False).file == "two.md"
    assert local.store.remove("A").file == "two.md"
    assert local.store.find("A").file == "one.md"


def test_a_file_and_a_name_that_are_alike_are_told_apart_by_case(local: Folder) -> None:
    lines = "- [b.md](a.md) 2026-01-01 -- s\n- [Other](b.md) 2026-01-01 -- s\n"
    local.fill({"MEMORY.md": HEADER + lines, "a.md": topic_text("x"), "b.md": topic_text("y")})
    assert local.store.find("b.md").file == "b.md"
    assert local.store.find("B.MD").file == "a.md"
