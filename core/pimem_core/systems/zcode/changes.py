"""Changing facts: under our own lock, against others by re-reading once.

ZCode takes no lock; it compares a file with what it read before it writes. So does this: when
another program changed the index or the fact in between, all is read again and tried once more, and
after that the change fails with both versions. Nothing is ever written over unseen.
"""

from __future__ import annotations

import contextlib
import os

from ... import secrets
from ...errors import (
    ConflictError,
    PimemError,
    StorageError,
    TopicNotFoundError,
    UnsupportedError,
)
from ...files.anchor import anchored
from ...files.holder import own_lock_path
from ...files.lock import locked_among_ours
from ...files.publish import explained, refuse_others_link
from ...files.read import decode, mode_of, read_bytes
from ...formats.text import encode, quote
from ...history import recovery, transaction
from ...history.locked_change import LockedChange
from . import fact_text, limits, lookup, names, revision
from .facts import INDEX_NAME
from .index import INITIAL, line_of, target_of
from .index_changes import Index
from .location import SYSTEM
from .rows import ABSENT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ...history.record import Record
    from ...model import Change, Topic
    from ...paths import Places
    from ..stores import WriteRequest
    from .folder import FactFolder
    from .index import IndexLink

#: Lines of a diff that a conflict shows.
_SHOWN_LINES = 20


class Raced(ConflictError):
    """Another program was quicker; nothing was written. `wanted` is what the index would be."""

    wanted: str = ""


class FactChanges(LockedChange):
    """One attempt at a change: what is there now, and what is to be there."""

    def __init__(self, folder: FactFolder, earlier: FactChanges | None = None) -> None:
        super().__init__(folder.places, system=SYSTEM, store=folder.name, folder=folder.path)
        self.facts = folder
        #: What a fact's file held when it was first read; a body is only replaced in that.
        self.seen: dict[str, bytes | None] = earlier.seen if earlier else {}
        folder.refuse_changes()
        refuse_others_link(folder.path)
        self.view = folder.view()
        text = self.view.text
        self.index_before = None if text is None else text.encode()
        path = self.facts.file(INDEX_NAME)
        self._revision = (
            None if self.index_before is None else revision.revision_of(path, self.index_before)
        )
        self.index = Index(INITIAL if text is None else text)

    # The changes

    def write(self, request: WriteRequest) -> Change:
        """Create a fact or change the one of this name; the request is one that `checked` gave."""
        topic, description, content = request.topic, request.summary, request.content
        type_, title, append = request.type, request.title, request.mode == "append"
        known = lookup.exact(self.facts, self.view, topic)
        if known is None or known.problem in ABSENT:
            return self._create(
                names.check_name(known.file[:-3] if known else topic),
                description=description,
                content=content,
                type_=names.check_type(type_),
                title=title,
            )
        names.refuse_path(self.facts.path, known.file)
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
        names.refuse_path(self.facts.path, file)
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
                path=self.facts.file(file), before=before, after=after, mode=self._mode(file)
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

    def line_of(self, file: str) -> IndexLink | None:
        """The index line that is a fact's own."""
        found = self.index.of_file(self.view.link_to(file))
        return next((entry for entry in found if entry.kind == "line"), None)

    def rewrite(
        self, topic: Topic, before: bytes, text: str, *, hook: str | None, title: str | None
    ) -> Change:
        """Put an edited text in place; with a hook or a title its index line follows.

        A title gives a fact a line that has none.
        """
        names.refuse_path(self.facts.path, topic.file)
        line = self.line_of(topic.file)
        if line is not None and (hook is not None or title is not None):
            self.index.upsert(line.file, title=title or line.title, hook=hook or line.hook)
        elif line is None and title is not None:
            link = self.view.link_to(topic.file)
            self.index.upsert(link, title=title, hook=hook or topic.summary)
        steps = [
            transaction.Step(
                path=self.facts.file(topic.file),
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
        found = lookup.topic(self.facts, self.view, topic)
        names.refuse_path(self.facts.path, found.file)
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
            names.refuse_path(self.facts.path, os.path.relpath(file.path, self.facts.path))
        return super().revert(record, action)

    # Steps

    def _content(self, topic: Topic) -> bytes:
        try:
            return read_bytes(topic.path)
        except TopicNotFoundError as error:  # it was there when the folder was listed
            raise Raced(str(error), name=topic.name, file=topic.file) from error

    def _mode(self, file: str) -> int:
        """The rights of a file as they are; a new one is the person's own."""
        mode = mode_of(self.facts.file(file))
        return 0o600 if mode is None else mode

    def _check_front(
        self, old: str, text: str, file: str, description: str, type_: str | None
    ) -> None:
        """See that what was written can be read again, before anything is changed."""
        if not fact_text.is_safe(old, text, description=description, type_=type_):
            raise StorageError(
                f"The front matter of {self.facts.file(file)} is in a form that cannot be changed "
                "safely; fix it by hand, then try again.",
                file=file,
            )

    def _index_step(self, file: str) -> transaction.Step:
        link = self.view.link_to(file)
        target = next((e.target for e in self.view.entries if e.file == link), target_of(file))
        return transaction.Step(
            path=self.facts.file(INDEX_NAME),
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
            if not revision.is_same(self.facts.file(INDEX_NAME), self._revision):
                raise ConflictError("The index was changed by another program.", file=INDEX_NAME)
            return super().commit(action, name, file, steps)
        except ConflictError as error:
            raced = Raced(str(error), name=name, file=error.file)
            raced.wanted = self.index.text()
            raise raced from error

    def _warn(self, line: str) -> None:
        self.notes += limits.near_limits(self.index.text(), line)


def checked(places: Places, request: WriteRequest) -> WriteRequest:
    """A request to write with its description and title as they will be stored.

    Raises:
        InvalidArgumentError: An argument breaks a rule.
        SecretError: The text looks like it holds a credential.
        UnsupportedError: It asks for a pin, which facts do not have.
    """
    if request.pin:
        raise UnsupportedError("Facts cannot be pinned.", name=request.topic)
    description = names.check_description(request.summary)
    content = names.check_content(request.content)
    type_ = names.check_type(request.type) if request.type is not None else None
    title = names.check_title(request.title) if request.title is not None else None
    if not request.allow_secret:
        beside = {"summary": description, "title": title or "", "name": request.topic}
        secrets.refuse(places, content, beside=beside, name=request.topic)
    return request.but(summary=description, type=type_, title=title)


def change(folder: FactFolder, work: Callable[[FactChanges], Change]) -> Change:
    """Make a change, reading again once when another program was quicker.

    Raises:
        ConflictError: It was quicker twice; the error has both versions.
        StoreBusyError: Another process of ours is at it.
        PimemError: What the change itself refuses.
    """
    folder.refuse_changes()
    with held(folder) as said:
        first = FactChanges(folder)
        session = first
        try:
            done = work(session)
        except Raced:
            session = FactChanges(folder, first)
            try:
                done = work(session)
            except Raced as error:
                raise _both(folder, error) from error
        session.notes[:0] = said
        session.confirm()
        return done


def _both(folder: FactFolder, error: Raced) -> ConflictError:
    """The error after the second time, with what is there and what was wanted."""
    import difflib

    path = folder.file(error.file or INDEX_NAME)
    try:
        theirs = folder.index_text() or ""
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
def held(folder: FactFolder) -> Iterator[list[str]]:
    """Hold the lock of our own processes, in the state folder, and repair what a kill left.

    Raises:
        StoreBusyError: Another process of ours keeps it.
    """
    if os.path.lexists(folder.path) and not os.path.isdir(folder.path):
        raise StorageError(f"{folder.path} is not a folder; move it away.")
    state_dir = folder.places.state_dir
    busy = f"Another pimem is changing {folder.path}; try again in a moment."
    with (
        locked_among_ours(own_lock_path(state_dir, folder.path), busy),
        contextlib.ExitStack() as stack,
    ):
        if os.path.isdir(folder.path):
            with explained(folder.path):
                stack.enter_context(anchored(folder.path))
        said = recovery.recover(state_dir, folder.path)
        _clean(folder.path)
        yield said


def _clean(folder: str) -> None:
    """Remove temporary files that killed processes left in the folder and those below it."""
    for below, _folders, files in os.walk(folder):
        recovery.clean(below, files)


def recover(folder: FactFolder) -> Sequence[str]:
    """Repair what a killed process left unfinished; a sentence for each repair."""
    with held(folder) as said:
        return said
