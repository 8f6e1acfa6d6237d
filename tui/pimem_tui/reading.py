"""What workers do: read a store, search it, lay a body out. They post and change nothing."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from pimem_core.errors import PimemError

from .listing import prepare
from .messages import (
    BodyRead,
    HitsFound,
    ReadFailed,
    SearchFailed,
    SearchProgress,
    StatusRead,
    TokensCounted,
    TopicsRead,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable

    from pimem_core.model import Hit, Topic
    from pimem_core.systems.base import Store
    from textual.message import Message

    from .listing import Listing

    Post = Callable[[Message], object]
    Cancelled = Callable[[], bool]

#: Seconds between two reports of a running search.
_REPORT_S = 0.12
#: Seconds before the first: a screenful shows while the rest is looked through.
_FIRST_S = 0.04
#: Previews as long as this were probably cut; a little below the 50 KiB that stores keep to.
_CUT_BYTES = 50_000


def read_store(
    store: Store,
    post: Post,
    cancelled: Cancelled,
    *,
    order: int = 0,
    old: Listing | None = None,
    touched: Collection[str] | None = None,
) -> None:
    """Read a store's topics and how it is.

    Topics come first, since the person waits for them. Only an empty store's status comes before
    them, because it decides what to say instead.

    Args:
        store: The store.
        post: Where to tell the result.
        cancelled: Whether anybody still wants it.
        order: The order of the rows, one of `ordering.ORDERS`.
        old: The rows that are shown, to tell which have changed.
        touched: Files that somebody else changed; None when nobody else did.
    """
    store.forget_texts()
    try:
        listing = prepare(store.list(cancelled=cancelled), order=order)
    except PimemError as error:
        read_statuses([store], post, cancelled)
        post(ReadFailed(store, str(error)))
        return
    if cancelled():
        return
    changed = frozenset() if touched is None else changed_files(old, listing, touched)
    if listing.topics:
        post(TopicsRead(store, listing, changed))
    read_statuses([store], post, cancelled)
    if cancelled():
        return
    if not listing.topics:
        post(TopicsRead(store, listing, changed))
    tokens = 0
    for topic in listing.topics:  # each is an estimate of its own, so this comes last
        if cancelled():
            return
        tokens += topic.tokens
    post(TokensCounted(store, tokens))


def changed_files(old: Listing | None, new: Listing, touched: Collection[str]) -> frozenset[str]:
    """The files of a listing whose row or text is not what was shown before."""
    changed = {file for file in touched if file in new.rows}
    if old is not None:
        for file, row in new.rows.items():
            before = old.rows.get(file)
            if before is None or old.topics[before] != new.topics[row]:
                changed.add(file)
    return frozenset(changed)


def read_statuses(stores: Iterable[Store], post: Post, cancelled: Cancelled) -> None:
    """Look at stores one after the other."""
    for store in stores:
        if cancelled():
            return
        try:
            status = store.status()
        except PimemError:
            continue  # it says so when it is shown
        post(StatusRead(store, status))


def search(store: Store, query: str, post: Post, cancelled: Cancelled, *, order: int = 0) -> None:
    """Search a store and post what was found, in parts when it takes a while."""
    store.keep_texts()
    hits: list[Hit] = []
    reported = time.monotonic() + _FIRST_S - _REPORT_S

    def progress(looked_at: int, total: int) -> None:
        nonlocal reported
        if time.monotonic() - reported < _REPORT_S or cancelled():
            return
        reported = time.monotonic()
        if hits:
            listing = prepare([hit.topic for hit in hits], hits, order=order)
            post(HitsFound(store, query, listing, done=False))
        post(SearchProgress(store, query, looked_at, total))

    try:
        for hit in store.search(query, cancelled=cancelled, progress=progress):
            if cancelled():
                return
            hits.append(hit)
    except PimemError as error:
        post(SearchFailed(store, query, str(error)))
        return
    if not cancelled():
        listing = prepare([hit.topic for hit in hits], hits, order=order)
        post(HitsFound(store, query, listing, done=True))


def read_body(
    store: Store, topic: Topic, width: int, post: Post, cancelled: Cancelled, *, again: bool = False
) -> None:
    """Read the start of a topic and lay it out.

    Args:
        store: Where the topic is.
        topic: The topic as it is known.
        width: The width to lay it out for, in cells.
        post: Where to tell the result.
        cancelled: Whether anybody still wants it.
        again: Look the topic itself up as well, since it was changed.
    """
    # These can wait until the list is there.
    from .markdown import Line, lay_out
    from .wrap import Run

    try:
        if again:
            found = store.find(topic.file)
            topic = found if found.file == topic.file else topic
        text = store.preview(topic.file)
    except PimemError as error:
        if not cancelled():
            lines = [Line((Run(str(error), "muted"),))]
            post(BodyRead(store, topic, lines, width, error=str(error)))
        return
    if cancelled():
        return
    lines = lay_out(text, width)
    truncated = len(text) >= _CUT_BYTES or len(text.encode(errors="replace")) >= _CUT_BYTES
    if not cancelled():
        post(BodyRead(store, topic, lines, width, truncated=truncated))
