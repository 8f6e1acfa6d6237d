"""What the next process does about a change that a kill left unfinished."""

from __future__ import annotations

import contextlib
import os
import re
import time
from typing import TYPE_CHECKING

from ..errors import PimemError
from ..files.holder import LOCK_NAME, is_alive, lock_content
from ..files.private import folder_not_ours
from ..files.publish import explained
from ..files.read import content
from . import patch, record, transaction
from .intents import INTENTS, has_intents

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from .patch import Hunk
    from .record import FileRecord, Record

    #: What each file of a change gets.
    Plan = dict[str, bytes | None]

_LEFTOVER = re.compile(r"\.tmp-(\d+)-[0-9a-f]{10}\Z")
_LINK = re.compile(rb"\]\([^)]*\)")
#: Seconds after which a temporary file is nobody's, though its process id is in use.
_LONG_S = 3600


def unfinished(state_dir: str, folder: str | None = None) -> list[Record]:
    """The changes that dead processes left unfinished, of one store folder or of all.

    A change that failed in this process and could not be taken back counts as well.
    """
    if not has_intents(state_dir):
        return []
    return [
        found
        for found in record.records(state_dir, INTENTS)
        if folder in (None, found.about.folder) and _is_left(found)
    ]


def _is_left(found: Record) -> bool:
    if found.process.pid == os.getpid() and not found.process.is_gone(found.age_s):
        return found.id not in transaction.ongoing
    return found.process.is_gone(found.age_s)


def tokens(found: Iterable[Record]) -> frozenset[bytes]:
    """The lock contents that belong to unfinished changes: those locks are ours to take."""
    return frozenset(token.encode("latin-1") for left in found for token in left.tokens)


def recover(state_dir: str, folder: str, beside: Iterable[str] = ()) -> list[str]:
    """Complete or take back what dead processes left unfinished; the caller holds the lock.

    Args:
        state_dir: pimem's state folder.
        folder: The store's folder.
        beside: Further folders and files that a change of the store may touch. A record that names
            any others is set aside.

    Returns:
        A sentence for each change that was repaired.

    Raises:
        StorageError: A file cannot be put right; the record stays for the next time.
    """
    for kind in (INTENTS, record.JOURNAL, "drafts"):
        clean(os.path.join(state_dir, kind))
    said = _set_aside(state_dir)
    for left in unfinished(state_dir, folder):
        if outside := record.strays(left, (folder, *beside)):
            path = transaction.places_of(state_dir, left)[0]
            said += _put_aside(path, f"it names {outside[0]}, which is not of its store")
            continue
        said.append(_recover(state_dir, left))
        _release_others(left, folder)
    return said


def _recover(state_dir: str, left: Record) -> str:
    what = f'the interrupted {left.about.action} of "{left.about.name or left.about.file}"'
    where = _where(left.decider, content(left.decider.path)) if left.files else "after"
    back = _plan(left, to="before") if where == "before" else None
    if back is not None:
        _carry_out(left, back)
        with explained(left.about.folder):
            os.unlink(transaction.places_of(state_dir, left)[0])
        return f"Took back {what}."
    if where == "neither":
        # The old texts stay in the journal: somebody else's change is built upon this one.
        _carry_out(left, _membership(left))
        said = f"Left {what} as other programs changed it since."
    else:
        _carry_out(left, _plan(left, to="after") or {})
        said = f"Completed {what}."
    transaction.sync_folders(left)
    transaction.finish(state_dir, left)
    return said


def _carry_out(left: Record, plan: Plan) -> None:
    for file in left.files:
        if file.path in plan and plan[file.path] != content(file.path):
            mode = file.mode if file.before == "absent" else file.before_mode or file.mode
            transaction.put(file.path, plan[file.path], mode)


def _release_others(left: Record, folder: str) -> None:
    """Remove the killed process's locks on further stores; this store's one is held already."""
    held = tokens([left])
    for other in {os.path.dirname(file.path) for file in left.files} - {folder}:
        path = os.path.join(other, LOCK_NAME)
        if lock_content(path) in held:
            with contextlib.suppress(OSError):
                os.unlink(path)


def _set_aside(state_dir: str) -> list[str]:
    """Rename intents that are not records, so that each is reported once and nothing is lost."""
    said: list[str] = []
    refused = folder_not_ours(state_dir, INTENTS)
    for name in record.names(state_dir, INTENTS):
        path = os.path.join(state_dir, INTENTS, name)
        try:
            if refused is not None:
                raise ValueError(refused)
            record.read(path)
        except record.NewerRecordError as error:
            said.append(f"{path} is left for a newer pimem: {error}.")
        except ValueError as error:
            said += _put_aside(path, str(error))
        except PimemError as error:
            said.append(f"{error} It is left out.")
    return said


def _put_aside(path: str, why: str) -> list[str]:
    try:
        os.rename(path, f"{path}.unreadable")
    except OSError:
        return []
    return [f"{path}.unreadable is set aside: {why}."]


def side(file: FileRecord, current: bytes | None) -> str:
    """Which side of the change a file is on: `before`, `after`, or `other` when others wrote."""
    found = patch.digest(current)
    return "after" if found == file.after else "before" if found == file.before else "other"


def _where(file: FileRecord, current: bytes | None) -> str:
    """As `side`, but a file that others changed elsewhere counts to the side it came from."""
    exact = side(file, current)
    if exact != "other":
        return exact
    if current is None or file.after == "absent":
        return "neither"
    if file.marker:
        return _where_marked(file, current)
    if file.before != "absent":
        return patch.side(current, file.hunks)
    # Others may have gone on with the new file, or made one of their own under its name.
    ours = patch.distinctive(line for _, _, new, _ in file.hunks for line in new)
    return "after" if ours and ours <= set(patch.lines_of(current)) else "before"


def _where_marked(file: FileRecord, current: bytes) -> str:
    """As `_where`, by the lines about the topic alone: an index changes all the time."""
    about = about_topic(file)
    old = {line for _, lines, _, _ in file.hunks for line in lines if about([line])}
    new = {line for _, _, lines, _ in file.hunks for line in lines if about([line])}
    found = {line for line in patch.lines_of(current) if about([line])}
    if found & new - old and not found & old - new:
        return "after"
    if found & old - new and not found & new - old:
        return "before"
    if found or (old and new):
        return "neither"
    return "before" if new else "after"


def about_topic(file: FileRecord) -> Callable[[Sequence[bytes]], bool]:
    """A test whether a hunk's lines are about the changed topic itself."""
    marker = file.marker.encode()
    return lambda lines: not marker or any(marker in b"\n%b\n" % line for line in lines)


def _plan(left: Record, *, to: str) -> Plan | None:
    """What every file gets to be on one side.

    Going on, what others changed stays as it is. Going back is all or nothing: None when a file
    holds lines of the change that cannot be taken out.
    """
    plan: Plan = {}
    for file in left.files:
        current = content(file.path)
        where = _where(file, current)
        if where == to or (where == "neither" and (to == "after" or not _has_new(file, current))):
            continue
        if side(file, current) != "other":
            plan[file.path] = file_at(file, current, to)
            continue
        moved = moved_to(file, current, to)
        if moved is not None:
            plan[file.path] = moved
        elif to == "before":
            return None
    return plan


def _has_new(file: FileRecord, current: bytes | None) -> bool:
    """Whether a file that is on neither side holds lines that the change brought."""
    lines = set(patch.lines_of(current or b""))
    return any(line in lines for _, old, new, _ in file.hunks for line in set(new) - set(old))


def file_at(file: FileRecord, current: bytes | None, to: str) -> bytes | None:
    """A file's content on the other side than the one it is exactly on."""
    if getattr(file, to) == "absent":
        return None
    return patch.apply(current or b"", file.hunks if to == "after" else patch.reverse(file.hunks))


def moved_to(file: FileRecord, current: bytes | None, to: str) -> bytes | None:
    """A file that others changed elsewhere, with this change's own lines as on one side.

    None when the lines are not there as the other side has them.
    """
    hunks = file.hunks if to == "after" else patch.reverse(file.hunks)
    about = about_topic(file)
    if current is None:
        return None
    if not file.marker or "absent" not in (file.before, file.after):
        if file.decides and not file.marker and to == "after":
            hunks = _not_listed(hunks, current)
        absent = getattr(file, to) == "absent"
        return None if absent else patch.apply_nearby(current, hunks, about)
    # The change made or removed a whole list, but others have lines in it: only the topic's go.
    lines = patch.lines_of(current)
    old = [line for _, found, _, _ in hunks for line in found if about([line])]
    new = [line for _, _, found, _ in hunks for line in found if about([line])]
    if any(line not in lines for line in old):
        return None
    return b"\n".join([*(line for line in lines if line not in old), *new])


def _not_listed(hunks: Sequence[Hunk], current: bytes) -> list[Hunk]:
    """The hunks without lines about files that somebody listed since."""
    listed = set(_LINK.findall(current))
    return [
        (start, old, [line for line in new if not listed & set(_LINK.findall(line))], above)
        for start, old, new, above in hunks
    ]


def _membership(left: Record) -> Plan:
    """What keeps lists in step when somebody else changed the topic's own index line since."""
    decider = left.decider
    about = about_topic(decider)
    lines = patch.lines_of(content(decider.path) or b"")
    listed = any(about([line]) for line in lines)
    was = any(about([line]) for _, old, _, _ in decider.hunks for line in old)
    becomes = any(about([line]) for _, _, new, _ in decider.hunks for line in new)
    if not decider.marker or was == becomes:
        return {}
    to = "after" if listed == becomes else "before"
    plan: Plan = {}
    for file in left.files:
        current = content(file.path)
        if file.marker and file is not decider and side(file, current) not in (to, "other"):
            plan[file.path] = file_at(file, current, to)
    return plan


def confirm(done: Record) -> bool:
    """See that a change just made is still there; a peer that ignores the lock may have undone it.

    What such a peer wrote over is put back into its text, three times at most.

    Returns:
        Whether the change is there now.
    """
    for _ in range(3):
        lost = [file for file in done.files if not _is_there(file)]
        if not lost:
            return True
        for file in lost:
            current = content(file.path)
            if file.after == "absent" or current is None:
                continue
            wanted = moved_to(file, current, "after")
            if wanted is None:
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

    Until somebody holds the lock and repairs it, the change has not happened. Where others built
    on it, it has; where that is unknown, the disk is shown as it is.
    """
    shown: dict[str, bytes | None] = {}
    for left in unfinished(state_dir, folder):
        with contextlib.suppress(PimemError):
            where = _where(left.decider, content(left.decider.path)) if left.files else "neither"
            if where != "neither":
                plan = _plan(left, to="before")
                shown.update(_plan(left, to="after") or {} if plan is None else plan)
    return shown


def clean(folder: str, names: Iterable[str] | None = None) -> None:
    """Remove temporary files that dead processes of ours left in a folder; never fails."""
    if names is None:
        try:
            names = os.listdir(folder)
        except OSError:
            return
    for name in names:
        # A store may have 10,000 files; hardly one of them is a left-over.
        match = _LEFTOVER.search(name) if ".tmp-" in name else None
        if match is None:
            continue
        path = os.path.join(folder, name)
        with contextlib.suppress(OSError):
            if not is_alive(int(match[1])) or time.time() - os.lstat(path).st_mtime > _LONG_S:
                os.unlink(path)
