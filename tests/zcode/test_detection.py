"""Folders opened by path: each goes to the system whose format it has."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pimem_core.errors import ReadOnlyFormatError
from pimem_core.systems import registry
from pimem_core.systems.stores import WritableStore, WriteRequest, supporting
from pimem_core.systems.zcode.detection import recognise
from zcode.folder import HEADER, Project, fact

if TYPE_CHECKING:
    from pathlib import Path

    from pimem_core.paths import Places

CLAUDE = (
    "---\nname: testing\ndescription: how to test\nmetadata: \n  node_type: memory\n"
    "  type: feedback\n  originSessionId: 0e4a\n  modified: 2026-07-01T10:00:00.000Z\n---\n\nx\n"
)
OLD_CLAUDE = "---\nname: Testing rules\ndescription: how\ntype: feedback\n---\nx\n"
ZCODE = fact("a", more="").replace("  type", "  originSessionId: sess_1\n  type")
OPENPI = (
    "---\nmetadata:\n  node_type: memory\nname: A\ndescription: d\nlast_updated: 2026-01-01\n"
    "created: 2026-01-01\n---\n\nx\n"
)
OPENPI_INDEX = f"{HEADER}- [A](a.md) 2026-01-01T00:00:00+00:00 -- about a"
DASHES = f"{HEADER}- [A](a.md) — about a\n"

FOLDERS = [
    ({"MEMORY.md": DASHES, "a.md": ZCODE}, "zcode", "zcode"),
    ({"MEMORY.md": DASHES, "a.md": fact("a")}, "zcode", "zcode"),
    ({"MEMORY.md": DASHES, "feedback_testing.md": CLAUDE}, "zcode", "claude"),
    ({"MEMORY.md": DASHES, "a.md": OLD_CLAUDE}, "zcode", "claude"),
    ({"a.md": CLAUDE}, "zcode", "claude"),
    ({"MEMORY.md": DASHES, "a.md": "---\nname: a\ndescription: d\n---\nx"}, "zcode", "zcode"),
    ({"MEMORY.md": "- [A](a.md): a\n", "a.md": "x"}, "zcode", "zcode"),
    ({"MEMORY.md": OPENPI_INDEX, "a.md": OPENPI}, "openpi", "openpi"),
    ({"MEMORY.md": f"{HEADER}- [A](a.md) [pin] -- about a", "a.md": OPENPI}, "openpi", "openpi"),
    ({"MEMORY.md": HEADER}, "openpi", "openpi"),
    ({}, "openpi", None),
    ({"MEMORY.md": "<!-- 2026-01-01 10:00 [ab12] -->\nfree text\n"}, "openpi", "foreign:pi-memory"),
    ({"MEMORY.md": "one\n§\ntwo\n"}, "openpi", "foreign:pi-hermes-memory"),
    ({"MEMORY.md": "just some prose\n"}, "openpi", "unknown"),
    ({"notes.md": "x", "README.md": "# Things\n"}, "openpi", "unknown"),
    ({"notes.md": "---\ntags: [a]\n---\nx"}, "openpi", "unknown"),
    ({"notes.md": "x", "a.md": OPENPI}, "openpi", "openpi"),
    ({"notes.txt": "x"}, "openpi", "unknown"),
    ({".lock.old": "", ".invalidate": ""}, "openpi", None),
]


@pytest.mark.parametrize(("files", "system", "format_"), FOLDERS)
def test_each_folder_opens_as_what_it_is(
    places: Places, tmp_path: Path, files: dict[str, str], system: str, format_: str | None
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_text(text)
    store = registry.open_folder(str(folder), places)
    assert (store.system, store.status().format) == (system, format_)
    assert recognise(str(folder)) == (format_ if system == "zcode" else None)
    request = WriteRequest(topic="new-fact", content="x", summary="s")
    if system == "zcode":
        request = request.but(type="user")
    if format_ is not None and (format_ == "unknown" or format_.startswith("foreign:")):
        with pytest.raises(ReadOnlyFormatError, match=str(folder)):
            supporting(store, WritableStore).write(request)
    else:
        assert supporting(store, WritableStore).write(request).outcome == "created"


@pytest.mark.parametrize(
    ("path", "format_"),
    [
        (".zcode/cli/memories/projects/chat-0123456789abcdef/memory", "zcode"),
        (".claude/projects/-home-ann-chat/memory", "claude"),
    ],
)
def test_an_empty_folder_is_told_by_its_place(
    places: Places, tmp_path: Path, path: str, format_: str
) -> None:
    folder = tmp_path / path
    folder.mkdir(parents=True)
    (folder / "MEMORY.md").write_text("# Memory\n")
    assert recognise(str(folder)) == format_
    assert registry.open_folder(str(folder), places).system == "zcode"


def test_a_folder_of_claude_code_opens_fully(places: Places, tmp_path: Path) -> None:
    folder = tmp_path / ".claude/projects/-home-ann-chat/memory"
    project = Project(places, registry.open_folder(str(folder), places))  # type: ignore[arg-type]
    project.fill({"MEMORY.md": DASHES, "feedback_testing.md": CLAUDE, "a.md": OLD_CLAUDE})
    project = Project(places, registry.open_folder(str(folder), places))  # type: ignore[arg-type]
    assert [(t.name, t.type, t.listed) for t in project.store.list()] == [
        ("a", "feedback", True),
        ("testing", "feedback", False),
    ]
    status = project.store.status()
    assert (status.format, status.writers, status.active) == ("claude", ("Claude Code",), False)
    project.write("testing", "y", "new", None)
    assert project.text("feedback_testing.md") == CLAUDE.replace(
        "description: how to test", 'description: "new"'
    ).replace("\nx\n", "\ny\n")
    project.write("a", "y", "how", "user")
    assert project.text("a.md") == OLD_CLAUDE.replace("type: feedback", "type: user").replace(
        "\nx\n", "\ny\n"
    )


def test_the_projects_own_folder_keeps_its_name(project: Project) -> None:
    project.write("x")
    assert registry.open_folder(str(project.path), project.places).name == "zcode"
    assert registry.find_store("zcode", project.places).place == str(project.path)
    store = registry.store_of("zcode", str(project.path), project.places)
    assert (store.name, store.place) == ("zcode", str(project.path))
