"""How ZCode's and Claude Code's folders differ from others that look like them."""

from __future__ import annotations

import os
import re

from ...errors import Hint, PimemError, ReadOnlyFormatError
from ...files.read import read_bytes
from ...formats import frontmatter
from .facts import INDEX_NAME, head, is_fact_file
from .index import entries

ZCODE = "zcode"
CLAUDE = "claude"
#: How many files are looked into.
_SAMPLE = 60
_HEAD_BYTES = 8192
_ZCODE_PATH = re.compile(r"/memories/projects/[^/]+-[0-9a-f]{16}/memory/?\Z")
_CLAUDE_PATH = re.compile(r"/\.claude/(?:projects/[^/]+/memory|agent-memory(?:-local)?/[^/]+)/?\Z")
# Stamps of openpi's lines stand right behind the link, their summaries behind two hyphens.
_OPENPI_LINE = re.compile(
    r"^\s*-\s+\[[^\]\n]+\]\([^)\n]+\)(?: \[pin\])?"
    r"(?: \d{4}-\d{2}-\d{2}(?:[Tt ][\d:.,]+(?:[Zz]|[+-][\d:]+)?)?)?(?: \[stale\?\])? -- ",
    re.MULTILINE,
)
_OPENPI_KEY = re.compile(r"^last_updated:", re.MULTILINE)
_CLAUDE_MARK = re.compile(
    r"^(?:metadata: +$|type:|originSessionId:|[ ]+modified:|[ ]+originSessionId: (?!\"?sess_))",
    re.MULTILINE,
)
_CLAUDE_FILE = re.compile(r"(?:user|feedback|project|reference)_.*\.md")
# Blocks of free text with a heading comment, and text between section signs.
_FOREIGN_INDEX = re.compile(r"^(?:<!--\s*\d{4}-\d{2}-\d{2}[^>]*\[[^\]\n]+\]\s*-->|\s*§\s*$)", re.M)


def recognise(folder: str) -> str | None:
    """`zcode` or `claude` for a folder in this shape, None for any other or an unclear one."""
    index = _index(folder)
    if _FOREIGN_INDEX.search(index):
        return None
    ours, theirs, claude = 0, 0, 0
    for name in _names(folder):
        try:
            data = read_bytes(os.path.join(folder, name), limit=_HEAD_BYTES)
        except PimemError:
            continue
        text = data.decode("utf-8", "replace")
        block = frontmatter.split(text).block.replace("\r\n", "\n")
        if _OPENPI_KEY.search(block):
            theirs += 1
        elif block and head(text).type is not None:
            ours += 1
            claude += bool(_CLAUDE_MARK.search(block)) or bool(_CLAUDE_FILE.fullmatch(name))
    theirs += len(_OPENPI_LINE.findall(index))
    ours += sum(1 for entry in entries(index) if entry.hook and entry.kind == "line")
    ours -= len(_OPENPI_LINE.findall(index))
    path = os.path.abspath(folder)
    by_path = ZCODE if _ZCODE_PATH.search(path) else CLAUDE if _CLAUDE_PATH.search(path) else None
    if theirs > max(ours, 0):
        return None
    if ours > 0:
        return by_path or (CLAUDE if claude else ZCODE)
    return by_path


def _index(folder: str) -> str:
    try:
        return read_bytes(os.path.join(folder, INDEX_NAME)).decode("utf-8", "replace")
    except PimemError:
        return ""


def _names(folder: str) -> list[str]:
    try:
        return sorted(filter(is_fact_file, os.listdir(folder)), key=os.fsencode)[:_SAMPLE]
    except OSError:
        return []


def is_openpi(folder: str) -> bool:
    """Whether a folder is full of openpi's topics instead."""
    lines = len(_OPENPI_LINE.findall(_index(folder)))
    return lines > 0 and recognise(folder) is None


def refuse_openpi(folder: str) -> None:
    """Refuse to put facts between another system's topics.

    Raises:
        ReadOnlyFormatError: The folder is openpi's.
    """
    if is_openpi(folder):
        raise ReadOnlyFormatError(
            f"{folder} holds openpi's topics, so it is opened read-only here; "
            '"dir" in zcode-memory.json can name another folder.',
            hint=Hint(Hint.OPEN, topic=folder),
        )
