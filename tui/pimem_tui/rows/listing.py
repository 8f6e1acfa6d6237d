"""The rows of a list, prepared in a worker so that showing them costs the same for any number."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pimem_core.model import Hit
from pimem_core.systems.layers import STATUSES
from rich.cells import cell_len

from ..drawing.cells import clean
from .filtering import NO_TYPE
from .hits import Reordered
from .ordering import places_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pimem_core.model import Topic

    from .hits import Hits

#: Names wider than this do not widen the column.
MAX_NAME_CELLS = 32
#: What a mark before the name of a file with entries takes, and each step to the right.
BRANCH_CELLS = 2
#: The same as for names, for types.
MAX_TYPE_CELLS = 12


@dataclass(slots=True)
class Listing:
    """Topics in the order of the store, or those of a filter, with what is known of them all.

    A listing is filled before it is shown; afterwards only `replace` changes it, on the
    interface's own thread.
    """

    topics: list[Topic] = field(default_factory=list)
    #: Why each row is here, for a filter; None for the whole store.
    hits: Hits | None = None
    #: The first row of each file.
    rows: dict[str, int] = field(default_factory=dict)
    stale: int = 0
    problems: int = 0
    name_cells: int = 0
    #: The types of the topics, in alphabetical order, the word for none last; empty without any.
    types: Sequence[str] = ()
    type_cells: int = 0
    #: How many topics there are, entries below them not counted; of a filter, how many it found.
    count: int = 0
    #: Files whose entries show below them.
    unfolded: frozenset[str] = frozenset()
    #: Whether the store's files have dated entries; its types are their statuses then.
    has_entries: bool = False

    @property
    def type_word(self) -> str:
        """What a filter by type begins with."""
        return "status" if self.has_entries else "type"

    def row_of(self, file: str, near: int = -1) -> int | None:
        """The row of a file, the same one as before when a file stands in several."""
        if 0 <= near < len(self.topics) and self.topics[near].file == file:
            return near
        return self.rows.get(file)

    def replace(self, topic: Topic) -> int | None:
        """Put a changed topic in the place of the old one and say which row it is."""
        row = self.rows.get(topic.file)
        if row is not None:
            old = self.topics[row]
            self.topics[row] = topic
            self.stale += topic.stale - old.stale
        return row


def prepare(
    topics: Sequence[Topic],
    hits: Hits | None = None,
    *,
    order: int = 0,
    below: Mapping[str, Sequence[Topic]] | None = None,
    has_entries: bool = False,
    like: Listing | None = None,
) -> Listing:
    """Make a listing. Call it in a worker: the work grows with the topics.

    Args:
        topics: The topics as the store has them.
        hits: Why each is here, for a filter.
        order: One of `ordering.ORDERS`.
        below: Rows to show below a file.
        has_entries: Whether the store's files have dated entries.
        like: All rows of the store, whose columns and counts the rows of a filter have as well.
    """
    if order:
        places = places_of(topics, order)
        topics = [topics[place] for place in places]
        hits = None if hits is None else Reordered(hits, places)
    listing = Listing(
        topics=list(topics),
        hits=hits,
        count=len(topics),
        has_entries=has_entries,
    )
    if below:
        _unfold(listing, below, order)
    last = len(listing.topics) - 1
    # Of several rows of one file the first counts.
    listing.rows = {t.file: last - row for row, t in enumerate(reversed(listing.topics))}
    if like is not None:
        listing.stale, listing.problems = like.stale, like.problems
        listing.name_cells, listing.type_cells = like.name_cells, like.type_cells
        listing.types = like.types
        return listing
    listing.stale = sum(topic.stale for topic in topics)
    listing.problems = sum(topic.problem is not None for topic in topics)
    if has_entries:
        listing.types = STATUSES
        # Titles of entries are long, and the columns stay where they are when one unfolds.
        listing.name_cells = MAX_NAME_CELLS
        return listing
    listing.name_cells = _widest((topic.name for topic in listing.topics), MAX_NAME_CELLS)
    types = {topic.type for topic in listing.topics}
    named = sorted(kind for kind in types if kind is not None)
    if named:
        listing.types = [
            *(kind.casefold() for kind in named),
            *([NO_TYPE] if None in types else ()),
        ]
        listing.type_cells = _widest(named, MAX_TYPE_CELLS)
    return listing


def _widest(texts: Iterable[str], limit: int) -> int:
    """The cells of the widest text, at most the limit."""
    widest = 0
    for text in texts:
        # No character has more than two cells; most texts are seen to have one for each.
        if len(text) * 2 > widest:
            is_plain = text.isascii() and text.isprintable()
            cells = len(text) if is_plain else cell_len(clean(text, limit))
            if cells >= limit:
                return limit
            widest = max(widest, cells)
    return widest


def _unfold(listing: Listing, below: Mapping[str, Sequence[Topic]], order: int) -> None:
    """Put rows below their files, in the order that the files are in."""
    topics: list[Topic] = []
    hits: list[Hit] = []
    for row, topic in enumerate(listing.topics):
        inside = below.get(topic.file, ())
        inside = [inside[place] for place in places_of(inside, order)] if order else inside
        topics += [topic, *inside]
        if listing.hits is not None:
            hits += [listing.hits[row], *(Hit(topic=t, where="name", snippet="") for t in inside)]
    listing.topics = topics
    listing.hits = hits if listing.hits is not None else None
    listing.unfolded = frozenset(below)
