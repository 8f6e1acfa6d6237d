"""Reading a store of facts: list, find, show, search, links, status, and the check."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pimem_core.errors import (
    AmbiguousTopicError,
    InvalidTopicError,
    StorageError,
    TopicNotFoundError,
    UnsupportedError,
)
from pimem_core.systems.stores import PinningStore
from pimem_core.systems.zcode import check
from pimem_core.systems.zcode.system import ZcodeSystem
from zcode.folder import HEADER, fact

if TYPE_CHECKING:
    from pimem_core.paths import Places
    from zcode.folder import Project


def test_a_store_that_is_not_there_is_empty_and_stays_away(project: Project) -> None:
    assert project.store.list() == []
    assert list(project.store.search("x")) == []
    assert project.store.status().exists is False
    with pytest.raises(TopicNotFoundError):
        project.store.find("x")
    assert not project.path.exists()
    assert not Path(project.places.state_dir).exists()


def test_topics_in_the_order_of_the_index_then_the_unlisted(project: Project) -> None:
    project.fill(
        {
            "MEMORY.md": f"{HEADER}- [Zed](z.md) — about z\n- [Gone](gone.md) — lost\n"
            "- [Again](z.md) — twice\n- [Sub](sub/s.md)\n",
            "z.md": fact("z", metadata="\n  type: user"),
            "b.md": fact("b-name", '"told here"', metadata="\n  type: reference"),
            "a.md": "no front matter\n",
            "sub/s.md": fact("Prose title"),
            "sub/MEMORY.md": "- [X](x.md)\n",
            "notes.txt": "x",
            ".hidden/h.md": fact("h"),
        }
    )
    topics = project.store.list()
    assert [(t.name, t.file, t.summary, t.type, t.listed, t.problem) for t in topics] == [
        ("z", "z.md", "about z", "user", True, None),
        ("gone", "gone.md", "lost", None, True, "file missing"),
        ("sub/s", "sub/s.md", "d", "project", True, None),
        ("h", ".hidden/h.md", "d", "project", False, None),
        ("a", "a.md", "", None, False, None),
        ("b-name", "b.md", "told here", "reference", False, None),
    ]
    assert [t.name for t in topics if t.stamp is None] == ["gone"]
    assert {t.store for t in topics} == {"zcode"}
    assert topics[0].path == str(project.path / "z.md")
    assert topics[0].tokens > 5
    assert topics[-1].tokens == 0


def test_problems_that_need_an_eye(project: Project) -> None:
    project.fill(
        {
            "late.md": "---\n" + "k: v\n" * 30 + "name: late\n---\nx",
            "open.md": "---\nname: open\n",
            "target.txt": "x",
        }
    )
    (project.path / "link.md").symlink_to("target.txt")
    os.mkfifo(project.path / "pipe.md")
    assert {t.file: t.problem for t in project.store.list()} == {
        "late.md": "front matter closes after line 30",
        "open.md": "front matter is never closed",
        "link.md": "not a regular file",
        "pipe.md": "not a regular file",
    }
    for name in ("link.md", "pipe.md"):
        with pytest.raises(InvalidTopicError):
            project.store.read(name)


def test_accents_written_in_another_way_are_the_same_file(project: Project) -> None:
    project.fill({"MEMORY.md": "- [C](caf\u00e9.md) — c\n", "cafe\u0301.md": fact("c")})
    assert [(t.file, t.listed) for t in project.store.list()] == [("cafe\u0301.md", True)]
    project.write("c", "new", "other")
    assert project.index == "- [C](caf\u00e9.md) — other\n"


@pytest.mark.parametrize(
    ("topic", "file"),
    [
        ("feedback_tests.md", "feedback_tests.md"),
        ("feedback_tests", "feedback_tests.md"),
        ("feedback-tests", "feedback_tests.md"),
        ("FEEDBACK-TESTS", "feedback_tests.md"),
        ("Prose title", "prose.md"),
        ("deep", "sub/deep.md"),
        ("sub/deep", "sub/deep.md"),
        ("Some Title", "other.md"),
        ("some ti", "other.md"),
        ("tests", "feedback_tests.md"),
        ("under_score", "under_score.md"),
        ("under-score", "under_score.md"),
        ("x", "x.md"),
        ("y", "y.md"),
    ],
)
def test_finding_a_fact(project: Project, topic: str, file: str) -> None:
    project.fill(
        {
            "MEMORY.md": "- [Some Title](other.md) — o\n",
            "feedback_tests.md": fact("feedback-tests"),
            "prose.md": fact("Prose title"),
            "sub/deep.md": fact("deep"),
            "other.md": fact("something"),
            "under_score.md": "x",
            "x.md": fact("y"),
            "y.md": fact("x"),
        }
    )
    assert project.store.find(topic).file == file


def test_a_name_that_two_facts_have_is_told_by_their_files(project: Project) -> None:
    project.fill({"a.md": fact("same"), "b.md": fact("same"), "c1.md": "", "c2.md": ""})
    with pytest.raises(AmbiguousTopicError) as error:
        project.store.find("same")
    assert error.value.candidates == ("a.md", "b.md")
    with pytest.raises(AmbiguousTopicError) as error:
        project.store.find("c")
    assert error.value.candidates == ("c1", "c2")
    with pytest.raises(TopicNotFoundError):
        project.store.find("nothing")


@pytest.mark.parametrize("file", ["../x.md", "/etc/x.md", "MEMORY.md", "a.txt", "gone.md", ""])
def test_reading_never_leaves_the_folder(project: Project, file: str) -> None:
    project.fill({"a.txt": "x", "../x.md": "secret", "MEMORY.md": "x"})
    for read in (project.store.read, project.store.read_bytes, project.store.preview):
        with pytest.raises(TopicNotFoundError):
            read(file)


def test_a_linked_folder_is_not_read_through(project: Project, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "x.md").write_text("x")
    project.fill({"MEMORY.md": "- [X](sub/x.md)\n"})
    (project.path / "sub").symlink_to(tmp_path / "other")
    assert [t.problem for t in project.store.list()] == ["not a regular file"]
    with pytest.raises(InvalidTopicError, match=str(tmp_path / "other")):
        project.store.read("sub/x.md")


def test_show_gives_front_matter_and_body(project: Project) -> None:
    text = fact("fact", "a: b", body="\nBody [[other]].\r\nEnd", more="x: [1, 2]\n")
    project.fill({"f.md": text})
    found = project.store.read("f.md")
    assert found.front_matter == {
        "name": "fact",
        "description": "a: b",
        "metadata": {"node_type": "memory", "type": "project"},
        "x": ["1", "2"],
    }
    assert (found.name, found.body, found.text) == ("fact", "\nBody [[other]].\r\nEnd", text)
    assert project.store.preview("f.md") == "Body [[other]].\r\nEnd"
    assert project.store.read_bytes("f.md") == text.encode()


def test_a_long_fact_is_cut_for_a_glance(project: Project) -> None:
    project.fill({"f.md": "é" * 40_000})
    shown = project.store.preview("f.md")
    assert len(shown.encode()) < 52_000
    assert "cut here" in shown


def test_search_names_the_first_place(project: Project) -> None:
    project.fill(
        {
            "MEMORY.md": "- [T](b.md) — the Needle hook\n- [T](needle-file.md) — x\n",
            "b.md": fact("b"),
            "needle-file.md": fact("plain"),
            "c.md": fact("c", body="\nx\nA NEEDLE here\n"),
            "needle.md": fact("needle"),
            "d.md": "nothing",
        }
    )
    hits = list(project.store.search("nEEdle"))
    assert [(h.topic.file, h.where, h.line) for h in hits] == [
        ("needle.md", "name", None),
        ("b.md", "summary", None),
        ("c.md", "body", 10),
        ("needle-file.md", "file", None),
    ]


def test_links_and_backlinks(project: Project) -> None:
    project.fill(
        {
            "a.md": fact(
                "alpha",
                body="\n[[beta]] [[b.md]] [[missing-one|M]] [[beta#x]]\n"
                "`[[code]]` [[ -f x ]] [[ $a == b ]]\n```sh\nif [[ -d x ]]; [[beta2]]\n```\n",
            ),
            "b.md": fact("beta", body="\nSee [[Alpha]] and [[under-score]].\n"),
            "under_score.md": "See [[a]].\n",
            "c.md": fact("c", body="\nnone\n"),
        }
    )
    store = project.store
    found = store.links("a.md")
    assert [(name, topic and topic.file) for name, topic in found.outgoing] == [
        ("beta", "b.md"),
        ("b.md", "b.md"),
        ("missing-one", None),
    ]
    assert [topic.file for topic in found.backlinks] == ["b.md", "under_score.md"]
    assert [t and t.file for _, t in store.links("b.md").outgoing] == ["a.md", "under_score.md"]
    assert store.links("c.md") == store.links("c.md").but(outgoing=[], backlinks=[])
    with pytest.raises(TopicNotFoundError):
        store.links("gone.md")


def test_status(project: Project) -> None:
    project.fill({"MEMORY.md": "- [A](a.md) — a\n", "a.md": fact(), "b.md": fact()})
    found = project.store.status()
    assert (found.store, found.system, found.exists, found.active) == ("zcode", "zcode", True, True)
    assert (found.count, found.format, found.lock) == (2, "zcode", None)
    assert found.size_bytes == sum(len(data) for data in project.files().values())
    assert found.changed
    assert "ZCode" in found.writers
    assert found.notes == ['1 fact file not in the index: "b.md".']


def test_a_path_that_is_a_file_is_an_error_that_names_it(project: Project) -> None:
    project.path.parent.mkdir(parents=True)
    project.path.write_text("a file")
    for act in (project.store.list, lambda: project.write("x"), lambda: project.store.remove("x")):
        with pytest.raises(StorageError, match=str(project.path)):
            act()
    assert str(project.path) in "".join(project.store.status().notes)
    assert project.path.read_text() == "a file"


@pytest.mark.parametrize("content", [b"\xff\xfe", "link", "folder", "pipe"])
def test_an_index_that_cannot_be_read_is_no_empty_index(
    project: Project, content: bytes | str, tmp_path: Path
) -> None:
    project.fill({"a.md": fact()})
    index = project.path / "MEMORY.md"
    if isinstance(content, bytes):
        index.write_bytes(content)
    elif content == "link":
        (tmp_path / "real.md").write_text(HEADER)
        index.symlink_to(tmp_path / "real.md")
    elif content == "folder":
        index.mkdir()
    else:
        os.mkfifo(index)
    before = sorted(os.listdir(project.path))
    for act in (project.store.list, lambda: project.write("x"), lambda: project.store.remove("a")):
        with pytest.raises(StorageError, match=r"MEMORY\.md"):
            act()
    assert sorted(os.listdir(project.path)) == before
    if content == "link":
        assert (tmp_path / "real.md").read_text() == HEADER
        assert str(tmp_path / "real.md") in "".join(project.store.status().notes)


def test_pins_do_not_exist(project: Project) -> None:
    project.write("x")
    with pytest.raises(UnsupportedError):
        project.write("y", pin=True)
    assert project.names() == ["x"]
    assert not isinstance(project.store, PinningStore)


def test_the_check_reports_and_repairs_nothing(project: Project) -> None:
    project.fill(
        {
            "MEMORY.md": "---\n- [A](a.md) — a\n- [A2](a.md) — again\n- [G](gone.md)\n"
            "| [A](a.md) | row |\n",
            "a.md": fact("a"),
            "b.md": fact("b"),
            "bad.md": "---\nname: bad\ndescription: a: b\n---\n",
            "late.md": "---\n" + "k: v\n" * 30 + "---\n",
            "open.md": "---\nname: x\n",
        }
    )
    (project.path / "link.md").symlink_to("a.md")
    before = project.files()
    found = check.findings(project.store.folder, project.store.folder.view())
    assert [(f.code, f.file, f.line) for f in found] == [
        ("duplicate_line", "MEMORY.md", 3),
        ("orphan_line", "MEMORY.md", 4),
        ("unlisted_file", "b.md", None),
        ("unlisted_file", "bad.md", None),
        ("unlisted_file", "late.md", None),
        ("unlisted_file", "link.md", None),
        ("unlisted_file", "open.md", None),
        ("bad_front_matter", "MEMORY.md", 1),
        ("bad_front_matter", "bad.md", 3),
        ("late_front_matter", "late.md", 32),
        ("symlink", "link.md", None),
        ("unterminated_front_matter", "open.md", 1),
    ]
    assert project.files() == before
    said = " ".join(check.summary(found))
    assert "1 index link without a file (line 4)." in said
    assert "5 fact files not in the index" in said


def test_a_person_without_zcode_has_no_store(places: Places) -> None:
    system = ZcodeSystem()
    assert system.stores(places) == []
    assert system.active(places).name == "zcode"
    Path(places.home, ".zcode").mkdir()
    assert [store.path for store in system.stores(places)] == [system.active(places).path]


def test_a_link_whose_file_name_is_too_long_stops_nothing(project: Project) -> None:
    long = "x" * 300 + ".md"
    project.fill({"MEMORY.md": f"- [Long]({long}) — needle\n- [A](a.md) — a\n", "a.md": fact("a")})
    assert [topic.problem for topic in project.store.list()] == ["file name too long", None]
    unread: list[Exception] = []
    list(project.store.search("nothing at all", unread=unread.append))
    assert unread == []
    project.write("other")
    found = check.findings(project.store.folder, project.store.folder.view())
    said = next(finding.message for finding in found if finding.code == "orphan_line")
    assert "the name is too long" in said
    assert len(said) < 200
    assert project.store.remove("Long").outcome == "removed"
    assert "xxx" not in project.index


@pytest.mark.parametrize("name", ["README.md", "CLAUDE.md", "LAST_SESSION.md", "sub/AGENTS.md"])
def test_a_note_about_the_folder_is_no_fact(project: Project, name: str) -> None:
    project.fill({"MEMORY.md": "- [A](a.md) — a\n", "a.md": fact("a"), name: "# About this\n"})
    assert project.names() == ["a"]
    status = project.store.status()
    assert status.count == 1
    assert f"Not counted as facts, being about the folder: {name}." in status.notes
    assert "not in the index" not in " ".join(status.notes)
    assert project.store.read(name).text == "# About this\n"


def test_a_note_that_the_index_links_or_that_has_front_matter_is_a_fact(project: Project) -> None:
    index = "- [A](a.md) — a\n- [Read me](README.md) — r\n"
    project.fill({"MEMORY.md": index, "a.md": fact("a"), "README.md": "#", "GPU.md": fact("gpu")})
    assert [topic.file for topic in project.store.list()] == ["a.md", "README.md", "GPU.md"]


def test_a_link_without_its_folder_finds_the_only_file_of_that_name(project: Project) -> None:
    index = "- [A](a.md) — a\n- [B](b.md) — b\n"
    project.fill({"MEMORY.md": index, "sub/a.md": fact("a")})
    project.fill({"x/b.md": fact("b1"), "y/b.md": fact("b2")})
    topics = {topic.file: (topic.listed, topic.problem) for topic in project.store.list()}
    assert topics["sub/a.md"] == (True, None)
    assert topics["b.md"] == (True, "file missing")
    project.write("a", description="new")
    assert "- [A](a.md) — new" in project.index
    assert '"new"' in project.text("sub/a.md")
