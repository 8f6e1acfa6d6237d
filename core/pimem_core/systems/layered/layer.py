"""Reading one layer: its files are the topics, named by their relative paths."""

from __future__ import annotations

import os
import time

from ...errors import (
    AmbiguousTopicError,
    Hint,
    InvalidArgumentError,
    InvalidTopicError,
    PimemError,
    TopicNotFoundError,
)
from ...files.read import PREVIEW_BYTES, not_regular, read_bytes, signature
from ...formats.text import plural, quote
from ...model import Document, Topic
from ...progress import never
from ...settings import trust
from ...settings.config import load_settings
from ..system import GLOBAL, WORKSPACE
from . import names, pending
from .content import is_content, plain, summary
from .folder import ARCHIVE, INBOX, NOT_MEMORY, STATE, TASK_FILE, find_layers, split
from .scan import is_settled, walk, walk_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from ...files.git import GitState
    from ...paths import Places
    from ...progress import Cancelled
    from ...search.material import Material
    from ...settings.config import Settings
    from ..layers import DatedEntry
    from .folder import Layers
    from .scan import Found, Shown, Walk

#: Of a longer file a list looks only at so much, in bytes.
_MOST_BYTES = 16 << 20


class Layer:
    """The global or the workspace layer as a reader sees it."""

    def __init__(self, name: str, folder: str, places: Places, kind: str) -> None:
        self.name = name
        self.path = folder
        self.places = places
        self.kind = kind
        self._seen: dict[str, tuple[object, Topic]] = {}
        self._dated: dict[str, tuple[object, Sequence[DatedEntry]]] = {}

    # Where things are

    @property
    def settings(self) -> Settings:
        """The person's settings."""
        return load_settings(self.places)[0]

    @property
    def layers(self) -> Layers:
        """Both layers; this store's own folder is one of them, wherever it is."""
        found = find_layers(self.places, self.settings)
        if self.kind == GLOBAL:
            return found.but(global_dir=self.path)
        if self.path == found.workspace_dir:
            return found
        return found.but(root=_root_of(self.path), workspace_dir=self.path, is_chosen=True)

    def sibling(self, kind: str) -> Self:
        """The store of a layer; this one for its own."""
        if kind == self.kind:
            return self
        return type(self)(kind, self.folder(kind), self.places, kind)

    def folder(self, kind: str) -> str:
        """The folder of a layer."""
        layers = self.layers
        return layers.global_dir if kind == GLOBAL else layers.workspace_dir

    def layer(self, name: str) -> Self | None:
        """The store of a layer by its name."""
        if name not in (GLOBAL, WORKSPACE):
            return None
        unusable = self.layers.unusable
        if name == WORKSPACE and unusable is not None:
            raise InvalidArgumentError(unusable)
        return self.sibling(name)

    def refuse_changes(self) -> None:
        """Refuse a layer that cannot be one, or whose folder is somebody else's link."""
        layers = self.layers
        if self.kind == WORKSPACE and layers.unusable is not None:
            raise InvalidArgumentError(layers.unusable)
        from ...files.publish import refuse_others_link  # readers never publish

        refuse_others_link(self.path)

    def git_state(self) -> GitState | None:
        """How git sees the folder; None also for a project that the person does not trust."""
        if self.kind == WORKSPACE and not trust.answer(self.places, self.layers.root):
            return None
        from ...files import git

        return git.state(self.path)

    def _path(self, file: str) -> str:
        return os.path.join(self.path, file)

    # Reading

    def forget(self) -> None:
        """Look at every file again with the next read."""
        self._seen.clear()
        self._dated.clear()

    def shown(self) -> Shown:
        """Contents to show instead of the disk's, while a change is unfinished."""
        return pending.as_before(self.places)

    def walk(self) -> Walk:
        """The layer's memory files."""
        return walk(self.path, self.shown())

    def bytes_at(self, path: str) -> bytes | None:
        """A file of either layer as readers see it; None when it is absent.

        Raises:
            InvalidTopicError: It is not a regular file, or below a link.
            StorageError: It cannot be read.
        """
        shown = self.shown()
        if path in shown:
            return shown[path]
        folder = os.path.dirname(path)
        if os.path.islink(folder):
            raise InvalidTopicError(not_regular(folder), file=os.path.relpath(path, self.path))
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

    def others(self, shown: Shown) -> Sequence[Found]:
        """What is not memory but can be read: inbox, archive, and the task state."""
        folders = (ARCHIVE, INBOX, STATE) if self.kind == GLOBAL else (ARCHIVE, INBOX)
        return [found for name in folders for found in walk_folder(self.path, name, shown)]

    def find(self, topic: str) -> Topic:
        """The file with this path, with or without `.md`, else the only one it is a part of."""
        shown = self.shown()
        seen = walk(self.path, shown)
        wanted = topic.strip().removeprefix("./")
        others = self.others(shown)
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
                f"No file matches {quote(topic)} in {self.path}.",
                name=topic,
                hint=Hint(Hint.LIST, store=self.name),
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
        """Open a file. Bytes that are not UTF-8 show as U+FFFD."""
        from ...formats import frontmatter

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

    def material(self, cancelled: Cancelled = never) -> Material:
        """Memory files in order, then those of archive, inbox and task state."""
        from ...search.material import Material

        del cancelled
        shown = self.shown()
        topics = [self._topic(found, shown) for found in walk(self.path, shown).found]
        topics += [self._topic(found, shown, listed=False) for found in self.others(shown)]
        return Material.of(topics, shown)

    def entries(self, file: str | None = None) -> Sequence[DatedEntry]:
        """Dated entries, checked against each other."""
        from . import entries

        found = self.walk().found
        dated = [entry for one in found for entry in self._entries_of(one)]
        if file is not None and all(one.file != file for one in found):
            dated += entries.parse(self._text(file), store=self.name, file=file)
        checked = entries.check_references(dated)
        return [entry for entry in checked if file is None or entry.file == file]

    def _entries_of(self, found: Found) -> Sequence[DatedEntry]:
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

    def archived(self) -> Sequence[Topic]:
        """What was put into the archive."""
        shown = self.shown()
        found = walk_folder(self.path, ARCHIVE, shown)
        return [self._topic(one, shown, listed=False) for one in found]


def active_layer(places: Places) -> Layer:
    """The workspace where there is one, else the global layer, there or not."""
    layers = find_layers(places, load_settings(places)[0])
    if layers.has_workspace:
        return Layer(WORKSPACE, layers.workspace_dir, places, WORKSPACE)
    return Layer(GLOBAL, layers.global_dir, places, GLOBAL)


def _root_of(folder: str) -> str:
    """The project that a workspace folder of another place belongs to."""
    above = os.path.dirname(folder)
    return os.path.dirname(above) if os.path.basename(above) == ".pi" else above
