"""Filtering, ordering and the texts of an empty list, without a screen."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pimem_core.model import StoreStatus
from pimem_tui.rows.empty_states import state_of
from pimem_tui.rows.filtering import NO_TYPE, Filter, next_type, parse
from pimem_tui.rows.listing import prepare
from pimem_tui.rows.ordering import ORDERS, places_of
from tui.helpers import make_topic

if TYPE_CHECKING:
    from pimem_core.model import Topic

TYPES = ["feedback", "project", "user", NO_TYPE]
NAMES = [name for name, _key, _greatest_first in ORDERS]
words = st.lists(st.sampled_from(["deploy", "type", ":", "types:x", "a:b", "ü", "[b]"]), max_size=3)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", Filter("")),
        ("deploy", Filter("deploy")),
        ("type:user", Filter("", "user")),
        ("type:", Filter("", "")),
        ("TYPE:User deploy", Filter("deploy", "user")),
        ("deploy  type:us  box", Filter("deploy   box", "us")),
        ("datatype:user", Filter("datatype:user")),
        ("status:done", Filter("status:done")),
        ("type:user type:project", Filter("type:project", "user")),
    ],
)
def test_a_filter_is_taken_apart(query: str, expected: Filter) -> None:
    assert parse(query, TYPES) == expected
    assert parse(query, []) == Filter(query)  # without types it is all text


def test_entries_are_filtered_by_their_status() -> None:
    assert parse("status:done x", ["done"], "status") == Filter("x", "done")
    assert parse("type:done x", ["done"], "status") == Filter("type:done x")


@pytest.mark.parametrize(
    ("wanted", "taken"),
    [
        (None, ["user", "Used", "project", None]),
        ("", ["user", "Used", "project"]),
        ("use", ["user", "Used"]),
        ("user", ["user"]),
        (NO_TYPE, [None]),
        ("x", []),
    ],
)
def test_the_beginning_of_a_type_is_enough(wanted: str | None, taken: list[str | None]) -> None:
    topics = [make_topic("a", type=kind) for kind in ("user", "Used", "project", None)]
    assert [topic.type for topic in topics if Filter("", wanted).takes(topic)] == taken


@given(words)
def test_types_go_round_and_the_words_stay(typed: list[str]) -> None:
    query = first = " ".join(typed)
    seen = []
    for _ in range(len(TYPES) + 1):
        query = next_type(query, TYPES)
        found = parse(query, TYPES)
        assert found.words == first
        seen.append(found.type)
    assert seen == [*TYPES, None]
    assert query == first


def test_after_a_type_that_was_typed_in_part_all_show() -> None:
    assert next_type("type:us deploy", TYPES) == "deploy"


stamps = st.sampled_from(
    [
        *(None, "", "never", "2026-02-30", "2026-11-30", "2026-11-30T01:00:00+02:00"),
        *("2026-11-29T23:30:00+00:00", "2028-02-29", "2026-11-30T00:00"),
        "0001-01-01T00:00:00+14:00",
    ]
)
topics = st.lists(
    st.builds(
        make_topic,
        st.sampled_from(["alpha", "Beta", "gamma", "ALPHA", "ß"]),
        stamp=stamps,
        pinned=st.booleans(),
        line=st.sampled_from(["", "x", "words " * 30]),
    ),
    max_size=8,
)


@given(topics, st.sampled_from(range(len(ORDERS))))
def test_an_order_has_every_topic_once_and_equal_ones_as_the_store_has_them(
    known: list[Topic], order: int
) -> None:
    places = places_of(known, order)
    assert sorted(places) == list(range(len(known)))
    _name, key, greatest_first = ORDERS[order]
    if key is None:
        assert places == sorted(places)
        return
    for before, after in pairwise(places):
        one, other = key(known[before]), key(known[after])
        assert (other < one if greatest_first else one < other) or (  # type: ignore[operator]
            one == other and before < after
        )


def test_moments_are_compared_and_not_their_texts() -> None:
    known = [
        make_topic("late", stamp="2026-11-30T00:30:00+00:00"),
        make_topic("early", stamp="2026-11-30T02:00:00+02:00"),
        make_topic("day", stamp="2026-11-30"),
        make_topic("none", stamp=None),
        make_topic("broken", stamp="2026-02-30"),
        make_topic("leap", stamp="2028-02-29"),
    ]

    def names(order: str) -> list[str]:
        return [known[place].name for place in places_of(known, NAMES.index(order))]

    assert names("newest first") == ["leap", "late", "early", "day", "none", "broken"]
    assert names("oldest first") == ["none", "broken", "early", "day", "late", "leap"]


def status(form: str | None = None, *notes: str) -> StoreStatus:
    return StoreStatus(
        store="memory",
        system="memory",
        path="/x",
        exists=True,
        active=False,
        format=form,
        notes=notes,
    )


EMPTY, FULL = prepare([]), prepare([make_topic("a", type="user")])


def test_where_there_are_rows_nothing_takes_their_place() -> None:
    assert state_of(FULL, status(), "", "", None) is None
    assert state_of(FULL, status("unknown", "note"), "", "", None) is None
    assert state_of(FULL, None, "The disk is gone.", "", None) is None  # what was read stays
    assert state_of(FULL, None, "", "x", None) is None  # still searching
    assert state_of(FULL, None, "", "x", FULL) is None


def test_what_cannot_be_read_says_why() -> None:
    for listing in (None, EMPTY):
        said = state_of(listing, None, "The disk is gone.", "x", EMPTY)
        assert said is not None
        assert "\n\nThe disk is gone.\n\n" in said
    reading = state_of(None, None, "", "", None)
    assert reading is not None
    assert "\n" not in reading


@pytest.mark.parametrize(
    ("query", "named"),
    [
        ("deploy", "“deploy”"),
        ("type:user deploy", "type “user” contains “deploy”"),
        ("type:user", "type “user”"),
        (f"type:{NO_TYPE}", "without a type"),
        ("[b]\x1b[31m", "“[b]"),
    ],
)
def test_a_filter_without_hits_names_what_was_sought_and_the_way_out(
    query: str, named: str
) -> None:
    said = state_of(FULL, status(), "", query, EMPTY, clear_key="ctrl+x")
    assert said is not None
    assert named in said
    assert "ctrl+x" in said
    assert "\x1b" not in said


@pytest.mark.parametrize("form", ["foreign:pi-memory", "unknown"])
def test_of_a_folder_that_is_not_ours_the_system_knows_best(form: str) -> None:
    assert state_of(EMPTY, status(form, "one", "two"), "", "", None, "n") == "one\n\ntwo"
    said = state_of(EMPTY, status(form), "", "", None, "n")
    assert said is not None
    assert ("(pi-memory)" in said) is form.startswith("foreign")
    assert "n writes" not in said


def test_an_empty_store_names_the_key_that_fills_it_where_one_does() -> None:
    for about, notes in ((None, ()), (status(), ()), (status(None, "one"), ("one",))):
        for key in ("", "ctrl+n"):
            said = state_of(EMPTY, about, "", "", None, key)
            assert said is not None
            assert ("ctrl+n " in said) is bool(key)
            assert said.split("\n\n")[1 + bool(key) :] == list(notes)
