"""Other extensions that pi loads and that offer what a system of ours does.

An extension is known by a part of its source, or by what its code registers: the names of tools and
commands stand in it as text. pi keeps packages of npm and git below its agent folder.
"""

from __future__ import annotations

import os
import re

from ..errors import PimemError
from ..files.read import read_bytes
from ..value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from ..paths import Places
    from ..systems.system import System

KEYS = ("packages", "extensions")
_CODE = (".ts", ".mts", ".cts", ".js", ".mjs", ".cjs")
#: What is read of an extension at most: files, and bytes of each.
_MOST_FILES, _MOST_BYTES = 300, 2 << 20
_GIT = re.compile(r"git:(?://)?(?:[^@/]*@)?([^/:]+)[/:]([^@#]+?)(?:\.git)?(?:[@#].*)?")


class Provider(Value):
    """Another extension that offers a system's tools: where pi's settings name it.

    `index` is None for one that pi finds by itself, without an entry.
    """

    system: str
    source: str
    key: str
    index: int | None
    off: bool


def find(places: Places, raw: Mapping[str, Any], systems: Sequence[System]) -> list[Provider]:
    """The providers that pi's settings name, or that lie in its folder of extensions.

    Args:
        places: With pi's agent folder.
        raw: pi's settings.
        systems: Those whose tools and commands count.
    """
    found = []
    excluded = set()
    for key in KEYS:
        for index, entry in enumerate(entries(raw, key)):
            source = source_of(entry)
            if source.startswith(("-", "!")):
                excluded.add(_path(source[1:], places))
                continue
            is_off = isinstance(entry, dict) and entry.get("extensions") == []
            found += [
                Provider(system=system.name, source=source, key=key, index=index, off=is_off)
                for system in _offering(source, code_folder(entry, places), systems)
            ]
    folder = os.path.join(places.agent_dir, "extensions")
    for name in _names(folder):
        path = os.path.join(folder, name)
        found += [
            Provider(system=system.name, source=path, key="extensions", index=None, off=False)
            for system in _offering(name, path, systems)
            if os.path.realpath(path) not in excluded
        ]
    return found


def entries(raw: Mapping[str, Any], key: str) -> list[Any]:
    """The entries of pi's settings under a key."""
    found = raw.get(key)
    return found if isinstance(found, list) else []


def source_of(entry: Any) -> str:
    """What an entry names: a package or a path; empty where it names none."""
    if isinstance(entry, dict):
        entry = entry.get("source")
    return entry if isinstance(entry, str) else ""


def code_folder(entry: Any, places: Places) -> str:
    """Where pi has the code of an entry, a folder or a file; empty where that cannot be told."""
    source = source_of(entry)
    if source.startswith("npm:"):
        name = re.sub(r"(?<=.)@.*", "", source.removeprefix("npm:"))
        return os.path.join(places.agent_dir, "npm", "node_modules", name) if name else ""
    git = _GIT.fullmatch(source)
    if git is not None:
        return os.path.join(places.agent_dir, "git", git[1], git[2])
    if not source or ":" in source.split("/", 1)[0]:
        return ""
    return _path(source, places)


def _path(source: str, places: Places) -> str:
    # A relative one counts from pi's agent folder.
    return os.path.realpath(os.path.join(places.agent_dir, os.path.expanduser(source)))


def _offering(source: str, folder: str, systems: Sequence[System]) -> list[System]:
    """The systems that an extension offers the same as."""
    named = [one for one in systems if any(part in source for part in one.providers)]
    others = [one for one in systems if one not in named]
    if not folder or os.path.basename(folder) == "pimem_pi":
        return named
    texts = list(_code(folder))
    if not any("registerTool" in text or "registerCommand" in text for text in texts):
        return named
    return named + [one for one in others if any(_registers(text, one) for text in texts)]


def _registers(text: str, system: System) -> bool:
    """Whether code names a tool of its own, or a command, as the system does.

    Who only watches for the tools of others compares their names, which is another matter.
    """
    tools = "|".join(map(re.escape, sorted(system.tools)))
    commands = "|".join(map(re.escape, sorted(system.commands)))
    if commands and re.search(rf"""registerCommand\(\s*["'`](?:{commands})["'`]""", text):
        return True
    if not tools:
        return False
    quoted = rf"""["'`](?:{tools})["'`]"""
    if re.search(rf"""\bname["']?\s*:\s*{quoted}""", text):
        return True
    kept = re.findall(rf"""\b(?:const|let|var)\s+(\w+)\b[^=\n]*=\s*{quoted}""", text)
    return any(re.search(rf"""\bname["']?\s*:\s*{name}\b""", text) for name in kept)


def _code(path: str) -> Iterator[str]:
    """The code of an extension; of a huge one the first files."""
    left = _MOST_FILES
    if os.path.isfile(path):
        yield _text(path)
    for folder, names, files in os.walk(path):
        names[:] = sorted(name for name in names if name not in ("node_modules", ".git"))
        for file in sorted(files):
            if file.endswith(_CODE) and left > 0:
                left -= 1
                yield _text(os.path.join(folder, file))


def _text(path: str) -> str:
    try:
        return read_bytes(path, limit=_MOST_BYTES, follow=True).decode("utf-8", "replace")
    except PimemError:
        return ""


def _names(folder: str) -> list[str]:
    """What pi loads by itself: files of code, and folders."""
    try:
        with os.scandir(folder) as found:
            return sorted(one.name for one in found if one.is_dir() or one.name.endswith(_CODE))
    except OSError:
        return []
