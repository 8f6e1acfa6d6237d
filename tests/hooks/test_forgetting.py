"""What sessions keep of injected memory goes with what it was made of."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pimem_core.cli import main
from pimem_core.history import journal
from pimem_core.systems import registry
from pimem_core.systems.stores import folder_of

if TYPE_CHECKING:
    from .conftest import Host


def texts(host: Host) -> str:
    folder = Path(host.places.state_dir) / "sessions"
    return "".join(path.read_text() for path in folder.glob("*.texts.json*"))


@pytest.mark.parametrize("how", ["purge", "remove"])
def test_of_every_session(host: Host, how: str) -> None:
    host.tool("write_memory", topic="Secret Plan", content="c", summary="the hidden word")
    for session in ("a", "b"):
        host.start(session)
        assert "the hidden word" in host.prompt(session)[0]["text"]
    (Path(host.places.state_dir) / "sessions" / "c.texts.json.broken").write_text("the hidden word")
    assert "the hidden word" in texts(host)
    if how == "purge":
        (entry,) = journal.history(
            host.places.state_dir, [folder_of(registry.active_store(host.places))]
        )
        words = ["undo", "--purge", entry.id]
    else:
        words = ["remove", "secret plan"]
    assert main(words, open_manager=lambda *_: 99) == 0
    assert "the hidden word" not in texts(host)
    # The session goes on with a text of its own.
    found = host.prompt("a")[0]["text"]
    assert ("the hidden word" in found) == (how == "purge")
    assert host.prompt("a")[0]["text"] == found
