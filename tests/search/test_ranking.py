"""What comes first, and what is said of it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pimem_core.formats.frontmatter import split
from pimem_core.search.bodies import body_start

from .shelves import hits, names, search, shelf, topic

FILLER = "Other words stand here to make the text longer than the others are. " * 6


@pytest.fixture(params=["once", "index", "plain"])
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def test_phrase_then_near_then_all_then_most(kind: str) -> None:
    made = shelf(
        kind,
        (topic("Most"), "the pool is capped"),
        (topic("All"), f"pool here. {FILLER} size there. {FILLER} capped at the end"),
        (topic("Near"), "capped is the size of the pool"),
        (topic("Phrase"), f"{FILLER} the pool size\n  capped. {FILLER}"),
        (topic("None"), FILLER),
    )
    assert names(made, "pool size capped") == ["Phrase", "Near", "All", "Most"]


def test_a_phrase_comes_before_a_name_full_of_the_words(kind: str) -> None:
    made = shelf(
        kind,
        (topic("Size of the Pool"), "The size, then the pool. " * 20),
        (topic("Other"), f"{FILLER} pool size {FILLER}"),
    )
    assert names(made, "pool size") == ["Other", "Size of the Pool"]


def test_of_those_with_a_part_of_the_words_the_rarest_counts(kind: str) -> None:
    made = shelf(
        kind,
        *((topic(f"Common {number}"), "deploy notes") for number in range(5)),
        (topic("Rare"), "certificate notes"),
    )
    assert names(made, "deploy certificate")[0] == "Rare"


def test_name_above_summary_above_heading_above_text(kind: str) -> None:
    made = shelf(
        kind,
        (topic("Text"), "about the proxy and more words\n\n# Other heading\n"),
        (topic("Heading"), "# About the proxy\n\nand more words of another kind\n"),
        (topic("Summary", "about the proxy"), "and more words of another kind, a few\n"),
        (topic("Proxy"), "and more words of another kind, a few more of them\n"),
    )
    assert names(made, "proxy") == ["Proxy", "Summary", "Heading", "Text"]


def test_ties_go_to_the_pinned_then_the_newest(kind: str) -> None:
    made = shelf(
        kind,
        (topic("A", stamp="2026-01-01"), "same text"),
        (topic("B", stamp="2026-03-01"), "same text"),
        (topic("C", stamp="2025-01-01", pinned=True), "same text"),
        (topic("D"), "same text"),
    )
    assert names(made, "same") == ["C", "B", "A", "D"]


def test_a_passage_with_all_words_beats_a_long_text_that_has_them_anywhere(kind: str) -> None:
    apart = f"violin {FILLER * 4} lesson {FILLER * 4} teacher {FILLER * 4} thursday"
    together = f"{FILLER * 8} the teacher moved my violin lesson, to thursday {FILLER * 5}"
    made = shelf(
        kind,
        (topic("Apart"), apart),
        (topic("Together"), together),
        (topic("X"), FILLER),
    )
    assert names(made, "when does my teacher give the violin lesson, on thursday?")[0] == "Together"


def test_forms_of_a_word_are_found_and_the_word_itself_first(kind: str) -> None:
    made = shelf(
        kind,
        (topic("A"), "we deployed twice"),
        (topic("B"), "we deploy twice"),
        (topic("C"), "it was written down"),
    )
    assert names(made, "deploy") == ["B", "A"]
    assert names(made, "wrote") == ["C"]


def test_a_single_word_finds_longer_ones_after_all_others(kind: str) -> None:
    made = shelf(
        kind,
        (topic("Inside"), "the catalog is here"),
        (topic("Start"), "the logfile is here"),
        (topic("Word"), "the log is here"),
    )
    assert names(made, "log") == ["Word", "Start", "Inside"]
    assert names(made, "alog") == ["Inside"]


def test_any_part_of_a_text_without_spaces_is_found(kind: str) -> None:
    made = shelf(
        kind,
        (topic("Tokyo"), "東京リージョンへの移行は四月に行う。"),
        (topic("Thai"), "สำนักงานกรุงเทพเปิดเก้าโมงเช้า"),
        (topic("Seoul"), "서울사무소이전계획"),
    )
    for query, name in (("京", "Tokyo"), ("の移", "Tokyo"), ("リージョンへ", "Tokyo")):
        assert names(made, query) == [name]
    assert names(made, "กรุงเทพ")[0] == "Thai"
    assert names(made, "사무소") == ["Seoul"]


def test_a_misspelt_word_is_taken_for_one_that_is_there_and_said_so(kind: str) -> None:
    made = shelf(kind, (topic("A"), "postgres runs"), (topic("B"), "redis runs"))
    found = hits(made, "postgers")[0]
    assert names(made, "postgers") == ["A"]
    assert found.note == "postgres for postgers"
    assert hits(made, "postgres")[0].note == ""


def test_nothing_found_tells_the_nearest_words(kind: str) -> None:
    made = shelf(kind, (topic("A"), "kubernetes runs"))
    ranking = search(made, "kubewalks")
    assert len(ranking) == 0
    assert list(ranking.suggestions) == ["kubernetes"]


def test_unwanted_words_phrases_and_fields_take_topics_out(kind: str) -> None:
    made = shelf(
        kind,
        (topic("A", type="user"), "pool size capped"),
        (topic("B", pinned=True), "pool of threads in use"),
        (topic("C", stale=True), "size of the pool"),
    )
    assert set(names(made, "pool -capped")) == {"B", "C"}
    assert set(names(made, 'pool -"in use"')) == {"A", "C"}
    assert names(made, "pool type:user") == ["A"]
    assert set(names(made, "pool -type:user")) == {"B", "C"}
    assert names(made, "pinned:yes") == ["B"]
    assert set(names(made, "pinned:no")) == {"A", "C"}
    assert names(made, "is:stale pool") == ["C"]
    assert names(made, "-pool") == []
    assert names(made, '"pool size"') == ["A"]
    assert names(made, "name:b") == ["B"]
    assert names(made, "file:c.md") == ["C"]
    assert set(names(made, "store:local")) == {"A", "B", "C"}


def test_a_command_with_its_options_finds_where_it_stands(kind: str) -> None:
    made = shelf(kind, (topic("A"), "run tar -cf backup.tar home"))
    assert names(made, "tar -cf backup.tar") == ["A"]
    assert names(made, "tar -backup") == []


def test_where_and_why(kind: str) -> None:
    made = shelf(kind, (topic("Proxy", "hosts"), "# Ports\nthe port is 3128"))
    found = hits(made, "proxy port")[0]
    assert found.where == "name"
    assert dict(found.why) == {
        "name": ("proxy",),
        "file": ("proxy",),
        "heading": ("port",),
        "body": ("port",),
    }
    assert hits(made, "3128")[0].where == "body"
    assert hits(made, "hosts")[0].where == "summary"


def test_front_matter_is_no_text_but_a_field(kind: str) -> None:
    made = shelf(kind, (topic("A"), "---\nowner: anna\n---\nbody text\n"))
    assert names(made, "anna") == []
    assert names(made, "owner:anna body") == ["A"]
    assert names(made, "owner:bert body") == []
    assert names(made, "-owner:bert body") == ["A"]
    assert names(made, "body:text") == ["A"]  # no field


PARTS = st.tuples(
    st.sampled_from(["", "\ufeff"]),
    st.sampled_from(["---\n", "--- \n", "---\r\n", "----\n", ""]),
    st.lists(
        st.sampled_from(
            [
                *("name: A", "type:", "  deep: x", "- item", "Some prose", "a: ["),
                *("'q': 1", "", "# c", "é: 1"),
            ]
        ),
        max_size=4,
    ).map("\n".join),
    st.sampled_from(["\n---\n", "\n--- \r\n", "\n---", "\n----\n", ""]),
    st.sampled_from(["body", "", "---\nmore\n---\n"]),
)


@given(PARTS.map("".join))
def test_a_body_begins_where_front_matter_ends(text: str) -> None:
    assert text.encode()[body_start(text.encode()) :].decode() == split(text).body


def test_prose_between_two_rules_is_found(kind: str) -> None:
    made = shelf(kind, (topic("A"), "---\nSome prose, a giraffe.\n---\nafter\n"))
    assert names(made, "giraffe") == ["A"]
    assert hits(made, "giraffe")[0].line == 2


@pytest.mark.parametrize(
    "query",
    ["", "   ", "the of", "a" * 10_000, "x " * 5_000, '"', '"a', "AND", "NEAR(", "*", "^x", "a:b:c",
     "\0", "\ud800", "x\0y", "(((", "'", "-", "--", '-"', "name:", "NOT x", "{head}: x", "rowid:1"],
)  # fmt: skip
def test_any_query_has_a_result(query: str, kind: str) -> None:
    made = shelf(kind, (topic("A", "\ud800\0"), "near x and y\0z"))
    for typing in (False, True):
        hits(made, query, typing=typing)
