"""The second level of the list: dated entries below their files, and what a prompt gets of each.

It is for stores that are a layer of a memory; other stores have no branches. Call it in a worker:
the work grows with the store.
"""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any

from pimem_core.errors import PimemError
from pimem_core.model import Topic
from pimem_core.systems.layers import LayerStore

from ..drawing.matches import NO_WORDS, Words
from .listing import Listing, prepare

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from pimem_core.model import Hit
    from pimem_core.search.finding import Found
    from pimem_core.systems.layers import DatedEntry, LoadStatus, Place
    from pimem_core.systems.stores import Store

    from .filtering import Filter

#: The note of files that were put into the archive.
ARCHIVED = "archived"
#: Between the file and the heading in the handle of an entry; no file has a line end in its name.
_JOINT = "\n"


class EntryRow(Topic):
    """A dated entry as a row of the list, below its file.

    `file` is a handle of the list's own, `of` the file that the entry is in. `type` is its status.
    """

    of: str
    entry: DatedEntry

    def __init__(self, *, of: str, entry: DatedEntry, **values: Any) -> None:
        """Set the fields of a topic, and these two."""
        super().__init__(**values)
        object.__setattr__(self, "of", of)
        object.__setattr__(self, "entry", entry)

    @property
    def standing(self) -> str:
        """Status and confidence in words."""
        return ", ".join(part for part in (self.entry.status, self.entry.confidence) if part)

    @property
    def whole(self) -> Topic:
        """The file that the entry is in."""
        return Topic(store=self.store, name=self.of, file=self.of, path=self.path, summary="")


def file_of(topic: Topic) -> str:
    """The file that a row is about, for actions on files."""
    return topic.of if isinstance(topic, EntryRow) else topic.file


def handle(place: Place) -> str:
    """The handle of the first entry with this heading in this file."""
    return f"{place.file}{_JOINT}{place.heading}"


def entry_rows(store: LayerStore, entries: Iterable[DatedEntry]) -> list[EntryRow]:
    """Entries as rows, each with a handle of its own."""
    seen: dict[str, int] = {}
    rows = []
    for entry in entries:
        name = f"{entry.file}{_JOINT}{entry.heading}"
        seen[name] = seen.get(name, 0) + 1
        rows.append(
            EntryRow(
                store=entry.store,
                name=entry.title or entry.heading,
                file=name if seen[name] == 1 else f"{name}{_JOINT}{seen[name]}",
                path=f"{store.path}/{entry.file}",
                summary=entry.gist,
                stamp=entry.date,
                line=entry.text,
                type=entry.status,
                problem=entry.problems[0] if entry.problems else None,
                of=entry.file,
                entry=entry,
            )
        )
    return rows


def find_row(store: LayerStore, file: str) -> EntryRow | None:
    """The entry with this handle as it is now; None when it is gone."""
    rows = entry_rows(store, store.entries(file.partition(_JOINT)[0]))
    return next((row for row in rows if row.file == file), None)


def with_load(topics: Iterable[Topic], load: LoadStatus) -> list[Topic]:
    """The files with what the next prompt gets of each, and why not all of it."""
    given = {row.path: row for row in load.files}
    noted = []
    for topic in topics:
        row = given.get(topic.path)
        if row is None:
            noted.append(topic.but(line="", note="not given to the model"))
            continue
        note = f"hidden by {row.hidden_by}" if row.hidden_by else row.note
        if note and 0 < row.injected < row.chars:
            note += f", {row.injected:,} of {row.chars:,} characters"
        line = topic.line[-row.injected :] if row.injected else ""
        noted.append(topic.but(line=line, note=note if topic.problem is None else None))
    return noted


def list_rows(
    store: Store, *, order: int, unfolded: Collection[str], cancelled: Callable[[], bool]
) -> Listing:
    """The rows of a store: its topics, and the entries of those that are unfolded.

    Raises:
        StorageError: The store cannot be read.
    """
    topics = store.list(cancelled=cancelled)
    layer = store if isinstance(store, LayerStore) else None
    if layer is None or cancelled():
        return prepare(topics, order=order)
    known = with_load(topics, layer.load())
    with contextlib.suppress(PimemError):  # the memory itself can be read
        # What is put away is read as a whole: its entries are no memory any more.
        known += [topic.but(line="", note=ARCHIVED, entries=0) for topic in layer.archived()]
    below = _below(layer, unfolded) if unfolded else {}
    listing = prepare(known, order=order, below=below, has_entries=True)
    listing.count = len(topics)
    return listing


def _below(layer: LayerStore, unfolded: Collection[str]) -> Mapping[str, Sequence[EntryRow]]:
    below: dict[str, list[EntryRow]] = {}
    for row in entry_rows(layer, layer.entries()):
        if row.of in unfolded:
            below.setdefault(row.of, []).append(row)
    return below


def found_rows(
    layer: LayerStore, wanted: Filter, found: Found | None, *, order: int, known: Listing | None
) -> Listing:
    """What a filter takes: files with a hit, and below them the entries with most of the words.

    With a status it takes entries only, and their files for the place they are in.

    Args:
        layer: The store.
        wanted: The filter.
        found: The files that the words are in; None when there are no words.
        order: One of `ordering.ORDERS`.
        known: The rows of the whole store as they were read.
    """
    hits = [] if found is None else list(found)
    words = NO_WORDS if found is None else Words.of(found)
    files = None if found is None else {hit.topic.file for hit in hits}
    inside: dict[str, list[EntryRow]] = {}
    for row in entry_rows(layer, layer.entries()):
        if wanted.takes(row) and (files is None or row.of in files):
            inside.setdefault(row.of, []).append(row)
    below = {file: with_most(rows, words) for file, rows in inside.items()} if words else inside
    below = {file: rows for file, rows in below.items() if rows}
    if wanted.type is None:
        noted = [_as_known(hit, known) for hit in hits]
        topics = [hit.topic for hit in noted]
        return prepare(topics, noted, order=order, below=below, has_entries=True)
    holders = [topic for topic in layer.list() if topic.file in below]
    listing = prepare(with_load(holders, layer.load()), order=order, below=below, has_entries=True)
    listing.count = sum(map(len, below.values()))
    return listing


def with_most(rows: Sequence[EntryRow], words: Words) -> list[EntryRow]:
    """The entries with the most of the words, none where no entry has any."""
    shares = [words.share(row.entry.text) for row in rows]
    most = max(shares, default=0)
    return [row for row, share in zip(rows, shares, strict=True) if share == most > 0]


def _as_known(hit: Hit, known: Listing | None) -> Hit:
    """The hit with what a list says of its file besides."""
    topic = hit.topic
    row = None if known is None else known.rows.get(topic.file)
    if known is not None and row is not None:
        return hit.but(topic=known.topics[row])
    note = None if topic.listed else f"in {topic.file.rpartition('/')[0]}/"
    return hit.but(topic=topic.but(note=note, line=""))
