"""Carrying the local store over into the shared one, once, after `shared_dir` was turned on.

Changes and hooks carry over; readers show the same view and say that it is not done yet.
"""

from __future__ import annotations

import os

from ...errors import PimemError, TopicNotFoundError
from ...files.read import decode, is_regular, read_bytes
from ...formats.text import SPACE
from ...value import Value
from . import tombstones
from .index import INDEX_NAME, INITIAL, files, parse_line
from .location import SHARED, SYSTEM

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ...paths import Places
    from .index import IndexEntry

SENTINEL_NAME = ".shared-dir-migrated"


class Plan(Value):
    """What carrying over would do: the shared index afterwards and the files to copy.

    `copies` maps a name in the shared store to the bytes it gets and the local file it has.
    """

    index_before: bytes | None
    index_after: str
    copies: Mapping[str, tuple[bytes, str]]


def is_due(local: str) -> bool:
    """Whether the local store has an index that was never carried over."""
    if not os.path.exists(os.path.join(local, INDEX_NAME)):
        return False
    try:
        os.lstat(os.path.join(local, SENTINEL_NAME))
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        pass  # it may be there: nothing is carried over twice
    return False


def is_same(local: str, shared: str) -> bool:
    """Whether one of the two is a link to the other, so that there is nothing to carry over."""
    return os.path.realpath(local) == os.path.realpath(shared)


def plan(local: str, shared: str) -> Plan:
    """Work out the merge; nothing is written.

    Raises:
        PimemError: One of the files cannot be read.
    """
    local_path = os.path.join(local, INDEX_NAME)
    shared_path = os.path.join(shared, INDEX_NAME)
    local_index = decode(read_bytes(local_path), local_path)
    try:
        index_before: bytes | None = read_bytes(shared_path)
        shared_text = decode(index_before or b"", shared_path)
    except TopicNotFoundError:
        index_before, shared_text = None, INITIAL
    try:
        on_disk = set(os.listdir(shared))
    except FileNotFoundError:
        on_disk = set()
    indexed = files(shared_text)
    removed = {*tombstones.read(local)[1], *tombstones.read(shared)[1]}
    copies: dict[str, tuple[bytes, str]] = {}
    queued: list[str] = []
    for line in local_index.split("\n"):
        entry = parse_line(line)
        if entry is None or entry.file in removed:
            continue
        source = os.path.join(local, entry.file)
        if not is_regular(source):
            continue
        data = read_bytes(source)
        target = _target(entry, data, shared, on_disk, copies)
        if target in removed:
            continue
        if target not in on_disk:
            copies[target] = (data, source)
            on_disk.add(target)
        if target not in indexed:
            indexed.add(target)
            queued.append(line.replace(f"]({entry.file})", f"]({target})", 1))
    if queued:
        shared_text = "\n".join([shared_text.rstrip(SPACE), *queued, ""])
    return Plan(index_before=index_before, index_after=shared_text, copies=copies)


def _target(
    entry: IndexEntry,
    data: bytes,
    shared: str,
    on_disk: set[str],
    copies: Mapping[str, tuple[bytes, str]],
) -> str:
    """The name that a local topic gets in the shared store."""

    def is_free_or_same(name: str) -> bool:
        if name not in on_disk:
            return True
        if name in copies:
            return copies[name][0] == data
        path = os.path.join(shared, name)
        return is_regular(path) and read_bytes(path) == data

    if is_free_or_same(entry.file):
        return entry.file
    from .topic import file_names  # two stores seldom have a name for different texts

    stem, ending = os.path.splitext(entry.file)
    names = file_names(stem, "-opim", ending, entry.name)
    first = next(names)
    return first if is_free_or_same(first) else next(name for name in names if name not in on_disk)


def carry_over(places: Places, local: str, shared: str) -> str | None:
    """Carry over if it is due and both locks are free.

    Returns:
        What to say: what stood in the way, or what was repaired; None when there is nothing. It
        is tried again at the next change; the shared store is used either way.
    """
    if not is_due(local) or is_same(local, shared):
        return None
    from ...files.lock import locked_at_once  # loads filelock, which readers never need
    from ...history import recovery

    state_dir = places.state_dir
    left = [*recovery.unfinished(state_dir, local), *recovery.unfinished(state_dir, shared)]
    said: list[str] = []
    try:
        with locked_at_once(local, reclaimable=recovery.tokens(left)) as ours:
            if ours is None:
                return "Not carried over yet: the local store is locked."
            with locked_at_once(shared, reclaimable=recovery.tokens(left)) as theirs:
                if theirs is None:
                    return "Not carried over yet: the shared store is locked."
                # What a kill left may be this very carry-over.
                for folder in (local, shared):
                    said += recovery.recover(state_dir, folder, (local, shared))
                if is_due(local):
                    _carry(places, local, shared, [ours.token, theirs.token])
    except (PimemError, OSError) as error:
        return " ".join([*said, f"Not carried over yet: {error}"])
    return " ".join(said) or None


def _carry(places: Places, local: str, shared: str, tokens: Sequence[bytes]) -> None:
    from ...clock import now, stamp
    from ...history import transaction
    from ...history.record import About

    merge = plan(local, shared)
    steps = [
        transaction.Step(path=os.path.join(shared, name), before=None, after=data)
        for name, (data, _source) in merge.copies.items()
    ]
    steps.append(
        transaction.Step(
            path=os.path.join(shared, INDEX_NAME),
            before=merge.index_before,
            after=merge.index_after.encode(),
            decides=True,
        )
    )
    steps.append(transaction.Step(path=os.path.join(local, SENTINEL_NAME), before=None, after=b""))
    about = About(
        action="copy",
        system=SYSTEM,
        store=SHARED,
        folder=shared,
        name=f"{len(merge.copies)} topics of the local store",
        file="",
    )
    transaction.commit(places.state_dir, about, steps, tokens=tokens, moment=stamp(now()))
