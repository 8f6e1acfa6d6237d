"""Searching a store, and keeping what was read for the next search."""

from __future__ import annotations

import os

from ...files.read import regular_names
from ...search import scan, scan_kept

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...model import Hit
    from ..base import Cancelled, Progress, Unread
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


def _stamp(store: OpenpiStore) -> object:
    """Stays equal while the index does, and the names in the folder do."""
    try:
        folder = os.stat(store.path)
    except OSError:
        return object()
    return store.stamp_of_index(), folder.st_mtime_ns, folder.st_ctime_ns
