"""Records of changes as the state folder holds them: intents first, then the undo journal."""

from __future__ import annotations

import base64
import json
import os
import time
import zlib
from typing import TYPE_CHECKING

from ..errors import PimemError, StorageError
from ..files.private import folder_not_ours, not_ours
from ..files.process import Process
from ..files.read import read_bytes
from ..value import Value
from .intents import INTENTS

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from typing import Any

    from .patch import Hunk

JOURNAL = "undo"
_VERSION = 1


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
    """One file's part in a change: digests and hunks instead of whole contents.

    `marker` is a text that the lines about the changed topic contain, in a file with lines about
    others. The `decides` file makes the change happen: killed before it the change is taken back,
    after it, completed.
    """

    path: str
    before: str
    after: str
    before_mode: int | None
    mode: int
    hunks: Sequence[Hunk]
    marker: str
    decides: bool


class Record(Value):
    """A change as the disk holds it. `tokens` are the contents of the lock files it held."""

    id: str
    time: str
    process: Process
    tokens: Sequence[str]
    about: About
    files: Sequence[FileRecord]

    @property
    def decider(self) -> FileRecord:
        """The file that says whether the change happened."""
        return next((file for file in self.files if file.decides), self.files[-1])

    @property
    def age_s(self) -> float:
        """Seconds since the change was begun."""
        return time.time() - int(self.id[:17]) / 1e6

    @property
    def file_name(self) -> str:
        """The name of its file; it shows at a glance whether it may expire."""
        return f"{self.id}.keep.json" if self.about.only_copy else f"{self.id}.json"


#: What reading a text that is no record raises; the last one when it is nested without end.
_BROKEN = (KeyError, TypeError, IndexError, AttributeError, ValueError, zlib.error, RecursionError)


class NewerRecordError(ValueError):
    """A newer pimem wrote the record, in a form that is not known here."""


def new_id(state_dir: str) -> str:
    """An id that sorts behind all others, also when the clock was set back."""
    found = [*names(state_dir, JOURNAL), *names(state_dir, INTENTS)]
    newest = max((int(name[:17]) for name in found), default=0)
    moment = max(time.time_ns() // 1000, newest + 1)
    return f"{moment:017d}-{os.getpid()}-{os.urandom(3).hex()}"


def names(state_dir: str, kind: str) -> list[str]:
    """The file names of the records of a kind, oldest first.

    Raises:
        StorageError: The folder cannot be listed.
    """
    folder = os.path.join(state_dir, kind)
    try:
        found = os.listdir(folder)
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise StorageError(f"{folder} cannot be listed: {error.strerror}.") from error
    return sorted(name for name in found if name.endswith(".json") and name[:17].isdigit())


def records(
    state_dir: str,
    kind: str,
    *,
    newest_first: bool = False,
    since: str = "",
    left_out: list[str] | None = None,
) -> Iterator[Record]:
    """The readable records of the intents or the journal, oldest first unless asked otherwise.

    Args:
        state_dir: pimem's state folder.
        kind: `INTENTS` or `JOURNAL`.
        newest_first: Begin with the newest.
        since: An id; older records are not looked at.
        left_out: Takes a sentence for each record that cannot be read.
    """
    found = names(state_dir, kind)
    # Owner and rights come before what is inside: others' records must not be carried out.
    refused = folder_not_ours(state_dir, kind) if found else None
    if refused is not None:
        if left_out is not None:
            left_out.append(f"{os.path.join(state_dir, kind)} is left out: {refused}.")
        return
    for name in reversed(found) if newest_first else found:
        if name < since:
            continue
        path = os.path.join(state_dir, kind, name)
        try:
            record = read(path)
        except PimemError as error:
            if left_out is not None:
                left_out.append(f"{error} It is left out.")
        except ValueError as error:
            if left_out is not None:
                left_out.append(f"{path} is left out: {error}.")
        else:
            yield record


def unreadable(
    state_dir: str, *, since: str = "", kinds: Iterable[str] = (INTENTS, JOURNAL)
) -> list[str]:
    """A sentence for each record that cannot be read; everything else goes on without it.

    Args:
        state_dir: pimem's state folder.
        since: An id; older records are not looked at.
        kinds: Which records.
    """
    said: list[str] = []
    for kind in kinds:
        for _ in records(state_dir, kind, since=since, left_out=said):
            pass
    return said


def read(path: str) -> Record:
    """Read a record's file.

    Raises:
        NewerRecordError: A newer version wrote it.
        ValueError: It is not a record, or others can have written it.
        PimemError: It cannot be read.
    """
    refused = not_ours(path)
    if refused is not None:
        raise ValueError(refused)
    return load(read_bytes(path))


def strays(record: Record, folders: Collection[str]) -> list[str]:
    """The paths of a record that are in none of some folders, and are none of them themselves."""
    return [
        file.path
        for file in record.files
        if not any(_is_inside(file.path, folder) for folder in folders)
    ]


def _is_inside(path: str, folder: str) -> bool:
    is_plain = os.path.normpath(path) == path and "\0" not in path
    return is_plain and (path == folder or path.startswith(f"{folder.rstrip('/')}/"))


def dump(record: Record) -> bytes:
    """Write a record as JSON; file content is packed."""
    return json.dumps(
        {
            "version": _VERSION,
            "id": record.id,
            "time": record.time,
            "process": dict(record.process.__dict__),
            "tokens": list(record.tokens),
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
        NewerRecordError: A newer version wrote it.
        ValueError: It is not one.
    """
    try:
        raw: Mapping[str, Any] = json.loads(data)
        if raw["version"] != _VERSION:
            raise NewerRecordError(f"the record has the unknown version {raw['version']}")
        files = [
            FileRecord(**{**file, "hunks": [_unpack_hunk(hunk) for hunk in file["hunks"]]})
            for file in raw["files"]
        ]
        return Record(
            id=raw["id"],
            time=raw["time"],
            process=Process(**raw["process"]),
            tokens=raw["tokens"],
            about=About(**raw["about"]),
            files=files,
        )
    except NewerRecordError:
        raise
    except _BROKEN as error:
        raise ValueError(f"it is not a record of a change ({error})") from error


def _pack_hunk(hunk: Hunk) -> list[Any]:
    start, old, new, above = hunk
    return [start, _pack(old), _pack(new), None if above is None else _pack([above])]


def _unpack_hunk(packed: Sequence[Any]) -> Hunk:
    start, old, new, above = packed
    return start, _unpack(old), _unpack(new), None if above is None else _unpack(above)[0]


def _pack(lines: list[bytes]) -> list[int | str]:
    # The count sets an empty list apart from one empty line.
    return [len(lines), base64.b64encode(zlib.compress(b"\n".join(lines), 1)).decode()]


def _unpack(packed: Sequence[Any]) -> list[bytes]:
    count, text = packed
    return zlib.decompress(base64.b64decode(text)).split(b"\n") if count else []
