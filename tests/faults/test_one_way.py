"""There is one way to change a store: the transaction. Nobody else touches its files."""

from __future__ import annotations

import ast
from pathlib import Path

import pimem_core

CORE = Path(pimem_core.__file__).parent
#: What changes a disk, as functions of `os`, `shutil` or a path, and as functions of ours.
CHANGING = {
    *("rename", "renames", "replace", "unlink", "remove", "removedirs", "rmdir", "rmtree", "move"),
    *("mkdir", "makedirs", "link", "symlink", "truncate", "ftruncate", "write_text", "touch"),
    *("write_bytes", "copyfile", "copy2", "copytree", "hardlink_to", "symlink_to", "publish"),
    *("stage", "swap", "put", "finish"),
    *("rename_at", "unlink_at", "link_at", "mkdir_at", "chmod_at"),
}
#: Methods of a text or a list that have such a name.
HARMLESS = {"replace", "remove"}
#: What is no memory. A new line here needs a reason beside it.
ALLOWED = {
    ("systems/openpi/config.py", "publish"),  # memory.jsonc where there is none
    ("systems/layered/refreshing.py", "publish"),  # what was read last, in the state folder
    ("systems/openpi/missing.py", "publish"),  # dropped lines, in the state folder
    ("systems/openpi/compaction.py", "publish"),  # HANDOFF.md is no store's file
    ("cli/main.py", "open"),  # the null device, when a reader has seen enough
}


def _changes(path: Path) -> set[str]:
    """The names of the calls in a module that change a disk."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if not isinstance(node, ast.Call):
            continue
        function = node.func
        if isinstance(function, ast.Name):
            name, owner = function.id, ""
        elif isinstance(function, ast.Attribute):
            name = function.attr
            owner = function.value.id if isinstance(function.value, ast.Name) else "?"
        else:
            continue
        if name in CHANGING and (name not in HARMLESS or owner in ("os", "shutil", "path")):
            found.add(name)
        if name == "open" and _opens_for_writing(node):
            found.add("open")
    return found


def _opens_for_writing(call: ast.Call) -> bool:
    said = " ".join(ast.unparse(argument) for argument in [*call.args, *call.keywords][1:])
    return any(word in said for word in ("'w", "'a", "'x", "+'", "O_WRONLY", "O_RDWR", "O_CREAT"))


def test_systems_and_commands_change_stores_through_the_transaction_alone() -> None:
    found = {
        (path.relative_to(CORE).as_posix(), name)
        for folder in ("systems", "cli")
        for path in (CORE / folder).rglob("*.py")
        for name in _changes(path)
    }
    assert found - ALLOWED == set()


def test_the_search_finds_what_it_is_for(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text(
        "os.replace(a, b)\nopen(p, 'w')\nos.open(p, os.O_WRONLY)\npath.unlink()\n"
        "text.replace('a', 'b')\nopen(p)\npublish(p, b'')\n"
    )
    assert _changes(module) == {"replace", "open", "unlink", "publish"}
