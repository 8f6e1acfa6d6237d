"""Undo, redo and the history, for every front: which change is next, and taking it back."""

from __future__ import annotations

from ..errors import PimemError, TopicNotFoundError
from ..history import journal, record
from ..history.intents import INTENTS
from ..value import Value
from . import registry
from .stores import UndoableStore, folder_of, supporting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..history.record import FileRecord, Record
    from ..model import Change, HistoryEntry
    from ..paths import Places
    from .stores import Store

_NEWEST = {"undo": journal.newest_undoable, "redo": journal.newest_redoable}
#: Most lines of one file that a difference shows.
_MOST_LINES = 400


class Step(Value):
    """One step back or forth: what it did, and where."""

    store: Store
    change: Change


def step(places: Places, stores: Sequence[Store], action: str) -> Step:
    """Undo or redo the newest change that was made to one of the stores.

    Args:
        places: The folders of this user.
        stores: The stores to look at.
        action: `undo` or `redo`.

    Raises:
        TopicNotFoundError: There is nothing to take back.
        ConflictError: Somebody else changed the topic since; the first line says so, the
            difference follows.
    """
    try:
        entry = _NEWEST[action](places.state_dir, folders_of(stores))
    except TopicNotFoundError as error:
        said = [str(error), *unreadable(places)]
        raise TopicNotFoundError(" ".join(said)) from error
    store = _store_of(entry, places, stores)
    # A newer change that cannot be read may be the one that was meant.
    left_out = record.unreadable(places.state_dir, since=entry.id)
    try:
        change = supporting(store, UndoableStore).revert(entry, action)
    except PimemError as error:
        error.store = store.name
        error.name, error.file = entry.about.name, entry.about.file
        raise
    store.announce()
    return Step(store=store, change=change.but(notes=[*change.notes, *left_out]))


def folders_of(stores: Iterable[Store]) -> set[str]:
    """The folders that records name."""
    return {folder for folder in map(folder_of, stores) if folder}


def _store_of(entry: Record, places: Places, stores: Iterable[Store]) -> Store:
    for store in stores:
        if (store.system, folder_of(store)) == (entry.about.system, entry.about.folder):
            return store
    return registry.store_of(entry.about.system, entry.about.folder, places)


def history(
    places: Places,
    stores: Iterable[Store],
    topic: str = "",
    *,
    left_out: list[str] | None = None,
) -> list[HistoryEntry]:
    """What was changed in the stores through pimem, newest first.

    Args:
        places: The folders of this user.
        stores: The stores to look at.
        topic: Only changes of the topic with this name or file, whatever its case; where there is
            none, of topics whose name or file contains it.
        left_out: Takes a sentence for each record that had to be left out, as from `unreadable`,
            without reading the journal for it once more.
    """
    if left_out is not None:
        left_out += record.unreadable(places.state_dir, kinds=(INTENTS,))
    rows = journal.history(places.state_dir, folders_of(stores), left_out=left_out)
    if not topic:
        return rows
    wanted = topic.lower()
    # A topic that was renamed since is still the one in this file.
    meant = {(r.store, r.file) for r in rows if wanted in (r.name.lower(), r.file.lower())}
    if meant:
        return [row for row in rows if (row.store, row.file) in meant]
    return [row for row in rows if wanted in row.name.lower() or wanted in row.file.lower()]


def unreadable(places: Places) -> list[str]:
    """A sentence for each record that history and undo have to leave out."""
    return record.unreadable(places.state_dir)


def difference(places: Places, record_id: str) -> str:
    """What a recorded change did, as lines with `-` and `+` below the name of each file.

    Raises:
        TopicNotFoundError: The journal has no such record.
    """
    entry = journal.find(places.state_dir, record_id)
    return "\n\n".join(_told(file) for file in entry.files)


def _told(file: FileRecord) -> str:
    lines = [file.path]
    for start, old, new, _above in file.hunks:
        lines.append(f"@@ line {start + 1} @@")
        lines += [f"-{line.decode('utf-8', 'replace')}" for line in old]
        lines += [f"+{line.decode('utf-8', 'replace')}" for line in new]
    if len(lines) > _MOST_LINES:
        left_out = len(lines) - _MOST_LINES
        lines = [*lines[:_MOST_LINES], f"… {left_out:,} more lines"]
    return "\n".join(lines)
