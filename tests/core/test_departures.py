"""What ours does better than openpi-memory 0.3.9, which loses or distorts data there."""

from __future__ import annotations

import datetime as dt
import os
from typing import TYPE_CHECKING, Any

import pytest
import time_machine
from core.folders import HEADER, Folder, snapshot, topic_text
from pimem_core.errors import (
    PinnedError,
    StorageError,
)
from pimem_core.systems.openpi import config, handoff
from pimem_core.systems.openpi.injection import index_text

if TYPE_CHECKING:
    from pimem_core.paths import Places

FULL = "2026-11-15T10:20:30+00:00"


@pytest.fixture(autouse=True)
def frozen(utc: None) -> Any:
    with time_machine.travel(dt.datetime(2026, 11, 15, 10, 20, 30, tzinfo=dt.UTC), tick=False):
        yield


def test_flags_and_stamp_count_only_before_the_summary(local: Folder) -> None:
    line = "- [A](a.md) -- see [pin] and [stale?] since 2019-01-01"
    local.fill({"MEMORY.md": HEADER + line, "a.md": "a"})
    topic = local.store.list()[0]
    assert (topic.pinned, topic.stale, topic.stamp) == (False, False, None)
    local.write("B")
    assert line in local.lines()
    assert local.store.remove("A").outcome == "removed"


@pytest.mark.parametrize("tail", ["\r", "\u2028more", "\u2029more", "\rmore -- x"])
def test_an_untouched_line_keeps_what_follows_a_foreign_line_end(local: Folder, tail: str) -> None:
    line = f"- [A](a.md) 2026-11-01 -- a{tail}"
    local.fill(
        {"MEMORY.md": f"{HEADER}{line}\n- [B](b.md) 2026-11-01 -- b\n", "a.md": "", "b.md": ""}
    )
    local.store.pin("B", True)
    assert local.index == f"{HEADER}{line}\n- [B](b.md) [pin] 2026-11-01 -- b\n"


def test_a_touched_line_keeps_the_files_line_end(local: Folder) -> None:
    index = "# Memory Index\r\n\r\n- [A](a.md) 2026-11-01 -- a\r\nprose\r\n"
    local.fill({"MEMORY.md": index, "a.md": "a"})
    local.write("A", summary="new")
    assert local.index == index.replace("2026-11-01 -- a", f"{FULL} -- new")
    local.write("B")
    assert "\n" not in local.index.replace("\r\n", "")


def test_duplicates_compare_instants_keep_the_pin_and_the_winners_place(local: Folder) -> None:
    local.fill(
        {
            "MEMORY.md": HEADER
            + "- [A](a.md) [pin] 2026-11-01T10:00:00+09:00 -- earlier instant\n"
            + "- [B](b.md) 2026-11-01 -- b\n"
            + "- [A](a.md) 2026-11-01T05:00:00+00:00 -- later instant\n",
            "a.md": "a",
            "b.md": "b",
        }
    )
    local.store.pin("B", True)
    assert local.lines() == [
        "- [B](b.md) [pin] 2026-11-01 -- b",
        "- [A](a.md) [pin] 2026-11-01T05:00:00+00:00 -- later instant",
    ]


def duplicated(local: Folder, mark: str) -> Folder:
    lines = f"- [A](a.md) 2026-11-01 -- one\n- [A](a.md){mark} 2026-10-01 -- two\n"
    return local.fill({"MEMORY.md": HEADER + lines, "a.md": "a"})


def test_remove_takes_every_line_of_the_file(local: Folder) -> None:
    duplicated(local, "").store.remove("A")
    assert local.lines() == []
    assert local.text("a.md") == "a"


def test_remove_is_refused_when_any_line_of_the_file_is_pinned(local: Folder) -> None:
    before = snapshot(duplicated(local, " [pin]").path)
    with pytest.raises(PinnedError, match="is pinned"):
        local.store.remove("A")
    assert snapshot(local.path) == before


def test_unpin_takes_the_pin_off_every_line_of_the_file(local: Folder) -> None:
    assert duplicated(local, " [pin]").store.pin("A", False).outcome == "unpinned_now"
    assert local.lines() == ["- [A](a.md) 2026-11-01 -- one"]


@pytest.mark.parametrize("glued", ["[pin]", "[pin][pin]", " [pin] [pin]", "[pin] [pin]"])
def test_unpin_removes_a_glued_pin(local: Folder, glued: str) -> None:
    local.fill({"MEMORY.md": f"{HEADER}- [A](a.md){glued} 2026-11-01 -- a", "a.md": "a"})
    assert local.store.pin("A", False).outcome == "unpinned_now"
    assert local.lines() == ["- [A](a.md) 2026-11-01 -- a"]


@pytest.mark.parametrize(
    ("old", "new_body"),
    [
        ("\ufeff---\nname: A\n---\nbody", "body"),
        ("---\n---\nbody", "body"),
        ("---\r\n---\r\nbody", "body"),
        ("---\nname: A\n---", ""),
        ("\ufeff---\n---", ""),
    ],
    ids=["mark", "empty", "empty crlf", "no final newline", "all"],
)
def test_unusual_front_matter_is_recognised(local: Folder, old: str, new_body: str) -> None:
    local.fill({"MEMORY.md": f"{HEADER}- [A](a.md) 2026-11-01 -- a\n", "a.md": old})
    local.write("A", "more")
    text = local.text("a.md")
    assert text.count("---") == 2
    assert text.count("\ufeff") == old.count("\ufeff")
    assert text.startswith("\ufeff") == old.startswith("\ufeff")
    assert text.replace("\r\n", "\n").split("---\n", 2)[2] == f"{new_body}\n## 2026-11-15\n\nmore\n"
    assert local.store.read("a.md").front_matter["created"] == FULL


def test_crlf_topics_stay_crlf(local: Folder) -> None:
    old = topic_text('"A"').replace("\n", "\r\n")
    local.fill({"MEMORY.md": f"{HEADER}- [A](a.md) 2026-11-01 -- a\n", "a.md": old})
    local.write("A", "one\ntwo\r\nthree")
    text = local.text("a.md")
    assert "\n" not in text.replace("\r\n", "")
    assert text.endswith("\r\n## 2026-11-15\r\n\r\none\r\ntwo\r\nthree\r\n")


@pytest.mark.parametrize(
    "old",
    [
        "description: |\n  one\n\n  two\n",
        "description: >-\n    folded\n    text\n",
        'description: "one\n  two"\n',
        "description: 'it''s\n  two'\n",
        "description: plain\n  goes on\n",
        "description: first\nx: 1\ndescription: second\n",
        "description:\n  - list\n",
        "description:\n- list\n- more\n",
        "description: Text re: October\n",
    ],
)
def test_the_whole_old_value_is_replaced(local: Folder, old: str) -> None:
    rest = "# a comment\nname: A\n"
    tail = "tags: [a, b] # why\nnested:\n  description: stays\n  # and this\nz: 'x'\n"
    local.fill({"MEMORY.md": f"{HEADER}- [A](a.md) 2026-11-01 -- a\n"})
    local.fill({"a.md": f"---\n{rest}{old}{tail}---\nbody\n"})
    local.replace("A", "new", "short")
    x = "x: 1\n" if "x: 1" in old else ""
    assert local.text("a.md") == (
        f'---\n# a comment\nname: "A"\ndescription: "short"\n{x}{tail}'
        f"last_updated: {FULL}\ncreated: {FULL}\n---\n\nnew\n"
    )


@pytest.mark.parametrize(
    "value",
    ["Text re: October", "Update #2", "see #1: x", "a: b: c", "*bold* start", "[x] done", "- dash"],
)
def test_unquoted_prose_is_read_whole_and_written_quoted(local: Folder, value: str) -> None:
    local.fill({"MEMORY.md": HEADER, "a.md": topic_text("A", value)})
    document = local.store.read("a.md")
    assert document.front_matter["description"] == value
    assert document.front_matter["metadata"] == {"node_type": "memory"}
    local.write("Other", summary=value)
    assert f'description: "{value}"\n' in local.text("other.md")


def test_invalid_utf8_refuses_the_change_and_names_the_offset(local: Folder) -> None:
    index = HEADER + "- [A](a.md) 2026-11-01 -- a\n"
    local.fill({"MEMORY.md": index, "a.md": b"ab\xffc"})
    before = snapshot(local.path)
    with pytest.raises(StorageError, match=r"a\.md is not UTF-8 at byte 2"):
        local.write("A")
    local.fill({"MEMORY.md": index.encode() + b"\xe2\x82"})
    offset = len(index)
    with pytest.raises(StorageError, match=rf"MEMORY\.md is not UTF-8 at byte {offset}"):
        local.write("B")
    assert snapshot(local.path).keys() == before.keys()
    assert local.bytes("a.md") == b"ab\xffc"


def test_a_cut_never_splits_a_character(local: Folder) -> None:
    local.write("A", summary="x" * 499 + "😀")
    assert local.store.list()[0].summary == "x" * 499


@pytest.mark.parametrize(
    "text",
    [
        '/* a */ {"max_lines": /* b */ 100}',
        '\ufeff{"max_lines": 100}',
        '{"max_lines": 100,}',
        '{"never_persist": ["http://x", "a,]",], "max_lines": 100, // end\n}',
        '{"max_lines": 100, ' + "/" * 200 + "\n}",
        '{"max_lines": 100} /* end */ // end',
    ],
)
def test_unusual_configuration_is_parsed(places: Places, text: str) -> None:
    os.makedirs(places.agent_dir)
    with open(config.config_path(places), "w", encoding="utf-8") as file:
        file.write(text)
    found, error = config.load(places)
    assert error is None
    assert found.max_lines == 100


def test_a_broken_configuration_keeps_the_last_good_values_and_names_the_place(
    places: Places,
) -> None:
    path = config.config_path(places)
    os.makedirs(places.agent_dir)
    with open(path, "w", encoding="utf-8") as file:
        file.write('{"max_lines": 77, "always_ask": ["x"]}')
    config.load(places)
    with open(path, "w", encoding="utf-8") as file:
        file.write('{\n  "max_lines": 77,\n  "always_ask": oops\n}')
    found, error = config.load(places)
    assert (found.max_lines, found.always_ask) == (77, ("x",))
    assert "line 3, column 17" in str(error)


def test_a_long_index_is_cut_at_whole_lines_oldest_unpinned_first() -> None:
    lines = [
        "# Memory Index",
        "- [Old](old.md) 2020-01-01 -- old",
        "- [Pinned](pinned.md) [pin] 2019-01-01 -- pinned",
        *(f"- [N{n}](n{n}.md) 2026-01-{n % 28 + 1:02d} -- {'é' * 400}" for n in range(70)),
        "- [New](new.md) 2026-11-01 -- new",
    ]
    text = index_text("\n".join(lines), 300)
    body, _, comment = text.partition("\n\n<!--")
    kept = body.split("\n")
    assert len(text.encode()) <= 51_200
    assert set(kept) <= set(lines)
    assert kept == [line for line in lines if line in kept]
    assert lines[1] not in kept
    assert {lines[0], lines[2], lines[-1]} <= set(kept)
    assert str(len(lines) - len(kept)) in comment


def test_a_write_that_crosses_a_limit_warns(local: Folder) -> None:
    files = {f"n{n}.md": "" for n in range(298)}
    index = HEADER + "\n".join(f"- [N{n}](n{n}.md) 2026-11-01 -- x" for n in range(298))
    local.fill({"MEMORY.md": index, **files})
    change = local.write("One more")
    assert any("max_lines" in note for note in change.notes)
    assert not local.write("And another").notes
    assert not local.write("Large", summary="x").notes
    local.fill({"MEMORY.md": HEADER + "prose\n" * 8450})
    assert any("50 KiB" in note for note in local.write("B", summary="y" * 500).notes)
    assert not local.write("C").notes


def test_an_unreadable_index_is_an_error_and_never_empty(local: Folder) -> None:
    local.path.mkdir(parents=True)
    (local.path / "MEMORY.md").symlink_to(local.path / "elsewhere.md")
    with pytest.raises(StorageError, match=r"MEMORY\.md is a symbolic link"):
        local.store.list()
    with pytest.raises(StorageError, match=r"MEMORY\.md is a symbolic link"):
        local.write("A")
    assert sorted(os.listdir(local.path)) == ["MEMORY.md"]


def test_prose_unsafe_lines_and_foreign_files_are_never_rewritten(local: Folder) -> None:
    prose = (
        "# Mine\n\nprose  \n- [Up](../x.md) -- u\n- [Url](https://e.com/a.md) -- u\n"
        "* [Star](s.md)\n  - sub\n- [ ] task\n<!-- c -->\n\n\n"
    )
    local.fill({"MEMORY.md": prose + "- [A](a.md) 2026-11-01 -- a\n", "x.txt": "x"})
    local.fill({"a.md": topic_text("A"), "sub/y.md": "y", ".hidden.md": "h"})
    local.store.remove("A")
    assert local.index == prose
    local.write("B")
    assert local.index.startswith(prose)
    assert local.text("x.txt") + local.text("sub/y.md") + local.text(".hidden.md") == "xyh"


@pytest.mark.parametrize("there", [True, False])
def test_the_core_never_touches_the_peers_notification_file(shared: Folder, there: bool) -> None:
    if there:
        shared.fill({".invalidate": "1"})
        os.utime(shared.path / ".invalidate", (1, 1))
    shared.write("A")
    assert (shared.path / ".invalidate").exists() == there
    assert not there or (shared.path / ".invalidate").stat().st_mtime == 1


@pytest.mark.parametrize(
    ("rules", "words", "action"),
    [
        ({"consolidate_on_compact": True, "auto_resume": True}, "", "consolidate"),
        ({"auto_resume": True}, "", "continue"),
        ({}, "We NEED TO finish", "continue"),
        ({}, "éneed to", "continue"),
        ({}, "all done, incompletely", "none"),
        ({}, "need  to, next steps", "none"),
        ({}, "", "none"),
    ],
)
def test_only_settings_and_explicit_words_go_on_after_a_compaction(
    rules: dict[str, bool], words: str, action: str
) -> None:
    names = {"auto_resume": "auto_resume_after_threshold_compaction"}
    settings = config.from_json({names.get(key, key): value for key, value in rules.items()})
    assert handoff.decide(settings, words) == action
