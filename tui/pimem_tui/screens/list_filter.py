"""The filter of the list: typed in a line of its own, while its hits come from a worker."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pimem_core.formats.text import plural

from ..rows.recent import Recall

if TYPE_CHECKING:
    from pimem_core.systems.stores import Store

    from ..keys.row_wait import RowWait
    from ..rows.browsing import Browsing
    from ..rows.recent import RecentSearches
    from ..widgets import ListFrame
    from ..workers.messages import HitsFound, SearchFailed, SearchProgress
    from ..workers.row_loader import RowLoader


class ListFilter:
    """Opens, applies and closes the filter, and takes what is found."""

    def __init__(
        self,
        browsing: Browsing,
        frame: ListFrame,
        loader: RowLoader,
        wait: RowWait,
        searches: RecentSearches,
    ) -> None:
        self._browsing = browsing
        self._frame = frame
        self._loader = loader
        self._wait = wait
        self._searches, self._recall = searches, Recall(searches)
        #: The query whose hits are shown, and whether more of them are to come.
        self._ranked, self._ranking = "", False
        #: The store whose texts are kept since the filter was opened; later changes are told.
        self._kept: Store | None = None

    @property
    def is_open(self) -> bool:
        """Whether the line to type into shows."""
        return self._frame.has_class("-filtering")

    def open(self) -> None:
        """Open the filter, or go back into it."""
        if not self._frame.is_complete:  # asked for before the first paint
            self._frame.call_after_refresh(self.open)
            return
        self._keep_texts()
        self._frame.add_class("-filtering")
        self._frame.filter_bar.input.focus()

    def begin(self, query: str) -> None:
        """Show what is found for a query, and stay in the list."""
        if not self._frame.is_complete:  # asked for before the first paint
            self._frame.call_after_refresh(self.begin, query)
            return
        self._keep_texts()
        self._frame.set_class(bool(query), "-filtering")
        self._frame.filter_bar.input.value = query
        self.apply(query)

    def _keep_texts(self) -> None:
        self._kept = self._browsing.store
        self._loader.keep_texts()

    def leave(self) -> None:
        """Clear the filter and go back into it; an empty one, or one left before, closes."""
        in_list = self._frame.screen.focused is self._frame.topic_list
        if self._browsing.query:
            self._searches.remember(self._browsing.query)
            self._frame.filter_bar.input.value = ""
            self.apply("")
            if not in_list:
                return
        self._close()

    def accept(self) -> None:
        """Go to the list and keep the filter; an empty one closes."""
        if self._browsing.query:
            self._searches.remember(self._browsing.query)
            self._frame.topic_list.focus()
        else:
            self._close()

    def move(self, by: int) -> None:
        """Select another hit; above the first are the searches before this one."""
        line, rows = self._frame.filter_bar.input, self._frame.topic_list
        if not line.value or rows.selected == 0:
            text = self._recall.step(by, line.value)
            if text is not None:
                line.value, line.cursor_position = text, len(text)
                return
        rows.action_move(by)

    def _close(self) -> None:
        self._frame.remove_class("-filtering")
        self._frame.topic_list.focus()

    def next_type(self) -> None:
        """Keep to the next type of the store, after the last to all; words of the filter stay."""
        self.begin(self._browsing.next_type(self._frame.shown))

    def apply(self, query: str) -> None:
        """Look for another filter; an empty one shows all rows again."""
        browsing = self._browsing
        if query == browsing.query:
            return
        if browsing.store is not self._kept:
            self._keep_texts()
        browsing.filter_by(query)
        self._wait.hits = bool(query)
        self._frame.filter_bar.note = ""
        if query:
            self._loader.search()
        else:
            self._loader.stop_search()
            self._frame.show_rows()

    # What was found ----------------------------------------------------------------------------

    def take_hits(self, message: HitsFound) -> None:
        """Show what was found so far."""
        if not self._browsing.searches(message.store, message.query):
            return
        self._wait.hits &= not message.done
        # The best hit is selected until somebody chose another one.
        fresh = self._browsing.hits is None or self._ranked != message.query
        untouched = self._ranking and self._frame.topic_list.selected == 0
        self._ranked, self._ranking = message.query, not message.done
        self._browsing.hits, self._browsing.words = message.listing, message.words
        self._browsing.nothing = message.nothing
        found = plural(message.listing.count, "hit")
        self._frame.filter_bar.note = found if message.done else f"{found} …"
        self._frame.show_hits(message.listing, best_first=fresh or untouched)

    def take_progress(self, message: SearchProgress) -> None:
        """Say how far the search is."""
        if self._browsing.searches(message.store, message.query) and message.total:
            hits = self._browsing.hits
            found = plural(hits.count if hits is not None else 0, "hit")
            percent = 100 * message.looked_at // message.total
            self._frame.filter_bar.note = f"searching {percent}%, {found}"

    def take_failure(self, message: SearchFailed) -> bool:
        """Say that the search has stopped; whether that was news."""
        if not self._browsing.searches(message.store, message.query):
            return False
        self._wait.hits = False
        self._frame.filter_bar.note = "stopped"
        return True
