"""Changing topics: under the lock, after reading again, in one commit."""

from __future__ import annotations

import contextlib
import os

from ... import secrets
from ...clock import stamp
from ...errors import (
    Hint,
    InvalidTopicError,
    NoIndexError,
    PimemError,
    PinnedError,
    UnsupportedError,
)
from ...files.holder import LOCK_NAME
from ...files.lock import locked, locked_at_once
from ...files.read import (
    PREVIEW_BYTES,
    content,
    decode,
    is_possible_name,
    is_regular,
    is_there,
    mode_of,
    not_regular,
    read_bytes,
    read_text,
    regular_names,
)
from ...formats.text import encode, plural, quote
from ...history import recovery, transaction
from ...history.locked_change import LockedChange
from ..stores import Removal
from . import carry_over, config, detection, handoff, limits, lookup, missing, tombstones
from . import topic as topics
from .index import INDEX_NAME, INITIAL, entries
from .index_changes import Index
from .location import SHARED, SYSTEM

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ...history.record import Record
    from ...model import Change
    from ...paths import Places
    from ..stores import WriteRequest
    from .folder import TopicFolder
    from .index import IndexEntry


#: Names that a sentence about several lists.
_SHOWN_NAMES = 5


def reach(folder: TopicFolder) -> tuple[str, ...]:
    """What a change of a store may touch beside its folder: what is carried over, the handoff."""
    return folder.local, handoff.handoff_path(folder.places)


class TopicChanges(LockedChange):
    """One change of a store, under its lock."""

    def __init__(self, folder: TopicFolder, token: bytes) -> None:
        super().__init__(
            folder.places,
            system=SYSTEM,
            store=folder.name,
            folder=folder.path,
            beside=reach(folder),
            token=token,
        )
        self.topics = folder
        self.config, _error = config.load(folder.places)
        self._read()

    def _read(self) -> None:
        self.names = regular_names(self.topics.path)
        self.index_before: bytes | None = None
        text = read_text(self.topics.file(INDEX_NAME), {})
        detection.refuse_foreign(self.topics.path, self.topics.detect(text))
        if text is not None:
            self.index_before = text.encode()
        self.index = Index(INITIAL if text is None else text)
        self._dropped: Sequence[IndexEntry] = ()
        self._settled = missing.settle(self.topics, self.index, self.names)

    def _mode(self, file: str) -> int:
        """Pi's own stores are private; in any other folder a file keeps its rights."""
        if self.topics.is_own:
            return 0o600
        mode = mode_of(self.topics.file(file))
        return 0o600 if mode is None else mode

    def write(self, request: WriteRequest) -> Change:
        """Write a topic; the request is one that `checked` gave."""
        name, summary = request.topic, request.summary
        known = self.index.named(name)
        file = known.file if known else self._free_file(name)
        path = self.topics.file(file)
        self._refuse_not_regular(name, file)
        before = content(path)
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
        path = self.topics.file(file)
        if is_there(path) and not is_regular(path):
            raise InvalidTopicError(not_regular(path), name=name, file=file)

    def _free_file(self, name: str) -> str:
        listed = self.index.files()

        def owner(file: str) -> str | None:
            if file not in self.names:
                return None
            text = read_bytes(self.topics.file(file), limit=PREVIEW_BYTES).decode(
                "utf-8", "replace"
            )
            return topics.owner_name(text)

        return topics.file_for(
            name,
            is_indexed=listed.__contains__,
            exists=lambda file: is_there(self.topics.file(file), follow=True),
            owner=owner,
        )

    def _entries(self) -> Sequence[IndexEntry]:
        if self.index_before is None:
            raise no_index(self.topics)
        return self.index.entries()

    def pin(self, topic: str, pinned: bool) -> Change:
        """Pin or unpin every line of a topic's file."""
        entry = lookup.the_one(self._entries(), topic, self.topics)
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

    def remove(self, topic: str) -> Change:
        """Drop every line of a topic's file."""
        found = self._entries()
        entry = lookup.the_one(found, topic, self.topics)
        refuse_pinned(found, entry, self.topics)
        self.index.remove(entry.file)
        dropped = self._maintain()
        steps = [*self._tombstone_steps(entry.file, buried=True), self._index_step(entry.file)]
        self.commit("remove", entry.name, entry.file, steps)
        stays = "stays" if os.path.lexists(self.topics.file(entry.file)) else "was already missing"
        said = f"Removed {quote(entry.name)} from the index; the file {entry.file} {stays}."
        return self.change("removed", entry.name, entry.file, said, dropped)

    def rewrite(
        self,
        entry: IndexEntry | None,
        file: str,
        *,
        name: str,
        summary: str,
        before: bytes,
        text: str,
    ) -> list[str]:
        """Put an edited text in place and bring its index line along; names of dropped lines."""
        dropped: list[str] = []
        path, mode = self.topics.file(file), self._mode(file)
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
            if file == written or not is_possible_name(file):
                return True
            return is_regular(self.topics.file(file))

        self._dropped = self.index.maintain(
            is_present,
            known=self.names,
            stale_after_days=self.config.stale_after_days,
            moment=self.moment,
        )
        return [entry.name for entry in self._dropped]

    def _index_step(self, file: str) -> transaction.Step:
        return transaction.Step(
            path=self.topics.file(INDEX_NAME),
            before=self.index_before,
            after=self.index.text().encode(),
            mode=self._mode(INDEX_NAME),
            marker=f"]({file})",
            decides=True,
        )

    def _tombstone_steps(self, file: str, *, buried: bool) -> list[transaction.Step]:
        """Add a file to the removed ones, or take it out; only shared stores keep the list."""
        if self.topics.name != SHARED:
            return []
        before, names = tombstones.read(self.topics.path)
        if buried == (file in names):
            return []
        wanted = [*names, file] if buried else [name for name in names if name != file]
        return [
            transaction.Step(
                path=tombstones.tombstones_path(self.topics.path),
                before=before,
                after=tombstones.write(wanted),
                marker=f"\n{file}\n",
            )
        ]

    def commit(
        self, action: str, name: str, file: str, steps: Sequence[transaction.Step]
    ) -> Record:
        """Make the change whole, and warn when it took the index over a limit."""
        if self._dropped or self._settled or action == "remove":
            # What a person took out does not come back by itself.
            missing.keep(self.topics, self._dropped, {*self.index.files(), file})
        record = super().commit(action, name, file, steps)
        self.notes += self._settled
        self.notes += [missing.too_long(*found) for found in missing.impossible(self.index.text())]
        self.notes += limits.crossed(self.index_before, self.index.text(), self.config.max_lines)
        return record

    def change(
        self, outcome: str, name: str, file: str, message: str, dropped: Sequence[str] = ()
    ) -> Change:
        """What is said about the change, with what maintenance dropped along the way."""
        if dropped:
            shown = ", ".join(map(quote, dropped[:_SHOWN_NAMES]))
            more = f" and {len(dropped) - _SHOWN_NAMES} more" if dropped[_SHOWN_NAMES:] else ""
            message += (
                f" Dropped {plural(len(dropped), 'index line')} without a file: {shown}{more}."
            )
        return super().change(outcome, name, file, message, dropped)


def checked(places: Places, request: WriteRequest) -> WriteRequest:
    """A request to write with its name and summary as they will be stored.

    Raises:
        InvalidTopicError: The topic breaks a rule.
        ReservedTopicError: It is another feature's.
        InvalidArgumentError: Another argument breaks a rule.
        SecretError: The text looks like it holds a credential.
        UnsupportedError: It has a type or a title, which topics do not have.
    """
    name = topics.check_topic(request.topic)
    summary = topics.check_summary(request.summary)
    topics.check_content(request.content)
    if request.type is not None or request.title is not None:
        raise UnsupportedError("Topics of this store have no type and no title.", name=name)
    if not request.allow_secret:
        beside = {"summary": summary, "topic": name}
        secrets.refuse(places, request.content, beside=beside, name=name)
    return request.but(topic=name, summary=summary)


def removal(folder: TopicFolder, topic: str) -> Removal:
    """What removing a topic would do; raises as the removal would."""
    view = folder.view()
    if view.text is None:
        raise no_index(folder)
    found = entries(view.text)
    entry = lookup.the_one(found, topic, folder)
    refuse_pinned(found, entry, folder)
    path = folder.where(entry.file, view)
    there = view.shown[path] is not None if path in view.shown else os.path.lexists(path)
    stays = "stays on disk" if there else "is already missing"
    return Removal(
        question=f"Remove {quote(entry.name)} from the index?",
        goes_and_stays=f"The file {entry.file} {stays}.",
    )


def no_index(folder: TopicFolder) -> NoIndexError:
    """The error of a change that needs an index where there is none."""
    return NoIndexError(
        f"{folder.path} has no index yet.", hint=Hint(Hint.WRITE, store=folder.name)
    )


def refuse_pinned(found: Sequence[IndexEntry], entry: IndexEntry, folder: TopicFolder) -> None:
    """Refuse to remove a pinned topic.

    Raises:
        PinnedError: One of its lines has a pin.
    """
    if any(other.pinned for other in found if other.file == entry.file):
        raise PinnedError(
            f"{quote(entry.name)} is pinned.",
            name=entry.name,
            file=entry.file,
            hint=Hint(Hint.UNPIN, topic=entry.file, store=folder.name),
        )


@contextlib.contextmanager
def changing(folder: TopicFolder) -> Iterator[TopicChanges]:
    """Hold a folder for one change: bootstrap and carry-over first, then lock and fresh read.

    Raises:
        StoreBusyError: Somebody else holds the lock.
        ReadOnlyFormatError: The folder is in another format.
        StorageError: The folder cannot be read or written.
    """
    folder.refuse_changes()
    config.bootstrap(folder.places)
    not_carried = None
    if folder.name == SHARED and config.load(folder.places)[0].shared_dir:
        not_carried = carry_over.carry_over(folder.places, folder.local, folder.path)
    try:
        with locked_only(folder) as current:
            if not_carried:
                current.notes.append(not_carried)
            yield current
    except PimemError as error:
        # A topic that is not there may be one that was not carried over.
        if not_carried:
            error.args = (f"{error} {not_carried}",)
        raise


@contextlib.contextmanager
def locked_only(folder: TopicFolder) -> Iterator[TopicChanges]:
    """Hold a folder's lock, repair what a kill left, and read afresh; raises as `changing`."""
    state_dir = folder.places.state_dir
    left = recovery.tokens(recovery.unfinished(state_dir, folder.path))
    with locked(folder.path, shared=folder.name == SHARED, reclaimable=left) as lock:
        said = recovery.recover(state_dir, folder.path, reach(folder))
        current = TopicChanges(folder, lock.token)
        current.notes += said
        _clean(folder, current.names)
        yield current
        current.confirm()


def _clean(folder: TopicFolder, names: Iterable[str]) -> None:
    """Remove what killed processes left, also beside memory.jsonc and in the local folder."""
    recovery.clean(folder.path, names)
    for beside in {folder.places.agent_dir, folder.local} - {folder.path}:
        recovery.clean(beside)
    # A carry-over holds the local store's lock too, and no change there may come to take it.
    if folder.path != folder.local and os.path.lexists(os.path.join(folder.local, LOCK_NAME)):
        with contextlib.suppress(PimemError, OSError), locked_at_once(folder.local):
            pass
