"""Front matter: read as it is meant, changed only where it was asked."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pimem_core.formats import frontmatter
from pimem_core.systems.openpi.topic import owner_name


def read(block: str) -> dict[str, Any]:
    return frontmatter.read(f"---\n{block}---\nbody\n")


@pytest.mark.parametrize(
    ("block", "found"),
    [
        ("name: plain\n", {"name": "plain"}),
        ('name: "a \\"b\\" \\u00e9"\n', {"name": 'a "b" é'}),
        ("name: 'it''s'\n", {"name": "it's"}),
        ("description: >\n  folded\n  text\n", {"description": "folded text\n"}),
        ("description: >-\n    folded\n    text\n", {"description": "folded text"}),
        ("description: |\n  one\n  two # no comment\n", {"description": "one\ntwo # no comment\n"}),
        ("description: plain\n  goes on\n", {"description": "plain goes on"}),
        ("description: re: October\n  goes on #2\n", {"description": "re: October goes on #2"}),
        (
            "metadata: {type: user, node_type: memory}\n",
            {"metadata": {"type": "user", "node_type": "memory"}},
        ),
        ("metadata: \n    type: user\n", {"metadata": {"type": "user"}}),
        (
            "metadata:\n  type: user\n  deep:\n    er: x\n",
            {"metadata": {"type": "user", "deep": {"er": "x"}}},
        ),
        ("metadata: just text\n", {"metadata": "just text"}),
        ("metadata:\n- a\n- b\n", {"metadata": ["a", "b"]}),
        ("name: Update #2\n", {"name": "Update #2"}),
        ("type: user # a comment\n", {"type": "user"}),
        ("description: Governance: Rootkeeper\n", {"description": "Governance: Rootkeeper"}),
        ("name: 007\ndescription: true\n", {"name": "007", "description": "true"}),
        ("name: null\ndescription: ~\n", {"name": "null", "description": "~"}),
        (
            "name: no\nmodified: 2026-01-01T00:00:00.000Z\n",
            {"name": "no", "modified": "2026-01-01T00:00:00.000Z"},
        ),
        ("name: 1e3\ndescription: 0x10\n", {"name": "1e3", "description": "0x10"}),
        ("name:\ndescription: ''\n", {"name": "", "description": ""}),
        ("metadata:\n\ttype: user\nname: A\n", {"metadata": {"type": "user"}, "name": "A"}),
        ("name: first\nname: second\n", {"name": "first"}),
        ("metadata:\n  a: 1\n  a: 2\nname: A\n", {"metadata": {"a": "1"}, "name": "A"}),
        (
            "name: A\nbroken: [1, 2\ndescription: >\n  fine\n",
            {"name": "A", "broken": "[1, 2", "description": "fine\n"},
        ),
        ('name: "never closed\ndescription: "x"\n', {"name": '"never closed', "description": "x"}),
        ("name: A\njust words\n", {"name": "A"}),
        ('"name": quoted key\n', {"name": "quoted key"}),
        ("name: a\\b\n", {"name": "a\\b"}),
        ("name: `code` and *stars*\n", {"name": "`code` and *stars*"}),
        ("description: *not an alias\n", {"description": "*not an alias"}),
        ("name: \x7f\nx: y\n", {"name": "\x7f", "x": "y"}),
        ("  name: indented\n  type: user\n", {"name": "indented", "type": "user"}),
        ("{name: A, type: user}\n", {"name": "A", "type": "user"}),
        ("# only a comment\n", {}),
        ("\n", {}),
        ("- a list\n", {}),
        ("name: 日本語 — 手順\n", {"name": "日本語 — 手順"}),
    ],
)
def test_shapes_that_people_and_programs_write(block: str, found: dict[str, Any]) -> None:
    assert read(block) == found
    crlf = frontmatter.read(f"\ufeff---\n{block}---\nbody".replace("\n", "\r\n"))
    assert crlf == found


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ("---\nname: A\n---\nbody", "body"),
        ("--- \nname: A\n---\t \nbody", "body"),
        ("---\r\nname: A\r\n---\r\nbody", "body"),
        ("\ufeff---\nname: A\n---\n\n\nbody", "\n\nbody"),
        ("---\nname: A\n---\nbody\n---\nrest", "body\n---\nrest"),
        ("---\nname: A\n---", ""),
        ("---\n---\n---\n", "---\n"),
    ],
)
def test_the_first_closing_fence_ends_it(text: str, body: str) -> None:
    assert frontmatter.split(text).present
    assert frontmatter.split(text).body == body


@pytest.mark.parametrize(
    "text",
    ["", "text", "---", "---\n", "---\nname: A\n", "----\n---\n", " ---\n---\n", "---x\n---\n",
     "\n---\nname: A\n---\n", "---\nname: A\n --- \n", "---\nname: A\n----\n"],
)  # fmt: skip
def test_a_text_without_a_closed_block_is_all_body(text: str) -> None:
    parts = frontmatter.split(text)
    assert not parts.present
    assert parts.body == text
    assert frontmatter.read(text) == {}


def test_aliases_cannot_blow_up() -> None:
    levels = "".join(f"l{n + 1}: &l{n + 1} [{', '.join([f'*l{n}'] * 9)}]\n" for n in range(30))
    found = read(f"name: A\nl0: &l0 [x]\n{levels}loop: &loop [*loop]\n")
    assert found["name"] == "A"


HOSTILE = {
    "nested flow": "x: " + "[" * 5_000 + "\n",
    "nested keys": "x:\n" + "".join(f"{' ' * n}a:\n" for n in range(1, 1500)),
    "many keys": "".join(f"k{n}: v\n" for n in range(50_000)),
    "double quotes": "name: " + '"' * 100_000 + "\n",
    "single quotes": "name: '" + "''" * 100_000 + "\n",
    "long block": "description: |\n" + "  line\n" * 200_000,
    "open quotes": "".join(f'k{n}: "open\n' for n in range(5_000)),
}


@pytest.mark.usefixtures("untraced")  # counts the processor's time
@pytest.mark.parametrize("block", HOSTILE.values(), ids=HOSTILE)
def test_hostile_blocks_are_read_and_changed_in_time(block: str) -> None:
    start = time.process_time()
    text = f"---\n{block}---\nbody"
    frontmatter.read(text)
    frontmatter.update(text, {"name": '"x"'})
    assert time.process_time() - start < 10


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("name: A", "A"),
        ('name: "A b"', "A b"),
        ('name: "broken', '"broken'),
        ("name: 'A'", "A"),
        ("name:A", "A"),
        ("name:", ""),
        ("  name: nested", None),
        ("title: A", None),
    ],
)
def test_the_owner_of_an_unlisted_file_is_read_as_the_peers_do(line: str, name: str | None) -> None:
    assert owner_name(f"---\n{line}\n---\n") == name


KEY = st.sampled_from(["name", "description", "last_updated", "created", "type", "x-y", "Größe"])
VALUE = st.sampled_from(
    [
        "",
        " plain",
        ' "quoted"',
        " 'single'",
        " |\n  block\n\n  more",
        " >-\n    fold",
        "\n  a: 1\n  # c",
        "\n- item\n-\n- more",
        " [a,\n  b]",
        ' "two\n  lines"',
        " {a: b}",
        " text # c",
        ' "open',
        " 'open",
        "\n\n  name: deep",
        " plain\n  goes on\n  # comment",
        ' "x" tail\n  more',
    ]
)
CHUNK = st.one_of(
    st.builds("{}:{}\n".format, KEY, VALUE),
    st.sampled_from(
        ["# comment\n", "\n", "words\n", "  indented\n", "\ttab\n", "? complex\n", "…\n"]
    ),
)
BLOCK = st.lists(CHUNK, max_size=8).map("".join)
TOPIC = st.builds(
    lambda mark, block, close, body, crlf: (mark + f"---\n{block}{close}{body}").replace(
        "\n", "\r\n" if crlf else "\n"
    ),
    st.sampled_from(["", "\ufeff"]),
    BLOCK,
    st.sampled_from(["---\n", "---", "--- \n", ""]),
    st.sampled_from(["", "body\n", "\n\nbody", "---\nname: no\n", "\u2028 \x00 \r"]),
    st.booleans(),
)
VALUES = {"name": '"New"', "description": '"new"', "last_updated": "2026-11-15"}


def lines_outside(block: str) -> list[str]:
    """The lines of a block that belong to no refreshed key: a plain reading, line by line."""
    kept: list[str] = []
    inside = False
    for line in block.split("\n"):
        stripped = line.rstrip("\r")
        continues = stripped[:1] in (" ", "\t", "-", "") or stripped == ""
        if not continues:
            inside = stripped.split(":", 1)[0] in VALUES and ":" in stripped
        if not inside:
            kept.append(line)
    return kept


@given(TOPIC)
def test_the_parts_joined_are_the_text(text: str) -> None:
    parts = frontmatter.split(text)
    assert parts.bom + parts.opening + parts.block + parts.closing + parts.body == text


@given(st.text(st.sampled_from("-\n\r \tn:\"'a#|\ufeff"), max_size=40))
def test_any_text_is_split_read_and_updated_without_a_crash(text: str) -> None:
    parts = frontmatter.split(text)
    assert parts.bom + parts.opening + parts.block + parts.closing + parts.body == text
    frontmatter.read(text)
    if parts.present:
        after = frontmatter.split(frontmatter.update(text, {"n": '"x"'}))
        assert (after.bom, after.opening, after.closing) == (
            parts.bom,
            parts.opening,
            parts.closing,
        )
        assert after.body == parts.body


@given(TOPIC)
def test_an_update_touches_only_its_keys(text: str) -> None:
    before = frontmatter.split(text)
    if not before.present:
        return
    after = frontmatter.split(frontmatter.update(text, VALUES, defaults={"created": "2026"}))
    assert (after.bom, after.opening, after.closing) == (before.bom, before.opening, before.closing)
    assert after.body == before.body
    kept = lines_outside(after.block)
    position = 0
    for line in filter(str.strip, lines_outside(before.block)):
        assert line in kept[position:], line
        position += kept[position:].index(line) + 1
    for key in VALUES:
        lines = [line.rstrip("\r") for line in after.block.split("\n")]
        (line,) = [line for line in lines if line.startswith(f"{key}:")]
        comment = line.removeprefix(f"{key}: {VALUES[key]}")
        assert comment == "" or (comment.lstrip(" \t").startswith("#") and comment in text)
    if "\r\n" in text and "\n" not in text.replace("\r\n", ""):
        assert "\n" not in after.block.replace("\r\n", "")


@given(TOPIC)
@example(
    "---\nwords\nname:\nname:\nwords\n" + "name: plain\n  goes on\n  # comment\n" * 3 + "---\n"
)
def test_updating_twice_is_updating_once(text: str) -> None:
    if frontmatter.split(text).present:
        once = frontmatter.update(text, VALUES, defaults={"created": "2026"})
        assert frontmatter.update(once, VALUES, defaults={"created": "2027"}) == once


@given(TOPIC)
def test_what_was_written_is_read_back(text: str) -> None:
    if frontmatter.split(text).present:
        found = frontmatter.read(frontmatter.update(text, VALUES))
        assert (found["name"], found["description"], found["last_updated"]) == (
            "New",
            "new",
            "2026-11-15",
        )


def test_an_empty_value_counts_as_present_for_defaults() -> None:
    text = frontmatter.update("---\ncreated:\n---\n", {"name": '"A"'}, defaults={"created": "now"})
    assert text == '---\ncreated:\nname: "A"\n---\n'


def test_nested_keys_of_the_same_name_stay() -> None:
    text = "---\nmetadata:\n  name: inner\n  description: |\n    name: x\nname: A\n---\n"
    after = frontmatter.update(text, {"name": '"B"'})
    assert after == text.replace("\nname: A", '\nname: "B"')


@pytest.mark.parametrize(
    ("line", "after"),
    [
        ('"A" # kept', '"B" # kept'),
        ("'it''s'\t# kept", '"B"\t# kept'),
        ('"a # b"', '"B"'),
        ("prose # of the text", '"B"'),
        ('"two\n  lines"  # kept', '"B"  # kept'),
    ],
)
@pytest.mark.parametrize("eol", ["\n", "\r\n"])
def test_a_comment_behind_a_value_stays(line: str, after: str, eol: str) -> None:
    text = f"---\nname: {line}\nx: 1\n---\nbody".replace("\n", eol)
    changed = frontmatter.update(text, {"name": '"B"'})
    assert changed == f"---\nname: {after}\nx: 1\n---\nbody".replace("\n", eol)


def test_a_comment_behind_a_plain_value_stays_only_where_it_is_one() -> None:
    text = "---\ntype: user # kept\nnote: a#b\nlist: [a] # gone\n---\n"
    changed = frontmatter.update(text, {"type": "project", "note": "c", "list": "d"})
    assert changed == "---\ntype: project # kept\nnote: c\nlist: d\n---\n"


def test_a_body_never_joins_the_closing_fence() -> None:
    assert frontmatter.with_body("---\r\nname: A\r\n---", "b") == "---\r\nname: A\r\n---\r\nb"
    assert frontmatter.with_body("---\nname: A\n---", "") == "---\nname: A\n---"
    assert frontmatter.with_body("\ufeffold", "new") == "\ufeffnew"


@pytest.mark.parametrize(
    ("old", "new", "kept"),
    [
        ("name: a\nx: 1\n", "name: b\nx: 1\n", True),
        ("name: a\nx: 1\n", "name: b\nx: 2\n", False),
        ("{name: a}\n", '{name: a}\nname: "b"\n', False),
        ("x: &a 1\nname: &n a\ny: *n\n", 'x: &a 1\nname: "b"\ny: *n\n', False),
        ("x: [\nname: a\n", 'x: [\nname: "b"\n', True),
    ],
)
def test_what_a_change_may_not_break(old: str, new: str, kept: bool) -> None:
    assert frontmatter.keeps(f"---\n{old}---\n", f"---\n{new}---\n", {"name"}) is kept


@pytest.mark.parametrize(
    "block",
    [
        "Just some prose.\n",
        "A sentence.\nRemember: it has a colon.\n",
        "Remember: a colon first.\nThen more of it.\n",
        "Dear all: this reads as YAML, but is a sentence.\n",
        "Remember: this: twice.\n",
        "https://example.com/a/page\n",
        "- a list\n- of: things\n",
        "# A heading\n\nAnd prose below it.\n",
        "# only a heading\n",
        "> A quotation.\n",
        "| a | table |\n|---|---|\n",
        "name of the thing: it matters.\nMore.\nAnd more.\n",
    ],
)
@pytest.mark.parametrize("eol", ["\n", "\r\n"])
def test_prose_between_two_rules_is_prose(block: str, eol: str) -> None:
    text = f"---\n{block}---\nbody\n".replace("\n", eol)
    parts = frontmatter.split(text)
    assert not parts.present
    assert parts.body == text
    assert frontmatter.read(text) == {}
    assert not frontmatter.is_unclosed(text)


@pytest.mark.parametrize(
    "block",
    [
        "Größe: 1\n",
        "created: 2026\nwords between\n",
        "name:A\n",
        "{name: A}\n",
        "  tags: [a]\n",
        "x: 1\nx: 2\n",
        "# a comment\nkey: value\n",
        "key:\n- a\n- b\n",
    ],
)
def test_keys_with_values_are_front_matter(block: str) -> None:
    assert frontmatter.split(f"---\n{block}---\nbody").present


def test_a_fence_that_nothing_closes_is_told_from_prose() -> None:
    assert frontmatter.is_unclosed("\ufeff---\nname: A\n")
    assert frontmatter.is_unclosed("--- \r\nname: A\r\n----\r\n")
    assert not frontmatter.is_unclosed("---\nname: A\n---\n")
    assert not frontmatter.is_unclosed("text\n---\n")
