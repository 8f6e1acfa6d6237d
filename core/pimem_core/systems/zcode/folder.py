"""A folder of facts on disk, as a reader sees it: the index and the files, looked at once."""

from __future__ import annotations

import os
import unicodedata

from ...errors import InvalidTopicError, TopicNotFoundError
from ...files.read import read_bytes, read_text, signature_of
from ...formats.text import quote
from ...history import unfinished
from ...progress import never
from .facts import INDEX_NAME, Fact, facts, head, is_fact_file
from .index import entries

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from ...paths import Places
    from ...progress import Cancelled
    from .index import IndexLink
    from .location import Location


def _is_note(fact: Fact, linked: Collection[str]) -> bool:
    """Whether a file is about the folder: named in capitals, no link to it, no front matter."""
    name = fact.file.rpartition("/")[2][:-3]
    if not name.isupper() or fact.file in linked or not fact.is_regular:
        return False
    return fact.head.closing is None


class View:
    """A store as a reader sees it: the index and the facts.

    A change that a kill left unfinished shows as not made: `shown` has the contents that count
    instead of the disk's.
    """

    def __init__(
        self,
        text: str | None,
        found: Mapping[str, Fact],
        shown: Mapping[str, bytes | None],
    ) -> None:
        self.text = text
        self.facts = dict(found)
        self.shown = shown
        self.entries = entries(text or "")
        self._same: dict[str, str] | None = None
        self._last_parts: dict[str, list[str]] | None = None
        linked = {entry.file for entry in self.entries}
        #: Files about the folder, such as a README, which are no facts.
        self.notes = [file for file, fact in found.items() if _is_note(fact, linked)]
        for file in self.notes:
            del self.facts[file]

    def link_to(self, file: str) -> str:
        """How the index names a fact's file: an accent may be written in another way."""
        for entry in self.entries:
            fact = self.fact_of(entry)
            if fact is not None and fact.file == file:
                return entry.file
        return file

    def fact_of(self, entry: IndexLink) -> Fact | None:
        """The fact that a link of the index means."""
        fact = self.facts.get(entry.file)
        if fact is not None:
            return fact
        if self._same is None:
            # One system writes an accent as a character of its own, another does not.
            self._same = {unicodedata.normalize("NFC", file): file for file in self.facts}
        same = self.facts.get(self._same.get(unicodedata.normalize("NFC", entry.file), ""))
        return same or self._below(entry.file)

    def _below(self, file: str) -> Fact | None:
        """The only fact of a sub-folder that has the name which a link gives without a folder."""
        if "/" in file:
            return None
        if self._last_parts is None:
            self._last_parts = {}
            for known in self.facts:
                self._last_parts.setdefault(known.rpartition("/")[2], []).append(known)
        found = self._last_parts.get(file, [])
        return self.facts[found[0]] if len(found) == 1 else None


def entry_of(text: str, file: str) -> IndexLink | None:
    """What an index says of a fact's file; an accent may be written in another way there."""
    plain = unicodedata.normalize("NFC", file)
    return next(
        (entry for entry in entries(text) if unicodedata.normalize("NFC", entry.file) == plain),
        None,
    )


class FactFolder:
    """One folder, under the name that its store has; `location` tells how a project's was found."""

    def __init__(
        self, name: str, path: str, places: Places, location: Location | None = None
    ) -> None:
        self.name = name
        self.path = path
        self.places = places
        self.location = location

    def file(self, name: str) -> str:
        """Where a file of the folder is."""
        return os.path.join(self.path, name)

    def view(self, *, cancelled: Cancelled = never) -> View:
        """The store as it is now.

        Raises:
            StorageError: The folder or the index is there but cannot be read.
        """
        shown = self.unfinished()
        found = self._facts(shown, cancelled)
        return View(read_text(self.file(INDEX_NAME), shown), found, shown)

    def _facts(
        self, shown: Mapping[str, bytes | None], cancelled: Cancelled = never
    ) -> dict[str, Fact]:
        found = facts(self.path, cancelled=cancelled)
        for path, data in shown.items():
            file = os.path.relpath(path, self.path)
            if data is None:
                found.pop(file, None)
            elif is_fact_file(file):
                found[file] = Fact(file, path, True, head(data.decode("utf-8", "replace")))
        return found

    def view_of_files(self) -> View:
        """The facts by their files alone, for when the index cannot be read; raises as `view`."""
        shown = self.unfinished()
        return View(None, self._facts(shown), shown)

    def index_text(self) -> str | None:
        """The index alone; raises as `view`."""
        return read_text(self.file(INDEX_NAME), self.unfinished())

    def stamp_of_index(self) -> object:
        """A value that stays equal while the index does; for caches."""
        if self.unfinished():
            return object()
        return signature_of(self.file(INDEX_NAME))

    def unfinished(self) -> Mapping[str, bytes | None]:
        """The contents that count instead of the disk's, where a kill left a change unfinished."""
        return unfinished.as_before(self.places.state_dir, self.path)

    def content(self, file: str, limit: int | None = None) -> bytes:
        """The bytes of a fact's file, or the first of them.

        Raises:
            TopicNotFoundError: It is not there.
            InvalidTopicError: It is not a regular file, or below a link.
            StorageError: It cannot be read.
        """
        if not is_fact_file(file):
            raise TopicNotFoundError(f"{quote(file)} names no fact file.", file=file)
        shown, path = self.unfinished(), self.file(file)
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

    def refuse_changes(self) -> None:
        """Refuse a folder that is full of another system's topics.

        Raises:
            ReadOnlyFormatError: It is.
        """
        from . import detection

        detection.refuse_openpi(self.path)
