"""The undo journal: what was changed through pimem, and how to take it back."""

from __future__ import annotations

import contextlib
import os
import time
from typing import TYPE_CHECKING

from ..errors import ConflictError, StorageError, TopicNotFoundError
from ..files.private import folder_not_ours
from ..files.publish import explained, sync_folder
from ..files.read import content
from ..model import HistoryEntry
from . import patch, record, recovery, transaction
from .session_texts import forget_session_texts

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from .record import FileRecord, Record

_DAY_S = 86_400
#: A pause between two changes after which the clock is not believed at once, in seconds.
_PAUSE_S = 7 * _DAY_S


def _with_state(state_dir: str, left_out: list[str] | None = None) -> Iterator[tuple[Record, bool]]:
    """The records, newest first, each with whether a later one took it back."""
    reverted: set[str] = set()
    found = record.records(state_dir, record.JOURNAL, newest_first=True, left_out=left_out)
    for entry in found:
        taken_back = entry.id in reverted
        if entry.about.reverts is not None and not taken_back:
            reverted.add(entry.about.reverts)
        yield entry, taken_back


def history(
    state_dir: str, folders: Collection[str], *, left_out: list[str] | None = None
) -> list[HistoryEntry]:
    """What was changed in some store folders, newest first.

    Args:
        state_dir: pimem's state folder.
        folders: Those of the stores.
        left_out: Takes a sentence for each record that cannot be read.
    """
    return [
        HistoryEntry(
            id=entry.id,
            time=entry.time,
            action=entry.about.action,
            store=entry.about.store,
            name=entry.about.name,
            file=entry.about.file,
            undoable=not taken_back and entry.about.action != "undo",
        )
        for entry, taken_back in _with_state(state_dir, left_out)
        if entry.about.folder in folders
    ]


def newest_undoable(state_dir: str, folders: Collection[str]) -> Record:
    """The change that undo takes back next.

    Raises:
        TopicNotFoundError: There is none.
    """
    left_out: list[str] = []
    for entry, taken_back in _with_state(state_dir, left_out):
        if entry.about.folder in folders and not taken_back and entry.about.action != "undo":
            _refuse_unread(left_out)
            return entry
    raise TopicNotFoundError("There is nothing to undo.")


def newest_redoable(state_dir: str, folders: Collection[str]) -> Record:
    """The undo that redo takes back next; a new change since then ends redoing.

    Raises:
        TopicNotFoundError: There is none.
    """
    left_out: list[str] = []
    for entry, taken_back in _with_state(state_dir, left_out):
        if entry.about.folder not in folders or taken_back:
            continue
        if entry.about.action == "undo":
            _refuse_unread(left_out)
            return entry
        if entry.about.action != "redo":
            break
    raise TopicNotFoundError("There is nothing to redo.")


def _refuse_unread(left_out: Sequence[str]) -> None:
    """Refuse to take back an older change where a newer one cannot be read: it may be meant."""
    if left_out:
        raise StorageError(
            f"{left_out[0]} It is newer than the change that would be taken back; move it away to "
            "go on without it. Nothing was changed."
        )


def find(state_dir: str, record_id: str) -> Record:
    """The record with an id.

    Raises:
        TopicNotFoundError: The journal has none.
    """
    if record_id and folder_not_ours(state_dir, record.JOURNAL) is None:
        for name in record.names(state_dir, record.JOURNAL):
            if name.startswith(f"{record_id}."):
                path = os.path.join(state_dir, record.JOURNAL, name)
                with contextlib.suppress(ValueError):
                    return record.read(path)
    raise TopicNotFoundError(f"The journal has no entry {record_id}; pimem history lists them.")


def revert(
    state_dir: str,
    entry: Record,
    *,
    action: str,
    folders: Collection[str],
    tokens: Iterable[bytes],
    moment: str,
) -> Record:
    """Take a change back; the caller holds the store's lock.

    Files that nobody touched since get their old bytes. In an index that others changed
    elsewhere, the topic's own lines go back to what and where they were.

    Args:
        state_dir: pimem's state folder.
        entry: The change, or for a redo the undo.
        action: `undo` or `redo`.
        folders: Where the store's changes may reach.
        tokens: Contents of the lock files.
        moment: The time for the history.

    Raises:
        ConflictError: Somebody else changed the topic since; it shows the difference.
        StorageError: A file cannot be read or written, or is not of the store.
    """
    if outside := record.strays(entry, folders):
        raise StorageError(
            f"The record {entry.id} names {outside[0]}, which is not of its store; nothing was "
            "changed."
        )
    _refuse_taken_back(state_dir, entry)
    steps = []
    for file in reversed(entry.files):
        current = content(file.path)
        steps.append(
            transaction.Step(
                path=file.path,
                before=current,
                after=_reverted(entry, file, current),
                mode=file.before_mode or file.mode,
                marker=file.marker,
                decides=file.decides,
            )
        )
    about = entry.about.but(action=action, reverts=entry.id, only_copy=False)
    return transaction.commit(state_dir, about, steps, tokens=tokens, moment=moment)


def _refuse_taken_back(state_dir: str, entry: Record) -> None:
    """Look again under the lock: another process may have been quicker."""
    for found, taken_back in _with_state(state_dir):
        if found.id == entry.id:
            if not taken_back:
                return
            break
    raise ConflictError(
        f"The {entry.about.action} of {entry.time} was taken back meanwhile.",
        name=entry.about.name,
        file=entry.about.file,
    )


def _reverted(entry: Record, file: FileRecord, current: bytes | None) -> bytes | None:
    where = recovery.side(file, current)
    if where == "after":
        return recovery.file_at(file, current, "before")
    if where == "before":
        return current
    if file.marker or file.decides:  # a list that has lines about other topics too
        wanted = recovery.moved_to(file, current, "before")
        if wanted is not None:
            return wanted
    raise ConflictError(
        f"{file.path} was changed by somebody else since {entry.time}; nothing was undone.\n"
        + _difference(file, current),
        name=entry.about.name,
        file=entry.about.file,
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


def purge(state_dir: str, record_id: str) -> tuple[Record, list[Record]]:
    """Forget an entry for good; it can then be neither undone nor seen.

    What took it back, or what it took back, holds the same text and goes with it.

    Returns:
        The entry, and those left that still hold lines of its text.

    Raises:
        TopicNotFoundError: The journal has none.
        StorageError: It cannot be removed.
    """
    wanted = find(state_dir, record_id)
    kept = list(record.records(state_dir, record.JOURNAL))
    gone = {record_id}
    while more := {
        one
        for entry in kept
        if entry.id in gone or entry.about.reverts in gone
        for one in (entry.id, entry.about.reverts)
        if one is not None and one not in gone
    }:
        gone |= more
    forget_session_texts(state_dir)
    folder = os.path.join(state_dir, record.JOURNAL)
    with explained(folder):
        for entry in kept:
            if entry.id in gone:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(os.path.join(folder, entry.file_name))
        sync_folder(folder)
    texts = set().union(*(_texts(entry) for entry in kept if entry.id in gone))
    return wanted, [entry for entry in kept if entry.id not in gone and texts & _texts(entry)]


def _texts(entry: Record) -> set[bytes]:
    return {
        line
        for file in entry.files
        if not file.marker
        for _, old, new, _ in file.hunks
        for line in patch.distinctive([*old, *new])
    }


def prune(state_dir: str, *, max_bytes: float, max_days: float) -> None:
    """Forget the oldest entries beyond the bounds; those with the only copy of a file stay.

    A clock that is wrong for a command must not make a whole journal old: see `_reliable_now`.
    """
    folder = os.path.join(state_dir, record.JOURNAL)
    try:
        names = record.names(state_dir, record.JOURNAL)[::-1]
    except StorageError:
        return
    found: list[tuple[str, os.stat_result]] = []
    for name in names:
        path = os.path.join(folder, name)
        with contextlib.suppress(OSError):
            found.append((path, os.lstat(path)))
    moment = _reliable_now([int(name[:17]) / 1e6 for name in names], time.time())
    expired_before = moment - max_days * _DAY_S
    kept = 0
    for path, status in found:
        if not path.endswith(".keep.json"):
            kept += status.st_size
            if kept > max_bytes or status.st_mtime < expired_before:
                with contextlib.suppress(OSError):
                    os.unlink(path)


def _reliable_now(times: Iterable[float], now: float) -> float:
    """The time to reckon ages from, seconds since the epoch.

    After a pause of more than a week the clock may have jumped. It is believed once changes after
    the pause are a day apart; until then ages count up to the last change before it.
    """
    end = start = now
    for moment in sorted((moment for moment in times if moment <= now), reverse=True):
        if start - moment > _PAUSE_S:
            return end if end - start >= _DAY_S else moment
        start = moment
    return end
