"""Changing an openpi store: one session holds the lock, reads again, and commits once."""

from __future__ import annotations

import contextlib
import os
import stat

from ...clock import stamp
from ...errors import InvalidTopicError, PimemError
from ...files.holder import LOCK_NAME
from ...files.lock import locked, locked_at_once
from ...files.read import PREVIEW_BYTES, decode, is_regular, not_regular, read_bytes, regular_names
from ...formats.text import encode, plural, quote
from ...history import recovery, transaction
from ...history.locked_change import LockedChange
from . import carry_over, config, formats, limits, tombstones
from . import topic as topics
from .index import INDEX_NAME, INITIAL, Index

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ...history.record import Record
    from ...model import Change
    from ..stores import WriteRequest
    from .index import Entry
    from .store import OpenpiStore


class Session(LockedChange):
    """One change of a store, under its lock."""

    def __init__(self, store: OpenpiStore, token: bytes) -> None:
        super().__init__(
            store.places, system=store.system, store=store.name, folder=store.path, token=token
        )
        self.store = store
        self.config, _error = config.load(store.places)
        self._read()

    def _read(self) -> None:
        from ...files.read import read_text

        self.names = regular_names(self.store.path)
        path = self._path(INDEX_NAME)
        self.index_before: bytes | None = None
        text = read_text(path, {})
        formats.refuse_foreign(self.store.path, self.store.detect(text))
        if text is not None:
            self.index_before = text.encode()
        self.index = Index(INITIAL if text is None else text)

    def _path(self, file: str) -> str:
        return os.path.join(self.store.path, file)

    def _mode(self, file: str) -> int:
        """Pi's own stores are private; in any other folder a file keeps its rights."""
        if self.store.is_own:
            return 0o600
        try:
            return stat.S_IMODE(os.lstat(self._path(file)).st_mode)
        except FileNotFoundError:
            return 0o600

    def write(self, name: str, summary: str, request: WriteRequest) -> Change:
        """Write a topic whose name, summary and content have been checked."""
        known = self.index.named(name)
        file = known.file if known else self._free_file(name)
        path = self._path(file)
        self._refuse_not_regular(name, file)
        before = read_bytes(path) if os.path.lexists(path) else None
        if before is None:
            text = topics.new_text(name, summary, request.content, self.moment)
        else:
            text = topics.updated_text(
                decode(before, path),
                name=name,
                summary=summary,
                content=request.content,
                replace=request.mode == "replace",
                moment=self.moment,
            )
        self.index.upsert(name, file, pin=request.pin, stamp=stamp(self.moment), summary=summary)
        dropped = self._maintain(file)
        steps = [
            transaction.Step(path=path, before=before, after=encode(text), mode=self._mode(file)),
            self._index_step(file),
            *self._tombstone_steps(file, buried=False),
        ]
        outcome = "created" if before is None else "updated"
        self.commit("write", name, file, steps)
        verb = "Created" if before is None else "Updated"
        return self.change(outcome, name, file, f"{verb} {quote(name)} ({file}).", dropped)

    def _refuse_not_regular(self, name: str, file: str) -> None:
        path = self._path(file)
        if os.path.lexists(path) and not is_regular(path):
            raise InvalidTopicError(not_regular(path), name=name, file=file)

    def _free_file(self, name: str) -> str:
        listed = self.index.files()

        def owner(file: str) -> str | None:
            if file not in self.names:
                return None
            text = read_bytes(self._path(file), limit=PREVIEW_BYTES).decode("utf-8", "replace")
            return topics.owner_name(text)

        return topics.file_for(
            name,
            is_indexed=listed.__contains__,
            exists=lambda file: os.path.exists(self._path(file)),
            owner=owner,
        )

    def pin(self, entry: Entry, pinned: bool) -> Change:
        """Pin or unpin every line of an entry's file."""
        # Maintenance would drop the line that is said to be pinned.
        self._refuse_not_regular(entry.name, entry.file)
        found = self.index.of_file(entry.file)
        word = "pinned" if pinned else "unpinned"
        if all(other.pinned == pinned for other in found):
            return self.change(
                "unchanged", entry.name, entry.file, f"{quote(entry.name)} is already {word}.", []
            )
        self.index.set_pin(entry.file, pinned)
        dropped = self._maintain()
        action = "pin" if pinned else "unpin"
        self.commit(action, entry.name, entry.file, [self._index_step(entry.file)])
        said = f"{word.capitalize()} {quote(entry.name)}."
        return self.change(f"{word}_now", entry.name, entry.file, said, dropped)

    def remove(self, entry: Entry) -> Change:
        """Drop every line of an entry's file."""
        self.index.remove(entry.file)
        dropped = self._maintain()
        steps = [*self._tombstone_steps(entry.file, buried=True), self._index_step(entry.file)]
        self.commit("remove", entry.name, entry.file, steps)
        stays = "stays" if os.path.lexists(self._path(entry.file)) else "was missing already"
        said = f"Removed {quote(entry.name)} from the index; the file {entry.file} {stays}."
        return self.change("removed", entry.name, entry.file, said, dropped)

    def rewrite(
        self, entry: Entry | None, file: str, *, name: str, summary: str, before: bytes, text: str
    ) -> list[str]:
        """Put an edited text in place and bring its index line along; names of dropped lines."""
        dropped: list[str] = []
        path, mode = self._path(file), self._mode(file)
        steps = [transaction.Step(path=path, before=before, after=encode(text), mode=mode)]
        if entry is not None:
            self.index.upsert(name, file, pin=False, stamp=stamp(self.moment), summary=summary)
            dropped = self._maintain(file)
            steps.append(self._index_step(file))
        self.commit("edit", name, file, steps)
        return dropped

    def retire(self) -> bool:
        """Drop the unpinned lines of the retired session recap; whether there were any."""
        gone = self.index.drop(lambda e: e.file == topics.RECAP_FILE and not e.pinned)
        if gone:
            steps = [
                *self._tombstone_steps(topics.RECAP_FILE, buried=True),
                self._index_step(topics.RECAP_FILE),
            ]
            self.commit("remove", gone[0].name, topics.RECAP_FILE, steps)
        return bool(gone)

    def _maintain(self, written: str | None = None) -> list[str]:
        def is_present(file: str) -> bool:
            # What the listing does not know is looked at: a right that is missing must not pass
            # for a missing file.
            return file == written or is_regular(self._path(file))

        return self.index.maintain(
            is_present,
            known=self.names,
            stale_after_days=self.config.stale_after_days,
            moment=self.moment,
        )

    def _index_step(self, file: str) -> transaction.Step:
        return transaction.Step(
            path=self._path(INDEX_NAME),
            before=self.index_before,
            after=self.index.text().encode(),
            mode=self._mode(INDEX_NAME),
            marker=f"]({file})",
            decides=True,
        )

    def _tombstone_steps(self, file: str, *, buried: bool) -> list[transaction.Step]:
        """Add a file to the removed ones, or take it out; only shared stores keep the list."""
        if self.store.name != "shared":
            return []
        before, names = tombstones.read(self.store.path)
        if buried == (file in names):
            return []
        wanted = [*names, file] if buried else [name for name in names if name != file]
        return [
            transaction.Step(
                path=tombstones.tombstones_path(self.store.path),
                before=before,
                after=tombstones.write(wanted),
                marker=f"\n{file}\n",
            )
        ]

    def commit(
        self, action: str, name: str, file: str, steps: Sequence[transaction.Step]
    ) -> Record:
        """Make the change whole, and warn when it took the index over a limit."""
        record = super().commit(action, name, file, steps)
        self.notes += limits.crossed(self.index_before, self.index.text(), self.config.max_lines)
        return record

    def change(
        self, outcome: str, name: str, file: str, message: str, dropped: Sequence[str] = ()
    ) -> Change:
        """What is told about the change, with what maintenance dropped along the way."""
        if dropped:
            message += f" Dropped {plural(len(dropped), 'index line')} without a file."
        return super().change(outcome, name, file, message, dropped)


@contextlib.contextmanager
def session(store: OpenpiStore) -> Iterator[Session]:
    """Hold a store for one change: bootstrap and carry-over first, then lock and fresh read.

    Raises:
        StoreBusyError: Somebody else holds the lock.
        ReadOnlyFormatError: The folder is in another format.
        StorageError: The store cannot be read or written.
    """
    store.refuse_changes()
    config.bootstrap(store.places)
    hindrance = None
    if store.name == "shared" and config.load(store.places)[0].shared_dir:
        hindrance = carry_over.carry_over(store.places, store.local_folder, store.path)
    try:
        with locked_session(store) as current:
            if hindrance:
                current.notes.append(hindrance)
            yield current
    except PimemError as error:
        # A topic that is not there may be one that was not carried over.
        if hindrance:
            error.args = (f"{error} {hindrance}",)
        raise


@contextlib.contextmanager
def locked_session(store: OpenpiStore) -> Iterator[Session]:
    """Hold a store's lock, repair what a kill left, and read afresh; raises as `session`."""
    state_dir = store.places.state_dir
    left = recovery.tokens(recovery.unfinished(state_dir, store.path))
    with locked(store.path, shared=store.name == "shared", reclaimable=left) as lock:
        said = recovery.recover(state_dir, store.path)
        current = Session(store, lock.token)
        current.notes += said
        _clean(store, current.names)
        yield current
        current.confirm()


def _clean(store: OpenpiStore, names: Iterable[str]) -> None:
    """Remove what killed processes left, also beside memory.jsonc and in the local store."""
    recovery.clean(store.path, names)
    for folder in {store.places.agent_dir, store.local_folder} - {store.path}:
        recovery.clean(folder)
    # A carry-over holds the local store's lock too, and no change there may come to take it.
    if store.path != store.local_folder and os.path.lexists(
        os.path.join(store.local_folder, LOCK_NAME)
    ):
        with contextlib.suppress(PimemError, OSError), locked_at_once(store.local_folder):
            pass
