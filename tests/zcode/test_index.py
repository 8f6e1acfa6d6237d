"""The index: its lines as people and programs write them, and changes of one line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pimem_core.errors import StorageError
from pimem_core.systems.zcode.index import entries
from pimem_core.systems.zcode.index_changes import Index
from pimem_core.systems.zcode.names import as_title
from zcode.folder import Project, fact

HEADER = "# Memory Index\n\n"

LINES = [
    ("- [T](f.md) — hook", ("f.md", "T", "hook", "line")),
    ("- [T](f.md) – hook", ("f.md", "T", "hook", "line")),
    ("- [T](f.md) - hook", ("f.md", "T", "hook", "line")),
    ("- [T](f.md) -- hook", ("f.md", "T", "hook", "line")),
    ("- [T](f.md) · hook", ("f.md", "T", "hook", "line")),
    ("- [T](f.md): hook", ("f.md", "T", "hook", "line")),
    ("- [T](f.md) \u00e2\u20ac\u201d hook", ("f.md", "T", "hook", "line")),
    ("- [T](f.md) `user` — hook", ("f.md", "T", "hook", "line")),
    ("- [T](f.md) `a` `b` — hook `c`", ("f.md", "T", "hook `c`", "line")),
    ("- [T](f.md)", ("f.md", "T", "", "line")),
    ("- [T](f.md) ", ("f.md", "T", "", "line")),
    ("- [T](f.md) —", ("f.md", "T", "", "line")),
    ("- [T](f.md) just words", ("f.md", "T", "just words", "line")),
    ("- [T](f.md) — a — b", ("f.md", "T", "a — b", "line")),
    (
        "- [T](f.md) — see [docs](https://x/y.md)",
        ("f.md", "T", "see [docs](https://x/y.md)", "line"),
    ),
    ("* [T](f.md) — hook", ("f.md", "T", "hook", "line")),
    ("  + [T](f.md) — hook", ("f.md", "T", "hook", "line")),
    ("12. [T](f.md) — hook", ("f.md", "T", "hook", "line")),
    ("- **[T](f.md)** — hook", ("f.md", "T", "hook", "line")),
    ("- **[T](f.md) — hook**", ("f.md", "T", "hook", "line")),
    ("- ~~[T](f.md) — hook~~", ("f.md", "T", "hook", "line")),
    ("- ~~[T](f.md)~~ — gone", ("f.md", "T", "gone", "line")),
    ("- `feedback` [T](f.md) — hook", ("f.md", "T", "hook", "line")),
    ("- [`T`](f.md) — hook", ("f.md", "`T`", "hook", "line")),
    ("- [T [x]](f.md) — hook", ("f.md", "T [x]", "hook", "line")),
    ("- [T](./f.md) — hook", ("f.md", "T", "hook", "line")),
    ("- [T](sub/dir/f.md) — hook", ("sub/dir/f.md", "T", "hook", "line")),
    ("- [T](sub/../f.md) — hook", ("f.md", "T", "hook", "line")),
    ("- [T](f.md#part) — hook", ("f.md", "T", "hook", "line")),
    ("- [T](f.md?x=1) — hook", ("f.md", "T", "hook", "line")),
    ("- [T](my%20file.md) — hook", ("my file.md", "T", "hook", "line")),
    ("- [T](%E6%97%A5.md) — hook", ("日.md", "T", "hook", "line")),
    ("- [T](my file.md) — hook", ("my file.md", "T", "hook", "line")),
    ("- [T](<my file (2).md>) — hook", ("my file (2).md", "T", "hook", "line")),
    ("- [T](f(2).md) — hook", ("f(2).md", "T", "hook", "line")),
    ('- [T](f.md "a title") — hook', ("f.md", "T", "hook", "line")),
    ("- [T](日本.md) — 説明", ("日本.md", "T", "説明", "line")),
    ("| [T](f.md) | hook | more |", ("f.md", "T", "hook · more", "row")),
    ("See [T](f.md) for more", ("f.md", "T", "for more", "link")),
    ("\ufeff- [T](f.md) — hook", ("f.md", "T", "hook", "line")),
]


@pytest.mark.parametrize(("line", "read"), LINES)
@pytest.mark.parametrize("eol", ["\n", "\r\n"])
def test_lines(line: str, read: tuple[str, str, str, str], eol: str) -> None:
    found = entries(line + eol)
    assert [(e.file, e.title, e.hook, e.kind) for e in found] == [read]
    assert found[0].line == 1


@pytest.mark.parametrize(
    "line",
    [
        "- [T](https://x/y.md) — hook",
        "- [T](/abs/f.md) — hook",
        "- [T](../f.md) — hook",
        "- [T](~/f.md) — hook",
        "- [T](file:///f.md)",
        "- [T](sub/MEMORY.md)",
        "- [T](MEMORY.md)",
        "- [T](script.sh)",
        "- [T](f.MD)",
        "- [T]()",
        "- ![T](f.md)",
        "- `[T](f.md)` — code",
        "<!-- - [T](f.md) — hook -->",
        "plain",
        "- [T] (f.md)",
    ],
)
def test_lines_that_name_no_fact(line: str) -> None:
    assert entries(line) == []


def test_several_links_on_one_line() -> None:
    found = entries("- [A](a.md), [B](b.md) — both\n")
    assert [(e.file, e.kind) for e in found] == [("a.md", "link"), ("b.md", "link")]


def test_code_blocks_and_comments_name_nothing() -> None:
    text = (
        "- [A](a.md) — a\n```\n- [X](x.md) — x\n```\n~~~~md\n- [X](x.md)\n~~~\n- [X](x.md)\n~~~~\n"
        "<!--\n- [X](x.md)\n--> - [X2](x2.md)\n- [B](b.md) — b <!-- [X](x.md) -->\n"
    )
    assert [(e.file, e.line) for e in entries(text)] == [("a.md", 1), ("x2.md", 12), ("b.md", 13)]


def upserted(text: str, file: str = "f.md", title: str = "T", hook: str = "new") -> str:
    index = Index(text)
    index.upsert(file, title=title, hook=hook)
    return index.text()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("- [T](f.md) — old", "- [T](f.md) — new"),
        ("- [T](f.md) · old ", "- [T](f.md) · new "),
        ("- [T](f.md) `tag` — old", "- [T](f.md) `tag` — new"),
        ("- [T](f.md)", "- [T](f.md) — new"),
        ("- [T](f.md) —", "- [T](f.md) — new"),
        ("- [T](f.md) words", "- [T](f.md) — new"),
        ("  * **[T](./f.md#x)** — old", "  * **[T](./f.md#x)** — new"),
        ("- **[T](f.md) — old**", "- **[T](f.md) — new**"),
        ("- ~~[T](f.md) — old~~", "- ~~[T](f.md) — new~~"),
        ("- [Old](<f.md>) — old", "- [T](<f.md>) — new"),
        ("- [T](f.md) — new", "- [T](f.md) — new"),
    ],
)
@pytest.mark.parametrize("around", [("", ""), (HEADER, "\n"), ("x\r\n", "\r\n- [O](o.md) — o\r\n")])
def test_title_and_hook_change_in_place(before: str, after: str, around: tuple[str, str]) -> None:
    assert upserted(around[0] + before + around[1]) == around[0] + after + around[1]


@pytest.mark.parametrize(
    "line",
    ["| [T](f.md) | hook |", "- [T](f.md) and [O](o.md) — both", "See [T](f.md)."],
)
def test_a_line_that_is_not_the_facts_own_stays(line: str) -> None:
    index = Index(f"{HEADER}{line}\n")
    assert index.upsert("f.md", title="New", hook="new") is False
    assert index.text() == f"{HEADER}{line}\n"


NEW = "- [T](f.md) — new"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (HEADER, f"{HEADER}{NEW}\n"),
        ("# Memory Index\n", f"# Memory Index\n{NEW}\n"),
        ("# Memory Index", f"# Memory Index\n{NEW}"),
        ("", f"{NEW}\n"),
        ("- [A](a.md) — a\n", f"- [A](a.md) — a\n{NEW}\n"),
        ("- [A](a.md) — a", f"- [A](a.md) — a\n{NEW}"),
        (
            "- [A](a.md) — a\r\n- [B](b.md) — b\r\n",
            f"- [A](a.md) — a\r\n- [B](b.md) — b\r\n{NEW}\r\n",
        ),
        ("- [A](a.md) — a\r\n- [B](b.md) — b", f"- [A](a.md) — a\r\n- [B](b.md) — b\r\n{NEW}"),
        ("- [A](a.md) — a\n  more\n\n## Foot\n", f"- [A](a.md) — a\n  more\n{NEW}\n\n## Foot\n"),
        ("- [A](a.md) — a\n<!-- end -->\n", f"- [A](a.md) — a\n{NEW}\n<!-- end -->\n"),
        ("| [A](a.md) | a |\n", f"| [A](a.md) | a |\n{NEW}\n"),
        ("```\n- [X](x.md)\n```\n", f"```\n- [X](x.md)\n```\n{NEW}\n"),
    ],
)
def test_a_new_line_goes_below_the_last_one(before: str, after: str) -> None:
    assert upserted(before) == after


@pytest.mark.parametrize("text", ["x\n```\nopen\n", "x\n<!-- open\n"])
def test_a_line_that_would_not_count_is_not_added(text: str) -> None:
    with pytest.raises(StorageError, match="never closed"):
        Index(text).upsert("f.md", title="T", hook="h")


def test_odd_file_names_are_written_so_that_they_are_read_again() -> None:
    for file in ("my file.md", "f(2).md", "a#b.md", "50%.md", "x?.md"):
        assert [entry.file for entry in entries(upserted(HEADER, file))] == [file]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("- [T](f.md) — h\n", ""),
        ("- [A](a.md)\n- [T](f.md) — h\n- [T](f.md) — again\n", "- [A](a.md)\n"),
        ("- [A](a.md)\r\n- [T](f.md)", "- [A](a.md)"),
        ("| [T](f.md) | h |\n| [A](a.md) | a |\n", "| [A](a.md) | a |\n"),
        ("- [A](a.md), [T](f.md) — both\n", "- [A](a.md), T — both\n"),
        ("See [T](f.md) twice [T](f.md).\n", "See T twice T.\n"),
        ("`[T](f.md)`\n- [T](f.md)\n", "`[T](f.md)`\n"),
    ],
)
def test_removing(before: str, after: str) -> None:
    index = Index(before)
    index.remove("f.md")
    assert index.text() == after
    assert index.of_file("f.md") == []


TEXT = st.text(st.sampled_from("-*[](){}<>|`~#!. \n\r\t—ab:%\"'\ufeff"), max_size=80)
LINE = st.sampled_from([line for line, _ in LINES] + ["", "# H", "```", "<!--", "-->", "| a | b |"])
INDEXES = st.lists(LINE | TEXT, max_size=8).map("\n".join)


@given(INDEXES)
def test_any_text_is_given_back(text: str) -> None:
    index = Index(text)
    assert index.text() == text
    for entry in entries(text):
        line = text.split("\n")[entry.line - 1]
        assert line[entry.start] == "["
        assert line[entry.start + 1 :].startswith(entry.title)


@given(INDEXES)
def test_one_line_changes_whatever_the_text(text: str) -> None:
    index = Index(text)
    known = index.of_file("f.md")
    try:
        own = index.upsert("f.md", title="New title", hook="new hook")
    except StorageError:
        return
    lines, after = text.split("\n"), index.text().split("\n")
    if not own:
        assert after == lines
        return
    found = next(e for e in index.of_file("f.md") if e.kind == "line")
    assert (found.title, found.hook) == ("New title", "new hook")
    if known:
        assert len(after) == len(lines)
        assert sum(a != b for a, b in zip(lines, after, strict=True)) <= 1
    else:
        del after[found.line - 1]
        assert [line.rstrip("\r") for line in after] in (
            [line.rstrip("\r") for line in lines],
            [line.rstrip("\r") for line in lines[:-1]],
        )


@given(INDEXES)
def test_removed_is_gone_whatever_the_text(text: str) -> None:
    index = Index(text)
    index.remove("f.md")
    assert index.of_file("f.md") == []


HOSTILE = [
    "<!-- open",
    "a <!-- b",
    "```",
    "a ` b",
    "``` <!-- ~~~",
    "see [B](b.md)",
    "[[b]] and ](",
    "ends in \\",
    "--> <!--",
    "| a |",
    "<pre>",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_no_title_or_description_takes_other_lines_along(project: Project, text: str) -> None:
    project.write("first", description="one")
    project.write("second", description=text, title=text if as_title(text) else "T")
    project.write("third", description="three")
    topics = {topic.name: topic for topic in project.store.list()}
    assert [topic.listed for topic in topics.values()] == [True] * 3
    assert topics["second"].summary == text
    found = entries(project.index)
    assert [(e.file, e.kind) for e in found] == [
        (f"{n}.md", "line") for n in ("first", "second", "third")
    ]
    project.write("second", description=f"{text} again")
    assert project.topic("second").summary == f"{text} again"
    project.store.remove("second")
    assert [(e.file, e.hook) for e in entries(project.index)] == [
        ("first.md", "one"),
        ("third.md", "three"),
    ]


def test_an_index_that_a_description_wedged_is_read_and_changed_again(project: Project) -> None:
    """As ZCode writes a description that begins a comment."""
    wedged = "- [A](a.md) — a <!-- b\n- [B](b.md) — b\n\n- [C](c.md) — c\n"
    project.fill({"MEMORY.md": wedged, **{f"{n}.md": fact(n) for n in "abc"}})
    assert [topic.listed for topic in project.store.list()] == [True] * 3
    assert project.topic("a").summary == "a <!-- b"
    project.write("b", description="new")
    project.store.remove("c")
    assert project.index == "- [A](a.md) — a <!-- b\n- [B](b.md) — new\n\n"


def test_a_comment_inside_a_paragraph_still_hides_what_is_in_it() -> None:
    text = "- [A](a.md) — a <!-- [X](x.md)\n  [Y](y.md) --> [B](b.md)\n- [C](c.md)\n"
    assert [entry.file for entry in entries(text)] == ["a.md", "b.md", "c.md"]
