"""Text rules that are shared with the JavaScript programs, and what a terminal may get."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pimem_core.formats.text import (
    SPACE,
    SPACE_PATTERN,
    cut_utf16,
    encode,
    one_line,
    plural,
    quote,
    trim,
    visible,
    visible_cell,
)

MANY = st.text(st.characters(exclude_categories=[]), max_size=40)
BIDI = set("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
ZERO_WIDTH = set("\u200b\u200c\u200d\u2060\ufeff\u180e\u00ad\u034f")


@given(st.text(max_size=40), st.integers(0, 30))
def test_a_cut_keeps_whole_characters_and_no_more_than_asked(text: str, units: int) -> None:
    cut = cut_utf16(text, units)
    assert text.startswith(cut)
    assert len(cut.encode("utf-16-le")) <= 2 * units
    if cut != text:
        longer = text[: len(cut) + 1]
        assert len(longer.encode("utf-16-le")) > 2 * units


@given(MANY)
def test_nothing_that_steers_a_terminal_is_drawn(text: str) -> None:
    shown = visible(text)
    assert not set(shown) & (BIDI | ZERO_WIDTH)
    assert all(
        unicodedata.category(c) not in ("Cc", "Cs", "Zl", "Zp") for c in shown if c not in "\t\n"
    )
    assert visible(shown) == shown
    shown.encode()


@given(MANY)
def test_a_table_cell_is_one_line(text: str) -> None:
    cell = visible_cell(text)
    assert not set("\t\n\r") & set(cell)
    assert len(cell) == len(text.replace("\r\n", "\n"))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\tb\nc", "a\tb\nc"),
        ("a\r\nb", "a\nb"),
        ("a\rb", "a␍b"),
        ("\x1b[31m\x07\x7f", "␛[31m␇␡"),
        ("\x9b", "␦"),
        ("a\u202eb\u200bc", "a␦b␦c"),
        ("e\u0301 日本 👩 العربية", "e\u0301 日本 👩 العربية"),
        ("[0] x [/ [b", "[0] x [/ [b"),
    ],
)
def test_what_is_drawn(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_white_space_is_that_of_javascript() -> None:
    assert trim(f"{SPACE}a{SPACE}") == "a"
    assert trim("\x1ca\x85") == "\x1ca\x85"
    assert one_line(f" a{SPACE}b ") == "a b"
    every = map(chr, range(0x11_0000))
    assert {char for char in every if re.fullmatch(SPACE_PATTERN, char)} == set(SPACE)


@given(MANY)
def test_encoding_never_fails_and_keeps_all_valid_text(text: str) -> None:
    data = encode(text)
    if not any("\ud800" <= c <= "\udfff" for c in text):
        assert data.decode() == text
    data.decode()


def test_half_characters_become_replacements_and_pairs_whole() -> None:
    assert encode("a\ud83db").decode() == "a\ufffdb"
    assert encode("\ud83d\ude00").decode() == "😀"


def test_quoting_escapes_like_json_and_leaves_other_scripts() -> None:
    assert quote('é"\\\u2028\x01\x7f') == '"é\\"\\\\\u2028\\u0001\x7f"'


def test_counts_agree_with_their_nouns() -> None:
    assert plural(1, "topic") == "1 topic"
    assert plural(0, "memory entry") == "0 memory entries"
    assert plural(1200, "match") == "1,200 matches"
