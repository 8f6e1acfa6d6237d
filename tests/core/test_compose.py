"""What a front's editor asks of the core: rules, composing, merge regions, kept drafts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pimem_core.formats.merge import both, regions
from pimem_core.history.drafts import Typed, TypedDraft, left_drafts
from pimem_core.systems.openpi.system import OpenpiSystem
from pimem_core.systems.stores import WriteRequest

if TYPE_CHECKING:
    from pimem_core.paths import Places
    from pimem_core.systems.openpi.store import OpenpiStore

TEXT = '---\nmetadata:\n  x: 1\nname: "A"\n# kept\ndescription: old   \n---\n\nbody\n'


@pytest.fixture
def store(places: Places) -> OpenpiStore:
    made = OpenpiSystem().active(places)
    made.write(WriteRequest(topic="A", content="body", summary="old"))
    Path(made.path, "a.md").write_text(TEXT)
    return made


def test_composing_keeps_every_byte_that_was_not_changed(store: OpenpiStore) -> None:
    document = store.read("a.md")
    same = store.compose(document, name="A", summary="old", body=document.body)
    assert same == TEXT
    text = store.compose(document, name="A", summary="new", body="\nother\n")
    assert text == TEXT.replace("description: old   ", 'description: "new"').replace(
        "body", "other"
    )


def test_composing_gives_a_bare_file_front_matter_only_when_it_needs_some(
    store: OpenpiStore,
) -> None:
    Path(store.path, "a.md").write_text("bare\n")
    document = store.read("a.md")
    assert store.compose(document, name="A", summary="old", body="new\n") == "new\n"
    text = store.compose(document, name="A", summary="else", body="new\n")
    assert 'description: "else"' in text
    assert text.endswith("---\nnew\n")


def test_the_rules_answer_without_raising(store: OpenpiStore) -> None:
    request = WriteRequest(topic="fine", content="", summary="s")
    assert store.check(request) is None
    assert "leave it out" in (store.check(request.but(topic="a[b")) or "")
    assert store.cost("A", "some words") > store.cost("A", "")


def test_regions_name_what_has_to_be_decided() -> None:
    found = regions("a\nb\nc\n", mine="a\nX\nc\nd\n", theirs="0\na\nY\nc\n")
    assert [region.merged for region in found] == ["0\n", "a\n", None, "c\n", "d\n"]
    assert (found[2].theirs, found[2].mine) == ("Y\n", "X\n")
    assert both(found[2]) == "Y\nX\n"


def test_a_draft_never_goes_back_in_time_or_comes_back(places: Places) -> None:
    draft = TypedDraft.begin(places, "a/b.md")
    typed = Typed(
        system="openpi", folder="/x", opened=None, name="n", summary="", body="new", time=2.0
    )
    draft.keep(typed)
    draft.keep(typed.but(body="old", time=1.0))
    ((_, found),) = left_drafts(places)
    assert found == typed
    assert left_drafts(places, {draft.path}) == []
    draft.discard()
    draft.keep(typed.but(time=3.0))
    assert left_drafts(places) == []
