"""The undo journal: what was changed through pimem, and how to take it back."""

from __future__ import annotations

import contextlib
import os
import time

from ..errors import ConflictError, TopicNotFoundError
from ..model import HistoryEntry
from . import patch, recovery, transaction

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from .transaction import FileRecord, Record

_DAY_S = 86_400


def _with_state(state_dir: str) -> Iterator[tuple[Record, bool]]:
    """The records, newest first, each with whether a later one took it back."""
    reverted: set[str] = set()
    for record in transaction.records(state_dir, transaction.JOURNAL, newest_first=True):
        taken_back = record.id in reverted
        if record.about.reverts is not None and not taken_back:
            reverted.add(record.about.reverts)
        yield record, taken_back


def history(state_dir: str, folders: Collection[str]) -> list[HistoryEntry]:
    """What was changed in some store folders, newest first."""
    return [
        HistoryEntry(
            id=record.id,
            time=record.time,
            action=record.about.action,
            store=record.about.store,
            name=record.about.name,
            file=record.about.file,
            undoable=not taken_back and record.about.action != "undo",
        )
        for record, taken_back in _with_state(state_dir)
        if record.about.folder in folders
    ]


def newest_undoable(state_dir: str, folders: Collection[str]) -> Record:
    """The change that undo takes back next.

    Raises:
        TopicNotFoundError: There is none.
    """
    for record, taken_back in _with_state(state_dir):
        if record.about.folder in folders and not taken_back and record.about.action != "undo":
            return record
    raise TopicNotFoundError("There is nothing to undo.")


def newest_redoable(state_dir: str, folders: Collection[str]) -> Record:
    """The undo that redo takes back next; a new change since then ends redoing.

    Raises:
        TopicNotFoundError: There is none.
    """
    for record, taken_back in _with_state(state_dir):
        if record.about.folder not in folders or taken_back:
            continue
        if record.about.action == "undo":
            return record
        if record.about.action != "redo":
            break
    raise TopicNotFoundError("There is nothing to redo.")


def find(state_dir: str, record_id: str) -> Record:
    """The record with an id.

    Raises:
        TopicNotFoundError: The journal has none.
    """
    for record in transaction.records(state_dir, transaction.JOURNAL):
        if record.id == record_id:
            return record
    raise TopicNotFoundError(f"The journal has no entry {record_id}; pimem history lists them.")


def revert(state_dir: str, record: Record, *, action: str, token: bytes, moment: str) -> Record:
    """Take a change back; the caller holds the store's lock.

    Files that nobody touched since get their old bytes. In an index that others changed
    elsewhere, the topic's own lines go back to what and where they were.

    Args:
        state_dir: pimem's state folder.
        record: The change, or for a redo the undo.
        action: `undo` or `redo`.
        token: Content of the lock file.
        moment: The time for the history.

    Raises:
        ConflictError: Somebody else changed the topic since; it shows the difference.
        StorageError: A file cannot be read or written.
    """
    steps = []
    for file in reversed(record.files):
        current = recovery.content(file.path)
        wanted = _reverted(record, file, current)
        steps.append(
            transaction.Step(
                path=file.path,
                before=current,
                after=wanted,
                mode=file.before_mode or file.mode,
                marker=file.marker,
                decides=file.decides,
            )
        )
    about = record.about.but(action=action, reverts=record.id, only_copy=False)
    return transaction.commit(state_dir, about, steps, token=token, moment=moment)


def _reverted(record: Record, file: FileRecord, current: bytes | None) -> bytes | None:
    where = recovery.side(file, current)
    if where == "after":
        return file.old(current)
    if where == "before":
        return current
    if file.marker and current is not None and file.before != "absent":
        back = patch.reverse(file.hunks)
        wanted = patch.apply_nearby(current, back, recovery.about_topic(file))
        if wanted is not None:
            return wanted
    raise ConflictError(
        f"{file.path} was changed by somebody else since {record.time}; nothing was undone.\n"
        + _difference(file, current),
        name=record.about.name,
        file=record.about.file,
        theirs=(current or b"").decode("utf-8", "replace"),
    )


def _difference(file: FileRecord, current: bytes | None) -> str:
    """What undoing would have to take out that is no longer there as it was."""
    if current is None:
        return "The file is gone."
    lines = set(patch.lines_of(current))
    about = recovery.about_topic(file)
    lost = [x for _, _, new, _ in file.hunks for x in new if x not in lines and about([x])]
    old = [x for _, old, _, _ in file.hunks for x in old if about([x])]
    shown = [f"- {line.decode('utf-8', 'replace')}" for line in lost[:20]]
    shown += [f"+ {line.decode('utf-8', 'replace')}" for line in old[:20]]
    return "\n".join(shown) or "Other lines of it were changed."


def purge(state_dir: str, record_id: str) -> Record:
    """Forget an entry for good; it can then be neither undone nor seen.

    Raises:
        TopicNotFoundError: The journal has none.
    """
    record = find(state_dir, record_id)
    with contextlib.suppress(FileNotFoundError):
        os.unlink(os.path.join(state_dir, transaction.JOURNAL, transaction.file_name(record)))
    return record


def prune(state_dir: str, *, max_bytes: float, max_days: float) -> None:
    """Forget the oldest entries beyond the bounds; those with the only copy of a file stay.

    Left-overs of dead processes in the state folders go as well.
    """
    folder = os.path.join(state_dir, transaction.JOURNAL)
    expired_before = time.time() - max_days * _DAY_S
    kept = 0
    with contextlib.suppress(OSError):
        for name in sorted(os.listdir(folder), reverse=True):
            path = os.path.join(folder, name)
            status = os.lstat(path)
            if not name.endswith(".json"):
                recovery.clean(folder, [name])
            elif not name.endswith(".keep.json"):
                kept += status.st_size
                if kept > max_bytes or status.st_mtime < expired_before:
                    os.unlink(path)
    intents = os.path.join(state_dir, transaction.INTENTS)
    with contextlib.suppress(OSError):
        recovery.clean(intents, os.listdir(intents))
