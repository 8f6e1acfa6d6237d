"""Taking a query apart: every text has a meaning."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pimem_core.search.query import Query, parse


def words(query: Query) -> list[str]:
    return [term.text for term in query.terms]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Pool size", ["pool", "size"]),
        ("what is the pool size", ["pool", "size"]),
        ("what is the", ["what", "is", "the"]),
        ('"exact phrase" cup', ["exact", "phrase", "cup"]),
        ("pool pool Pool", ["pool"]),
        ("AND NEAR( * ^ OR", ["near"]),
        ("config.toml:12", ["config", "toml", "12"]),
        ("https://x.example/a", ["https", "x", "example"]),
        ("東京リ", ["東京リ"]),
        ("東京リージ", ["東京", "京リ", "リー", "ージ"]),
        ("make -j4 --verbose", ["make", "j4", "verbose"]),
        ("", []),
        ("\0 \ud800 ...", []),
    ],
)
def test_the_words_that_count(text: str, expected: list[str]) -> None:
    assert words(parse(text)) == expected


def test_a_phrase_is_wanted_as_it_is() -> None:
    query = parse('"Pool: size" capped')
    assert query.phrases == [b" pool size "]
    assert words(query) == ["pool", "size", "capped"]


def test_an_open_quote_goes_on_to_the_end() -> None:
    assert parse('red "pool size').phrases == [b" pool size "]
    assert parse("“pool size”").phrases == [b" pool size "]
    assert parse('5" disk').phrases == []


def test_a_minus_takes_out_a_word_or_a_phrase() -> None:
    query = parse('pool -size -"in use" - cup')
    assert words(query) == ["pool", "cup"]
    assert [part if isinstance(part, bytes) else part.text for part in query.without] == [
        "size",
        b" in use ",
    ]


def test_fields_have_values_quoted_or_not_and_may_be_unwanted() -> None:
    query = parse('name:pool -type:user is:stale status:"in review" other:x')
    assert [(one.field, one.value, one.unwanted) for one in query.filters] == [
        ("name", "pool", False),
        ("type", "user", True),
        ("is", "stale", False),
        ("status", "in review", False),
    ]
    assert words(query) == ["x"]  # "other" says little


def test_other_fields_count_where_somebody_knows_them() -> None:
    assert [one.field for one in parse("owner:anna", fields={"owner"}).filters] == ["owner"]


def test_while_typing_only_the_last_word_may_go_on() -> None:
    assert [term.unfinished for term in parse("pool siz", typing=True).terms] == [False, True]
    assert [term.unfinished for term in parse("pool siz ", typing=True).terms] == [False, False]
    assert [term.unfinished for term in parse("dep* pool").terms] == [True, False]


def test_a_question_is_told_from_a_few_words() -> None:
    assert parse("what is the pool size for us?").natural
    assert not parse("pool size").natural
    assert not parse("size of pool").natural


def test_a_pasted_page_has_a_bound() -> None:
    assert len(parse(" ".join(f"word{number}" for number in range(5_000))).terms) <= 24
    assert parse("a" * 10_000).terms


@given(
    st.text(max_size=300)
    | st.text(alphabet='ab"-:*^() \0\ud800“”東é', max_size=40)
    | st.lists(
        st.sampled_from(['"', "-", "name:", "AND", "NEAR(", "*", "x", '-"', ":", "is:"])
    ).map(" ".join)
)
def test_every_text_has_a_meaning(text: str) -> None:
    for typing in (False, True):
        query = parse(text, typing=typing)
        assert all(phrase.strip() for phrase in query.phrases)
        assert all(term.word for term in query.terms)
        assert query.literal == b"" or len(query.literal.split()) > 1
