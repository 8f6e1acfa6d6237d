"""The index: lines that were not asked to change keep every byte."""

from __future__ import annotations

import datetime as dt
import operator
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pimem_core.systems.openpi.index import canonical, entries, parse_line
from pimem_core.systems.openpi.index_changes import Index
from pimem_core.systems.openpi.injection import index_text
from pimem_core.systems.openpi.lookup import find
from pimem_core.systems.openpi.stamps import age_days, instant

NOW = dt.datetime(2026, 11, 15, 10, 20, 30, tzinfo=dt.UTC)
FILES = ["a.md", "b.md", "c d.md", "é.md", "gone.md"]

ENTRY = st.builds(
    "{}- [{}]({}){}{}{}{}".format,
    st.sampled_from(["", "  ", "\t", "\ufeff", "\u3000"]),
    st.sampled_from(["A", "B [x", "Ünï", "a -- b"]),
    st.sampled_from(FILES),
    st.sampled_from(["", " [pin]", "[pin]", " [pin] [pin]"]),
    st.sampled_from(["", " 2026-11-01", " 2019-01-01T00:00:00+05:30 [stale?]", " 2020-02-31"]),
    st.sampled_from([" -- text", " -- [pin] 2001-01-01 [stale?]", " — dash", " -- ", ""]),
    st.sampled_from(["", "\r", "\u2028x", "\rmore", "\u2029"]),
)
PROSE = st.one_of(
    st.sampled_from(["", "# Memory Index", "- [u](../x.md) -- u", "* [s](s.md)", "\r", "  - sub"]),
    st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"]), max_size=12),
)
LINES = st.lists(st.one_of(ENTRY, PROSE), max_size=12)
TEXT = st.builds(
    lambda lines, mark, end: mark + "\n".join(lines) + end,
    LINES,
    st.sampled_from(["", "\ufeff"]),
    st.sampled_from(["", "\n", "\r\n", "\n\n"]),
)
ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=80)


def untouched(text: str, file: str) -> list[str]:
    """The lines that are not about a file, without the carriage return of a changed last line."""
    kept = []
    for line in text.split("\n"):
        entry = parse_line(line)
        if entry is None or entry.file != file:
            kept.append(line)
    return kept


@given(st.one_of(TEXT, ANY_TEXT))
def test_reading_and_writing_back_changes_nothing(text: str) -> None:
    assert Index(text).text() == text
    for line in text.split("\n"):
        entry = parse_line(line)
        assert entry is None or entry.line == line


@given(TEXT, st.sampled_from(FILES), st.booleans())
def test_upsert_touches_only_the_lines_of_its_file(text: str, file: str, pin: bool) -> None:
    index = Index(text)
    had = index.of_file(file)
    index.upsert("New", file, pin=pin, stamp="2026-11-15", summary="s")
    after = index.text()
    before_lines, after_lines = untouched(text, file), untouched(after, file)
    if not had and len(after_lines) == len(before_lines) and before_lines != after_lines:
        # Only the end of the last line was completed, to the file's own line end.
        assert text.split("\n", 1)[0].endswith("\r")
        assert after_lines[-1] == before_lines[-1] + "\r"
        before_lines[-1] += "\r"
    assert after_lines == before_lines
    written = index.of_file(file)
    assert len(written) == max(1, len(had))
    assert written[0].name == "New"
    assert written[0].pinned == (pin or any(entry.pinned for entry in had))


@given(TEXT, st.sampled_from(FILES), st.booleans())
def test_pinning_touches_only_the_lines_of_its_file(text: str, file: str, pinned: bool) -> None:
    index = Index(text)
    count = len(index.of_file(file))
    index.set_pin(file, pinned)
    assert untouched(index.text(), file) == untouched(text, file)
    assert len(index.of_file(file)) == count
    assert all(entry.pinned == pinned for entry in index.of_file(file))
    once = index.text()
    index.set_pin(file, pinned)
    assert index.text() == once


@given(TEXT, st.sampled_from(FILES))
def test_pinning_and_unpinning_gives_back_an_unpinned_line(text: str, file: str) -> None:
    index = Index(text)
    index.set_pin(file, False)
    before = index.text()
    index.set_pin(file, True)
    index.set_pin(file, False)
    assert index.text() == before


@given(TEXT, st.sampled_from(FILES))
def test_removing_leaves_every_other_line(text: str, file: str) -> None:
    index = Index(text)
    index.remove(file)
    assert index.text() == "\n".join(untouched(text, file))


@given(TEXT, st.sampled_from([0, 180, 100_000]))
def test_maintenance_keeps_prose_and_every_present_file_once(text: str, days: int) -> None:
    index = Index(text)
    before = index.entries()
    dropped = index.maintain(lambda f: f != "gone.md", stale_after_days=days, moment=NOW)
    after = index.entries()
    prose = [line for line in text.split("\n") if parse_line(line) is None]
    left = [line for line in index.text().split("\n") if parse_line(line) is None]
    assert left == prose or index.text() == ""
    gone = [entry.line for entry in before if entry.file == "gone.md"]
    assert [entry.line for entry in dropped] == gone
    assert sorted(e.file for e in after) == sorted({e.file for e in before} - {"gone.md"})
    assert {e.file for e in after if e.pinned} == {
        e.file for e in before if e.pinned and e.file != "gone.md"
    }
    for entry in after:
        assert {
            e.name + e.rest[len(e.head) :] + e.tail for e in before if e.file == entry.file
        } >= {entry.name + entry.rest[len(entry.head) :] + entry.tail}
    once = index.text()
    assert index.maintain(lambda f: True, stale_after_days=days, moment=NOW) == []
    assert index.text() == once


@given(TEXT)
def test_maintenance_of_a_sound_index_with_marks_off_changes_nothing(text: str) -> None:
    seen: set[str] = set()
    lines = []
    for line in text.split("\n"):
        entry = parse_line(line)
        if entry is None or entry.file not in seen:
            lines.append(line)
        if entry is not None:
            seen.add(entry.file)
    sound = "\n".join(lines)
    index = Index(sound)
    index.maintain(lambda _file: True, stale_after_days=0, moment=NOW)
    assert index.text() == sound


@pytest.mark.parametrize(
    ("stamp", "stale"),
    [
        ("2026-05-19", False),  # 180 days
        ("2026-05-18T10:20:30+00:00", False),  # 181 days less one moment in the zone below
        ("2026-05-18T10:20:29+00:00", True),
        ("2026-05-18", True),
        ("2026-05-18T15:50:30+05:30", True),
        ("2026-05-18T15:50:31+05:30", False),
        ("9999-99-99", False),
    ],
)
def test_stale_is_strictly_older_than_the_limit(stamp: str, stale: bool) -> None:
    index = Index(canonical("A", "a.md", pinned=False, stamp=stamp, summary="s"))
    moment = NOW - dt.timedelta(seconds=0 if stamp != "2026-05-18T10:20:30+00:00" else 1)
    index.maintain(lambda _file: True, stale_after_days=180, moment=moment)
    assert index.entries()[0].stale == stale


@pytest.mark.parametrize(
    ("text", "iso"),
    [
        ("2026-02-30", "2026-03-02T00:00:00+00:00"),
        ("2026-01-01T24:00:00+00:00", "2026-01-02T00:00:00+00:00"),
        ("2026-01-01T00:30:00+08:00", "2025-12-31T16:30:00+00:00"),
        ("2026-01-01T24:00:01+00:00", None),
        ("2026-01-32", None),
        ("2026-13-01", None),
        ("2026-00-01", None),
        ("2026-01-00", None),
        ("2026-01-01T23:59:60+00:00", None),
        ("2026-01-01T00:00:00+24:00", None),
        ("2026-01-01Z", None),
        ("２０２６-01-01", None),
    ],
)
def test_stamps_mean_the_instants_that_javascript_reads(text: str, iso: str | None) -> None:
    seconds = instant(text)
    found = None if seconds is None else dt.datetime.fromtimestamp(seconds, dt.UTC)
    assert (found.isoformat() if found else None) == iso


FORMS = {
    "2026-05-18T10:20:29Z": "2026-05-18T10:20:29+00:00",
    "2026-05-18t10:20:29z": "2026-05-18T10:20:29+00:00",
    "2026-05-18T10:20:29.250Z": "2026-05-18T10:20:29.250000+00:00",
    "2026-05-18T10:20:29,5+01:00": "2026-05-18T09:20:29.500000+00:00",
    "2026-05-18T10:20:29.123456789+00:00": "2026-05-18T10:20:29.123457+00:00",
    "2026-05-18 10:20:29": "2026-05-18T10:20:29+00:00",
    "2026-05-18T10:20Z": "2026-05-18T10:20:00+00:00",
    "2026-05-18T10:20": "2026-05-18T10:20:00+00:00",
    "2026-05-18T10:20:29+0530": "2026-05-18T04:50:29+00:00",
    "2026-05-18T10:20:29-05": "2026-05-18T15:20:29+00:00",
}


@pytest.mark.parametrize("stamp", FORMS)
def test_any_iso_form_is_read_and_marked_behind_the_whole_stamp(stamp: str) -> None:
    line = canonical("A", "a.md", pinned=False, stamp=stamp, summary="s")
    entry = parse_line(line)
    assert entry is not None
    assert entry.stamp == stamp
    seconds = instant(stamp)
    assert seconds is not None
    assert dt.datetime.fromtimestamp(seconds, dt.UTC).isoformat() == FORMS[stamp]
    index = Index(line)
    index.maintain(lambda _file: True, stale_after_days=10, moment=NOW)
    assert index.text() == f"- [A](a.md) {stamp} [stale?] -- s"
    index.maintain(lambda _file: True, stale_after_days=10_000, moment=NOW)
    assert index.text() == line


def test_a_mark_inside_a_stamp_moves_behind_it() -> None:
    index = Index("- [A](a.md) 2026-05-18 [stale?]T10:20:29.5Z -- s [stale?]T1")
    index.maintain(lambda _file: True, stale_after_days=10, moment=NOW)
    assert index.text() == "- [A](a.md) 2026-05-18T10:20:29.5Z [stale?] -- s [stale?]T1"


def test_of_duplicates_the_later_instant_wins_whatever_its_form() -> None:
    later, earlier = "2026-05-18T10:00:00.5+02:00", "2026-05-18T08:00:00Z"
    for stamps in ((later, earlier), (earlier, later)):
        index = Index("\n".join(f"- [A](a.md) {stamp} -- s" for stamp in stamps))
        index.maintain(lambda _file: True, stale_after_days=0, moment=NOW)
        assert index.text() == f"- [A](a.md) {later} -- s"


def test_age_counts_whole_days_across_offsets() -> None:
    assert age_days("2026-11-14T00:20:31+14:00", NOW) == 1
    assert age_days("2026-11-14T10:20:31+00:00", NOW) == 0


def test_an_exact_name_or_file_wins_over_parts() -> None:
    found = entries("- [Docker](docker.md)\n- [Docker Compose](compose.md)\n- [X](docker-x.md)")
    assert [e.file for e in find(found, "DOCKER")] == ["docker.md"]
    assert [e.file for e in find(found, "compose.md")] == ["compose.md"]
    assert [e.file for e in find(found, "ose")] == ["compose.md"]
    assert len(find(found, "dock")) == 3
    assert find(found, "nothing") == []


def test_a_whole_file_name_means_that_file_first() -> None:
    found = entries("- [b.md](a.md)\n- [Up](X.MD)\n- [B](b.md)\n- [x](x.md)\n- [My](my-docker.md)")
    assert [e.file for e in find(found, "b.md")] == ["b.md"]
    assert [e.file for e in find(found, "x.md")] == ["x.md"]
    assert [e.file for e in find(found, "X.MD")] == ["X.MD"]
    assert [e.file for e in find(found, "MY-docker.md")] == ["my-docker.md"]
    assert [e.file for e in find(found, "docker.md")] == ["my-docker.md"]  # a part, as any other


def test_duplicates_are_one_match() -> None:
    found = entries("- [Docker one](docker.md)\n- [Docker two](docker.md)")
    assert [e.name for e in find(found, "dock")] == ["Docker one"]


@settings(max_examples=30)
@given(st.lists(st.one_of(ENTRY, PROSE), max_size=400), st.integers(50, 1000))
def test_injected_text_keeps_to_the_limits_and_to_whole_lines(lines: list[str], most: int) -> None:
    text = "\n".join(lines)
    injected = index_text(text, most)
    if injected == text:
        return
    body = injected.split("\n\n<!--")[0]
    assert len(injected.encode()) <= 51_200
    assert len(body.split("\n")) <= most


_STEPS = st.lists(
    st.one_of(
        st.tuples(
            st.just("upsert"), st.sampled_from(FILES), st.sampled_from(["2026-11-01", "2020-01-01"])
        ),
        st.tuples(st.just("pin"), st.sampled_from(FILES), st.booleans()),
        st.tuples(st.just("remove"), st.sampled_from(FILES), st.none()),
        st.tuples(st.just("gone"), st.sampled_from(FILES), st.none()),
    ),
    max_size=6,
)


@given(TEXT, _STEPS)
def test_what_is_kept_of_the_last_index_changes_no_result(
    text: str, steps: list[tuple[str, str, Any]]
) -> None:
    def outcomes(*, kept: bool) -> list[tuple[str, list[str]]]:
        now, found = text, []
        Index._last = None
        for what, file, value in steps:
            if not kept:
                Index._last = None
            index = Index(now)
            if what == "upsert":
                index.upsert("N", file, pin=False, stamp=value, summary="s")
            elif what == "pin":
                index.set_pin(file, value)
            elif what == "remove":
                index.remove(file)
            absent = file if what == "gone" else None
            dropped = index.maintain(
                partial(operator.ne, absent),
                known={"a.md"} - {absent},
                stale_after_days=180,
                moment=NOW,
            )
            now = index.text()
            found.append((now, [entry.line for entry in dropped]))
        return found

    assert outcomes(kept=True) == outcomes(kept=False)
