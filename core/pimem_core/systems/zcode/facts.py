"""Fact files: which files are facts, and what their front matter says of them."""

from __future__ import annotations

import os
import re

from ...errors import PimemError, StorageError
from ...files.read import read_bytes
from ...formats import frontmatter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ...progress import Cancelled

INDEX_NAME = "MEMORY.md"
TYPES = ("user", "feedback", "project", "reference")
#: ZCode looks for the closing fence in this many lines.
FRONT_LINES = 30
#: Enough for 30 lines of front matter as people and models write it.
_HEAD_BYTES = 8192
_SLUG_LIKE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*", re.ASCII)
_UNFIT = re.compile(r"[\x00-\x1f\x7f\\]")
# The usual front matter: one line for each key, nothing that needs YAML to be understood.
_PLAIN = r"[A-Za-z0-9(/$~.\u00a1-\uffff](?:[^\n#:]|:(?=\S)|(?<=\S)#)*"
# Compiled when the first fact is read: it takes as long as a small module.
_USUAL_LINE = (
    rf"(?P<indent> *)(?P<key>[A-Za-z_][\w.-]*):(?: +(?P<value>{_PLAIN}|\"[^\"\\\n]*\"))? *\Z"
)


_STAMP = r"(?a)\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?"


class Head:
    """What the front matter says; Claude Code moves keys below `metadata`, so both places count.

    A type is one of the four, `modified` a date or time of ISO 8601, `links` are names of facts.
    `closing` is the line of the closing fence from 1, None when there is no front matter;
    `unclosed` says that one begins and never ends, `is_usual` that YAML surely understands it.
    """

    __slots__ = (
        "closing",
        "description",
        "is_usual",
        "links",
        "modified",
        "name",
        "type",
        "unclosed",
    )

    def __init__(
        self,
        front: Mapping[str, Any],
        closing: int | None,
        unclosed: bool,
        is_usual: bool = True,
    ) -> None:
        name, description = front.get("name"), front.get("description")
        metadata = front.get("metadata")
        places = (metadata, front) if isinstance(metadata, dict) else (front,)
        word = next((p["type"] for p in places if p.get("type") in TYPES), None)
        found = (str(p.get("modified") or "") for p in places)
        self.modified = next(filter(_is_stamp, found), None)
        self.links = [name for p in places for name in _names(p.get("links"))]
        self.name = name if isinstance(name, str) else ""
        self.description = description if isinstance(description, str) else ""
        self.type = word
        self.closing = closing
        self.unclosed = unclosed
        self.is_usual = is_usual


def _is_stamp(text: str) -> bool:
    return text[:4].isdigit() and re.fullmatch(_STAMP, text) is not None


def _names(value: object) -> list[str]:
    """The names in a value: one, a list of them, with or without the brackets of a link."""
    if isinstance(value, list):
        return [name for item in value for name in _names(item)]
    if not isinstance(value, str) or not value:
        return []
    return re.findall(r"\[\[([^\[\]|#]+)", value) or [part.strip() for part in value.split(",")]


def head(text: str) -> Head:
    """Read the front matter of a text, or of the start of one."""
    parts = frontmatter.split(text)
    if not parts.present:
        return Head({}, None, frontmatter.is_unclosed(text))
    closing = parts.block.count("\n") + 2
    front = _usual(parts.block)
    if front is None:
        return Head(frontmatter.read(text), closing, False, is_usual=False)
    return Head(front, closing, False)


def _usual(block: str) -> dict[str, Any] | None:
    """Front matter of the usual form without the help of YAML, whose parser is slow; else None."""
    front: dict[str, Any] = {}
    nested: dict[str, str] | None = None
    for line in block.replace("\r\n", "\n").split("\n"):
        if not line.strip():
            continue
        match = re.match(_USUAL_LINE, line)
        if match is None:
            return None
        value = (match["value"] or "").rstrip(" ")
        if value[:1] == '"':
            value = value[1:-1]
        key = match["key"]
        if match["indent"]:
            if nested is None or key in nested:
                return None
            nested[key] = value
        elif key in front:
            return None
        elif match["value"] is None:
            nested = front[key] = {}
        else:
            front[key], nested = value, None
    return front


def head_of(path: str) -> Head:
    """Read the front matter of a file; raises as `read_bytes` does."""
    return head(read_bytes(path, limit=_HEAD_BYTES).decode("utf-8", "replace"))


class Fact:
    """A fact file as the folder has it. `file` is its path below the folder, with slashes."""

    __slots__ = ("_head", "file", "is_regular", "path")

    def __init__(self, file: str, path: str, is_regular: bool, known: Head | None = None) -> None:
        self.file = file
        self.path = path
        self.is_regular = is_regular
        self._head = known

    @property
    def stem(self) -> str:
        """The file without `.md`."""
        return self.file[:-3]

    @property
    def head(self) -> Head:
        """Its front matter; an empty one when it cannot be read."""
        if self._head is None:
            try:
                self._head = head_of(self.path)
            except PimemError:
                self._head = Head({}, None, False)
        return self._head

    @property
    def name(self) -> str:
        """What it is called by: its front matter's name where that is a slug, else its stem."""
        name = self.head.name
        return name if _SLUG_LIKE.fullmatch(name) else self.stem


def is_fact_file(file: str) -> bool:
    """Whether a path below the folder can be a fact's."""
    parts = file.split("/")
    return (
        file.endswith(".md")
        and len(parts[-1]) > len(".md")
        and parts[-1] != INDEX_NAME
        and not any(part in ("", ".", "..") for part in parts)
        and _UNFIT.search(file) is None
    )


def facts(folder: str, *, cancelled: Cancelled | None = None) -> dict[str, Fact]:
    """Every fact file by its path below the folder, in byte order, those of sub-folders too.

    As ZCode's own listing: dot folders count, an index of a sub-folder is not a fact. Links to
    folders are not followed.

    Raises:
        StorageError: The folder cannot be listed, or is none.
    """
    found: list[Fact] = []
    try:
        _collect(folder, "", found, cancelled)
    except (FileNotFoundError, NotADirectoryError) as error:
        if os.path.lexists(folder):
            raise StorageError(f"{folder} is not a folder; move it away.") from error
    except OSError as error:
        raise StorageError(f"{folder} cannot be listed: {error.strerror}.") from error
    return {fact.file: fact for fact in sorted(found, key=lambda f: os.fsencode(f.file))}


def _collect(folder: str, below: str, found: list[Fact], cancelled: Cancelled | None) -> None:
    folders = []
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                folders.append((entry.path, f"{below}{entry.name}/"))
            elif is_fact_file(entry.name):
                regular = entry.is_file(follow_symlinks=False)
                found.append(Fact(below + entry.name, entry.path, regular))
    for path, prefix in folders:
        if cancelled is not None and cancelled():
            return
        try:
            _collect(path, prefix, found, cancelled)
        except OSError:
            continue  # a sub-folder that is closed or gone hides its own facts only
