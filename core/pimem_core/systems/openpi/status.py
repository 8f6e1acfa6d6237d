"""How a store is: its numbers, and what a person should know of it."""

from __future__ import annotations

import contextlib
import os

from ...errors import PimemError, ReadOnlyFormatError
from ...files.holder import lock_holder
from ...files.read import real_folder, regular_entries
from ...formats import held_back
from ...formats.text import plural
from ...model import StoreStatus
from . import carry_over, config, detection, limits, missing, tombstones
from .index import INDEX_NAME, files, is_topic_file
from .location import LOCAL, SHARED, SYSTEM, active_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .folder import TopicFolder, View

#: Names of copies that a note lists.
_SHOWN_COPIES = 5
_WRITERS = {
    LOCAL: ("pi (openpi-memory)",),
    SHARED: ("pi (openpi-memory)", "OpenCode (openclaude-memory)"),
}


def status_of(folder: TopicFolder) -> StoreStatus:
    """How a store is; an unreadable one says so in the notes."""
    found, seen, notes = None, Seen(set()), []
    count = 0
    try:
        view = folder.view()
        found = folder.detect(view.text)
        seen = Seen(files(view.text or ""))
        count = len(seen.listed) if found in (None, detection.OPENPI) else 0
        count += len(folder.plain_files(view)) if found == detection.UNKNOWN else 0
        seen.look(folder.path)
        notes += _notes(folder, view, found, seen)
    except PimemError as error:
        notes.append(str(error))
    return StoreStatus(
        store=folder.name,
        system=SYSTEM,
        path=folder.path,
        exists=os.path.isdir(folder.path),
        active=folder.path == active_folder(folder.places),
        count=count,
        size_bytes=seen.size,
        changed=seen.changed,
        writers=_WRITERS.get(folder.name, ()),
        lock=lock_holder(folder.path),
        format=found,
        notes=notes,
    )


class Seen:
    """What one look through a folder finds; a name is kept only where it matters."""

    def __init__(self, listed: set[str]) -> None:
        #: The files that the index names, and how many of them are there.
        self.listed = listed
        self.here = 0
        #: Topic files that the index does not name.
        self.unlisted: set[str] = set()
        #: Bytes of the index and the topic files, and the time of the newest of them.
        self.size = 0
        self.changed: float | None = None

    def look(self, folder: str) -> None:
        """Look at every file.

        Raises:
            StorageError: The folder cannot be listed.
        """
        for item in regular_entries(folder):
            if not item.name.lower().endswith(".md"):
                continue
            if item.name in self.listed:
                self.here += 1
            elif is_topic_file(item.name):
                self.unlisted.add(item.name)
            with contextlib.suppress(OSError):  # gone since it was listed
                status = item.stat(follow_symlinks=False)
                self.size += status.st_size
                self.changed = max(self.changed or 0.0, status.st_mtime)


def _held_back(text: str, copies: set[str]) -> list[str]:
    """What of the store is not injected before somebody decides on it."""
    notes = []
    if held_back.is_unmerged(text):
        notes.append(
            f"{INDEX_NAME} has the marks of an unfinished merge, so it is held back; resolve it."
        )
    if copies:
        named = ", ".join(sorted(copies)[:_SHOWN_COPIES])
        more = f" and {len(copies) - _SHOWN_COPIES} more" if len(copies) > _SHOWN_COPIES else ""
        notes.append(f"Copies of a sync program are held back: {named}{more}.")
    return notes


def _notes(folder: TopicFolder, view: View, found: str | None, seen: Seen) -> list[str]:
    """Sentences a person should know: format, carry-over, limits, files no index lists."""
    notes = []
    try:
        detection.refuse_foreign(folder.path, found)
    except ReadOnlyFormatError as error:
        return [str(error)]
    settings, trouble = config.load(folder.places)
    if trouble is not None:
        notes.append(str(trouble))
    if view.shown:
        notes.append(
            "A change was interrupted; the next change or start of the manager repairs it."
        )
    notes += real_folder(folder.path)
    if (
        folder.name == SHARED
        and settings.shared_dir
        and carry_over.is_due(folder.local)
        and not carry_over.is_same(folder.local, folder.path)
    ):
        notes.append(
            "The local store is not carried over yet; the next change or pi session does it."
        )
    try:
        buried = set(tombstones.read(folder.path)[1])
    except PimemError as error:
        notes.append(str(error))
        buried = set()
    copies = {
        name
        for name in (*seen.unlisted, *seen.listed)
        if held_back.original_of(
            folder.path, name, lambda other: os.path.lexists(folder.file(other))
        )
    }
    notes += [missing.too_long(*found) for found in missing.impossible(view.text or "")]
    notes += _held_back(view.text or "", copies)
    unlisted = len(seen.unlisted - buried - copies)
    if unlisted:
        notes.append(f"{plural(unlisted, 'topic file')} not in the index.")
    coming = [file for file in view.elsewhere if not os.path.lexists(f"{folder.path}/{file}")]
    without = len(seen.listed) - seen.here - len(seen.listed.intersection(coming))
    if without:
        notes.append(f"{plural(without, 'index line')} without a file.")
    if view.text is not None:
        notes += limits.crossed(None, view.text, settings.max_lines)
    moved = os.path.join(folder.places.agent_dir, "pi-hermes-memory")
    if (
        folder.name == LOCAL
        and not seen.listed
        and os.path.exists(os.path.join(moved, "MEMORY.md"))
    ):
        notes.append(f"pi-hermes-memory may have moved this store's files to {moved}; look there.")
    return notes
