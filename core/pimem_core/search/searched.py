"""What has topics that can be searched."""

from __future__ import annotations

from _thread import allocate_lock
from abc import ABC, abstractmethod

from ..progress import ignored, never, unwatched

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..progress import Cancelled, Progress, Unread
    from .finding import Found, Shelf
    from .material import Material
    from .text_library import Library

#: Held while a store gets its library, so that threads that search it share one.
_making = allocate_lock()


class Searched(ABC):
    """The part of a store that is searched: read anew for each query, or kept in memory."""

    #: The texts that are kept, None until they may be.
    _library: Library | None = None

    @abstractmethod
    def material(self, cancelled: Cancelled = never) -> Material:
        """The topics that a search looks through, and where their files are.

        Raises:
            StorageError: The store is there but cannot be read.
        """

    def list_stamp(self) -> object:
        """Stays equal while the topics of `material` do; without one they are listed anew."""
        return object()

    def shelf(
        self,
        *,
        cancelled: Cancelled = never,
        progress: Progress = unwatched,
        unread: Unread = ignored,
    ) -> Shelf:
        """The topics ready to be searched; reads files only where texts are kept.

        Raises:
            StorageError: The store is there but cannot be read.
        """
        if self._library is None:
            from .once import Once

            return Once(self.material(cancelled))
        self._library.fill(
            self.list_stamp(), lambda: self.material(cancelled), cancelled, progress, unread
        )
        return self._library.kept()

    def search(
        self,
        query: str,
        *,
        typing: bool = False,
        cancelled: Cancelled = never,
        progress: Progress = unwatched,
        unread: Unread = ignored,
    ) -> Found:
        """Find topics by words in any order, phrases, -words and field:value, best first.

        Args:
            query: What a person typed; every text has a meaning.
            typing: Whether its last word may be unfinished.
            cancelled: Whether the caller gave up; then nothing is found.
            progress: Told how many topics have been looked at, of how many.
            unread: Told of files that cannot be read.

        Raises:
            StorageError: The store is there but cannot be read.
        """
        from .finding import find

        shelf = self.shelf(cancelled=cancelled, progress=progress, unread=unread)
        return find(
            [shelf], query, typing=typing, cancelled=cancelled, progress=progress, unread=unread
        )

    def keep_texts(self) -> None:
        """Keep what searches read in memory from now on, for a front that searches at each key.

        Files are looked at again when their size or time changed, at the latest with the first
        search after `forget_texts`.
        """
        with _making:
            if self._library is None:
                from .text_library import Library

                self._library = Library()

    @property
    def kept(self) -> Shelf | None:
        """What is kept as it is now, while `shelf` brings it up to date; None without."""
        return None if self._library is None else self._library.kept()

    def forget_texts(self) -> None:
        """Say that files may have changed since the last search."""
        if self._library is not None:
            self._library.doubt()
