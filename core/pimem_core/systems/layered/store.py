"""One layer as a store: its files are the topics, named by their relative paths."""

from __future__ import annotations

import os
import time

from ... import settings as all_settings
from ...errors import (
    AmbiguousTopicError,
    InvalidArgumentError,
    InvalidTopicError,
    PimemError,
    StorageError,
    TopicNotFoundError,
    UnsupportedError,
)
from ...files.read import PREVIEW_BYTES, not_regular, read_bytes
from ...model import Document, Topic
from ...text import plural, quote
from ..base import Removal, WholeText, never, silent
from . import names, pending
from .content import is_content, plain, summary
from .layers import (
    ARCHIVE,
    GLOBAL,
    INBOX,
    INDEX_NAME,
    NOT_MEMORY,
    STATE,
    TASK_FILE,
    WORKSPACE,
    find_layers,
    split,
)
from .scan import is_settled, signature, walk, walk_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    import contextlib
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from ...files.record import Record
    from ...model import Change, Hit, StoreStatus
    from ...paths import Places
    from ...settings import Settings
    from ..base import Cancelled, Progress, WriteRequest
    from ..layers import Entry, InboxFile, LoadStatus, Promotion, Target
    from .changing import Session
    from .layers import Layers
    from .scan import Found, Shown, Walk

#: Of a longer file a list looks only at so much, in bytes.
_MOST_BYTES = 16 << 20
_NO_PIN = "Layered memory has no pins; files of the always_inject folders are always used."


class LayeredStore(WholeText):
    """The global or the workspace layer."""

    system = pending.SYSTEM
    abilities = frozenset({"write", "remove", "edit", "inbox"})

    def __init__(self, name: str, folder: str, places: Places, kind: str) -> None:
        self.name = name
        self.path = folder
        self.places = places
        self.kind = kind
        self._seen: dict[str, tuple[object, Topic]] = {}
        self._dated: dict[str, tuple[object, Sequence[Entry]]] = {}

    # Where things are

    @property
    def settings(self) -> Settings:
        """The person's settings."""
        return all_settings.load(self.places)[0]

    @property
    def layers(self) -> Layers:
        """Both layers; this store's own folder is one of them, wherever it is."""
        found = find_layers(self.places, self.settings)
        if self.kind == GLOBAL:
            return found.but(global_dir=self.path)
        if self.path == found.workspace_dir:
            return found
        return found.but(root=_root_of(self.path), workspace_dir=self.path, hindrance=None)

    def sibling(self, kind: str) -> LayeredStore:
        """The store of a layer; this one for its own."""
        if kind == self.kind:
            return self
        return LayeredStore(kind, self.folder(kind), self.places, kind)

    def folder(self, kind: str) -> str:
        """The folder of a layer."""
        layers = self.layers
        return layers.global_dir if kind == GLOBAL else layers.workspace_dir

    def layer(self, name: str) -> LayeredStore | None:
        """The store of a layer by its name."""
        if name not in (GLOBAL, WORKSPACE):
            return None
        hindrance = self.layers.hindrance
        if name == WORKSPACE and hindrance is not None:
            raise InvalidArgumentError(hindrance)
        return self.sibling(name)

    def _path(self, file: str) -> str:
        return os.path.join(self.path, file)

    # Reading

    def shown(self) -> Shown:
        """Contents to show instead of the disk's, while a change is unfinished."""
        return pending.as_before(self.places)

    def walk(self) -> Walk:
        """The layer's memory files."""
        return walk(self.path, self.shown())

    def bytes_at(self, path: str) -> bytes | None:
        """A file of either layer as readers see it; None when it is absent.

        Raises:
            InvalidTopicError: It is no regular file, or below a link.
            StorageError: It cannot be read.
        """
        shown = self.shown()
        if path in shown:
            return shown[path]
        folder = os.path.dirname(path)
        if os.path.islink(folder):
            raise InvalidTopicError(not_regular(folder), file=os.path.basename(path))
        try:
            return read_bytes(path)
        except TopicNotFoundError:
            return None

    def text_of(self, found: Found) -> str:
        """A found file's text; nothing when it cannot be read."""
        try:
            return (self.bytes_at(found.path) or b"").decode("utf-8", "replace")
        except PimemError:
            return ""

    def list(self, *, cancelled: Cancelled = never) -> Sequence[Topic]:
        """The memory files in order, those that cannot be read with their problem."""
        shown = self.shown()
        seen = walk(self.path, shown)
        topics = []
        for found in seen.found:
            if cancelled():
                break
            topics.append(self._topic(found, shown))
        for file, problem in seen.broken:
            topics.append(self._plain_topic(file).but(problem=problem))
        topics.sort(key=lambda topic: os.fsencode(topic.file))
        return topics

    def _topic(self, found: Found, shown: Shown, *, listed: bool = True) -> Topic:
        key = signature(found.status)
        known = self._seen.get(found.path)
        if known is not None and key is not None and known[0] == (key, listed):
            return known[1]
        began = time.time_ns()
        topic = self._read_topic(found, shown).but(listed=listed)
        if is_settled(found.status, began):
            self._seen[found.path] = ((key, listed), topic)
        return topic

    def _read_topic(self, found: Found, shown: Shown) -> Topic:
        topic = self._plain_topic(found.file)
        try:
            known = found.path in shown
            data = shown[found.path] if known else read_bytes(found.path, limit=_MOST_BYTES)
        except PimemError as error:
            return topic.but(problem=str(error))
        text = plain(data or b"")
        stamp, problem, count = None, None, 0
        if "##" in text or "\n-" in text:
            from . import entries  # loads the Markdown parser

            dated = entries.parse(text, store=self.name, file=found.file)
            stamp, count = entries.newest_date(dated), len(dated)
            wrong = [entry for entry in dated if entry.problems]
            if wrong:
                problem = f"line {wrong[0].line}: {wrong[0].problems[0]}"
        return topic.but(
            summary=summary(split(found.file)[1], text),
            stamp=stamp,
            entries=count,
            problem=problem,
            line=text[-self.settings.layered_max_file_chars :]
            if is_content(split(found.file)[1], text)
            else "",
        )

    def _plain_topic(self, file: str) -> Topic:
        return Topic(
            store=self.name,
            name=file,
            file=file,
            path=self._path(file),
            summary="",
            listed=split(file)[0] not in NOT_MEMORY,
        )

    def _others(self, shown: Shown) -> Sequence[Found]:
        """What is no memory but can be read: inbox, archive, and the task state."""
        folders = (ARCHIVE, INBOX, STATE) if self.kind == GLOBAL else (ARCHIVE, INBOX)
        return [found for name in folders for found in walk_folder(self.path, name, shown)]

    def find(self, topic: str) -> Topic:
        """The file with this path, with or without `.md`, else the only one it is a part of."""
        shown = self.shown()
        seen = walk(self.path, shown)
        wanted = topic.strip().removeprefix("./")
        others = self._others(shown)
        for name in (wanted, f"{wanted}.md"):
            for found in [*seen.found, *others]:
                if found.file == name:
                    return self._topic(found, shown, listed=split(name)[0] not in NOT_MEMORY)
            for file, problem in seen.broken:
                if file == name:
                    return self._plain_topic(file).but(problem=problem)
            if name == TASK_FILE and self.kind == GLOBAL:
                return self._plain_topic(name)
        folded = wanted.casefold()
        matches = [found for found in seen.found if folded and folded in found.file.casefold()]
        if len(matches) == 1:
            return self._topic(matches[0], shown)
        if not matches:
            raise TopicNotFoundError(
                f"No file matches {quote(topic)} in {self.path}; pimem list --store {self.name} "
                "shows what is there.",
                name=topic,
            )
        files = [found.file for found in matches]
        said = ", ".join(files[:5]) + (f" and {len(files) - 5} more" if files[5:] else "")
        raise AmbiguousTopicError(
            f"{quote(topic)} matches {plural(len(files), 'file')}: {said}. Name one of them.",
            name=topic,
            candidates=files,
        )

    def read_bytes(self, file: str) -> bytes:
        """The bytes of a file; a task state that is not there is empty."""
        return self._content(file, None)

    def _content(self, file: str, limit: int | None) -> bytes:
        if not names.is_file(file):
            raise TopicNotFoundError(f"{quote(file)} names no memory file.", file=file)
        path = self._path(file)
        shown = self.shown()
        if path in shown:
            data = shown[path]
            if data is None:
                raise TopicNotFoundError(f"{path} does not exist.", file=file)
            return data
        folder = os.path.dirname(path)
        if folder != self.path and os.path.islink(folder):
            raise InvalidTopicError(not_regular(folder), file=file)
        try:
            return read_bytes(path, limit=limit)
        except TopicNotFoundError:
            if file == TASK_FILE and self.kind == GLOBAL:
                return b""
            raise

    def read(self, file: str) -> Document:
        """Open a file. Bytes that are no UTF-8 show as U+FFFD."""
        from ...files import frontmatter

        text = self._content(file, None).decode("utf-8", "replace")
        return Document(
            store=self.name,
            name=file,
            file=file,
            path=self._path(file),
            front_matter=frontmatter.read(text),
            body=frontmatter.split(text).body,
            text=text,
        )

    def preview(self, file: str) -> str:
        """A file's text, of a long one only the first 50 KiB."""
        data = self._content(file, PREVIEW_BYTES + 1)
        text = data[:PREVIEW_BYTES].decode("utf-8", "ignore" if data[PREVIEW_BYTES:] else "replace")
        return f"{text}\n\n<!-- the rest is in the file -->" if data[PREVIEW_BYTES:] else text

    def search(
        self, query: str, *, cancelled: Cancelled = never, progress: Progress = silent
    ) -> Iterator[Hit]:
        """Memory files in order, then those of archive, inbox and task state."""
        from ...search import scan

        shown = self.shown()
        topics = [self._topic(found, shown) for found in walk(self.path, shown).found]
        topics += [self._topic(found, shown, listed=False) for found in self._others(shown)]
        return scan(topics, query, shown, cancelled, progress)

    # Status

    def status(self) -> StoreStatus:
        """What is known of the layer."""
        from .status import status

        return status(self)

    def load(self) -> LoadStatus:
        """What the next prompt gets of both layers."""
        from .status import load_status

        return load_status(self)

    def load_lines(self) -> Sequence[str]:
        """The same as lines for people."""
        from .status import load_lines, load_status

        return load_lines(load_status(self))

    def entries(self, file: str | None = None) -> Sequence[Entry]:
        """Dated entries, checked against each other."""
        from . import entries

        found = self.walk().found
        dated = [entry for one in found for entry in self._entries_of(one)]
        if file is not None and all(one.file != file for one in found):
            dated += entries.parse(self._text(file), store=self.name, file=file)
        checked = entries.check_references(dated)
        return [entry for entry in checked if file is None or entry.file == file]

    def _entries_of(self, found: Found) -> Sequence[Entry]:
        """The entries of a file, parsed again only when it changed."""
        from . import entries

        key = signature(found.status)
        known = self._dated.get(found.path)
        if known is not None and key is not None and known[0] == key:
            return known[1]
        began = time.time_ns()
        dated = entries.parse(self._text(found.file), store=self.name, file=found.file)
        if is_settled(found.status, began):
            self._dated[found.path] = (key, dated)
        return dated

    def _text(self, file: str) -> str:
        try:
            return self._content(file, _MOST_BYTES).decode("utf-8", "replace")
        except PimemError:
            return ""

    def inbox(self) -> Sequence[InboxFile]:
        """What waits to be reviewed."""
        from .promoting import inbox

        return inbox(self)

    def archived(self) -> Sequence[Topic]:
        """What was put into the archive."""
        shown = self.shown()
        found = walk_folder(self.path, ARCHIVE, shown)
        return [self._topic(one, shown, listed=False) for one in found]

    # Changes: each runs in a session that holds the lock of both layers

    def session(self) -> contextlib.AbstractContextManager[Session]:
        """Hold both layers for one change."""
        from .changing import session  # loads filelock, which readers never need

        return session(self)

    def moment(self, session: Session | None) -> datetime:
        """The time of a change, or now for one that is only worked out."""
        from ...clock import now

        return session.moment if session is not None else now()

    def check(self, request: WriteRequest, opened: Document | None = None) -> str | None:
        """Why an entry would be refused, or would be wrong once it is written."""
        from . import editing

        return editing.refusal(self, request)

    def cost(self, name: str, summary: str) -> int:
        """Tokens of a heading with this title."""
        from ...tokens import estimate

        return estimate(f"## 2026-07-15 {summary}\n")

    def write(self, request: WriteRequest) -> Change:
        """Append a dated entry whose title is the summary."""
        from . import editing

        if request.pin:
            raise UnsupportedError(_NO_PIN, name=request.topic)
        if request.mode == "replace":
            raise UnsupportedError(
                "Layered memory only grows by entries; to replace a text, edit the file.",
                name=request.topic,
            )
        if request.type is not None or request.title is not None:
            raise UnsupportedError(
                "Files of this store have no type and no title.", name=request.topic
            )
        return editing.write(self, request)

    def pin(self, topic: str, pinned: bool) -> Change:
        """Refused: there are no pins."""
        del pinned
        raise UnsupportedError(_NO_PIN, name=topic)

    def refuse_changes(self) -> None:
        """Nothing to refuse, unless the folder itself cannot be one."""
        layers = self.layers
        if self.kind == WORKSPACE and layers.hindrance is not None:
            raise InvalidArgumentError(layers.hindrance)
        if os.path.islink(self.path):
            raise StorageError(not_regular(self.path))

    def removal(self, topic: str) -> Removal:
        """What removing would do."""
        found = self.find(topic)
        self.read_bytes(found.file)
        said = "The file goes; pimem keeps its text in the undo history."
        if found.file == INDEX_NAME:
            said += f" Without it this folder is no {self.kind} memory any more."
        return Removal(question=f"Remove {found.file}?", goes_and_stays=said)

    def remove(self, topic: str) -> Change:
        """Move a file into the journal."""
        from . import editing

        return editing.remove(self, self.find(topic).file)

    def save(self, file: str, *, opened: str, text: str, allow_secret: bool = False) -> Change:
        """Save an edited file, merged with what others changed meanwhile."""
        from . import editing

        return editing.save(self, file, opened=opened, text=text, allow_secret=allow_secret)

    def archive(self, file: str, entry: str | None = None) -> Change:
        """Move a file, or one entry of it, into the archive."""
        from . import editing

        return editing.archive(self, file, entry)

    def set_status(self, file: str, entry: str, status: str) -> Change:
        """Set an entry's status."""
        from . import editing

        return editing.set_status(self, file, entry, status)

    def supersede(self, file: str, entry: str, by: str, *, by_file: str | None = None) -> Change:
        """Mark an entry as replaced by another."""
        from . import editing

        return editing.supersede(self, file, entry, by, by_file or file)

    def checkpoint(self) -> Change:
        """Put an empty template into the workspace's inbox."""
        from .promoting import checkpoint

        return checkpoint(self.sibling(WORKSPACE))

    def targets(self) -> Sequence[Target]:
        """Where text can be promoted to."""
        from .promoting import all_targets

        return all_targets(self)

    def promotion(
        self, file: str, folder: str, target: str, *, sections: Sequence[str] | None = None
    ) -> Promotion:
        """What promoting would do."""
        from .promoting import plan

        return plan(self, None, file, folder, target, sections).shown

    def promote(
        self,
        file: str,
        folder: str,
        target: str,
        *,
        sections: Sequence[str] | None = None,
        allow_secret: bool = False,
    ) -> Change:
        """Append a reviewed file to a memory file and take it out of the inbox."""
        from .promoting import promote

        return promote(self, file, folder, target, sections=sections, allow_secret=allow_secret)

    def init(self, scope: str) -> Change:
        """Create what is missing of a layer."""
        from .initialising import check_scope, init

        return init(self.sibling(check_scope(scope)), scope)

    def clear_task(self) -> Change:
        """Empty the task state."""
        from . import editing

        return editing.clear_task(self.sibling(GLOBAL))

    def refresh(self) -> Change:
        """Read everything anew and say what changed since this was asked last."""
        from .refreshing import refresh

        self._seen.clear()
        self._dated.clear()
        return refresh(self)

    def revert(self, record: Record, action: str) -> Change:
        """Take a recorded change back."""
        with self.session() as session:
            return session.revert(record, action)

    def recover(self) -> Sequence[str]:
        """Repair what a killed process left unfinished here."""
        with self.session() as session:
            return session.notes

    def announce(self) -> None:
        """Nobody watches these folders but by looking."""


def _root_of(folder: str) -> str:
    """The project that a workspace folder of another place belongs to."""
    above = os.path.dirname(folder)
    return os.path.dirname(above) if os.path.basename(above) == ".pi" else above
