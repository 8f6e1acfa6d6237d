"""What the next process does about a change that a kill left unfinished."""

from __future__ import annotations

import contextlib
import os
import re

from ..errors import PimemError
from . import patch, transaction
from .holder import is_alive
from .read import read_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from .transaction import FileRecord, Record

_LEFTOVER = re.compile(r"\.tmp-(\d+)-[0-9a-f]{10}\Z")


def unfinished(state_dir: str, folder: str | None = None) -> list[Record]:
    """The changes that dead processes left unfinished, of one store folder or of all."""
    try:
        if not os.listdir(os.path.join(state_dir, transaction.INTENTS)):
            return []
    except OSError:
        return []
    return [
        record
        for record in transaction.records(state_dir, transaction.INTENTS)
        if folder in (None, record.about.folder) and not is_alive(record.pid)
    ]


def tokens(found: Iterable[Record]) -> frozenset[bytes]:
    """The lock contents that belong to unfinished changes: those locks are ours to take."""
    return frozenset(record.token.encode("latin-1") for record in found if record.token)


def recover(state_dir: str, folder: str) -> list[str]:
    """Complete or take back what dead processes left unfinished; the caller holds the lock.

    Returns:
        A sentence for each change that was repaired.
    """
    said = []
    for record in unfinished(state_dir, folder):
        if _happened(record):
            _complete(record)
            transaction.finish(state_dir, record)
            said.append(f'Completed the interrupted {record.about.action} of "{_what(record)}".')
        else:
            _take_back(record)
            with contextlib.suppress(FileNotFoundError):
                name = transaction.file_name(record)
                os.unlink(os.path.join(state_dir, transaction.INTENTS, name))
            said.append(f'Took back the interrupted {record.about.action} of "{_what(record)}".')
    return said


def _what(record: Record) -> str:
    return record.about.name or record.about.file


def content(path: str) -> bytes | None:
    """A file's bytes, or None when it is absent."""
    return read_bytes(path) if os.path.lexists(path) else None


def side(file: FileRecord, current: bytes | None) -> str:
    """Which side of the change a file is on: `before`, `after`, or `other` when others wrote."""
    found = patch.digest(current)
    return "after" if found == file.after else "before" if found == file.before else "other"


def about_topic(file: FileRecord) -> Callable[[Sequence[bytes]], bool]:
    """A test whether a hunk's lines are about the changed topic itself."""
    marker = file.marker.encode()
    return lambda lines: not marker or any(marker in line for line in lines)


def _happened(record: Record) -> bool:
    """Whether the change's deciding file is on the new side, whoever wrote there since."""
    file = next((file for file in record.files if file.decides), record.files[-1])
    current = content(file.path)
    where = side(file, current)
    if where != "other":
        return where == "after"
    return _is_there(file)


def _complete(record: Record) -> None:
    for file in record.files:
        current = content(file.path)
        where = side(file, current)
        if where == "before":
            transaction.put(file.path, file.new(current), file.mode)
        elif where == "other" and current is not None and file.after != "absent":
            lines = set(patch.lines_of(current))
            if all(line in lines for _, _, new, _ in file.hunks for line in new if line):
                continue
            wanted = patch.apply_nearby(current, file.hunks, about_topic(file))
            if wanted is not None:
                transaction.put(file.path, wanted, file.mode)


def _take_back(record: Record) -> None:
    for file in reversed(record.files):
        current = content(file.path)
        where = side(file, current)
        mode = file.before_mode or file.mode
        if where == "after":
            transaction.put(file.path, file.old(current), mode)
        elif where == "other" and current is not None and file.before != "absent":
            wanted = patch.apply_nearby(current, patch.reverse(file.hunks), about_topic(file))
            if wanted is not None:
                transaction.put(file.path, wanted, mode)


def confirm(record: Record) -> bool:
    """See that a change just made is still there; a peer that ignores the lock may have undone it.

    What such a peer wrote over is put back into its text, three times at most.

    Returns:
        Whether the change is there now.
    """
    for _ in range(3):
        lost = [file for file in record.files if not _is_there(file)]
        if not lost:
            return True
        for file in lost:
            current = content(file.path)
            if file.after == "absent" or current is None:
                continue
            wanted = patch.apply_nearby(current, file.hunks, lambda _lines: False)
            if wanted is not None:
                transaction.put(file.path, wanted, file.mode)
    return False


def _is_there(file: FileRecord) -> bool:
    current = content(file.path)
    if side(file, current) == "after":
        return True
    if current is None or file.after == "absent":
        return False
    lines = set(patch.lines_of(current))
    about = about_topic(file)
    added = [line for _, _, new, _ in file.hunks for line in new if line and about([line])]
    taken = [line for _, old, _, _ in file.hunks for line in old if line and about([line])]
    return all(line in lines for line in added) and not (
        any(line in lines for line in taken if line not in added)
    )


def as_before(state_dir: str, folder: str) -> dict[str, bytes | None]:
    """Contents that readers show instead of the disk's, while a change there is unfinished.

    Until somebody holds the lock and repairs it, the change has not happened.
    """
    shown: dict[str, bytes | None] = {}
    for record in unfinished(state_dir, folder):
        for file in record.files:
            with contextlib.suppress(PimemError):
                current = content(file.path)
                if side(file, current) == "after":
                    shown[file.path] = file.old(current)
    return shown


def clean(folder: str, names: Iterable[str]) -> None:
    """Remove temporary files that dead processes of ours left in a folder."""
    for name in names:
        match = _LEFTOVER.search(name)
        if match is not None and not is_alive(int(match[1])):
            with contextlib.suppress(OSError):
                os.unlink(os.path.join(folder, name))
