"""Dated entries: parsed leniently, changed without touching anything else, checked."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pimem_core.errors import (
    AmbiguousTopicError,
    InvalidArgumentError,
    TopicNotFoundError,
)
from pimem_core.systems.layered import entries
from pimem_core.systems.stores import PinningStore

if TYPE_CHECKING:
    from layered.worlds import World
    from pimem_core.systems.layers import DatedEntry

SEED = """## 2026-07-15 Choosing Chroma as Vector Store

- **status**: active
- **valid_from**: 2026-01
- **supersedes**: —
- **context**: Needed embedding storage for factor analysis similarity search
- **decision**: Chroma (local file mode)
- **rationale**: Zero ops, Python native,
  collection-level isolation
- **consequences**: Needs path config in confidential.py
- **confidence**: high
- **verified**: 6 months production without issues
- **owner of it**: nobody
"""


def one(text: str) -> DatedEntry:
    (found,) = entries.parse(text, store="workspace", file="a.md")
    return found


def test_the_seeds_entry() -> None:
    entry = one(SEED)
    assert (entry.date, entry.title) == ("2026-07-15", "Choosing Chroma as Vector Store")
    assert entry.line == 1
    fields = dict(entry.fields)
    assert list(fields) == [
        *("status", "valid_from", "supersedes", "context", "decision", "rationale"),
        *("consequences", "confidence", "verified", "owner of it"),
    ]
    assert fields["rationale"] == "Zero ops, Python native, collection-level isolation"
    assert entry.status == "active"
    assert entry.problems == []


@pytest.mark.parametrize(
    ("line", "name", "value"),
    [
        ("- **status**: superseded", "status", "superseded"),
        ("- **Status**：superseded", "status", "superseded"),
        ("* **status:** superseded", "status", "superseded"),
        ("+ __status__ : superseded", "status", "superseded"),
        ("1. **status**: superseded", "status", "superseded"),
        ("- status: superseded", "status", "superseded"),
        ("- **状态**: superseded", "status", "superseded"),
        ("- **验证**：半年", "verified", "半年"),
        ("- **valid_from**: 2026-01", "valid_from", "2026-01"),
        ("- **anything new**: x: y", "anything new", "x: y"),
        ("- **url**: https://example.org/a:b", "url", "https://example.org/a:b"),
    ],
)
def test_fields_as_people_write_them(line: str, name: str, value: str) -> None:
    assert one(f"## 2026-01-02 T\n\n{line}\n").fields == [(name, value)]


@pytest.mark.parametrize(
    "line", ["- Note: x", "- plain", "status: active", "- http://x", "- **x**"]
)
def test_what_is_no_field(line: str) -> None:
    assert one(f"## 2026-01-02 T\n\n{line}\n").fields == []


def test_headings_in_code_quotes_and_deeper_lists_are_none() -> None:
    text = (
        "```\n## 2026-01-01 Code\n```\n\n    ## 2026-01-01 Indented\n\n> ## 2026-01-01 Quoted\n\n"
        "<!--\n## 2026-01-01 Comment\n-->\n\n## 2026-01-02 Real\n\n- **status**: active\n"
        "  - **confidence**: nested\n\n### 2026-01-03 Deeper\n\n## No date\n\n- **status**: x\n"
    )
    entry = one(text)
    assert entry.heading == "2026-01-02 Real"
    assert dict(entry.fields)["status"].startswith("active")
    assert "Deeper" in entry.text
    assert "No date" not in entry.text


def test_an_origin_between_entries_belongs_to_neither() -> None:
    text = (
        "## 2026-01-01 A\n\nbody\n\n---\n\nstill A\n\n---\n\n_Promoted from [inbox/x.md]_\n\n"
        "# Check\n\n## 2026-01-02 B\n\nbody\n"
    )
    first, second = entries.parse(text, store="w", file="a.md")
    assert first.text.endswith("still A")
    assert second.heading == "2026-01-02 B"


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_setting_a_field_changes_one_line(end: str, mark: str) -> None:
    text = mark + (f"# T\n\nprose \n\n{SEED}\n## 2026-08-01 Next\n\ntext").replace("\n", end)
    section = entries.sections(text)[0]
    changed = entries.with_fields(text, section, {"status": "deprecated", "supersedes": "X"})
    old, new = text.split(end), changed.split(end)
    assert len(old) == len(new)
    assert [(a, b) for a, b in zip(old, new, strict=True) if a != b] == [
        ("- **status**: active", "- **status**: deprecated"),
        ("- **supersedes**: —", "- **supersedes**: X"),
    ]
    assert entries.sections(changed)[0].fields[0].value == "deprecated"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("## 2026-01-02 T", "## 2026-01-02 T\n\n- **status**: active\n"),
        ("## 2026-01-02 T\ntext\n", "## 2026-01-02 T\n\n- **status**: active\n\ntext\n"),
        ("## 2026-01-02 T\n\ntext\n", "## 2026-01-02 T\n\n- **status**: active\n\ntext\n"),
        (
            "## 2026-01-02 T\n* **confidence**: high",
            "## 2026-01-02 T\n* **status**: active\n* **confidence**: high",
        ),
        ("## 2026-01-02 T\n- **status**:old\n", "## 2026-01-02 T\n- **status**: active\n"),
        ("## 2026-01-02 T\n- **status**: a\n  b\nx", "## 2026-01-02 T\n- **status**: active\nx"),
        ("## 2026-01-02 T\n- **status:** old\n", "## 2026-01-02 T\n- **status:** active\n"),
        ("## 2026-01-02 T\n- 状态：old\n", "## 2026-01-02 T\n- 状态： active\n"),
    ],
)
def test_where_a_field_goes(before: str, after: str) -> None:
    section = entries.sections(before)[0]
    changed = entries.with_fields(before, section, {"status": "active"})
    assert changed == after
    assert one(changed).status == "active"


_LINES = st.lists(
    st.sampled_from(
        ["## 2026-01-02 T", "- **status**: active", "text", "", "```", "- x", "  more", "---",
         "# H", "<!--", "-->", "> q", "1. **a**: b", "\ufeff", "| a | b |", "## 2026-99-99 x"]
    ),
    max_size=14,
)  # fmt: skip


@given(_LINES, st.sampled_from(["\n", "\r\n", "\r"]), st.booleans())
def test_setting_a_status_touches_no_other_line(lines: list[str], end: str, last: bool) -> None:
    text = end.join(lines) + (end if last else "")
    for section in entries.sections(text):
        changed = entries.with_fields(text, section, {"status": "deprecated"})
        again = entries.sections(changed)
        assert len(again) == len(entries.sections(text))
        match = next(one for one in again if one.first == section.first)
        status = match.field("status")
        assert status is not None
        assert status.value == "deprecated"
        kept = [line for line in re.split("[\r\n]+", text) if line.strip() and "status" not in line]
        new = [line for line in re.split("[\r\n]+", changed) if line.strip()]
        field = section.field("status")
        if field is None or field.end == field.first + 1:
            assert [line for line in new if "status" not in line] == kept


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("## 2026-13-45 T\n", "There is no date 2026-13-45"),
        ("## 2026-1-5 T\n", "There is no date 2026-1-5"),
        ("## 2026-01-05\n", "no title"),
        ("## 2026-01-05 T\n- **status**: done\n", "Unknown status"),
        ("## 2026-01-05 T\n- **confidence**: sure\n", "there are high, medium, low"),
    ],
)
def test_what_is_wrong_with_an_entry(text: str, said: str) -> None:
    assert said in one(text).problems[0]


def test_a_dangling_reference(world: World) -> None:
    world.fill(
        workspace={
            "a.md": "## 2026-01-01 Old\n\n## 2026-01-02 New\n- **supersedes**: 2026-01-01 Old\n",
            "b.md": "## 2026-01-03 X\n- **supersedes**: Old\n\n"
            "## 2026-01-04 Y\n- **supersedes**: Nothing\n\n## 2026-01-05 Z\n- **supersedes**: Z\n\n"
            "## 2026-01-06 N\n- **supersedes**: none\n",
        }
    )
    wrong = {e.title: e.problems for e in world.layer("workspace").entries() if e.problems}
    assert set(wrong) == {"Y", "Z"}
    assert 'supersedes names "Nothing", which is not another entry here.' in wrong["Y"]


# Through the store


FILE = "## 2026-01-01 Lists\n\n- **status**: active\n\nold\n\n## 2026-02-01 Streams\n\nnew\n"


@pytest.fixture
def world(both: World) -> World:
    return both.fill(
        workspace={"d.md": FILE, "e.md": "## 2026-03-01 Later\n\n- **confidence**: low\n"}
    )


def text(world: World, file: str = "d.md") -> str:
    return (world.workspace / file).read_text()


def test_superseding_marks_both(world: World) -> None:
    store = world.layer("workspace")
    change = store.supersede("d.md", "Lists", "Streams")
    assert change.outcome == "updated"
    assert text(world) == (
        "## 2026-01-01 Lists\n\n- **status**: superseded\n\nold\n\n## 2026-02-01 Streams\n\n"
        "- **status**: active\n- **supersedes**: 2026-01-01 Lists\n\nnew\n"
    )
    assert [e.status for e in store.entries("d.md")] == ["superseded", "active"]
    assert dict(store.entries("d.md")[1].fields)["supersedes"] == "2026-01-01 Lists"
    assert store.supersede("d.md", "Lists", "Streams").outcome == "unchanged"
    world.run("undo")
    assert text(world) == FILE


def test_superseding_across_files_is_one_step(world: World) -> None:
    store = world.layer("workspace")
    store.supersede("d.md", "Lists", "Later", by_file="e.md")
    assert "superseded" in text(world)
    assert "- **supersedes**: 2026-01-01 Lists" in text(world, "e.md")
    world.run("undo")
    assert text(world) == FILE
    assert "supersedes" not in text(world, "e.md")


def test_a_status_that_there_is_none_of(world: World) -> None:
    with pytest.raises(InvalidArgumentError, match="there are active, superseded, deprecated"):
        world.layer("workspace").set_status("d.md", "Lists", "done")
    assert text(world) == FILE


@pytest.mark.parametrize(
    ("entry", "error", "said"),
    [
        ("Nothing", TopicNotFoundError, "there are: 2026-01-01 Lists; 2026-02-01 Streams"),
        ("s", AmbiguousTopicError, "line 1: 2026-01-01 Lists; line 7: 2026-02-01 Streams"),
        ("", TopicNotFoundError, "has no entry"),
        # A whole heading that is gone is no part of another one.
        ("2026-01-01 List", TopicNotFoundError, "has no entry"),
    ],
)
def test_an_entry_that_is_not_clear(
    world: World, entry: str, error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        world.layer("workspace").set_status("d.md", entry, "deprecated")
    with pytest.raises(error, match=said):
        world.layer("workspace").archive("d.md", entry)
    assert text(world) == FILE


def test_nothing_replaces_itself(world: World) -> None:
    with pytest.raises(InvalidArgumentError, match="cannot replace itself"):
        world.layer("workspace").supersede("d.md", "Lists", "2026-01-01 Lists")


def test_archiving_an_entry_moves_its_text(world: World) -> None:
    store = world.layer("workspace")
    change = store.archive("d.md", "Lists")
    assert (change.outcome, change.file) == ("moved", "archive/d.md")
    assert text(world) == "## 2026-02-01 Streams\n\nnew\n"
    assert text(world, "archive/d.md") == FILE.partition("\n\n## 2026-02-01")[0] + "\n"
    assert [topic.file for topic in store.archived()] == ["archive/d.md"]
    assert "Lists" not in world.block()
    store.archive("d.md", "Streams")
    assert "Streams" in text(world, "archive/d.md")
    world.run("undo", "2")
    assert text(world) == FILE
    assert not (world.workspace / "archive" / "d.md").exists()


@pytest.mark.parametrize(
    ("text", "rest", "taken"),
    [
        (
            "## 2026-01-01 A\na\n## 2026-01-02 B\nb\n\nC\n---\n",
            "## 2026-01-01 A\na\n\nC\n---\n",
            "b\n",
        ),
        ("a\r\n## 2026-01-02 B\r\n---\r\n_From x_\r\n", "a\r\n\r\n---\r\n_From x_\r\n", "\n"),
        ("a\n## 2026-01-02 B\nb\n## 2026-01-03 C\n", "a\n## 2026-01-03 C\n", "b\n"),
        ("\ufeff## 2026-01-02 B\nb\n\n# C\n", "\ufeff# C\n", "b\n"),
    ],
)
def test_an_entry_leaves_what_is_around_it_as_it_was(text: str, rest: str, taken: str) -> None:
    section = next(one for one in entries.sections(text) if one.title == "B")
    left, own = entries.without(text, section)
    assert left == rest
    assert own.startswith("## 2026-01-02 B")
    assert own.endswith(taken)


def test_archiving_a_file_keeps_its_mode(world: World) -> None:
    path = world.workspace / "d.md"
    path.chmod(0o644)
    store = world.layer("workspace")
    assert store.archive("d.md").file == "archive/d.md"
    assert not path.exists()
    assert (world.workspace / "archive" / "d.md").stat().st_mode & 0o777 == 0o644
    world.fill(workspace={"d.md": "again"})
    assert store.archive("d.md").file == "archive/d-2.md"
    world.run("undo")
    assert text(world) == "again"
    assert text(world, "archive/d.md") == FILE


@pytest.mark.parametrize("file", ["index.md", "archive/d.md", "state/current-task.md", "../x.md"])
def test_what_is_not_archived(world: World, file: str) -> None:
    world.fill(workspace={"archive/d.md": "x"})
    with pytest.raises(InvalidArgumentError, match="nothing to archive"):
        world.layer("workspace").archive(file)


def test_the_command_line_shows_entries(world: World) -> None:
    row = world.json("show", "d.md", "--store", "workspace")
    assert [(e["date"], e["title"], e["status"]) for e in row["entries"]] == [
        ("2026-01-01", "Lists", "active"),
        ("2026-02-01", "Streams", "active"),
    ]


def test_a_broken_entry_is_marked_in_the_list(world: World) -> None:
    world.fill(workspace={"x.md": "## 2026-01-01 T\n- **status**: done\n"})
    topic = world.layer("workspace").find("x.md")
    assert (
        topic.problem == 'line 1: Unknown status "done"; there are active, superseded, deprecated.'
    )
    assert "! x.md" in world.run("list", "--store", "workspace")[1]


def test_no_pins(world: World) -> None:
    assert not isinstance(world.layer("workspace"), PinningStore)
