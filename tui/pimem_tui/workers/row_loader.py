"""Reading the rows that show: at first, after a change, and for a filter."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from .reading import read_prompt, read_status, read_store

if TYPE_CHECKING:
    from collections.abc import Callable

    from pimem_core.paths import Places
    from pimem_core.systems.stores import Store

    from ..keys.row_wait import RowWait
    from ..rows.browsing import Browsing
    from .background import Reader

#: Seconds after which reading is worth a message.
_SLOW_S = 0.15


class RowLoader:
    """Starts the workers that read what a person browses; what they find comes to the reader."""

    def __init__(
        self,
        reader: Reader,
        browsing: Browsing,
        wait: RowWait,
        places: Places,
        *,
        watch: Callable[[Store], None],
        is_slow: Callable[[], None],
    ) -> None:
        """Load rows.

        Args:
            reader: The widget that the workers belong to and report to.
            browsing: What is browsed.
            wait: Told when keys have to wait for the rows.
            places: Where the session is whose next prompt is worked out.
            watch: Follows what others change in a store.
            is_slow: Called when reading takes long enough for a message.
        """
        self._reader = reader
        self._browsing = browsing
        self._wait = wait
        self._places = places
        self._reads_prompt = False
        self._prompt_is_old = False
        self._watch = watch
        self._is_slow = is_slow

    def read(
        self,
        *,
        others: bool = False,
        touched: frozenset[str] | None = None,
        awaited: bool = True,
    ) -> None:
        """Read the store that shows.

        Args:
            others: Look at the other stores as well.
            touched: Files that somebody else changed; None when a key asked for it.
            awaited: Have keys wait for the rows, unless somebody else changed them.
        """
        browsing = self._browsing
        store, view = browsing.store, browsing.view
        browsing.is_slow = False
        self._wait.rows |= awaited and touched is None
        self._reader.set_timer(_SLOW_S, self._tell_slow)
        job = partial(
            read_store,
            store,
            order=browsing.order,
            unfolded=frozenset(view.unfolded),
            old=view.listing,
            touched=touched,
        )
        self._reader.read("read", job)
        if touched is None:
            self._watch(store)
        if others:  # each apart: one that hangs keeps nothing from the rest
            for number, other in enumerate(browsing.stores):
                if other is not store:
                    self._reader.read(f"status {number}", partial(read_status, other))

    def read_prompt(self) -> None:
        """Work out what the next prompt carries; one that is under way is begun again later."""
        self._prompt_is_old = self._reads_prompt
        if not self._reads_prompt:
            self._reads_prompt = True
            self._reader.read("prompt", partial(read_prompt, self._places))

    def prompt_was_read(self) -> None:
        """Begin again where something has changed meanwhile."""
        self._reads_prompt = False
        if self._prompt_is_old:
            self.read_prompt()

    def _tell_slow(self) -> None:
        self._browsing.is_slow = True
        self._is_slow()

    def keep_texts(self) -> None:
        """Look at the files of the store that shows, new ones or changed ones, for searches."""
        from .searching import keep_texts  # the first frame needs nothing of searches

        store = self._browsing.store
        store.forget_texts()
        self._reader.read("texts", partial(keep_texts, store))

    def search(self) -> None:
        """Look for the filter in the store that shows."""
        from .searching import search

        browsing = self._browsing
        known = browsing.view.listing
        job = partial(search, browsing.store, browsing.query, order=browsing.order, known=known)
        self._reader.read("search", job)

    def stop_search(self) -> None:
        """Look no further."""
        self._reader.workers.cancel_group(self._reader, "search")

    def look_at_lock(self) -> None:
        """Look again at a store that somebody holds locked."""
        status = self._browsing.view.status
        if status is not None and status.lock is not None:
            self._reader.read("lock", partial(read_status, self._browsing.store))
