"""Snippets: cut around the match, with the match marked, never without it."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from pimem_core.search.excerpts import mark, passages
from pimem_core.search.folding import fold, words_of
from pimem_core.search.query import parse


def marked(text: str, query: str, most: int = 1) -> list[tuple[int, list[str], str]]:
    asked = parse(query)
    found = passages(text, asked.terms, asked.literal, most)
    return [
        (one.line, [one.snippet[start:end] for start, end in one.matches], one.snippet)
        for one in found
    ]


def test_a_match_deep_in_a_long_line_is_shown() -> None:
    text = "first\n" + "word " * 500 + "needle in the hay " + "word " * 500
    line, matches, snippet = marked(text, "needle hay")[0]
    assert line == 2
    assert matches == ["needle", "hay"]
    assert len(snippet) < 200
    assert snippet.startswith("…")
    assert snippet.endswith("…")


def test_a_phrase_over_two_lines_is_one_match() -> None:
    text = "Intro\n\nthe connection pool\n  size: is capped at 20\n"
    assert marked(text, "pool size is capped")[0][:2] == (3, ["pool size: is capped"])


def test_the_passage_with_the_most_words_wins() -> None:
    text = "pool\n\n" + "x y z " * 60 + "\n\nthe pool has its size\n"
    assert marked(text, "size pool")[0][0] == 5


def test_several_passages_do_not_overlap() -> None:
    text = "\n\n".join(f"needle {number} " + "hay stack " * 40 for number in range(5))
    found = marked(text, "needle", most=3)
    assert [line for line, _matches, _snippet in found] == [1, 3, 5]


def test_forms_accents_and_width_are_marked_as_they_stand() -> None:
    assert marked("Das CAFÉ an der STRASSE, die ＡＰＩ", "cafe straße api")[0][1] == [
        "CAFÉ",
        "STRASSE",
        "ＡＰＩ",
    ]
    assert marked("we were deploying", "deployed")[0][1] == ["deploying"]
    assert marked("東京リージョン移行", "ージョ")[0][1] == ["ージョ"]


def test_a_huge_word_is_cut() -> None:
    _line, matches, snippet = marked("b" * 9 + "a" * 5_000, "a" * 3_000)[0]
    assert len(snippet) < 200
    assert matches[0].endswith("a")


def test_marks_of_a_name() -> None:
    asked = parse("pool size")
    assert mark("The Pool: Size", asked.terms, asked.literal) == [(4, 14)]


@given(
    st.lists(
        st.sampled_from(["pool", "Größe", "size", "東京", "e\u0301te", "x", "\n", "—", "\t"]),
        max_size=80,
    ),
    st.sampled_from(["pool", "größe", "SIZE pool", "東京", "été", "京", '"pool size"', "poo"]),
    st.sampled_from([" ", "  ", "\n", ""]),
)
def test_every_snippet_has_a_match_where_it_says(
    words: list[str], query: str, between: str
) -> None:
    text = between.join(words)
    asked = parse(query)
    for one in passages(text, asked.terms, asked.literal, most=3):
        assert one.matches
        for start, end in one.matches:
            match = one.snippet[start:end]
            assert match.strip()
            assert "\n" not in one.snippet
            whole = fold(match)
            assert whole == asked.literal or any(
                term.places(whole) or term.places(fold(f" {match} ")) for term in asked.terms
            )
        assert 1 <= one.line <= text.count("\n") + 1


@given(st.text(max_size=300), st.text(min_size=1, max_size=20))
def test_a_word_that_is_in_a_text_is_marked(text: str, word: str) -> None:
    whole = f"{text} {word} {text}"
    asked = parse(f'"{word}"'.replace("\0", ""))
    if asked.terms and set(words_of(word)) & {term.word for term in asked.terms}:
        assert passages(whole, asked.terms, asked.literal)
