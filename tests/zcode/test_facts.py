"""Front matter of facts: read as ZCode, Claude Code and people write it, changed key by key."""

from __future__ import annotations

import os

import pytest
from pimem_core.formats import frontmatter
from pimem_core.systems.zcode import fact_text
from pimem_core.systems.zcode.facts import head, is_fact_file
from zcode.folder import Project, fact

FIRST = "A description of more than eighty columns that its writer has folded"
SECOND = "onto a second line"
LONG = f"{FIRST} {SECOND}"

#: What stands in the file, and name, description and type as they are read.
SHAPES = [
    (
        'name: "a"\ndescription: "d"\nmetadata:\n  node_type: memory\n  type: user\n',
        ("a", "d", "user"),
    ),
    (
        "name: a\ndescription: d\nmetadata:\n  node_type: memory\n  type: user\n"
        "  originSessionId: sess_0123\n",
        ("a", "d", "user"),
    ),
    (
        "name: a\ndescription: d\nmetadata: \n  node_type: memory\n  type: feedback\n"
        "  originSessionId: 0e4a\n  modified: 2026-07-01T10:00:00.000Z\n",
        ("a", "d", "feedback"),
    ),
    ("name: a\ndescription: d\n", ("a", "d", None)),
    ("name: a\ndescription: d\ntype: reference\n", ("a", "d", "reference")),
    ("name: a\ndescription: d\ntype: project\noriginSessionId: 0e4a\n", ("a", "d", "project")),
    ("name: a\ndescription: d\nmetadata: {type: user}\n", ("a", "d", "user")),
    (
        "name: a\ndescription: d\nmetadata: { node_type: memory, type: user, sessionId: s }\n",
        ("a", "d", "user"),
    ),
    (
        "name: a\ndescription: d\nmetadata:\n    node_type: memory\n    type: user\n",
        ("a", "d", "user"),
    ),
    ("name: a\ndescription: d\nmetadata:\n  type: user\n  node_type: memory\n", ("a", "d", "user")),
    ("name: a\ndescription: d\nmetadata:\n  type: user\ntype: project\n", ("a", "d", "user")),
    ("name: a\ndescription: d\nmetadata:\n  type: infra\ntype: project\n", ("a", "d", "project")),
    ("name: a\ndescription: d\nmetadata:\n  type: semantic\n", ("a", "d", None)),
    ("name: a\ndescription: d\nmetadata:\n  - x\n", ("a", "d", None)),
    (f"name: a\ndescription: {FIRST}\n  {SECOND}\n", ("a", LONG, None)),
    (f'name: a\ndescription: "{FIRST}\n  {SECOND}"\n', ("a", LONG, None)),
    (f"name: a\ndescription: >-\n  {FIRST}\n  {SECOND}\n", ("a", LONG, None)),
    ("name: a\ndescription: |\n  one\n  two\n", ("a", "one\ntwo\n", None)),
    ("name: a\ndescription: 'it''s'\n", ("a", "it's", None)),
    ('name: a\ndescription: "q \\"x\\" \\u00e9"\n', ("a", 'q "x" é', None)),
    ("name: 007\ndescription: 007\n", ("007", "007", None)),
    ("name: 7\ndescription: true\n", ("7", "true", None)),
    ("name: a\ndescription: null\n", ("a", "null", None)),
    ("name: a\ndescription: 2026-01-01\n", ("a", "2026-01-01", None)),
    ("name: a\ndescription: Hello # x\n", ("a", "Hello # x", None)),
    ("name: a\ndescription: a: b\n", ("a", "a: b", None)),
    ("name: a\ndescription: [x] y\n", ("a", "[x] y", None)),
    ("name: a\ndescription: - y\n", ("a", "- y", None)),
    ("name: a\ndescription: @x `y` *z %q\n", ("a", "@x `y` *z %q", None)),
    ("name: a\ndescription: 100%\n", ("a", "100%", None)),
    ("name: a\ndescription:\n", ("a", "", None)),
    ("name: a\nname: b\ndescription: d\n", ("a", "d", None)),
    ("# a comment\nname: a # c\ndescription: d\n", ("a # c", "d", None)),
    ("name: a\nmetadata:\n\ttype: user\ndescription: d\n", ("a", "d", "user")),
    (
        "name: Prose title (v2)\ndescription: http://x/y#z\n",
        ("Prose title (v2)", "http://x/y#z", None),
    ),
]


@pytest.mark.parametrize("eol", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize(("block", "read"), SHAPES)
def test_shapes_of_front_matter(
    block: str, read: tuple[str, str, str | None], eol: str, mark: str
) -> None:
    text = mark + f"---\n{block}---\nBody.\n".replace("\n", eol)
    found = head(text)
    description = read[1]
    assert (found.name, found.description, found.type) == (read[0], description, read[2])


def test_the_short_way_reads_like_yaml() -> None:
    """What is read without the YAML parser must be what that reads."""
    for block, _ in SHAPES:
        text = f"---\n{block}---\n"
        found, front = head(text), frontmatter.read(text)
        for key in ("name", "description"):
            value = front.get(key)
            assert getattr(found, key) == (value if isinstance(value, str) else "")


@pytest.mark.parametrize(
    ("text", "closing", "unclosed"),
    [
        ("no front matter\n", None, False),
        ("", None, False),
        ("---\nname: a\n", None, True),
        ("---\nname: a\n---", 3, False),
        ("---\nname: a\n---  \nx", 3, False),
        ("---\n" + "k: v\n" * 28 + "---\n", 30, False),
        ("---\n" + "k: v\n" * 29 + "---\n", 31, False),
    ],
)
def test_where_the_front_matter_ends(text: str, closing: int | None, unclosed: bool) -> None:
    found = head(text)
    assert (found.closing, found.unclosed) == (closing, unclosed)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a.md", True),
        ("b/c d.md", True),
        (".x/é日.md", True),
        ("MEMORY.md", False),
        ("sub/MEMORY.md", False),
        ("memory.md", True),
        ("a.MD", False),
        ("a.txt", False),
        (".md", False),
        ("../a.md", False),
        ("/a.md", False),
        ("a//b.md", False),
        ("a\x00.md", False),
    ],
)
def test_which_files_are_facts(name: str, expected: bool) -> None:
    assert is_fact_file(name) is expected


def changed(text: str, **more: object) -> str:
    values: dict[str, object] = {"name": "a", "description": "d", "type_": None}
    return fact_text.with_front(text, **(values | more))  # type: ignore[arg-type]


def test_a_new_fact_has_exactly_four_keys_and_quoted_texts() -> None:
    text = fact_text.new_text("007", 'say "x": # y', "user", "# Title\n\nBody")
    assert text == (
        '---\nname: "007"\ndescription: "say \\"x\\": # y"\nmetadata:\n  node_type: memory\n'
        "  type: user\n---\n\n# Title\n\nBody\n"
    )
    found = head(text)
    assert (found.name, found.description, found.type) == ("007", 'say "x": # y', "user")


TYPES = [
    (
        "metadata:\n  node_type: memory\n  type: user\n",
        "metadata:\n  node_type: memory\n  type: project\n",
    ),
    ("metadata: \n  type: user # why\n  x: 1\n", "metadata: \n  type: project # why\n  x: 1\n"),
    ("metadata:\n    type: user\n", "metadata:\n    type: project\n"),
    ("metadata: {type: user}\n", "metadata: {type: project}\n"),
    ("metadata: { a: b, type: user, c: d }\n", "metadata: { a: b, type: project, c: d }\n"),
    ("metadata: { a: b }\n", "metadata: { type: project, a: b }\n"),
    ("metadata: {}\n", "metadata: { type: project }\n"),
    ("type: user\nother: 1\n", "type: project\nother: 1\n"),
    ("metadata:\n  node_type: memory\n", "metadata:\n  type: project\n  node_type: memory\n"),
    ("metadata:\n", "metadata:\n  type: project\n"),
    ("other: 1\n", "other: 1\nmetadata:\n  node_type: memory\n  type: project\n"),
    ("metadata:\n  type: infra\ntype: user\n", "metadata:\n  type: project\ntype: user\n"),
]


@pytest.mark.parametrize("eol", ["\n", "\r\n"])
@pytest.mark.parametrize(("before", "after"), TYPES)
def test_the_type_changes_where_it_stands(before: str, after: str, eol: str) -> None:
    def text(block: str) -> str:
        return f"---\n# c\nname: a\n{block}description: d\n---\nbody\n".replace("\n", eol)

    wanted = text(after)
    if before == "other: 1\n":
        wanted = f"---\n# c\nname: a\nother: 1\ndescription: d\n{after[9:]}---\nbody\n".replace(
            "\n", eol
        )
    assert changed(text(before), type_="project") == wanted
    assert head(wanted).type == "project"


@pytest.mark.parametrize(("block", "read"), SHAPES)
def test_unchanged_values_keep_every_byte(block: str, read: tuple[str, str, str | None]) -> None:
    text = f"---\n{block}---\n\nBody.\n"
    again = changed(text, name=read[0], description=read[1], type_=read[2])
    assert again == text


@pytest.mark.parametrize("eol", ["\n", "\r\n"])
@pytest.mark.parametrize(("block", "read"), SHAPES)
def test_a_new_description_touches_only_its_lines(
    block: str, read: tuple[str, str, str | None], eol: str
) -> None:
    text = f"\ufeff---\n{block}extra: [kept, as is]\n---\nBody.\n".replace("\n", eol)
    again = changed(text, description="New: one", type_=read[2])
    assert head(again).description == "New: one"
    assert head(again).type == read[2]
    kept = [line for line in text.split("\n") if not line.startswith((" ", "\t", "description"))]
    rest = again.split("\n")
    assert [line for line in kept if line not in rest] == []
    new = [line for line in rest if line not in text.split("\n")]
    assert new == [f'description: "New: one"{eol[:-1]}']


def test_text_without_front_matter_gets_some() -> None:
    assert changed("Just text.\n", type_="user") == (
        '---\nname: "a"\ndescription: "d"\nmetadata:\n  node_type: memory\n  type: user\n---\n'
        "\nJust text.\n"
    )
    windows = changed("\ufeffJust\r\ntext.\r\n", type_="user")
    assert windows.startswith('\ufeff---\r\nname: "a"\r\n')
    assert windows.endswith("---\r\n\r\nJust\r\ntext.\r\n")


@pytest.mark.parametrize(
    ("old", "append", "body"),
    [
        ("---\nname: a\ndescription: d\n---\n\nOld.\n", False, "\nNew.\n"),
        ("---\nname: a\ndescription: d\n---\nOld.\n", False, "New.\n"),
        ("---\nname: a\ndescription: d\n---\n", False, "\nNew.\n"),
        ("---\nname: a\ndescription: d\n---", False, "\nNew.\n"),
        ("---\nname: a\ndescription: d\n---\n\nOld.\n", True, "\nOld.\n\nNew.\n"),
        ("---\nname: a\ndescription: d\n---\n\nOld.", True, "\nOld.\n\nNew.\n"),
        ("---\nname: a\ndescription: d\n---\n", True, "New.\n"),
    ],
)
def test_the_body_is_replaced_or_grows_at_its_end(old: str, append: bool, body: str) -> None:
    new = fact_text.updated_text(
        old, name="a", description="d", type_=None, content="New.", append=append
    )
    assert new == "---\nname: a\ndescription: d\n---\n" + body


def test_a_body_takes_the_line_ends_of_its_file() -> None:
    old = "---\r\nname: a\r\ndescription: d\r\n---\r\nOld.\r\n"
    new = fact_text.updated_text(
        old, name="a", description="d", type_=None, content="1\n2\r\n3", append=False
    )
    assert new == "---\r\nname: a\r\ndescription: d\r\n---\r\n1\r\n2\r\n3\r\n"


@pytest.mark.parametrize(
    ("body", "title"),
    [
        ("# One\n# Two\n", "One"),
        ("text\n\n## Sub [x] ##\n", "Sub x"),
        ("```sh\n# comment\n```\n# Real\n", "Real"),
        ("~~~\n# c\n~~~\n", ""),
        ("#hash\n", ""),
        ("no heading\n", ""),
        ("# \n#  Spaced  \r\n", "Spaced"),
    ],
)
def test_the_first_heading(body: str, title: str) -> None:
    assert fact_text.heading(f"---\nname: a\n---\n{body}") == title


@pytest.mark.parametrize("indent", ["", "metadata:\n  node_type: memory\n  "])
def test_keys_count_at_the_top_and_below_metadata(indent: str) -> None:
    values = {"type": "user", "modified": "2026-01-02T03:04:05.678Z", "links": "[a, '[[b c]]']"}
    lines = (f"\n{' ' * (2 if indent else 0)}").join(f"{k}: {v}" for k, v in values.items())
    found = head(f"---\nname: x\n{indent}{lines}\n---\n")
    assert (found.type, found.modified, found.links) == (
        "user",
        "2026-01-02T03:04:05.678Z",
        ["a", "b c"],
    )


@pytest.mark.parametrize("modified", ["yesterday", "2026", "2026-1-2", "{a: b}"])
def test_what_is_no_time_is_none(modified: str) -> None:
    assert head(f"---\nname: x\nmodified: {modified}\n---\n").modified is None


def test_a_fact_is_as_old_as_it_says_else_as_its_file(project: Project) -> None:
    says = fact("says", "d", "\n  type: user\n  modified: 2026-01-02")
    project.fill({"says.md": says, "silent.md": fact("silent")})
    os.utime(project.path / "silent.md", (0, 86_400))
    assert project.topic("says").stamp == "2026-01-02"
    assert project.topic("silent").stamp == "1970-01-02T00:00:00+00:00"


def test_links_of_the_front_matter_lead_there_and_back(project: Project) -> None:
    listing = fact("a", "d", "\n  type: user\n  links: [b, missing]", "\nSee [[b]].\n")
    project.fill({"a.md": listing, "b.md": fact("b")})
    outgoing = project.store.links("a.md").outgoing
    assert [(name, topic and topic.file) for name, topic in outgoing] == [
        ("b", "b.md"),
        ("missing", None),
    ]
    assert [topic.file for topic in project.store.links("b.md").backlinks] == ["a.md"]
