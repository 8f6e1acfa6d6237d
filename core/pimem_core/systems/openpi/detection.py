"""How an openpi folder differs from the other formats that extensions keep in the same place."""

from __future__ import annotations

import os
import re

from ...errors import PimemError, ReadOnlyFormatError
from ...files.read import read_bytes, regular_names
from ...formats import frontmatter
from .index import INDEX_NAME, is_topic_file, parse_line

OPENPI = "openpi"
UNKNOWN = "unknown"
_WHO = {
    "foreign:pi-memory": "the pi-memory extension",
    "foreign:pi-mem": "the pi-mem extension",
    "foreign:pi-remember": "the pi-remember extension",
    "foreign:pi-hermes-memory": "the pi-hermes-memory extension",
}
# pi-memory heads each block of free text with a comment: time stamp and id.
_PI_MEMORY_BLOCK = re.compile(r"^<!--\s*\d{4}-\d{2}-\d{2}[^>\[\n]*\[[^\]\n]+\]\s*-->", re.MULTILINE)
# Spaces of one line only: over blank lines the time would grow with their square.
_HERMES_SEPARATOR = re.compile(r"^[ \t]*§[ \t\r]*$", re.MULTILINE)
_HEADER = re.compile(r"^#\s+memory index\b", re.MULTILINE | re.IGNORECASE)
# What the front matter of a topic has that this program or its peers wrote.
_OWN_KEY = re.compile(r"^(?:  node_type: memory|last_updated:)", re.MULTILINE)
#: How many files are looked into.
_SAMPLE = 200
_NO_PROSE = re.compile(r"\s*(?:#|<!--|>|-->|\Z)")


def detect(folder: str, index_text: str | None, *, is_own: bool = False) -> str | None:
    """The format of a folder: `openpi`, `foreign:<name>`, `unknown`, or None when it is empty.

    Args:
        folder: The folder.
        index_text: Its `MEMORY.md`, None when there is none.
        is_own: Whether it is one of openpi's places, where files without an index are topics that
            wait for it; any other folder with something in it is not taken for a memory.

    Raises:
        StorageError: The folder cannot be listed.
    """
    text = (index_text or "").removeprefix("\ufeff")
    # Looking for the letter first is a hundred times faster than the pattern.
    if "<!--" in text and _PI_MEMORY_BLOCK.search(text):
        return "foreign:pi-memory"
    if "§" in text and _HERMES_SEPARATOR.search(text):
        return "foreign:pi-hermes-memory"
    if _HEADER.match(text) or any(map(parse_line, text.split("\n"))) or _HEADER.search(text):
        return OPENPI
    try:
        names = set(os.listdir(folder))
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError:
        names = regular_names(folder)
    if "memories.sqlite" in names:
        return "foreign:pi-remember"
    if "recovery" in names:
        return "foreign:pi-memory"
    if "SCRATCHPAD.md" in names or "daily" in names:
        return "foreign:pi-mem"
    if "USER.md" in names and _is_hermes_user(folder):
        return "foreign:pi-hermes-memory"
    if any(_NO_PROSE.match(line) is None for line in text.split("\n")):
        # Prose that the last entry was removed from still lies beside the topics it listed.
        return OPENPI if _has_topic(folder, names) else UNKNOWN
    if index_text is not None:
        return OPENPI
    if is_own:
        return OPENPI if any(name.lower().endswith(".md") for name in names) else None
    # What begins with a dot is a lock or the system's own; anything else is somebody's.
    if all(name.startswith(".") for name in names):
        return None
    return OPENPI if _has_topic(folder, names) else UNKNOWN


def _has_topic(folder: str, names: set[str]) -> bool:
    for name in sorted(filter(is_topic_file, names))[:_SAMPLE]:
        try:
            start = read_bytes(os.path.join(folder, name), limit=4096).decode("utf-8", "replace")
        except PimemError:
            continue
        if _OWN_KEY.search(frontmatter.split(start).block):
            return True
    return False


def _is_hermes_user(folder: str) -> bool:
    try:
        text = read_bytes(os.path.join(folder, "USER.md"), limit=65_536).decode("utf-8", "replace")
    except PimemError:
        return False
    return _HERMES_SEPARATOR.search(text) is not None


def refuse_foreign(folder: str, found: str | None) -> None:
    """Let only openpi folders and empty ones be changed.

    Raises:
        ReadOnlyFormatError: Another program's format; the message names it.
    """
    if found in (None, OPENPI):
        return
    if found == UNKNOWN and not os.path.lexists(os.path.join(folder, INDEX_NAME)):
        raise ReadOnlyFormatError(
            f"{folder} holds files, but no index and nothing in a format that pimem knows, so it "
            f'is opened read-only; a {INDEX_NAME} with the line "# Memory Index" '
            "there makes it a memory."
        )
    if found == UNKNOWN:
        raise ReadOnlyFormatError(
            f"{os.path.join(folder, INDEX_NAME)} is not an openpi index (no entry lines, no "
            "heading), so it is opened read-only; move it away to start an index there."
        )
    who = _WHO.get(found or "", found or "")
    raise ReadOnlyFormatError(
        f"{folder} holds the format of {who} ({found}), so it is opened read-only; "
        "give one of the two another folder."
    )
