"""A folder of topics on disk: where it is, and what a reader sees of it."""

from __future__ import annotations

import os

from ...errors import PimemError, TopicNotFoundError
from ...files.read import is_regular, read_bytes, read_text, signature_of
from ...formats.text import quote
from ...history import unfinished
from . import config
from .index import INDEX_NAME, has_entry, is_topic_file
from .location import LOCAL, SHARED, active_folder, local_folder, shared_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Mapping

    from ...paths import Places


#: How names of Markdown files end, and how deep they are looked for below a folder.
_MARKDOWN = (".md", ".markdown")
_DEEPEST = 5


class View:
    """A store as a reader sees it: the index, and where each topic's file really is.

    A change that a kill left unfinished shows as not made; a carry-over that is due shows as done.
    """

    def __init__(
        self, text: str | None, elsewhere: Mapping[str, str], shown: Mapping[str, bytes | None]
    ) -> None:
        self.text = text
        self.elsewhere = elsewhere
        self.shown = shown


class TopicFolder:
    """One folder, under the name that its store has."""

    def __init__(self, name: str, path: str, places: Places) -> None:
        self.name = name
        self.path = path
        self.places = places
        #: Whether it is one of openpi's own places.
        self.is_own = name in (LOCAL, SHARED)

    def file(self, name: str) -> str:
        """Where a file of the folder is."""
        return os.path.join(self.path, name)

    @property
    def local(self) -> str:
        """pi's own folder, which a shared one is carried over from."""
        return local_folder(self.places)

    def _shows_carry_over(self, shown: Container[str] = ()) -> bool:
        """Whether readers show the local store's topics as carried over; so they do meanwhile."""
        if self.name != SHARED:
            return False
        from . import carry_over

        is_being_made = os.path.join(self.local, carry_over.SENTINEL_NAME) in shown
        is_due = is_being_made or (
            carry_over.is_due(self.local) and not carry_over.is_same(self.local, self.path)
        )
        return is_due and config.load(self.places)[0].shared_dir

    def view(self) -> View:
        """The store as it is now.

        Raises:
            StorageError: The index is there but cannot be read.
        """
        shown = self._unfinished()
        if self._shows_carry_over(shown):
            from . import carry_over

            try:
                plan = carry_over.plan(self.local, self.path)
                elsewhere = {name: source for name, (_data, source) in plan.copies.items()}
                # The plan counts on what an interrupted carry-over has copied.
                there = {path: data for path, data in shown.items() if data is not None}
                return View(plan.index_after, elsewhere, there)
            except PimemError:
                pass
        path = self.file(INDEX_NAME)
        return View(read_text(path, shown), {}, shown)

    def _unfinished(self) -> Mapping[str, bytes | None]:
        return unfinished.as_before(self.places.state_dir, self.path)

    def stamp_of_index(self) -> object:
        """A value that stays equal while the index does; for caches."""
        if self._shows_carry_over() or self._unfinished():
            return object()
        return signature_of(self.file(INDEX_NAME))

    def where(self, file: str, view: View) -> str:
        """Where the file of a topic is, in a view of the folder."""
        return view.elsewhere.get(file) or self.file(file)

    def content(self, file: str, view: View, limit: int | None = None) -> bytes:
        """The bytes of a topic's file in a view of the folder, or the first of them.

        Raises:
            TopicNotFoundError: It is not there.
            InvalidTopicError: It is not a regular file.
            StorageError: It cannot be read.
        """
        if not is_topic_file(file) and file not in self.plain_files(view):
            raise TopicNotFoundError(f"{quote(file)} names no topic file.", file=file)
        path = self.where(file, view)
        if path in view.shown:
            data = view.shown[path]
            if data is None:
                raise TopicNotFoundError(f"{path} does not exist.", file=file)
            return data
        return read_bytes(path, limit=limit)

    def detect(self, index_text: str | None) -> str | None:
        """The format of the folder by its index and files; raises as `detection.detect`."""
        from . import detection

        return detection.detect(self.path, index_text, is_own=self.is_own)

    def plain_files(self, view: View) -> list[str]:
        """The Markdown files of a folder that is not memory and of those below it, in byte order.

        None of a memory, in whatever format, and none that a link leads to.

        Raises:
            StorageError: The folder cannot be listed.
        """
        if (view.text is not None and has_entry(view.text)) or not os.path.lexists(self.path):
            return []
        from . import detection

        if self.detect(view.text) != detection.UNKNOWN:
            return []
        found = []
        for folder, folders, names in os.walk(self.path):
            below = os.path.relpath(folder, self.path)
            folders[:] = [] if below.count("/") >= _DEEPEST else filter(_is_shown, folders)
            found += [
                name if below == "." else f"{below}/{name}"
                for name in names
                if _is_shown(name) and name.lower().endswith(_MARKDOWN)
                if is_regular(os.path.join(folder, name))
            ]
        return sorted(found, key=os.fsencode)

    def refuse_changes(self) -> None:
        """Refuse a folder in another program's format.

        Raises:
            ReadOnlyFormatError: It is in one.
        """
        from . import detection

        text = read_text(self.file(INDEX_NAME), {})
        detection.refuse_foreign(self.path, self.detect(text))


def _is_shown(name: str) -> bool:
    return not name.startswith(".") and name != "node_modules"


def active(places: Places) -> TopicFolder:
    """The folder that openpi uses now."""
    path = active_folder(places)
    return TopicFolder(SHARED if path == shared_folder(places) else LOCAL, path, places)
