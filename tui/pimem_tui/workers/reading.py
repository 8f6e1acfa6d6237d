"""What workers do: read a store, lay a body out. They post and change nothing."""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING

from pimem_core.errors import AmbiguousTopicError, PimemError, TopicNotFoundError
from pimem_core.formats.text import visible_cell
from pimem_core.systems.layers import LayerStore
from pimem_core.systems.stores import SkimmableStore

from ..drawing.cells import clean
from ..drawing.matches import NO_WORDS, Words
from ..log import unexpected
from ..rows.branches import EntryRow, entry_rows, find_row, handle, list_rows
from ..rows.layer_state import LayerState
from ..rows.listing import prepare
from .messages import (
    BodyRead,
    LayerRead,
    LinksRead,
    PromptRead,
    ReadFailed,
    StatusRead,
    TopicsRead,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from pimem_core.model import Topic
    from pimem_core.paths import Places
    from pimem_core.systems.stores import LinkedStore, Links, Store
    from textual.message import Message

    from ..rows.listing import Listing

    Post = Callable[[Message], object]
    Cancelled = Callable[[], bool]

#: Seconds in which new rows are drawn before a number beside them is worked out, in a thread that
#: would hold the drawing up.
_DRAWING_S = 0.15
#: Rows that hardly a terminal has more of.
_SCREENFUL = 100
#: Previews as long as this were probably cut; a little below the 50 KiB that stores keep to.
_CUT_BYTES = 50_000


def read_store(
    store: Store,
    post: Post,
    cancelled: Cancelled,
    *,
    order: int = 0,
    unfolded: Collection[str] = (),
    old: Listing | None = None,
    touched: Collection[str] | None = None,
) -> None:
    """Read a store's topics and how it is.

    Topics come first, since the person waits for them. Only an empty store's status comes before
    them, because it decides what to say instead.

    Args:
        store: The store.
        post: Takes the messages with the result.
        cancelled: Whether anybody still wants it.
        order: The order of the rows, one of `ordering.ORDERS`.
        unfolded: Files whose entries show below them.
        old: The rows that are shown, to tell which have changed.
        touched: Files that somebody else changed; None when nobody else did.
    """
    store.forget_texts()
    try:
        listing = list_rows(store, order=order, unfolded=unfolded, cancelled=cancelled)
    except Exception as error:
        read_status(store, post, cancelled)
        post(ReadFailed(store, words_of(error)))
        return
    if cancelled():
        return
    changed = frozenset() if touched is None else changed_files(old, listing, touched)
    if listing.topics:
        post(TopicsRead(store, listing, changed))
        import markdown_it as markdown_it  # the preview is next, and would wait for the rest
    read_status(store, post, cancelled)
    if cancelled():
        return
    if not listing.topics:
        post(TopicsRead(store, listing, changed))
    layer = store if isinstance(store, LayerStore) else None
    if layer is not None:
        read_layer(store, layer, post)


def read_prompt(places: Places, post: Post, cancelled: Cancelled) -> None:
    """Work out what the next prompt carries: what `pimem inject` prints, rules included."""
    time.sleep(_DRAWING_S)
    from pimem_core.formats.tokens import estimate
    from pimem_core.hooks.next_prompt import given

    try:
        parts = [part for system in given(places) for part in system.parts]
    except Exception as error:
        unexpected(error)
        post(PromptRead(None))
        return
    tokens = sum(estimate(part.text) for part in parts)
    post(PromptRead(tokens, sum(len(part.dropped) for part in parts)))


def top_of(store: Store) -> Listing | None:
    """The first rows of a store, read fast; None where only reading all of it shows them."""
    if isinstance(store, SkimmableStore):
        with contextlib.suppress(PimemError):  # reported when all of it is read
            return prepare(store.skim(_SCREENFUL))
    return None


def read_layer(store: Store, layer: LayerStore, post: Post) -> None:
    """Look at what is particular about a layer: the task, the inbox, git, what a prompt gets."""
    try:
        load = layer.load()
        task = ""
        if load.task is not None:
            above = layer.layer("global")
            task = above.preview(load.task_file) if above is not None else ""
        status = store.status()
    except PimemError:
        return  # what is wrong was reported with the topics
    try:
        layer.refuse_changes()
        refusal = ""
    except PimemError as error:
        refusal = str(error)
    missing = status.format is None
    state = LayerState(store, load, task.strip(), layer.git_state(), missing, refusal)
    post(LayerRead(state))


def changed_files(old: Listing | None, new: Listing, touched: Collection[str]) -> frozenset[str]:
    """The files of a listing whose row or text is not what was shown before."""
    changed = {file for file in touched if file in new.rows}
    if old is not None:
        for file, row in new.rows.items():
            before = old.rows.get(file)
            if before is None or not _same(old.topics[before], new.topics[row]):
                changed.add(file)
    return frozenset(changed)


def _same(old: Topic, new: Topic) -> bool:
    """Whether a row looks as before; an entry may have moved to another line."""
    if isinstance(old, EntryRow) and isinstance(new, EntryRow):
        return old.line == new.line
    return old == new


def read_status(store: Store, post: Post, cancelled: Cancelled) -> None:
    """Look how a store is."""
    if cancelled():
        return
    try:
        status = store.status()
    except PimemError:
        return  # it says so when it is shown
    except Exception as error:
        unexpected(error)
        return
    post(StatusRead(store, status))


def words_of(error: Exception) -> str:
    """What to say about an error, be it one that nobody expected."""
    return str(error) if isinstance(error, PimemError) else unexpected(error)


def read_body(
    store: Store,
    topic: Topic,
    width: int,
    post: Post,
    cancelled: Cancelled,
    *,
    again: bool = False,
    words: Words = NO_WORDS,
) -> None:
    """Read the start of a topic and lay it out.

    Args:
        store: Where the topic is.
        topic: The topic as it is known.
        width: The width to lay it out for, in cells.
        post: Takes the messages with the result.
        cancelled: Whether anybody still wants it.
        again: Look the topic itself up as well, since it was changed.
        words: What to mark in it.
    """
    # These can wait until the list is there.
    from ..drawing.lines import Line
    from ..drawing.markdown import lay_out
    from ..drawing.wrap import Run, wrap

    try:
        if again:
            topic = _found_again(store, topic)
        text = topic.entry.text if isinstance(topic, EntryRow) else store.preview(topic.file)
    except PimemError as error:
        if not cancelled():
            message = wrap([Run(visible_cell(str(error)), "muted")], width)
            lines = [Line(tuple(line)) for line in message]
            post(BodyRead(store, topic, lines, width, error=str(error)))
        return
    if cancelled():
        return
    lines = lay_out(text, width) or [Line((Run("There is no text yet.", "muted"),))]
    truncated = len(text) >= _CUT_BYTES or len(text.encode(errors="replace")) >= _CUT_BYTES
    marks = words.marks([line.text for line in lines])
    if not cancelled():
        post(BodyRead(store, topic, lines, width, truncated=truncated, marks=marks))


def _found_again(store: Store, topic: Topic) -> Topic:
    layer = store if isinstance(store, LayerStore) else None
    if layer is not None and isinstance(topic, EntryRow):
        row = find_row(layer, topic.file)
        if row is None:
            raise TopicNotFoundError(f"{topic.of} has no entry “{topic.name}” any more.")
        return row
    try:
        found = store.find(topic.file)
    except (TopicNotFoundError, AmbiguousTopicError) as error:  # ambiguous: a part of other names
        raise TopicNotFoundError(f"“{topic.name}” is not in this store any more.") from error
    if found.file != topic.file:
        return topic
    return found if layer is None else found.but(note=topic.note)


def read_entry_links(
    layer: LayerStore, topic: EntryRow, width: int, post: Post, cancelled: Cancelled
) -> None:
    """Find what an entry supersedes and what supersedes it, and lay them out."""
    from pimem_core.systems.stores import Links

    from ..drawing.links import lay_out_relations

    try:
        known = {row.file: row for row in entry_rows(layer, layer.entries())}
    except PimemError:
        known = {}
    row = known.get(topic.file, topic)
    older = row.entry.supersedes
    found = [("Supersedes", handle(older))] if older is not None else []
    found += [("Superseded by", handle(newer)) for newer in row.entry.superseded_by]
    related = [(word, known[name]) for word, name in found if name in known]
    lines = lay_out_relations(related, width)
    links = Links(outgoing=(), backlinks=[other for _word, other in related])
    if not cancelled():
        post(LinksRead(layer, topic.file, links, lines, width))


def read_links(
    store: LinkedStore,
    file: str,
    width: int,
    post: Post,
    cancelled: Cancelled,
    *,
    links: Links | None = None,
) -> None:
    """Find the links of a topic, in its text and from others, and lay them out.

    Args:
        store: Where the topic is.
        file: The topic's file.
        width: The width to lay it out for, in cells.
        post: Takes the messages with the result.
        cancelled: Whether anybody still wants it.
        links: The links as they were found for another width.
    """
    from pimem_core.systems.stores import Links

    from ..drawing.lines import Line
    from ..drawing.links import lay_out_links
    from ..drawing.wrap import Run, wrap

    try:
        found = links or store.links(file)
        lines = lay_out_links(found, width)
    except PimemError as error:
        found = Links(outgoing=(), backlinks=())
        message = wrap([Run(f"The links cannot be read: {clean(str(error))}", "muted")], width)
        lines = [Line(()), *(Line(tuple(line)) for line in message)]
    if not cancelled():
        post(LinksRead(store, file, found, lines, width))
