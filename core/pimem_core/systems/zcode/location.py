"""Which folder a project's memory is in: ZCode's algorithm, and what holds where that finds none.

The algorithm is ZCode's own, character for character, so that both find the same folder: the path
is resolved as Node.js does it, without `~` and without following links.
"""

from __future__ import annotations

import functools
import ntpath
import os
import posixpath
import re

from ...formats.text import trim
from ...value import Value
from .config import storage_roots

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...paths import Places

SYSTEM = "zcode"
_NOT_SLUG = re.compile(r"[^a-z0-9._-]+")
_SLUG_LENGTH = 48
_FALLBACK_SLUG = "project"
#: The hyphen and the digits of the hash.
_HASH_LENGTH = 17
_NAME = re.compile(r"(.+)-[0-9a-f]{16}", re.DOTALL)
_DRIVE = re.compile(r"[A-Za-z]:")


class Location(Value):
    """The folder that holds, and how it was found.

    `source` is `config`, `computed`, `sibling` (the only folder with the project's slug) or `none`
    (nothing is there yet; the first write creates `path`). `warning` is what a person should hear
    once in a session, `notes` what status says besides.
    """

    path: str
    source: str
    warning: str | None = None
    notes: Sequence[str] = ()


def projects_folder(storage: str) -> str:
    """The folder with one folder for each project."""
    cli = storage if os.path.basename(storage) == "cli" else os.path.join(storage, "cli")
    return os.path.join(cli, "memories", "projects")


@functools.lru_cache(maxsize=64)  # a session asks for its own with every prompt
def project_name(workspace: str, *, identity: str = "", win32: bool = False, cwd: str = "/") -> str:
    """The name of a project's folder: `<slug>-<16 hex digits>`.

    Args:
        workspace: The project's folder.
        identity: ZCode's workspace identity, which then takes the path's place.
        win32: Whether the rules of Windows hold.
        cwd: What a relative path starts from.
    """
    import hashlib  # what only lists another system's topics needs none

    identity = trim(identity)
    if identity:
        slug, key = _FALLBACK_SLUG, identity
    else:
        path = _as_node(_resolved_win32(workspace, cwd) if win32 else _resolved(workspace, cwd))
        slug = _slug(_last_part_win32(path) if win32 else posixpath.basename(path))
        key = path.lower() if win32 else path
    digest = hashlib.sha256(key.encode("utf-8", "replace")).hexdigest()[:16]
    return f"{slug}-{digest}"


def _slug(name: str) -> str:
    # Cutting comes last, so a slug may end in a hyphen: ZCode's does.
    return _NOT_SLUG.sub("-", name.lower()).strip("-")[:_SLUG_LENGTH] or _FALLBACK_SLUG


def _as_node(path: str) -> str:
    """Bytes that are not UTF-8 as Node.js sees them: U+FFFD."""
    try:
        return path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    except UnicodeEncodeError:  # half of a character, as only Windows has in names
        return path.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _resolved(path: str, cwd: str) -> str:
    # normpath keeps two leading slashes, Node.js does not.
    return "/" + posixpath.normpath(posixpath.join(cwd, path)).lstrip("/")


def _resolved_win32(path: str, cwd: str) -> str:
    drive, rest = ntpath.splitdrive(path)
    if _DRIVE.fullmatch(drive) and rest[:1] not in ("\\", "/"):
        # Relative to a drive: to the working folder if it is there, else to the drive's root.
        here = ntpath.splitdrive(cwd)[0]
        path = ntpath.join(cwd if here.lower() == drive.lower() else drive + "\\", rest)
    path = ntpath.normpath(ntpath.join(cwd, path))
    is_share = path.startswith("\\\\") and not ntpath.splitdrive(path)[1]
    return path + "\\" if is_share else path


def _last_part_win32(path: str) -> str:
    last = path.rstrip("\\/").rpartition("\\")[2]
    return "" if _DRIVE.fullmatch(last) else last


def locate(places: Places, configured: str | None) -> Location:
    """The folder of this working folder's memory. Nothing is created.

    Args:
        places: With the working folder.
        configured: What the configuration names, absolute; it goes before everything.
    """
    if configured is not None:
        return _location(configured, "config")
    name = project_name(places.cwd, win32=os.name == "nt", cwd=places.cwd)
    roots = storage_roots(places)
    folders = {
        os.path.join(projects_folder(root), name, "memory"): source for root, source in roots
    }
    there = [folder for folder in folders if os.path.lexists(folder)]
    computed = next(iter(folders))
    notes = []
    if there and roots[0][1] != "ZCODE_STORAGE_DIR":
        computed = there[0]
    source = folders[computed]
    if source and source != "ZCODE_STORAGE_DIR":
        notes.append(f"{source} says where ZCode keeps its data.")
    others = [folder for folder in there if folder != computed]
    if others:
        notes.append(f"ZCode has memories of this project in {', '.join(others)} as well.")
    projects = os.path.dirname(os.path.dirname(computed))
    if places.cwd == places.home:
        notes.append("This is the memory of your home folder: whatever is started there shares it.")
    if os.path.lexists(computed):
        return _location(computed, "computed", notes=notes)
    same_slug = _siblings(projects, name[:-_HASH_LENGTH])
    if len(same_slug) == 1:
        found = os.path.join(projects, same_slug[0], "memory")
        warning = (
            f"ZCode has no memory for {places.cwd}; the only one of that name, {found}, is used. "
            'If it is another project\'s, set "dir" in .pi/zcode-memory.json.'
        )
        return _location(found, "sibling", warning=warning, notes=notes)
    if same_slug:
        notes.append(
            f"{len(same_slug)} folders in {projects} have the name of this project and none its "
            'path; to use one of them, set "dir" in .pi/zcode-memory.json.'
        )
    return _location(computed, "none", notes=notes)


def _location(
    path: str, source: str, *, warning: str | None = None, notes: Sequence[str] = ()
) -> Location:
    project = os.path.basename(os.path.dirname(path))
    is_identity = _NAME.fullmatch(project) is not None and project.startswith("project-")
    if is_identity and source != "none":
        notes = [
            *notes,
            f"{project} may stand for a workspace identity of ZCode instead of a path.",
        ]
    return Location(path=path, source=source, warning=warning, notes=notes)


def _siblings(projects: str, slug: str) -> list[str]:
    """The folders of other paths with the same slug that have a memory in them."""
    found = []
    try:
        with os.scandir(projects) as entries:
            for entry in entries:
                match = _NAME.fullmatch(entry.name)
                if match is None or match[1] != slug or not entry.is_dir(follow_symlinks=False):
                    continue
                memory = os.path.join(entry.path, "memory")
                if os.path.isdir(memory) and not os.path.islink(memory):
                    found.append(entry.name)
    except OSError:
        return []  # not there, or not ours to look at: the project counts as having none yet
    return sorted(found)
