"""A change of several files as one step.

The record of a change is durable before the first file changes. It names every file with its old
and new content; killed at any point, the next process finds it among the intents and completes the
change or takes it back. Finished, the record moves to the undo journal.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import time
import zlib

from ..errors import ConflictError, PimemError, StorageError
from ..model import Value
from . import patch
from .publish import (
    discard,
    explained,
    make_folder,
    publish,
    refuse_unless_regular,
    stage,
    swap,
    sync_folder,
)
from .read import read_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from .patch import Hunk

INTENTS = "intents"
JOURNAL = "undo"


class Step(Value):
    """One file's part in a change.

    `before` and `after` are whole contents; None is an absent file. `marker` is a text that the
    lines about the changed topic contain, in a file with lines about others. The `decides` step
    makes the change happen: killed before it the change is taken back, after it, completed.
    """

    path: str
    before: bytes | None
    after: bytes | None
    mode: int = 0o600
    marker: str = ""
    decides: bool = False


class About(Value):
    """What a change is about, for the history.

    `only_copy` says that the record holds the only copy of a file, so that it never expires.
    `reverts` is the id of the record that an undo or redo takes back.
    """

    action: str
    system: str
    store: str
    folder: str
    name: str
    file: str
    only_copy: bool = False
    reverts: str | None = None


class FileRecord(Value):
    """A step as recorded: digests and hunks instead of whole contents."""

    path: str
    before: str
    after: str
    before_mode: int | None
    mode: int
    hunks: Sequence[Hunk]
    marker: str
    decides: bool

    def old(self, current: bytes | None) -> bytes | None:
        """The content before, worked out from the content after."""
        if self.before == "absent":
            return None
        return patch.apply(current or b"", patch.reverse(self.hunks))

    def new(self, current: bytes | None) -> bytes | None:
        """The content after, worked out from the content before."""
        return None if self.after == "absent" else patch.apply(current or b"", self.hunks)


class Record(Value):
    """A change as the disk holds it, among the intents or in the journal."""

    id: str
    time: str
    pid: int
    token: str
    about: About
    files: Sequence[FileRecord]


def commit(
    state_dir: str, about: About, steps: Sequence[Step], *, token: bytes, moment: str
) -> Record:
    """Make a change of one or several files, whole or not at all.

    The caller holds the store's lock and has read every `before` under it.

    Args:
        state_dir: pimem's state folder.
        about: What the history says.
        steps: In the order of publishing; those that change nothing are left out.
        token: Content of the lock file that is held, so that the lock of a killed process can be
            told as ours.
        moment: The time for the history, RFC 3339.

    Returns:
        The record, which is in the undo journal now.

    Raises:
        ConflictError: A file is no longer what was read: somebody writes without the lock.
        StorageError: Nothing was changed, or what was changed is taken back.
    """
    steps = [step for step in steps if step.before != step.after]
    record = _record(state_dir, about, steps, token, moment)
    intent = os.path.join(state_dir, INTENTS, file_name(record))
    staged: list[str | None] = []
    done: list[FileRecord] = []
    try:
        with explained(intent):
            make_folder(os.path.dirname(intent))
            make_folder(os.path.join(state_dir, JOURNAL))
        for step in steps:
            with explained(step.path):
                make_folder(os.path.dirname(step.path))
                staged.append(None if step.after is None else _stage(step))
        with explained(intent):
            publish(intent, dump(record))
        for step, file, temporary in zip(steps, record.files, staged, strict=True):
            with explained(step.path):
                _refuse_changed(step)
                done.append(file)
                if temporary is None:
                    os.unlink(step.path)
                else:
                    swap(temporary, step.path)
        for folder in {os.path.dirname(step.path) for step in steps}:
            with explained(folder):
                sync_folder(folder)
    except BaseException as error:
        _take_back(steps, done, intent, error)
        raise
    finally:
        for temporary in staged:
            if temporary is not None:
                with contextlib.suppress(OSError):
                    discard(temporary)
    finish(state_dir, record)
    return record


def _stage(step: Step) -> str:
    assert step.after is not None
    refuse_unless_regular(step.path)
    return stage(step.path, step.after, mode=step.mode)


def _refuse_changed(step: Step) -> None:
    """Compare once more: a peer that writes without the lock may have come in between."""
    if _content(step.path) != step.before:
        raise ConflictError(
            f"{step.path} was changed by another program meanwhile; try again.",
            file=os.path.basename(step.path),
        )


def _take_back(
    steps: Sequence[Step], done: Sequence[FileRecord], intent: str, cause: BaseException
) -> None:
    """Undo what a change that failed in this process has done."""
    try:
        for file, step in reversed(list(zip(done, steps, strict=False))):
            if _content(file.path) == step.after:
                put(file.path, step.before, file.before_mode or file.mode)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(intent)
    except (OSError, PimemError) as error:
        # The intent stays: the next start tries again.
        paths = ", ".join(file.path for file in done)
        raise StorageError(
            f"A change failed ({cause}) and could not be taken back ({error}); "
            f"look at {paths}. pimem tries again at its next start."
        ) from cause


def put(path: str, content: bytes | None, mode: int) -> None:
    """Give a file a content, or remove it; durable, and fine when it is so already."""
    if content is not None:
        make_folder(os.path.dirname(path))
        publish(path, content, mode=mode)
    elif os.path.lexists(path):
        os.unlink(path)
        sync_folder(os.path.dirname(path))


def finish(state_dir: str, record: Record) -> None:
    """Move a record to the journal. The change has happened: failing here must not undo it."""
    name = file_name(record)
    with contextlib.suppress(OSError):
        os.rename(os.path.join(state_dir, INTENTS, name), os.path.join(state_dir, JOURNAL, name))


def _content(path: str) -> bytes | None:
    if not os.path.lexists(path):
        return None
    return read_bytes(path)


def _record(
    state_dir: str, about: About, steps: Sequence[Step], token: bytes, moment: str
) -> Record:
    files = []
    for step in steps:
        mode = None
        if step.before is not None:
            with contextlib.suppress(FileNotFoundError):
                mode = os.lstat(step.path).st_mode & 0o7777
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
        id=_new_id(state_dir),
        time=moment,
        pid=os.getpid(),
        token=token.decode("latin-1"),
        # A record of a deletion is where the deleted text still is.
        about=about.but(only_copy=about.only_copy or any(f.after == "absent" for f in files)),
        files=files,
    )


def _new_id(state_dir: str) -> str:
    """An id that sorts behind all others, also when the clock was set back."""
    names = [*_names(state_dir, JOURNAL), *_names(state_dir, INTENTS)]
    newest = max((int(n[:17]) for n in names if n[:17].isdigit()), default=0)
    moment = max(time.time_ns() // 1000, newest + 1)
    return f"{moment:017d}-{os.getpid()}-{os.urandom(3).hex()}"


def file_name(record: Record) -> str:
    """The name of a record's file; it tells at a glance whether it may expire."""
    return f"{record.id}.keep.json" if record.about.only_copy else f"{record.id}.json"


def _names(state_dir: str, kind: str) -> list[str]:
    """The file names of the records of a kind, oldest first.

    Raises:
        StorageError: The folder cannot be listed.
    """
    folder = os.path.join(state_dir, kind)
    try:
        return sorted(name for name in os.listdir(folder) if name.endswith(".json"))
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise StorageError(f"{folder} cannot be listed: {error.strerror}.") from error


def dump(record: Record) -> bytes:
    """Write a record as JSON; file content is packed."""
    return json.dumps(
        {
            "version": 1,
            "id": record.id,
            "time": record.time,
            "pid": record.pid,
            "token": record.token,
            "about": dict(record.about.__dict__),
            "files": [
                {**file.__dict__, "hunks": [_pack_hunk(hunk) for hunk in file.hunks]}
                for file in record.files
            ],
        }
    ).encode()


def load(data: bytes) -> Record:
    """Read a record back.

    Raises:
        ValueError: It is not one.
    """
    try:
        raw: Mapping[str, Any] = json.loads(data)
        files = [
            FileRecord(**{**file, "hunks": [_unpack_hunk(hunk) for hunk in file["hunks"]]})
            for file in raw["files"]
        ]
        return Record(
            id=raw["id"],
            time=raw["time"],
            pid=raw["pid"],
            token=raw["token"],
            about=About(**raw["about"]),
            files=files,
        )
    except (KeyError, TypeError, IndexError, AttributeError, zlib.error) as error:
        raise ValueError(f"no record of a change: {error}") from error


def _pack_hunk(hunk: Hunk) -> list[Any]:
    start, old, new, above = hunk
    return [start, _pack(old), _pack(new), None if above is None else _pack([above])]


def _unpack_hunk(packed: Sequence[Any]) -> Hunk:
    start, old, new, above = packed
    return start, _unpack(old), _unpack(new), None if above is None else _unpack(above)[0]


def _pack(lines: list[bytes]) -> list[int | str]:
    # The count tells an empty list from one empty line.
    return [len(lines), base64.b64encode(zlib.compress(b"\n".join(lines))).decode()]


def _unpack(packed: Sequence[Any]) -> list[bytes]:
    count, text = packed
    return zlib.decompress(base64.b64decode(text)).split(b"\n") if count else []


def records(state_dir: str, kind: str, *, newest_first: bool = False) -> Iterator[Record]:
    """The readable records of the intents or the journal, oldest first unless told otherwise."""
    names = _names(state_dir, kind)
    for name in reversed(names) if newest_first else names:
        with contextlib.suppress(PimemError, ValueError):
            yield load(read_bytes(os.path.join(state_dir, kind, name)))
