"""history, undo and redo: which changes they are about."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cli.running import Pimem
    from core.folders import Folder
    from pimem_core.paths import Places


def test_the_history_of_a_topic_is_of_that_topic_alone(pimem: Pimem, local: Folder) -> None:
    for name in ("Docker", "docker net", "DOCKER"):
        pimem("write", name, "--summary", "s", "--content", "c")
    pimem("write", "Other", "--summary", "s", "--content", "c")

    def files(topic: str) -> list[str]:
        return [row["file"] for row in pimem.json("history", topic)]

    assert files("docker") == files("docker.md") == ["docker.md"] * 2
    assert files("dock") == ["docker.md", "docker-net.md", "docker.md"]
    assert files("nothing") == []
    assert len(pimem.json("history")) == 4


def test_a_carry_over_is_undone_and_redone_with_what_came_after_it(
    pimem: Pimem, local: Folder, places: Places
) -> None:
    shared = Path(places.shared_home, ".agents/memory")
    Path(places.agent_dir, "memory.jsonc").write_text('{"shared_dir": true}')
    pimem("write", "New", "--summary", "s", "--content", "c")

    def stored() -> dict[str, bytes]:
        return {str(path): path.read_bytes() for path in [*local.path.iterdir(), *shared.iterdir()]}

    before = stored()
    undone = pimem.json("undo", "9")
    assert (undone["outcome"], len(undone["changes"])) == ("undone", 2)
    assert undone["message"] == "2 changes undone."
    assert not any(shared.iterdir())
    redone = pimem.json("redo", "9")
    assert [row["file"] for row in redone["changes"]] == ["", "new.md"]
    assert stored() == before
    assert pimem.json("redo", "9")["outcome"] == "not_found"


def test_undo_says_which_newer_change_it_cannot_read(
    pimem: Pimem, local: Folder, places: Places
) -> None:
    for name in ("One", "Two", "Three"):
        pimem("write", name, "--summary", "s", "--content", "c")
    _first, broken, _last = sorted(Path(places.state_dir, "undo").iterdir())
    broken.write_text("{")
    undone = pimem("undo")
    assert (undone.out, undone.err) == ('Undid the writing of "Three".\n', "")
    stopped = pimem("undo")
    assert (stopped.code, stopped.out) == (4, "")
    assert str(broken) in stopped.err
    broken.unlink()
    assert pimem("undo").out == 'Undid the writing of "One".\n'
