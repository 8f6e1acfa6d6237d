"""Folding: what counts as the same text, and the way back to the original."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pimem_core.search.folding import SEAM, fold, fold_loosely, fold_rows, spans, tighten, words_of
from pimem_core.search.stemming import common_start, stem

TEXTS = st.text(max_size=200) | st.text(
    alphabet=st.sampled_from("aZß é\u0301\u3099かｶﾞ東ที่İﬁ½—\n.,-ⅨＡ１ᄀ\u1161각\u200d\u0338<"),
    max_size=60,
)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("café", "CAFE\u0301"),
        ("API", "ＡＰＩ"),
        ("STRASSE", "straße"),
        ("Grade 4: Week 1", "grade 4\n  week 1"),
        ("ﬁne", "fine"),
        ("İstanbul", "istanbul"),
        ("ガ", "ｶﾞ"),
        ("が", "か\u3099"),
        ("각", "\u1100\u1161\u11a8"),
        ("Ångström", "ångstro\u0308m"),
        ("ΣΊΣΥΦΟΣ", "σίσυφος"),
        ("naïve—approach", "naive approach"),
        ("soft\u00adhyphen", "softhyphen"),
    ],
)
def test_texts_that_people_take_for_the_same_fold_to_the_same(one: str, other: str) -> None:
    assert fold(one) == fold(other)


def test_scripts_without_spaces_are_folded_to_single_characters() -> None:
    assert words_of("東京リージョン移行v2") == [*"東京リージョン移行", "v2"]
    assert fold("กรุงเทพ") in fold("สำนักงานกรุงเทพเปิด")


@given(TEXTS)
def test_every_text_folds_to_words_with_one_space_around_each(text: str) -> None:
    folded = fold(text)
    assert folded.startswith(b" ")
    assert folded.endswith(b" ")
    assert b"  " not in folded
    assert SEAM not in folded.decode()


@given(TEXTS)
def test_folding_again_changes_nothing(text: str) -> None:
    folded = fold(text)
    assert fold(folded.decode()) == folded


@given(TEXTS)
def test_spans_are_the_folded_words_in_order_each_at_its_place(text: str) -> None:
    found = list(spans(text))
    assert [word for word, _start, _end in found] == words_of(text)
    last = (0, 0)
    for word, start, end in found:
        # One character, such as ¼, may fold to two words, which then share its place.
        assert last[0] <= start < end <= len(text)
        assert last[1] <= end
        assert word in words_of(text[start:end])
        last = start, end


@given(st.lists(st.text(alphabet="ab é東\n", max_size=3_000), max_size=3).map(" ".join))
def test_long_texts_have_the_same_words_step_by_step(text: str) -> None:
    assert [word for word, _start, _end in spans(text)] == words_of(text)


@given(st.text(max_size=200))
def test_bytes_fold_as_their_text_does(text: str) -> None:
    data = text.encode("utf-8", "replace")
    assert tighten(fold_loosely(data)) == fold(data.decode())


@given(st.text(alphabet=st.characters(max_codepoint=0x7F), max_size=200))
def test_plain_text_keeps_its_places_when_folded_loosely(text: str) -> None:
    folded = fold_loosely(text.encode())
    assert len(folded) == len(text) + 2
    for word, start, end in spans(text):
        assert folded[start + 1 : end + 1].decode() == word


@given(st.lists(st.tuples(TEXTS, TEXTS).map(lambda row: [t.replace(SEAM, "") for t in row])))
def test_many_texts_fold_as_each_does(rows: list[list[str]]) -> None:
    found = [row.split(SEAM.encode()) for row in fold_rows(rows)]
    assert found == [[fold(text) for text in row] for row in rows]


def test_broken_bytes_are_no_words() -> None:
    assert fold_loosely(b"a\xff\xfeb\xc3").split() == [b"a", b"b"]


@pytest.mark.parametrize(
    "forms",
    [
        "deploy deploys deployed deploying deployment",
        "cap caps capped capping",
        "cache caches cached caching",
        "policy policies",
        "connect connects connected connecting connection connections",
        "review reviews reviewed reviewing",
        "run running runs",
        "hope hoping hoped",
        "happy happiness",
    ],
)
def test_forms_of_a_word_have_one_stem_and_begin_alike(forms: str) -> None:
    words = forms.split()
    assert len({stem(word) for word in words}) == 1
    assert all(word.startswith(common_start(stem(words[0]))) for word in words)


@given(st.text(alphabet="abcdefghijklmnopqrstuvwxyz", max_size=20))
def test_every_word_has_a_stem(word: str) -> None:
    assert bool(stem(word)) == bool(word)


def test_no_text_folds_to_what_stands_between_parts() -> None:
    assert fold(f"a{SEAM}b") == b" a b "
