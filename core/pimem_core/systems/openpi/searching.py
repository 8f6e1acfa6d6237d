"""Looking through a store: for words, keeping what was read for the next search, and for links."""

from __future__ import annotations

import os

from ...errors import TopicNotFoundError
from ...files.read import regular_names
from ...formats.links import between
from ...search.scan import scan, scan_kept
from ..stores import Links

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...model import Hit
    from ...progress import Cancelled, Progress, Unread
    from .store import OpenpiStore


def search(
    store: OpenpiStore, query: str, cancelled: Cancelled, progress: Progress, unread: Unread
) -> Iterator[Hit]:
    """Listed topics in index order, then the other topic files in byte order of their names."""
    rows, texts = store.rows, store.texts
    stamp = _stamp(store) if texts is not None else None
    kept = texts.topics_as_of(stamp) if texts is not None else None
    if texts is not None and kept is not None:
        return scan_kept(kept, query, {}, cancelled, progress, texts)
    view = store.view()
    present = regular_names(store.path)
    if texts is not None:
        topics = [*rows.listed(view, present).values()]
        topics += rows.unlisted(view, present, {topic.file for topic in topics})
        if not view.shown and not view.elsewhere:
            texts.keep_topics(stamp, topics)
        return scan_kept(topics, query, view.shown, cancelled, progress, texts)
    subjects = rows.subjects(view, present)
    return scan(
        subjects,
        query,
        view.shown,
        cancelled,
        progress,
        unread=unread,
        topic_of=lambda subject: rows.topic_of(subject, view, present),
        paths=[rows.path(subject.file, view) for subject in subjects],
    )


def links(store: OpenpiStore, file: str) -> Links:
    """What a topic links to, and what links to it.

    Raises:
        TopicNotFoundError: It is not there.
    """
    view = store.view()
    present = regular_names(store.path)
    topics = store.rows.listed(view, present)
    unlisted = store.rows.unlisted(view, present, topics.keys())
    known = {topic.file: topic for topic in (*topics.values(), *unlisted) if topic.problem is None}
    if file not in known:
        raise TopicNotFoundError(f"{file} does not exist in {store.path}.", file=file)
    outgoing, backlinks = between(
        known,
        file,
        names=lambda topic: (topic.name,),
        path=lambda topic: topic.path,
    )
    # Nothing in this format says what a link is: one that leads nowhere is just brackets.
    leading = [(name, topic) for name, topic in outgoing if topic is not None]
    return Links(outgoing=leading, backlinks=backlinks)


def _stamp(store: OpenpiStore) -> object:
    """Stays equal while the index does, and the names in the folder do."""
    try:
        folder = os.stat(store.path)
    except OSError:
        return object()
    return store.stamp_of_index(), folder.st_mtime_ns, folder.st_ctime_ns
