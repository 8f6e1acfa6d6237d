"""What workers do: read a store, search it, lay a body out. They post and change nothing."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from pimem_core.errors import PimemError

from .cells import clean
from .filtering import Filter, parse
from .listing import prepare
from .messages import (
    BodyRead,
    HitsFound,
    LinksRead,
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
    from pimem_core.systems.base import LinkedStore, Links, Store
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
    """Search a store and post what was found, in parts when it takes a while.

    A type in the query keeps to topics of it; a type alone finds them all.
    """
    store.keep_texts()
    hits: list[Hit] = []
    wanted = Filter(query)
    reported = time.monotonic() + _FIRST_S - _REPORT_S

    def progress(looked_at: int, total: int) -> None:
        nonlocal reported
        if time.monotonic() - reported < _REPORT_S or cancelled():
            return
        reported = time.monotonic()
        if hits:
            listing = prepare([hit.topic for hit in hits], hits, order=order)
            post(HitsFound(store, query, listing, done=False, words=wanted.words))
        post(SearchProgress(store, query, looked_at, total))

    try:
        if "type:" in query.casefold():
            whole = prepare(store.list(cancelled=cancelled))
            wanted = parse(query, whole.types)
            if not wanted.words and not cancelled():
                taken = [topic for topic in whole.topics if wanted.takes(topic)]
                listing = prepare(taken, order=order)
                post(HitsFound(store, query, listing, done=True, words=""))
                return
        for hit in store.search(wanted.words, cancelled=cancelled, progress=progress):
            if cancelled():
                return
            if wanted.takes(hit.topic):
                hits.append(hit)
    except PimemError as error:
        post(SearchFailed(store, query, str(error)))
        return
    if not cancelled():
        listing = prepare([hit.topic for hit in hits], hits, order=order)
        post(HitsFound(store, query, listing, done=True, words=wanted.words))


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


def read_links(
    store: LinkedStore,
    file: str,
    width: int,
    post: Post,
    cancelled: Cancelled,
    *,
    links: Links | None = None,
) -> None:
    """Find the links of a topic, in its text and from others, and lay out what is said of them.

    Args:
        store: Where the topic is.
        file: The topic's file.
        width: The width to lay it out for, in cells.
        post: Where to tell the result.
        cancelled: Whether anybody still wants it.
        links: The links as they were found for another width.
    """
    from pimem_core.systems.base import Links

    from .linking import lay_out_links
    from .markdown import Line
    from .wrap import Run, wrap

    try:
        found = links or store.links(file)
        lines = lay_out_links(found, width)
    except PimemError as error:
        found = Links(outgoing=(), backlinks=())
        said = wrap([Run(f"The links cannot be read: {clean(str(error))}", "muted")], width)
        lines = [Line(()), *(Line(tuple(line)) for line in said)]
    if not cancelled():
        post(LinksRead(store, file, found, lines, width))
