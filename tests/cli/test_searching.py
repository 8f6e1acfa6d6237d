"""pimem search: the order, what is said of each hit, and what is said of none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from cli.running import Pimem
    from core.folders import Folder


@pytest.fixture
def folder(local: Folder) -> Folder:
    local.write("Pool", content="The connection pool\n size: is capped at 20.", summary="limits")
    local.write("Café", content="Open until eight.", summary="a pool table")
    local.write("Sizes", content="Many a size.", summary="shirts")
    return local


def test_hits_have_score_matches_and_reasons(pimem: Pimem, folder: Folder) -> None:
    rows = pimem.json("search", "pool size is capped")
    best = rows[0]
    assert (best["name"], best["where"], best["note"]) == ("Pool", "body", None)
    assert [best["snippet"][start:end] for start, end in best["matches"]] == [
        "pool size: is capped"
    ]
    assert best["why"]["body"] == ["pool", "size", "capped"]
    assert best["score"] > 3
    assert [row["score"] for row in rows] == sorted((row["score"] for row in rows), reverse=True)
    assert (
        best["line"]
        == folder.path.joinpath(best["file"]).read_text().split("\n").index("The connection pool")
        + 1
    )


def test_a_limit_keeps_the_best(pimem: Pimem, folder: Folder) -> None:
    everything = pimem.json("search", "size")
    assert len(everything) > 1
    assert pimem.json("search", "size", "--limit", "1") == everything[:1]
    assert pimem("search", "size", "--limit", "0").code == 2


def test_all_stores_goes_without_a_store(pimem: Pimem, folder: Folder) -> None:
    assert pimem.json("search", "pool", "--all-stores") == pimem.json("search", "pool")
    assert pimem("search", "pool", "--all-stores", "--store", "local").code == 1


def test_nothing_found_is_1_and_tells_the_nearest_words(pimem: Pimem, folder: Folder) -> None:
    near = pimem("search", "connexxxon")
    assert near.code == 1
    assert "Words that are there: connection." in near.err
    nothing = pimem("search", "zzzz")
    assert (nothing.code, nothing.out) == (1, "")
    assert nothing.err == 'Nothing matches "zzzz".\n'
    assert pimem("search", "...").err == "There is no word to search for.\n"
    assert pimem("search", "zzzz", "--json").json == []


def test_a_slip_is_said(pimem: Pimem, folder: Folder) -> None:
    found = pimem("search", "conection")
    assert found.code == 0
    assert "connection for conection" in found.out


def test_more_than_a_page_is_said(
    pimem: Pimem, folder: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pimem_core.cli.reading._MOST_LINES", 1)
    found = pimem("search", "size")
    assert found.out.count("\n") == 1
    assert "--limit 2 prints all" in found.err
