"""The openpi store: what list, detail and search show, and every change to it."""

from __future__ import annotations

import contextlib
import itertools
import os

from ...errors import (
    AmbiguousTopicError,
    NoIndexError,
    PimemError,
    PinnedError,
    TopicNotFoundError,
    UnsupportedError,
)
from ...files.read import (
    PREVIEW_BYTES,
    is_regular,
    read_bytes,
    read_text,
    regular_names,
    signature_of,
)
from ...formats.text import plural, quote
from ...history import unfinished
from ...model import Change, Document, Hit, StoreStatus, Topic
from ...progress import ignored, never, unwatched
from ..stores import (
    HANDOFF_FILE,
    ComposingStore,
    EditableStore,
    FolderStore,
    HandoffStore,
    LinkedStore,
    PinningStore,
    Removal,
    RemovingStore,
    SkimmableStore,
    UndoableStore,
    WritableStore,
)
from . import config
from .folders import local_folder
from .index import INDEX_NAME, Entry, entries, find, is_topic_file, matches
from .reading import Rows, View

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping, Sequence

    from ...history.record import Record
    from ...paths import Places
    from ...progress import Cancelled, Progress, Unread
    from ...search.kept import Texts
    from ..stores import Handoff, Links, WriteRequest
    from .changing import Session

_NAMES = ("local", "shared")
_CUT_NOTE = (
    "<!-- memory truncated: topic exceeds size limit; read the file directly for the full body -->"
)


class OpenpiStore(
    FolderStore,
    WritableStore,
    EditableStore,
    ComposingStore,
    PinningStore,
    RemovingStore,
    UndoableStore,
    SkimmableStore,
    LinkedStore,
    HandoffStore,
):
    """One openpi folder."""

    system = "openpi"

    def __init__(self, name: str, folder: str, places: Places) -> None:
        self.name = name
        self.path = folder
        self.places = places
        self.rows = Rows(name, folder)
        self.is_own = name in _NAMES  # any other folder is not pi's
        self.has_handoff = self.is_own
        #: What searches keep; None until they may.
        self.texts: Texts | None = None

    # Reading

    def _path(self, file: str) -> str:
        return os.path.join(self.path, file)

    @property
    def local_folder(self) -> str:
        """pi's own store, which a shared one is carried over from."""
        return local_folder(self.places)

    def _carry_over_is_due(self, shown: Container[str] = ()) -> bool:
        """Whether readers show the local store's topics as carried over; so they do meanwhile."""
        if self.name != "shared":
            return False
        from . import carry_over

        is_being_made = os.path.join(self.local_folder, carry_over.SENTINEL_NAME) in shown
        is_due = is_being_made or carry_over.is_due(self.local_folder)
        return is_due and config.load(self.places)[0].shared_dir

    def view(self) -> View:
        """The store as it is now.

        Raises:
            StorageError: The index is there but cannot be read.
        """
        shown = self._unfinished()
        if self._carry_over_is_due(shown):
            from . import carry_over

            with contextlib.suppress(PimemError):
                plan = carry_over.plan(self.local_folder, self.path)
                elsewhere = {name: source for name, (_data, source) in plan.copies.items()}
                # The plan counts on what an interrupted carry-over has copied.
                there = {path: data for path, data in shown.items() if data is not None}
                return View(plan.index_after, elsewhere, there)
        path = self._path(INDEX_NAME)
        return View(read_text(path, shown), {}, shown)

    def stamp_of_index(self) -> object:
        """A value that stays equal while the index does; for caches."""
        if self._carry_over_is_due() or self._unfinished():
            return object()
        return signature_of(self._path(INDEX_NAME))

    def _unfinished(self) -> Mapping[str, bytes | None]:
        return unfinished.as_before(self.places.state_dir, self.path)

    def list(self, *, cancelled: Cancelled = never) -> Sequence[Topic]:
        """The index's topics in its order, one for each file."""
        view = self.view()
        if view.text is None:
            self._refuse_unlistable()
            return []
        return list(self.rows.listed(view, regular_names(self.path), cancelled).values())

    def skim(self, count: int) -> Sequence[Topic]:
        """The first topics of the list. Looking at their files is quicker than at the folder."""
        view = self.view()
        top = list(itertools.islice(matches(view.text or ""), count))
        present = {match[4] for match in top if is_regular(self._path(match[4]))}
        lines = "\n".join(match.string for match in top)
        return list(self.rows.listed(View(lines, view.elsewhere, {}), present).values())

    def _refuse_unlistable(self) -> None:
        """A store without an index is empty, but only when that can be seen."""
        regular_names(self.path)

    def find(self, topic: str) -> Topic:
        """The listed topic that is meant, or the unlisted file with exactly this name."""
        view = self.view()
        found = entries(view.text or "")
        matches = find(found, topic)
        present = regular_names(self.path)
        if len(matches) != 1 and is_topic_file(topic) and topic in present:
            return self.rows.unlisted_topic(topic)
        return self.rows.topic(self._only(matches, topic), view, present)

    def _only(self, matches: Sequence[Entry], topic: str) -> Entry:
        if not matches:
            raise TopicNotFoundError(
                f"No topic matches {quote(topic)} in {self.path}; pimem list shows what is there.",
                name=topic,
            )
        if len(matches) > 1:
            names = [entry.name for entry in matches]
            shown = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if names[5:] else "")
            raise AmbiguousTopicError(
                f"{quote(topic)} matches {plural(len(names), 'topic')}: {shown}. Name one of them.",
                name=topic,
                candidates=names,
            )
        return matches[0]

    def read_bytes(self, file: str) -> bytes:
        """The bytes of a topic's file."""
        if file == HANDOFF_FILE:
            return self.handoff().text.encode()
        return self._content(file, self.view())

    def _content(self, file: str, view: View, limit: int | None = None) -> bytes:
        if not is_topic_file(file):
            raise TopicNotFoundError(f"{quote(file)} names no topic file.", file=file)
        path = self.rows.path(file, view)
        if path in view.shown:
            data = view.shown[path]
            if data is None:
                raise TopicNotFoundError(f"{path} does not exist.", file=file)
            return data
        return read_bytes(path, limit=limit)

    def read(self, file: str) -> Document:
        """Open a topic. Bytes that are no UTF-8 show as U+FFFD."""
        from ...formats import frontmatter

        if file == HANDOFF_FILE:
            from . import handoff_editing

            return handoff_editing.document(self)
        view = self.view()
        text = self._content(file, view).decode("utf-8", "replace")
        front = frontmatter.read(text)
        entry = next((e for e in entries(view.text or "") if e.file == file), None)
        return Document(
            store=self.name,
            name=entry.name if entry else str(front.get("name") or os.path.splitext(file)[0]),
            file=file,
            path=self.rows.path(file, view),
            front_matter=front,
            body=frontmatter.split(text).body,
            text=text,
            summary=entry.summary if entry else str(front.get("description") or ""),
        )

    def preview(self, file: str) -> str:
        """A topic's body, of a long file only the first 50 KiB."""
        from ...formats import frontmatter

        data = self._content(file, self.view(), limit=PREVIEW_BYTES + 1)
        text = data[:PREVIEW_BYTES].decode("utf-8", "ignore" if data[PREVIEW_BYTES:] else "replace")
        parts = frontmatter.split(text)
        body = parts.body.lstrip("\r\n \t") if parts.present else parts.body
        return f"{body}\n\n{_CUT_NOTE}" if data[PREVIEW_BYTES:] else body

    def search(
        self,
        query: str,
        *,
        cancelled: Cancelled = never,
        progress: Progress = unwatched,
        unread: Unread = ignored,
    ) -> Iterator[Hit]:
        """Listed topics in index order, then the other topic files in byte order of their names."""
        from .searching import search

        return search(self, query, cancelled, progress, unread)

    def keep_texts(self) -> None:
        """Keep what searches read from now on."""
        from ...search.kept import Texts

        self.texts = self.texts or Texts()

    def forget_texts(self) -> None:
        """Look at every file again with the next search."""
        if self.texts is not None:
            self.texts.doubt()

    def links(self, file: str) -> Links:
        """What a topic links to, and what links to it."""
        from .searching import links

        return links(self, file)

    # Status

    def status(self) -> StoreStatus:
        """What is known of the store."""
        from .status import status_of

        return status_of(self)

    # Changes: each runs in a session that holds the lock

    def session(self) -> contextlib.AbstractContextManager[Session]:
        """Hold the store for one change."""
        from .changing import session  # loads filelock, which readers never need

        return session(self)

    def write(self, request: WriteRequest) -> Change:
        """Create a topic, or extend or replace the one that has this name."""
        # What only changes need loads with the first of them.
        from ... import secrets
        from . import topic as topics

        name = topics.check_topic(request.topic)
        summary = topics.check_summary(request.summary)
        topics.check_content(request.content)
        if request.type is not None or request.title is not None:
            raise UnsupportedError("Topics of this store have no type and no title.", name=name)
        if not request.allow_secret:
            beside = {"summary": summary, "topic": name}
            secrets.refuse(self.places, request.content, beside=beside, name=name)
        with self.session() as session:
            return session.write(name, summary, request)

    def check(self, request: WriteRequest, opened: Document | None = None) -> str | None:
        """Why a write would be refused: its topic, summary or content breaks a rule."""
        from . import topic as topics

        try:
            if opened is None or request.topic != opened.name:
                topics.check_topic(request.topic)
            topics.check_summary(request.summary)
            topics.check_content(request.content)
        except PimemError as error:
            return str(error)
        return None

    def cost(self, name: str, summary: str) -> int:
        """Tokens of the index line."""
        from .editing import cost

        return cost(name, summary)

    def compose(self, document: Document, *, name: str, summary: str, body: str) -> str:
        """The topic's text with another name, description and body."""
        from .editing import compose

        return compose(document, name=name, summary=summary, body=body)

    def pin(self, topic: str, pinned: bool) -> Change:
        """Pin or unpin every line of a topic."""
        with self.session() as session:
            entry = self._only(find(self._indexed(session), topic), topic)
            return session.pin(entry, pinned)

    def detect(self, index_text: str | None) -> str | None:
        """The format of the folder by its index and files; raises as `formats.detect`."""
        from . import formats

        return formats.detect(self.path, index_text, is_own=self.is_own)

    def refuse_changes(self) -> None:
        """Refuse a folder in another program's format."""
        from . import formats

        text = read_text(self._path(INDEX_NAME), {})
        formats.refuse_foreign(self.path, self.detect(text))

    def removal(self, topic: str) -> Removal:
        """What removing would do."""
        view = self.view()
        if view.text is None:
            raise self._no_index()
        found = entries(view.text)
        entry = self._only(find(found, topic), topic)
        self._refuse_pinned(found, entry)
        path = self.rows.path(entry.file, view)
        there = view.shown[path] is not None if path in view.shown else os.path.lexists(path)
        stays = "stays on disk" if there else "is missing already"
        return Removal(
            question=f"Remove {quote(entry.name)} from the index?",
            goes_and_stays=f"The file {entry.file} {stays}.",
        )

    def remove(self, topic: str) -> Change:
        """Drop a topic's lines from the index; its file stays."""
        with self.session() as session:
            found = self._indexed(session)
            entry = self._only(find(found, topic), topic)
            self._refuse_pinned(found, entry)
            return session.remove(entry)

    def save(self, file: str, *, opened: str, text: str, allow_secret: bool = False) -> Change:
        """Save an edited topic file and bring its index line up to date."""
        if file == HANDOFF_FILE:
            from . import handoff_editing

            return handoff_editing.save(self, opened=opened, text=text, allow_secret=allow_secret)
        from .editing import save

        return save(self, file, opened=opened, text=text, allow_secret=allow_secret)

    def revert(self, record: Record, action: str) -> Change:
        """Take a recorded change of this store back."""
        from . import handoff_editing

        if handoff_editing.is_its(record):
            return handoff_editing.revert(self, record, action)
        from .changing import locked_session

        # A carry-over before it would be a new change, after which nothing more can be redone.
        with locked_session(self) as session:
            return session.revert(record, action)

    def handoff(self) -> Handoff:
        """pi's handoff, which lies beside the local store and is never shared."""
        from .handoff_editing import look

        return look(self.places)

    def clear_handoff(self) -> Change:
        """Empty pi's handoff."""
        from .handoff_editing import clear

        return clear(self)

    def recover(self) -> Sequence[str]:
        """Repair what a killed process left unfinished here."""
        from .changing import locked_session

        with locked_session(self) as session:
            return session.notes

    def announce(self) -> None:
        """Touch `.invalidate`, which openclaude-memory watches, where it is there already."""
        path = self._path(".invalidate")
        with contextlib.suppress(OSError, PimemError):
            if self.name == "shared" and is_regular(path):
                os.utime(path)

    def _indexed(self, session: Session) -> Sequence[Entry]:
        if session.index_before is None:
            raise self._no_index()
        return session.index.entries()

    def _no_index(self) -> NoIndexError:
        return NoIndexError(f"{self.path} has no index yet; pimem write creates it.")

    def _refuse_pinned(self, found: Sequence[Entry], entry: Entry) -> None:
        if any(other.pinned for other in found if other.file == entry.file):
            raise PinnedError(
                f"{quote(entry.name)} is pinned; unpin it first "
                f"(pimem unpin {quote(entry.file)}), then remove it.",
                name=entry.name,
                file=entry.file,
            )
