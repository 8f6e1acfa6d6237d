"""Searching a store for the filter, in a worker that posts what is found and changes nothing."""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING

from pimem_core.errors import PimemError
from pimem_core.search.finding import find
from pimem_core.systems.layers import STATUSES, LayerStore

from ..drawing.matches import NO_WORDS, Words
from ..rows.branches import found_rows
from ..rows.filtering import Filter, parse
from ..rows.hits import FoundHits
from ..rows.listing import prepare
from .messages import HitsFound, SearchFailed, SearchProgress
from .reading import words_of

if TYPE_CHECKING:
    from pimem_core.search.finding import Found
    from pimem_core.systems.stores import Store

    from ..rows.listing import Listing
    from .reading import Cancelled, Post

#: Seconds between two reports of a running search.
_REPORT_S = 0.12
#: Seconds before the first: a screenful shows while the rest is looked through.
_FIRST_S = 0.04
#: How much longer texts are read than those that were read are searched.
_READING_SHARE = 3
#: Rows that hardly a terminal has more of, and those of some pages.
_SCREENFUL, _PAGES = 60, 300


def keep_texts(store: Store, post: Post, cancelled: Cancelled) -> None:
    """Read the texts of a store into memory for searches to come, which tell what they find."""
    del post
    store.keep_texts()
    with contextlib.suppress(PimemError):  # the search meets it, and says so
        store.shelf(cancelled=cancelled)


def search(
    store: Store,
    query: str,
    post: Post,
    cancelled: Cancelled,
    *,
    order: int = 0,
    known: Listing | None = None,
) -> None:
    """Search a store and post what was found, in parts when it takes a while.

    A type in the query keeps to topics of it; a type alone finds them all. So does a status, for
    the entries of files.

    Args:
        store: The store.
        query: The filter.
        post: Takes the messages with the result.
        cancelled: Whether anybody still wants it.
        order: The order of the rows, one of `ordering.ORDERS`.
        known: The rows of the whole store as they were read.
    """
    store.keep_texts()
    wanted = Filter(query)
    due = time.monotonic() + _FIRST_S

    def progress(looked_at: int, total: int) -> None:
        nonlocal due
        begun = time.monotonic()
        if begun < due or cancelled():
            return
        kept = store.kept if layer is None else None
        if kept is not None:
            some = find([kept], wanted.words, typing=True, cancelled=cancelled)
            if wanted.type is not None:
                some = some.only(wanted.takes)
            if some:
                _post_hits(store, query, post, cancelled, some, order=order, like=known, done=False)
        post(SearchProgress(store, query, looked_at, total))
        now = time.monotonic()
        # Reading goes on for most of the time, however long it takes to search what was read.
        due = now + max(_REPORT_S, _READING_SHARE * (now - begun))

    layer = store if isinstance(store, LayerStore) else None
    try:
        if layer is not None and "status:" in query.casefold():
            wanted = parse(query, STATUSES, "status")
            if wanted.type is not None:
                hits = store.search(wanted.words, typing=True) if wanted.words else None
                listing = found_rows(layer, wanted, hits, order=order, known=known)
                words = NO_WORDS if hits is None else Words.of(hits)
                if not cancelled():
                    post(HitsFound(store, query, listing, done=True, words=words))
                return
        if "type:" in query.casefold():
            whole = prepare(store.list(cancelled=cancelled))
            wanted = parse(query, whole.types)
            if not wanted.words and not cancelled():
                taken = [topic for topic in whole.topics if wanted.takes(topic)]
                listing = prepare(taken, order=order)
                post(HitsFound(store, query, listing, done=True, words=NO_WORDS))
                return
        found = store.search(wanted.words, typing=True, cancelled=cancelled, progress=progress)
        nothing = found.nothing(wanted.words) if wanted.type is None else ""
        if wanted.type is not None:
            found = found.only(wanted.takes)
    except Exception as error:
        post(SearchFailed(store, query, words_of(error)))
        return
    if cancelled():
        return
    if layer is not None:
        listing = found_rows(layer, wanted, found, order=order, known=known)
        post(HitsFound(store, query, listing, True, Words.of(found), nothing))
        return
    _post_hits(store, query, post, cancelled, found, order=order, like=known, nothing=nothing)


def _post_hits(
    store: Store,
    query: str,
    post: Post,
    cancelled: Cancelled,
    found: Found,
    *,
    order: int,
    like: Listing | None,
    done: bool = True,
    nothing: str = "",
) -> None:
    """Post all rows, with the snippets of the first; once done, make those of the next pages."""
    topics = found.topics()
    hits = FoundHits(found)
    listing = prepare(topics, hits, order=order, like=like)
    rows = listing.hits or ()
    for row in range(min(_SCREENFUL, len(rows))):
        if cancelled():
            return
        rows[row]
    post(HitsFound(store, query, listing, done, Words.of(found), nothing))
    if done:
        for row in range(_SCREENFUL, min(_PAGES, len(rows))):
            if cancelled():
                return
            rows[row]
