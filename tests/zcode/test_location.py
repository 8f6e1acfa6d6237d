"""Which folder a project's memory is in: ZCode's algorithm and what holds where it finds none."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pimem_core.paths import find_places
from pimem_core.systems.zcode.config import storage_root
from pimem_core.systems.zcode.location import locate, project_name, projects_folder

if TYPE_CHECKING:
    from pimem_core.paths import Places

POSIX = [
    ("/home/ak1a/agent/ak1", "ak1-80a87d64ac98991b"),
    ("/home/ak1a/AK1", "ak1-b5bd22b38c8cc801"),
    ("/home/ann/chat", "chat-98ffccc48373e3ae"),
    ("/home/ann/chat/", "chat-98ffccc48373e3ae"),
    ("/home/ann/./x/../chat", "chat-98ffccc48373e3ae"),
    ("//home//ann/chat", "chat-98ffccc48373e3ae"),
    ("/home/ann/Chat", "chat-9297fc96110b8ab2"),
    ("/home/ann/My Project (v2)", "my-project-v2-80640d60aad42933"),
    ("/", "project-8a5edab282632443"),
    ("/home/ann/.dotfiles", ".dotfiles-74c200a77e4079df"),
    ("/home/ann/-lead-", "lead-8effa2f57bdacbfc"),
    ("/home/ann/my_app.v1", "my_app.v1-152f674129a4c71e"),
    ("/home/ann/caf\u00e9", "caf-b41db417b9f18624"),
    ("/home/ann/cafe\u0301", "cafe-bd585a21075e61e0"),
    ("/home/ann/日本語", "project-9deb1b07c79cd131"),
    ("/home/ann/日本語-app", "app-7c92fbdca99ca06f"),
    ("/home/ann/emoji🚀app", "emoji-app-23f5196ae484471d"),
    ("/home/ann/" + "a" * 60, "a" * 48 + "-da270729b2187a2c"),
    (
        "/home/ann/very-long-project-name-with-many-words-and-a-tail-x-y-z",
        "very-long-project-name-with-many-words-and-a-tai-f8a3b87aa38a5c1f",
    ),
    ("/home/ann/" + "b" * 47 + " tail", "b" * 47 + "--942c7f0bef3fa737"),
    ("/tmp/Ünïcode İ", "n-code-i-5d43f6dfc9dc74ce"),
    ("/home/ann/a  b__c", "a-b__c-c166c6a0ec5b8fbd"),
]
WIN32 = [
    ("F:/Cache/AI", "ai-5fc659ea014eae85"),
    ("D:\\code\\chat", "chat-2e0d10314a9a17f1"),
    ("d:\\CODE\\Chat\\", "chat-2e0d10314a9a17f1"),
    ("D:/code/chat", "chat-2e0d10314a9a17f1"),
    ("C:\\", "project-3dc8472eaebe1a9d"),
    ("C:\\Users\\Ann\\My Project (v2)", "my-project-v2-e7b95d1931dd17f4"),
    ("C:\\Users\\Ann\\日本語", "project-9bc6b8ad858b05dd"),
    ("C:\\Users\\Administrator\\.zcode", ".zcode-35637d1da0f853e8"),
    ("\\\\srv\\share\\proj", "proj-55b291da6077a40e"),
    ("\\\\srv\\share", "share-c0895788c2fabd98"),
    ("C:\\Users\\İ", "i-bc6a26026a3471d9"),
]


@pytest.mark.parametrize(("path", "name"), POSIX)
def test_posix_paths(path: str, name: str) -> None:
    assert project_name(path) == name


@pytest.mark.parametrize(("path", "name"), WIN32)
def test_windows_paths_by_the_rules_of_windows(path: str, name: str) -> None:
    assert project_name(path, win32=True) == name


@pytest.mark.parametrize("win32", [False, True])
def test_an_identity_takes_the_place_of_the_path(win32: bool) -> None:
    name = project_name("/x", identity="  github.com/acme/app ", win32=win32)
    assert name == "project-98d9fc12e0202ede"


def test_relative_paths_start_from_the_working_folder() -> None:
    assert project_name("chat", cwd="/home/ann") == project_name("/home/ann/chat")
    want = project_name("D:\\work\\chat", win32=True)
    assert project_name("chat", win32=True, cwd="D:\\work") == want
    assert project_name("D:chat", win32=True, cwd="d:\\work") == want
    assert project_name("\\work\\chat", win32=True, cwd="D:\\x") == want
    # On another drive than the working folder's, Node.js takes the drive's root.
    want = project_name("E:\\chat", win32=True)
    assert project_name("E:chat", win32=True, cwd="D:\\work") == want


def test_no_tilde_is_expanded_and_no_link_followed(tmp_path: Path) -> None:
    assert project_name("~/chat", cwd="/home/ann") == project_name("/home/ann/~/chat")
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    assert project_name(f"{tmp_path}/link").startswith("link-")


def test_names_that_are_no_utf8_are_seen_as_node_sees_them() -> None:
    path = os.fsdecode(b"/home/ann/x\xff\xfey")
    assert project_name(path) == project_name("/home/ann/x\ufffd\ufffdy")


def test_cli_is_appended_once() -> None:
    assert projects_folder("/a/.zcode") == "/a/.zcode/cli/memories/projects"
    assert projects_folder("/a/cli") == "/a/cli/memories/projects"


def _make(places: Places, name: str, *, memory: bool = True) -> Path:
    folder = Path(projects_folder(storage_root(places))) / name
    (folder / "memory" if memory else folder).mkdir(parents=True)
    return folder / "memory"


def _own(places: Places) -> str:
    return project_name(places.cwd)


def test_the_storage_root_can_be_moved(places: Places, tmp_path: Path) -> None:
    moved = places.but(env={"ZCODE_STORAGE_DIR": str(tmp_path / "z")})
    found = locate(moved, None)
    assert found.path == str(tmp_path / "z/cli/memories/projects" / _own(places) / "memory")
    assert (found.source, found.warning) == ("none", None)
    assert find_places({"HOME": "/h", "ZCODE_STORAGE_DIR": "/q"}).env["ZCODE_STORAGE_DIR"] == "/q"
    assert locate(places, None).path.startswith(f"{places.home}/.zcode/cli/memories/")


def made(root: Path, places: Places) -> Path:
    """The project's memory below a root of ZCode."""
    folder = Path(projects_folder(str(root))) / _own(places) / "memory"
    folder.mkdir(parents=True)
    return folder


@pytest.mark.parametrize(
    ("variable", "value", "root"),
    [
        ("ZCODE_DATA_BASE_DIR", "base", "base/.zcode"),
        ("ZCODE_HOME", "base", "base/.zcode"),
        ("ZCODE_HOME", "base/.zcode", "base/.zcode"),
        ("ZCODE_HOME", "zhome", "zhome"),
    ],
)
def test_other_roots_are_found_and_named(
    places: Places, tmp_path: Path, variable: str, value: str, root: str
) -> None:
    folder = made(tmp_path / root, places)
    found = locate(places.but(env={variable: str(tmp_path / value)}), None)
    assert (found.path, found.source) == (str(folder), "computed")
    assert f"{variable} says where ZCode keeps its data." in found.notes


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("settings.json", '{"dataBaseDir": "BASE"}'),
        ("v2/config.json", '{"storage": {"dir": "BASE/.zcode"}}'),
    ],
)
def test_zcodes_own_settings_name_a_root(
    places: Places, tmp_path: Path, name: str, text: str
) -> None:
    folder = made(tmp_path / "base/.zcode", places)
    path = Path(places.home, ".zcode", name)
    path.parent.mkdir(parents=True)
    path.write_text(text.replace("BASE", str(tmp_path / "base")))
    found = locate(places, None)
    assert (found.path, found.source) == (str(folder), "computed")
    assert f"{path} says where ZCode keeps its data." in found.notes
    path.write_text("{broken")
    assert locate(places, None).source == "none"


def test_the_root_that_has_a_memory_of_the_project_is_used(places: Places, tmp_path: Path) -> None:
    old = made(Path(places.home, ".zcode"), places)
    moved = places.but(env={"ZCODE_DATA_BASE_DIR": str(tmp_path / "base")})
    assert locate(moved, None).path == str(old)
    new = made(tmp_path / "base/.zcode", places)
    found = locate(moved, None)
    assert found.path == str(new)
    assert f"ZCode has memories of this project in {old} as well." in found.notes


def test_the_configured_folder_goes_before_everything(places: Places) -> None:
    _make(places, _own(places))
    found = locate(places, "/somewhere/else")
    assert (found.path, found.source) == ("/somewhere/else", "config")


def test_the_computed_folder_goes_before_a_sibling(places: Places) -> None:
    own = _make(places, _own(places))
    _make(places, "chat-0123456789abcdef")
    found = locate(places, None)
    assert (found.path, found.source, found.warning) == (str(own), "computed", None)


def test_the_only_sibling_is_used_with_a_warning(places: Places) -> None:
    sibling = _make(places, "chat-0123456789abcdef")
    found = locate(places, None)
    assert (found.path, found.source) == (str(sibling), "sibling")
    assert found.warning is not None
    assert str(sibling) in found.warning


@pytest.mark.parametrize("count", [0, 2])
def test_no_sibling_or_several_mean_no_memory_yet(places: Places, count: int) -> None:
    for number in range(count):
        _make(places, f"chat-{number:016x}")
    before = sorted(Path(places.home).rglob("*"))
    found = locate(places, None)
    assert (found.source, found.warning) == ("none", None)
    assert found.path.endswith(f"{_own(places)}/memory")
    assert bool(found.notes) == (count == 2)
    assert sorted(Path(places.home).rglob("*")) == before


@pytest.mark.parametrize(
    "name",
    [
        "chat-room-0123456789abcdef",
        "chat-0123456789ABCDEF",
        "chat-0123",
        "chat",
        "xchat-0123456789abcdef",
    ],
)
def test_other_names_are_no_siblings(places: Places, name: str) -> None:
    _make(places, name)
    assert locate(places, None).source == "none"


def test_only_folders_with_a_memory_count(places: Places, tmp_path: Path) -> None:
    _make(places, "chat-0000000000000001", memory=False)
    projects = Path(projects_folder(storage_root(places)))
    (projects / "chat-0000000000000002").write_text("a file")
    _make(places.but(home=str(tmp_path / "other")), "real")
    (projects / "chat-0000000000000003").symlink_to(tmp_path / "other")
    assert locate(places, None).source == "none"
    sibling = _make(places, "chat-0000000000000004")
    assert locate(places, None).path == str(sibling)


def test_a_projects_folder_that_is_closed_counts_as_empty(places: Places) -> None:
    Path(projects_folder(storage_root(places))).parent.mkdir(parents=True)
    Path(projects_folder(storage_root(places))).write_text("no folder")
    assert locate(places, None).source == "none"


def test_an_identity_folder_is_noted(places: Places) -> None:
    found = locate(places, "/z/memories/projects/project-98d9fc12e0202ede/memory")
    assert "identity" in "".join(found.notes)
    assert not locate(places, "/z/memories/projects/chat-98d9fc12e0202ede/memory").notes
    cjk = places.but(cwd=f"{places.home}/日本語")
    assert not locate(cjk, None).notes
    sibling = _make(places, "project-98d9fc12e0202ede")
    found = locate(cjk, None)
    assert found.path == str(sibling)
    assert found.warning
    assert "identity" in "".join(found.notes)


def test_the_home_folder_is_noted(places: Places) -> None:
    assert "home" in "".join(locate(places.but(cwd=places.home), None).notes)
    assert not locate(places, None).notes
