"""A change of several files as one step.

The record of a change is durable before the first file changes. It names every file with its old
and new content; killed at any point, the next process finds it among the intents and completes the
change or takes it back. Finished, the record moves to the undo journal.
"""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

from ..errors import ConflictError, PimemError, StorageError
from ..files.anchor import anchored, link_at, lstat_at, rename_at, unlink_at
from ..files.process import this_process
from ..files.publish import (
    NotSyncedError,
    discard,
    explained,
    make_folder,
    private_folder,
    publish,
    refuse_unless_regular,
    stage,
    swap,
    sync_folder,
    temporary_name,
)
from ..files.read import content, is_there
from ..progress import keep_published, refuse_cancelled
from ..value import Value
from . import patch
from .intents import INTENTS
from .record import JOURNAL, About, FileRecord, Record, dump, new_id
from .session_texts import forget_session_texts

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class Step(Value):
    """One file's part in a change.

    `before` and `after` are whole contents; None is an absent file. `marker` and `decides` are
    those of `FileRecord`.
    """

    path: str
    before: bytes | None
    after: bytes | None
    mode: int = 0o600
    marker: str = ""
    decides: bool = False


#: Ids of the changes that this process is making now, in whatever thread.
ongoing: set[str] = set()


def commit(
    state_dir: str, about: About, steps: Sequence[Step], *, tokens: Iterable[bytes], moment: str
) -> Record:
    """Make a change of one or several files, whole or not at all.

    The caller holds the store's lock and has read every `before` under it.

    Args:
        state_dir: pimem's state folder.
        about: What the history says.
        steps: In the order of publishing; those that change nothing are left out.
        tokens: Contents of the lock files that are held, so that the locks of a killed process
            can be recognised as ours.
        moment: The time for the history, RFC 3339.

    Returns:
        The record, which is in the undo journal now; nothing is recorded of a change that changes
        nothing, unless it takes another one back.

    Raises:
        ConflictError: A file is no longer what was read: somebody writes without the lock.
        StorageError: Nothing was changed, or what was changed is taken back.
    """
    steps = [step for step in steps if step.before != step.after]
    record = _record(state_dir, about, steps, tokens, moment)
    if not steps and about.reverts is None:
        return record
    ongoing.add(record.id)
    try:
        with contextlib.ExitStack() as held:
            with explained(about.folder):
                if any(_is_made_in(about.folder, step) for step in steps):
                    make_folder(about.folder)
                if os.path.isdir(about.folder):
                    held.enter_context(anchored(about.folder))
            _commit(state_dir, record, steps)
    finally:
        ongoing.discard(record.id)
    if about.action == "remove":
        forget_session_texts(state_dir)
    return record


def _is_made_in(folder: str, step: Step) -> bool:
    return step.after is not None and step.path.startswith(f"{folder}/")


def _commit(state_dir: str, record: Record, steps: Sequence[Step]) -> None:
    intent, entry = places_of(state_dir, record)
    staged: list[str] = []
    done: list[tuple[Step, FileRecord, str | None]] = []
    try:
        with explained(intent):
            private_folder(os.path.dirname(intent))
            private_folder(os.path.dirname(entry))
        temporaries = [_stage(step, staged) for step in steps]
        with explained(intent):
            refuse_cancelled()
            try:
                publish(intent, dump(record))
            except NotSyncedError as error:  # it goes again, and nothing is changed
                raise OSError(error.errno, error.strerror) from error
            keep_published()
        for step, file, temporary in zip(steps, record.files, temporaries, strict=True):
            with explained(step.path):
                _refuse_changed(step)
                done.append((step, file, _second_name(step, staged)))
                if temporary is None:
                    unlink_at(step.path)
                else:
                    swap(temporary, step.path)
                    staged.remove(temporary)
        sync_folders(record)
        finish(state_dir, record)
    except BaseException as error:
        _take_back(done, (intent, entry), error)
        raise
    finally:
        for temporary in staged:
            with contextlib.suppress(OSError):
                discard(temporary)


def _second_name(step: Step, staged: list[str]) -> str | None:
    """Give the old file another name: taking back is then a rename, which a full disk allows."""
    if step.before is None:
        return None
    folder, name = os.path.split(step.path)
    second = os.path.join(folder, temporary_name(name))
    try:
        link_at(step.path, second)
    except OSError:  # not every file system knows second names
        return None
    staged.append(second)
    return second


def places_of(state_dir: str, record: Record) -> tuple[str, str]:
    """The paths of a record while its change is being made, and afterwards."""
    name = record.file_name
    return os.path.join(state_dir, INTENTS, name), os.path.join(state_dir, JOURNAL, name)


def _stage(step: Step, staged: list[str]) -> str | None:
    with explained(step.path):
        make_folder(os.path.dirname(step.path))
        refuse_unless_regular(step.path)
        if step.after is None:
            return None
        staged.append(stage(step.path, step.after, mode=step.mode))
        return staged[-1]


def _refuse_changed(step: Step) -> None:
    """Compare once more: a peer that writes without the lock may have come in between."""
    if content(step.path) != step.before:
        raise ConflictError(
            f"{step.path} was changed by another program meanwhile; try again.",
            file=os.path.basename(step.path),
        )


def _take_back(
    done: Sequence[tuple[Step, FileRecord, str | None]],
    entries: Sequence[str],
    cause: BaseException,
) -> None:
    """Undo what a change that failed in this process has done."""
    try:
        for step, file, second in reversed(done):
            if content(step.path) != step.after:
                continue
            if second is None:
                put(step.path, step.before, file.before_mode or file.mode)
                continue
            rename_at(second, step.path)
            # A disk that refuses even this keeps the order of its own accord, or is past help.
            with contextlib.suppress(OSError):
                sync_folder(os.path.dirname(step.path))
        for path in entries:
            # A read-only file system refuses to remove even what is not there.
            if os.path.lexists(path):
                os.unlink(path)
    except (OSError, PimemError) as error:
        # The intent stays: the next change tries again.
        paths = ", ".join(step.path for step, _file, _second in done)
        raise StorageError(
            f"A change failed and could not be taken back. {_sentence(cause)} {_sentence(error)} "
            f"Look at {paths}; pimem tries again at the next change."
        ) from cause


def _sentence(error: BaseException) -> str:
    said = str(error) or type(error).__name__
    return said if said.endswith((".", "!", "?")) else f"{said}."


def put(path: str, data: bytes | None, mode: int) -> None:
    """Give a file a content, or remove it; durable, and fine when it is so already.

    Raises:
        StorageError: The disk or a right stands in the way.
    """
    with explained(path):
        if data is not None:
            make_folder(os.path.dirname(path))
            publish(path, data, mode=mode)
        elif is_there(path):
            unlink_at(path)
            sync_folder(os.path.dirname(path))


def sync_folders(record: Record) -> None:
    """Make the names of a change's files durable.

    Raises:
        StorageError: The disk refuses.
    """
    for folder in dict.fromkeys(os.path.dirname(file.path) for file in record.files):
        with explained(folder):
            sync_folder(folder)


def finish(state_dir: str, record: Record) -> None:
    """Move a record to the journal: the change counts as made.

    Raises:
        StorageError: The journal cannot be written.
    """
    intent, entry = places_of(state_dir, record)
    with explained(entry):
        private_folder(os.path.dirname(entry))
        os.rename(intent, entry)


def _record(
    state_dir: str, about: About, steps: Sequence[Step], tokens: Iterable[bytes], moment: str
) -> Record:
    files = []
    for step in steps:
        mode = None
        if step.before is not None:
            with explained(step.path), contextlib.suppress(FileNotFoundError, NotADirectoryError):
                mode = lstat_at(step.path).st_mode & 0o7777
        files.append(
            FileRecord(
                path=step.path,
                before=patch.digest(step.before),
                after=patch.digest(step.after),
                before_mode=mode,
                mode=step.mode,
                hunks=patch.diff(step.before or b"", step.after or b""),
                marker=step.marker,
                decides=step.decides,
            )
        )
    return Record(
        id=new_id(state_dir),
        time=moment,
        process=this_process(),
        tokens=[token.decode("latin-1") for token in tokens],
        # A record of a deletion is where the deleted text still is.
        about=about.but(only_copy=about.only_copy or any(f.after == "absent" for f in files)),
        files=files,
    )
