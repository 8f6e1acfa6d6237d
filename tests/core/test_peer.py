"""What openclaude-memory leaves in the shared store, ours reads and continues."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from core.folders import snapshot
from pimem_core.systems.openpi.index import entries, parse_line

if TYPE_CHECKING:
    from core.folders import Folder

DATA = json.loads((Path(__file__).parent.parent / "data/openclaude-peer.json").read_text("utf-8"))
VECTORS = DATA["peer_vectors"]


@pytest.fixture(params=VECTORS, ids=[vector["id"] for vector in VECTORS])
def left(request: pytest.FixtureRequest, shared: Folder) -> Folder:
    """A shared store as the peer left it."""
    tree: dict[str, dict[str, Any]] = request.param["tree"]
    shared.fill({name: entry["content"] for name, entry in tree.items()})
    for name, entry in tree.items():
        (shared.path / name).chmod(int(entry["mode"], 8))
    return shared


def test_reading_what_the_peer_left_changes_nothing(left: Folder) -> None:
    before = snapshot(left.path)
    listed = left.store.list()
    assert [t.file for t in listed] == list(dict.fromkeys(e.file for e in entries(left.index)))
    assert all(topic.problem is None for topic in listed)
    for topic in listed:
        document = left.store.read(topic.file)
        assert document.name == topic.name
        assert document.text.endswith(document.body)
    assert list(left.store.search("")) != []
    assert snapshot(left.path) == before


def test_writing_continues_every_topic_of_the_peer(left: Folder) -> None:
    prose = [line for line in left.index.split("\n") if parse_line(line) is None]
    for topic in left.store.list():
        old = left.store.read(topic.file)
        change = left.write(topic.name, "continued", topic.summary)
        assert (change.outcome, change.file, list(change.dropped)) == ("updated", topic.file, [])
        new = left.store.read(topic.file)
        assert new.body.startswith(old.body)
        assert new.body.endswith("continued\n")
        kept = {"name", "description", "last_updated", "created"}
        if old.front_matter:
            assert {k: v for k, v in new.front_matter.items() if k not in kept} == {
                k: v for k, v in old.front_matter.items() if k not in kept
            }
        assert new.front_matter.get("created") == old.front_matter.get(
            "created", new.front_matter["created"]
        )
        assert left.store.find(topic.file).pinned == topic.pinned
    assert [line for line in left.index.split("\n") if parse_line(line) is None] == prose


def test_pinning_and_unpinning_gives_the_peers_index_back(left: Folder) -> None:
    for topic in left.store.list():
        before = left.index
        left.store.pin(topic.file, not topic.pinned)
        assert left.store.find(topic.file).pinned != topic.pinned
        left.store.pin(topic.file, topic.pinned)
        # A pin keeps the stale mark that unpinning put on an old entry.
        assert left.index.replace(" [stale?]", "") == before.replace(" [stale?]", "")


def test_removing_keeps_the_files_and_buries_the_names(left: Folder) -> None:
    files = {name: data for name, data in snapshot(left.path).items() if name.endswith(".md")}
    topics = left.store.list()
    for topic in topics:
        left.store.pin(topic.file, False)
        left.store.remove(topic.file)
    assert left.store.list() == []
    assert set(left.text(".ocl-removed").split()) == {topic.file for topic in topics}
    for topic in topics:
        assert snapshot(left.path)[topic.path][3] == files[topic.path][3]
        assert left.write(topic.name).file not in left.text(".ocl-removed").split()
