"""Changing a store of facts: under our own lock, against others by re-reading once.

ZCode takes no lock; it compares a file with what it read before it writes. So does this: when
another program changed the index or the fact in between, all is read anew and tried once more, and
after that the change fails with both versions. Nothing is ever written over unseen.
"""

from __future__ import annotations

import contextlib
import os

from ...errors import (
    ConflictError,
    PimemError,
    StorageError,
    TopicNotFoundError,
)
from ...files.holder import own_lock_path
from ...files.lock import locked_among_ours
from ...files.publish import refuse_linked_folder
from ...files.read import decode, read_bytes
from ...formats.text import encode, quote
from ...history import recovery, transaction
from ...history.locked_change import LockedChange
from . import fact_text, loading, names, revision
from .facts import INDEX_NAME
from .index import INITIAL, Index, line_of, target_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ...history.record import Record
    from ...model import Change, Topic
    from .index import Entry
    from .store import ZcodeStore

#: Longest wait for another process of ours, in seconds.
_SHOWN_LINES = 20


class Raced(ConflictError):
    """Another program was quicker; nothing was written. `wanted` is what the index would be."""

    wanted: str = ""


class Session(LockedChange):
    """One attempt at a change: what is there now, and what is to be there."""

    def __init__(self, store: ZcodeStore, earlier: Session | None = None) -> None:
        super().__init__(store.places, system=store.system, store=store.name, folder=store.path)
        self.store = store
        #: What a fact's file held when it was first read; a body is only replaced in that.
        self.seen: dict[str, bytes | None] = earlier.seen if earlier else {}
        store.refuse_changes()
        refuse_linked_folder(store.path)
        self.view = store.view()
        text = self.view.text
        self.index_before = None if text is None else text.encode()
        path = self._path(INDEX_NAME)
        self._revision = (
            None if self.index_before is None else revision.revision_of(path, self.index_before)
        )
        self.index = Index(INITIAL if text is None else text)

    def _path(self, file: str) -> str:
        return os.path.join(self.store.path, file)

    # The changes

    def write(
        self,
        topic: str,
        *,
        description: str,
        content: str,
        type_: str | None,
        title: str | None,
        append: bool,
    ) -> Change:
        """Create a fact or change the one of this name."""
        known = self.store.exact(self.view, topic)
        if known is None or known.problem == "file missing":
            return self._create(
                names.check_name(known.file[:-3] if known else topic),
                description=description,
                content=content,
                type_=names.check_type(type_),
                title=title,
            )
        names.refuse_path(self.store.path, known.file)
        before = self._content(known)
        old = decode(before, known.path)
        if not append and self.seen.setdefault(known.file, before) != before:
            raise ConflictError(
                f"{known.path} was changed by another program meanwhile; nothing was written. "
                "Read it again.",
                name=known.name,
                file=known.file,
                theirs=old,
                mine=content,
            )
        text = fact_text.updated_text(
            old, name=topic, description=description, type_=type_, content=content, append=append
        )
        self._check_front(old, text, known.file, description, type_)
        title = title or self._title(known.file, old, text, known.name)
        return self._put(known.file, known.name, before, text, title=title, hook=description)

    def _create(
        self, name: str, *, description: str, content: str, type_: str, title: str | None
    ) -> Change:
        file = f"{name}.md"
        names.refuse_path(self.store.path, file)
        text = fact_text.new_text(name, description, type_, content)
        title = title or fact_text.heading(text) or name
        return self._put(file, name, None, text, title=title, hook=description)

    def _put(
        self, file: str, name: str, before: bytes | None, text: str, *, title: str, hook: str
    ) -> Change:
        after = encode(text)
        link = self.view.link_to(file)
        if not self.index.upsert(link, title=title, hook=hook):
            line = self.index.of_file(link)[0].line
            self.notes.append(f"Line {line} of the index names it among others and stays as it is.")
        if before == after and self.index.text().encode() == self.index_before:
            return self.change("unchanged", name, file, f"{quote(name)} says so already.")
        steps = [
            transaction.Step(
                path=self._path(file), before=before, after=after, mode=self._mode(file)
            ),
            self._index_step(file),
        ]
        self.commit("write", name, file, steps)
        self._warn(line_of(title, file, hook))
        outcome, verb = ("created", "Created") if before is None else ("updated", "Updated")
        return self.change(outcome, name, file, f"{verb} {quote(name)} ({file}).")

    def _title(self, file: str, old: str, new: str, name: str) -> str:
        """The title of a line that is there already: it follows the heading where it did before."""
        line = self.line_of(file)
        derived = fact_text.heading(new) or name
        if line is None or line.title in (fact_text.heading(old), name):
            return derived
        return line.title

    def line_of(self, file: str) -> Entry | None:
        """The index line that is a fact's own."""
        found = self.index.of_file(self.view.link_to(file))
        return next((entry for entry in found if entry.kind == "line"), None)

    def rewrite(
        self, topic: Topic, before: bytes, text: str, *, hook: str | None, title: str | None
    ) -> Change:
        """Put an edited text in place; with a hook or a title its index line follows.

        A title gives a fact a line that has none.
        """
        names.refuse_path(self.store.path, topic.file)
        line = self.line_of(topic.file)
        if line is not None and (hook is not None or title is not None):
            self.index.upsert(line.file, title=title or line.title, hook=hook or line.hook)
        elif line is None and title is not None:
            link = self.view.link_to(topic.file)
            self.index.upsert(link, title=title, hook=hook or topic.summary)
        steps = [
            transaction.Step(
                path=self._path(topic.file),
                before=before,
                after=encode(text),
                mode=self._mode(topic.file),
            ),
            self._index_step(topic.file),
        ]
        self.commit("edit", topic.name, topic.file, steps)
        self._warn("")
        return self.change("updated", topic.name, topic.file, f"Saved {quote(topic.name)}.")

    def remove(self, topic: str) -> Change:
        """Move a fact's file into the journal and take its line out of the index."""
        found = self.store.match(self.view, topic)
        names.refuse_path(self.store.path, found.file)
        self.index.remove(self.view.link_to(found.file))
        steps = [self._index_step(found.file)]
        if found.file in self.view.facts:
            steps.append(
                transaction.Step(
                    path=found.path,
                    before=self._content(found),
                    after=None,
                    mode=self._mode(found.file),
                )
            )
        self.commit("remove", found.name, found.file, steps)
        what = "its file is in the undo journal" if len(steps) > 1 else "its file was missing"
        said = f"Removed {quote(found.name)}; {what}."
        return self.change("removed", found.name, found.file, said)

    def revert(self, record: Record, action: str) -> Change:
        """Take a recorded change back, unless its files may not be written any more."""
        for file in record.files:
            names.refuse_path(self.store.path, os.path.relpath(file.path, self.store.path))
        return super().revert(record, action)

    # Steps

    def _content(self, topic: Topic) -> bytes:
        try:
            return read_bytes(topic.path)
        except TopicNotFoundError as error:  # it was there when the folder was listed
            raise Raced(str(error), name=topic.name, file=topic.file) from error

    def _mode(self, file: str) -> int:
        """The rights of a file as they are; a new one is the person's own."""
        with contextlib.suppress(OSError):
            return os.lstat(self._path(file)).st_mode & 0o7777
        return 0o600

    def _check_front(
        self, old: str, text: str, file: str, description: str, type_: str | None
    ) -> None:
        """See that what was written can be read again, before anything is changed."""
        if not fact_text.is_safe(old, text, description=description, type_=type_):
            raise StorageError(
                f"The front matter of {self._path(file)} is in a form that cannot be changed "
                "safely; mend it by hand, then try again.",
                file=file,
            )

    def _index_step(self, file: str) -> transaction.Step:
        link = self.view.link_to(file)
        target = next((e.target for e in self.view.entries if e.file == link), target_of(file))
        return transaction.Step(
            path=self._path(INDEX_NAME),
            before=self.index_before,
            after=encode(self.index.text()) if self._has_index() else None,
            mode=self._mode(INDEX_NAME),
            marker=f"]({target}",
            decides=True,
        )

    def _has_index(self) -> bool:
        """A store without an index gets one with its first line, not with a removal."""
        return self.index_before is not None or self.index.text() != INITIAL

    def commit(
        self, action: str, name: str, file: str, steps: Sequence[transaction.Step]
    ) -> Record:
        """Make the change whole, unless another program was quicker.

        Raises:
            Raced: It was; nothing was written.
        """
        try:
            if not revision.is_same(self._path(INDEX_NAME), self._revision):
                raise ConflictError("The index was changed by another program.", file=INDEX_NAME)
            return super().commit(action, name, file, steps)
        except ConflictError as error:
            raced = Raced(str(error), name=name, file=error.file)
            raced.wanted = self.index.text()
            raise raced from error

    def _warn(self, line: str) -> None:
        self.notes += loading.near_limits(self.index.text(), line)


def change(store: ZcodeStore, work: Callable[[Session], Change]) -> Change:
    """Make a change, reading anew once when another program was quicker.

    Raises:
        ConflictError: It was quicker twice; the error has both versions.
        StoreBusyError: Another process of ours is at it.
        PimemError: What the change itself refuses.
    """
    store.refuse_changes()
    with _held(store) as said:
        first = Session(store)
        session = first
        try:
            done = work(session)
        except Raced:
            session = Session(store, first)
            try:
                done = work(session)
            except Raced as error:
                raise _both(store, error) from error
        session.notes[:0] = said
        session.confirm()
        return done


def _both(store: ZcodeStore, error: Raced) -> ConflictError:
    """The error after the second time, with what is there and what was wanted."""
    import difflib

    path = os.path.join(store.path, error.file or INDEX_NAME)
    try:
        theirs = store.index_text() or ""
    except PimemError as failure:
        theirs = ""
        note = str(failure)
    else:
        lines = difflib.unified_diff(
            theirs.splitlines(), error.wanted.splitlines(), "on disk", "yours", lineterm="", n=0
        )
        note = "\n".join([line for line in lines if not line.startswith("@@")][:_SHOWN_LINES])
    return ConflictError(
        f"{path} was changed by another program twice meanwhile; nothing was written. "
        f"Read it again, then try again.\n{note}",
        name=error.name,
        file=error.file,
        theirs=theirs,
        mine=error.wanted,
    )


@contextlib.contextmanager
def _held(store: ZcodeStore) -> Iterator[list[str]]:
    """Hold the lock of our own processes, in the state folder, and repair what a kill left.

    Raises:
        StoreBusyError: Another process of ours keeps it.
    """
    if os.path.lexists(store.path) and not os.path.isdir(store.path):
        raise StorageError(f"{store.path} is not a folder; move it away.")
    state_dir = store.places.state_dir
    busy = f"Another pimem is changing {store.path}; try again in a moment."
    with locked_among_ours(own_lock_path(state_dir, store.path), busy):
        said = recovery.recover(state_dir, store.path)
        _clean(store.path)
        yield said


def _clean(folder: str) -> None:
    """Remove temporary files that killed processes left in the folder and those below it."""
    for below, _folders, files in os.walk(folder):
        recovery.clean(below, files)


def recover(store: ZcodeStore) -> Sequence[str]:
    """Repair what a killed process left unfinished; a sentence for each repair."""
    with _held(store) as said:
        return said
