"""The store of a project's facts: what list, detail and search show, and every change to it."""

from __future__ import annotations

import os

from ...errors import (
    InvalidTopicError,
    PimemError,
    TopicNotFoundError,
    UnsupportedError,
)
from ...files.read import PREVIEW_BYTES, read_bytes, read_text, signature_of
from ...formats.text import quote
from ...history import unfinished
from ...model import Change, Document, Hit, StoreStatus, Topic
from ...progress import ignored, never, unwatched
from ..stores import (
    ComposingStore,
    EditableStore,
    FolderStore,
    LinkedStore,
    Links,
    Removal,
    RemovingStore,
    TypedStore,
    UndoableStore,
    WritableStore,
)
from . import matching
from .facts import FRONT_LINES, INDEX_NAME, TYPES, Fact, facts, head, is_fact_file
from .index import line_of
from .view import View, entry_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from ...history.record import Record
    from ...paths import Places
    from ...progress import Cancelled, Progress, Unread
    from ..stores import WriteRequest
    from .changing import Session
    from .config import Config
    from .directory import Location
    from .index import Entry

_CUT_NOTE = "<!-- cut here: the file is longer; open it for the rest -->"


class ZcodeStore(
    FolderStore,
    WritableStore,
    EditableStore,
    ComposingStore,
    RemovingStore,
    UndoableStore,
    LinkedStore,
    TypedStore,
):
    """One folder of facts."""

    system = "zcode"
    types = TYPES

    def __init__(
        self, name: str, folder: str, places: Places, location: Location | None = None
    ) -> None:
        self.name = name
        self.path = folder
        self.places = places
        self.location = location

    # Reading

    def _path(self, file: str) -> str:
        return os.path.join(self.path, file)

    def view(self, *, cancelled: Cancelled = never) -> View:
        """The store as it is now.

        Raises:
            StorageError: The folder or the index is there but cannot be read.
        """
        shown = self._unfinished()
        found = facts(self.path, cancelled=cancelled)
        for path, data in shown.items():
            file = os.path.relpath(path, self.path)
            if data is None:
                found.pop(file, None)
            elif is_fact_file(file):
                found[file] = Fact(file, path, True, head(data.decode("utf-8", "replace")))
        return View(read_text(self._path(INDEX_NAME), shown), found, shown)

    def index_text(self) -> str | None:
        """The index alone; raises as `view`."""
        return read_text(self._path(INDEX_NAME), self._unfinished())

    def stamp_of_index(self) -> object:
        """A value that stays equal while the index does; for caches."""
        if self._unfinished():
            return object()
        return signature_of(self._path(INDEX_NAME))

    def _unfinished(self) -> Mapping[str, bytes | None]:
        return unfinished.as_before(self.places.state_dir, self.path)

    def list(self, *, cancelled: Cancelled = never) -> Sequence[Topic]:
        """The facts in the order of the index, then those it does not list."""
        return self.topics(self.view(cancelled=cancelled), cancelled)

    def topics(self, view: View, cancelled: Cancelled = never) -> Sequence[Topic]:
        """The topics of a view."""
        found: dict[str, Topic] = {}
        for entry in view.entries:
            if cancelled():
                return list(found.values())
            fact = view.fact_of(entry)
            file = fact.file if fact is not None else entry.file
            if file not in found:
                found[file] = self._topic(file, fact, entry)
        for file, fact in view.facts.items():
            if cancelled():
                break
            if file not in found:
                found[file] = self._topic(file, fact, None)
        return list(found.values())

    def _topic(self, file: str, fact: Fact | None, entry: Entry | None) -> Topic:
        name = fact.name if fact is not None else file[:-3]
        summary = entry.hook if entry is not None else ""
        if not summary and fact is not None:
            summary = fact.head.description
        return Topic(
            store=self.name,
            name=name,
            file=file,
            path=self._path(file),
            summary=summary,
            line=line_of(entry.title, file, entry.hook) if entry is not None else "",
            type=fact.head.type if fact is not None else None,
            listed=entry is not None,
            problem=self._problem(file, fact),
        )

    def _problem(self, file: str, fact: Fact | None) -> str | None:
        if fact is None:
            exists = os.path.lexists(self._path(file))
            return "not a regular file" if exists else "file missing"
        if not fact.is_regular:
            return "not a regular file"
        if fact.head.unclosed:
            return "front matter is never closed"
        if fact.head.closing is not None and fact.head.closing > FRONT_LINES:
            return f"front matter closes after line {FRONT_LINES}"
        return None

    def find(self, topic: str) -> Topic:
        """The fact that is meant."""
        return self.match(self.view(), topic)

    def match(self, view: View, topic: str) -> Topic:
        """The topic of a view that a name, file, title or part of one means; raises as `find`."""
        found = matching.match(view, self.topics(view), topic)
        if found is None:
            raise TopicNotFoundError(
                f"No fact matches {quote(topic)} in {self.path}; pimem list shows what is there.",
                name=topic,
            )
        return found

    def exact(self, view: View, topic: str) -> Topic | None:
        """The topic of a view that has exactly this file or name; raises as `matching.exact`."""
        return matching.exact(view, self.topics(view), topic)

    def read_bytes(self, file: str) -> bytes:
        """The bytes of a fact's file."""
        return self._content(file, self._unfinished())

    def _content(
        self, file: str, shown: Mapping[str, bytes | None], limit: int | None = None
    ) -> bytes:
        if not is_fact_file(file):
            raise TopicNotFoundError(f"{quote(file)} names no fact file.", file=file)
        path = self._path(file)
        if path in shown:
            data = shown[path]
            if data is None:
                raise TopicNotFoundError(f"{path} does not exist.", file=file)
            return data
        self._refuse_linked_parent(file)
        return read_bytes(path, limit=limit)

    def _refuse_linked_parent(self, file: str) -> None:
        folder = self.path
        for part in file.split("/")[:-1]:
            folder = os.path.join(folder, part)
            if os.path.islink(folder):
                raise InvalidTopicError(
                    f"{folder} is a symbolic link; the real path is {os.path.realpath(folder)}.",
                    file=file,
                )

    def read(self, file: str) -> Document:
        """Open a fact. Bytes that are no UTF-8 show as U+FFFD."""
        from ...formats import frontmatter

        text = self.read_bytes(file).decode("utf-8", "replace")
        front = frontmatter.read(text)
        fact = Fact(file, self._path(file), True, head(text))
        try:
            entry = entry_of(self.index_text() or "", file)
        except PimemError:
            entry = None  # a fact can be read beside an index that cannot
        return Document(
            store=self.name,
            name=fact.name,
            file=file,
            path=self._path(file),
            front_matter=front,
            body=frontmatter.split(text).body,
            text=text,
            summary=(entry.hook if entry is not None else "") or fact.head.description,
            type=fact.head.type,
            title=entry.title if entry is not None else "",
        )

    def preview(self, file: str) -> str:
        """A fact's body, of a long file only the first 50 KiB."""
        from ...formats import frontmatter

        data = self._content(file, self._unfinished(), limit=PREVIEW_BYTES + 1)
        cut = len(data) > PREVIEW_BYTES
        text = data[:PREVIEW_BYTES].decode("utf-8", "ignore" if cut else "replace")
        parts = frontmatter.split(text)
        body = parts.body.lstrip("\r\n \t") if parts.present else parts.body
        return f"{body}\n\n{_CUT_NOTE}" if cut else body

    def search(
        self,
        query: str,
        *,
        cancelled: Cancelled = never,
        progress: Progress = unwatched,
        unread: Unread = ignored,
    ) -> Iterator[Hit]:
        """Facts that contain a text, in the order of `list`."""
        from ...search.scan import scan

        view = self.view(cancelled=cancelled)
        return scan(
            self.topics(view, cancelled), query, view.shown, cancelled, progress, unread=unread
        )

    def links(self, file: str) -> Links:
        """What a fact links to, and what links to it."""
        from ...formats.links import between

        self._content(file, self._unfinished(), limit=1)
        view = self.view()
        if file not in view.facts:
            raise TopicNotFoundError(f"{self._path(file)} does not exist.", file=file)
        outgoing, backlinks = between(
            view.facts,
            file,
            names=lambda fact: (fact.head.name or fact.name, fact.name),
            path=lambda fact: fact.path,
        )
        topics = {topic.file: topic for topic in self.topics(view)}
        return Links(
            outgoing=[
                (name, topics[target.file] if target is not None else None)
                for name, target in outgoing
            ],
            backlinks=[topics[fact.file] for fact in backlinks],
        )

    # Status

    def status(self) -> StoreStatus:
        """What is known of the store."""
        from .status import status_of

        return status_of(self)

    # Changes

    def changed(self, work: Callable[[Session], Change]) -> Change:
        """Make one change under the lock of our own processes."""
        from .changing import change  # loads what readers never need

        return change(self, work)

    def check(self, request: WriteRequest, opened: Document | None = None) -> str | None:
        """Why a write would be refused: its name, title, description or type breaks a rule."""
        from .editing import check

        return check(request, opened)

    def cost(self, name: str, summary: str, title: str = "") -> int:
        """Tokens of the index line."""
        from ...formats.tokens import estimate

        return estimate(line_of(title or name, f"{name}.md", summary) + "\n")

    def compose(
        self,
        document: Document,
        *,
        name: str,
        summary: str,
        body: str,
        type: str | None = None,  # noqa: A002 - the name it has everywhere
    ) -> str:
        """The fact's text with another name, description, type and body."""
        from .editing import compose

        return compose(document, name=name, summary=summary, body=body, type_=type)

    def write(self, request: WriteRequest) -> Change:
        """Create a fact, or give the one of this name a new body and description."""
        from ... import secrets
        from . import names

        if request.pin:
            raise UnsupportedError("Facts cannot be pinned.", name=request.topic)
        description = names.check_description(request.summary)
        content = names.check_content(request.content)
        type_ = names.check_type(request.type) if request.type is not None else None
        title = names.check_title(request.title) if request.title is not None else None
        if not request.allow_secret:
            beside = {"summary": description, "title": title or "", "name": request.topic}
            secrets.refuse(self.places, content, beside=beside, name=request.topic)
        return self.changed(
            lambda session: session.write(
                request.topic,
                description=description,
                content=content,
                type_=type_,
                title=title,
                append=request.mode == "append",
            )
        )

    def refuse_changes(self) -> None:
        """Refuse a folder that is full of another system's topics."""
        from . import formats

        formats.refuse_openpi(self.path)

    def removal(self, topic: str) -> Removal:
        """What removing would do."""
        found = self.find(topic)
        if found.problem == "file missing":
            gone = "Its index line goes; the file is missing already."
        elif found.listed:
            gone = f"The file {found.file} and its index line go."
        else:
            gone = f"The file {found.file} goes."
        return Removal(question=f"Remove {quote(found.name)}?", goes_and_stays=gone)

    def remove(self, topic: str) -> Change:
        """Move a fact's file into the journal and take its line out."""
        return self.changed(lambda session: session.remove(topic))

    def save(
        self,
        file: str,
        *,
        opened: str,
        text: str,
        title: str | None = None,
        allow_secret: bool = False,
    ) -> Change:
        """Save an edited fact and bring its index line up to date."""
        from .editing import save

        return save(self, file, opened=opened, text=text, title=title, allow_secret=allow_secret)

    def revert(self, record: Record, action: str) -> Change:
        """Take a recorded change of this store back."""
        return self.changed(lambda session: session.revert(record, action))

    def recover(self) -> Sequence[str]:
        """Repair what a killed process left unfinished here."""
        from .changing import recover

        return recover(self)

    def announce(self) -> None:
        """Do nothing: ZCode reads its index when a session starts."""


def project_store(places: Places, config: Config) -> ZcodeStore:
    """The store of the working folder's project."""
    from .directory import locate

    location = locate(places, config.dir)
    if config.waiting_dir is not None:
        note = (
            f"This project's zcode-memory.json names {config.waiting_dir}, which is used once you "
            "agree: pi asks, and so do the settings of the manager."
        )
        location = location.but(notes=[*location.notes, note])
    return ZcodeStore("zcode", location.path, places, location)
