"""Index lines whose file is missing: who takes them over, and which come back with their file.

The line of a file that was renamed outside goes to the unlisted file that has its name in the front
matter, or the text that was last stored in it. A line that nobody takes over is dropped by the next
change; it is kept in the state folder, with pin and summary, for the day its file is there again.
"""

from __future__ import annotations

import hashlib
import json
import os
from typing import TYPE_CHECKING

from ...errors import PimemError
from ...files.publish import explained, private_folder, publish
from ...files.read import (
    NAME_BYTES,
    PREVIEW_BYTES,
    is_possible_name,
    is_regular,
    read_bytes,
)
from ...formats import held_back
from ...formats.text import quote
from ...history import patch, record
from . import tombstones, topic
from .index import INDEX_NAME, is_topic_file, parse_line

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from .folder import TopicFolder
    from .index import IndexEntry
    from .index_changes import Index

_FOLDER = "missing"
#: Characters of a name that is too long which a sentence shows.
_SHOWN_NAME = 40
#: Lines that are kept for each store; beyond them the oldest go.
_MOST_LINES = 500
#: Unlisted files that are looked into, and changes that are looked through.
_MOST_FILES = 1000
_MOST_RECORDS = 1000


def settle(folder: TopicFolder, index: Index, names: AbstractSet[str]) -> list[str]:
    """Bring lines back whose file is there again, and give those of renamed files to them.

    Args:
        folder: The store, locked.
        index: Its index, which is changed.
        names: The regular files in it.

    Returns:
        A sentence for each line.
    """
    listed = index.files()
    unlisted = {name for name in names - listed if is_topic_file(name)}
    if not unlisted:
        return []
    unlisted -= set(tombstones.read(folder.path)[1])
    said = []
    for file, line in _kept(folder).items():
        entry = parse_line(line)
        if file in unlisted and entry is not None:
            unlisted.discard(file)
            index.append(line)
            said.append(f"{quote(entry.name)} is back in the index: {file} is there again.")
    missing = [
        file
        for file in listed - names
        if not is_possible_name(file) or not is_regular(folder.file(file))
    ]
    for file in sorted(missing, key=os.fsencode):
        heir = _heir(folder, index.of_file(file)[-1], unlisted)
        if heir is not None:
            unlisted.discard(heir)
            index.repoint(file, heir)
            said.append(f"{quote(index.of_file(heir)[0].name)} is in {heir} now.")
    return said


def _heir(folder: TopicFolder, entry: IndexEntry, unlisted: Collection[str]) -> str | None:
    """The unlisted file that an entry's missing one was renamed to; None when there is none."""
    known = _last_digest(folder, entry.file)
    named: list[str] = []
    for file in sorted(unlisted, key=os.fsencode)[:_MOST_FILES]:
        try:
            data = read_bytes(folder.file(file))
        except PimemError:
            continue
        if known is not None and patch.digest(data) == known:
            return file
        name = topic.owner_name(data[:PREVIEW_BYTES].decode("utf-8", "replace"))
        if name is not None and name.lower() == entry.name.lower():
            named.append(file)
    # A copy that a sync program made has the name too; the renamed file goes before it.
    named.sort(key=held_back.is_copy_name)
    return named[0] if named else None


def _last_digest(folder: TopicFolder, file: str) -> str | None:
    """What the journal knows a file to have held last; None when it does not know."""
    path = folder.file(file)
    newest_first = record.records(folder.places.state_dir, record.JOURNAL, newest_first=True)
    for _, made in zip(range(_MOST_RECORDS), newest_first, strict=False):
        for step in made.files:
            if step.path == path:
                return step.after
    return None


def impossible(text: str) -> list[tuple[int, str]]:
    """The lines of an index whose file's name is too long to be one, by number, with the name."""
    return [
        (number, entry.file)
        for number, line in enumerate(text.split("\n"), start=1)
        if len(line) * 4 > NAME_BYTES
        and (entry := parse_line(line)) is not None
        and not is_possible_name(entry.file)
    ]


def too_long(number: int, name: str) -> str:
    """What a person is to do about such a line."""
    return (
        f"Line {number} of {INDEX_NAME} names a file that cannot exist, {name[:_SHOWN_NAME]}…: the "
        "name is too long. Take the line out."
    )


def keep(folder: TopicFolder, dropped: Sequence[IndexEntry], listed: AbstractSet[str]) -> None:
    """Keep lines that are about to be dropped, and forget those of files that are listed.

    Raises:
        StorageError: The state folder cannot be written.
    """
    before = _kept(folder)
    after = {file: line for file, line in before.items() if file not in listed}
    for entry in dropped:
        after.pop(entry.file, None)
        after[entry.file] = entry.line
    if after == before:
        return
    lines = dict(list(after.items())[-_MOST_LINES:])
    path = _path(folder)
    data = {"folder": os.path.realpath(folder.path), "lines": lines}
    with explained(path):
        private_folder(os.path.dirname(path))
        publish(path, json.dumps(data, ensure_ascii=False).encode("utf-8", "surrogatepass"))


def _kept(folder: TopicFolder) -> Mapping[str, str]:
    """The lines that were dropped, by their files, oldest first."""
    try:
        found = json.loads(read_bytes(_path(folder)))
    except (PimemError, ValueError, RecursionError):
        return {}
    lines = found.get("lines") if isinstance(found, dict) else None
    if not isinstance(lines, dict) or found.get("folder") != os.path.realpath(folder.path):
        return {}
    return {file: line for file, line in lines.items() if isinstance(line, str)}


def _path(folder: TopicFolder) -> str:
    name = hashlib.sha256(os.fsencode(os.path.realpath(folder.path))).hexdigest()[:32]
    return os.path.join(folder.places.state_dir, _FOLDER, f"{name}.json")
