"""Finding topics: the one that a name means, those to be searched, those that links lead to."""

from __future__ import annotations

import os

from ...errors import AmbiguousTopicError, Hint, TopicNotFoundError
from ...files.read import regular_names
from ...formats.text import plural, quote
from ..stores import Links
from .index import IndexEntry, entries, first_lines, is_topic_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...model import Topic
    from ...search.material import Material
    from .folder import TopicFolder
    from .rows import Rows


def find(found: Sequence[IndexEntry], query: str) -> list[IndexEntry]:
    """The entries that a name, file or part of one means, one per file.

    An exact file wins outright, then an exact name whatever its case: of several the last, which is
    the one that a write extends. Then a file whatever its case; otherwise every entry that contains
    the query.
    """
    wanted = query.lower()
    named = cased = None
    parts: dict[str, IndexEntry] = {}
    for entry in found:
        if entry.file == query:
            return [entry]
        name, file = entry.name.lower(), entry.file.lower()
        if name == wanted:
            named = entry
        if file == wanted:
            cased = cased or entry
        if wanted in name or wanted in file:
            parts.setdefault(entry.file, entry)
    exact = named or cased
    return [exact] if exact is not None else list(parts.values())


def the_one(found: Sequence[IndexEntry], topic: str, folder: TopicFolder) -> IndexEntry:
    """The entry that is meant.

    Args:
        found: The entries of the index.
        topic: A name, a file or a part of one.
        folder: Where the index is, for the error.

    Raises:
        TopicNotFoundError: No entry matches.
        AmbiguousTopicError: Several match.
    """
    matches = find(found, topic)
    if not matches:
        raise TopicNotFoundError(
            f"No topic matches {quote(topic)} in {folder.path}.",
            name=topic,
            hint=Hint(Hint.LIST, store=folder.name),
        )
    if len(matches) > 1:
        names = [entry.name for entry in matches]
        shown = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if names[5:] else "")
        raise AmbiguousTopicError(
            f"{quote(topic)} matches {plural(len(names), 'topic')}: {shown}. Name one of them.",
            name=topic,
            candidates=names,
        )
    return matches[0]


def topic(rows: Rows, wanted: str) -> Topic:
    """The listed topic that is meant, or the unlisted file with exactly this name.

    Raises:
        TopicNotFoundError: Nothing matches.
        AmbiguousTopicError: Several match.
    """
    folder = rows.folder
    view = folder.view()
    found = entries(view.text or "")
    present = regular_names(folder.path)
    if len(find(found, wanted)) != 1 and is_topic_file(wanted) and wanted in present:
        return rows.unlisted_topic(wanted)
    if not found:
        return _plain(rows, folder.plain_files(view), wanted)
    return rows.topic(the_one(found, wanted, folder), view, present)


def _plain(rows: Rows, files: Sequence[str], wanted: str) -> Topic:
    """The file of a folder that is not memory."""
    as_lines = [IndexEntry("", os.path.splitext(file)[0], "", file, "") for file in files]
    return rows.unlisted_topic(the_one(as_lines, wanted, rows.folder).file)


def material(rows: Rows) -> Material:
    """What is searched: the entries in index order, then the topic files that no entry names."""
    from ...search.material import Material

    folder = rows.folder
    view = folder.view()
    present = regular_names(folder.path)
    lines = first_lines(view.text or "")
    unlisted = rows.unlisted(view, present, lines.keys())
    start, found = rows.start, list(lines.values())

    def topic_at(place: int) -> Topic:
        if place < len(found):
            return rows.of_line(found[place], view, present)
        return unlisted[place - len(found)]

    return Material(
        topic_at=topic_at,
        paths=[
            *[view.elsewhere.get(file) or start + file for file in lines],
            *[topic.path for topic in unlisted],
        ],
        lines=[
            *[line.string for line in found],
            *[topic.described for topic in unlisted],
        ],
        shown=view.shown,
    )


def list_stamp(folder: TopicFolder) -> object:
    """Stays equal while the index does, and the names in the folder do."""
    try:
        status = os.stat(folder.path)
    except OSError:
        return object()
    return folder.stamp_of_index(), status.st_mtime_ns, status.st_ctime_ns


def links(rows: Rows, file: str) -> Links:
    """What a topic links to, and what links to it.

    Raises:
        TopicNotFoundError: It is not there.
    """
    from ...formats.links import between

    folder = rows.folder
    view = folder.view()
    present = regular_names(folder.path)
    topics = rows.listed(view, present)
    unlisted = rows.unlisted(view, present, topics.keys())
    known = {topic.file: topic for topic in (*topics.values(), *unlisted) if topic.problem is None}
    if file not in known:
        raise TopicNotFoundError(f"{file} does not exist in {folder.path}.", file=file)
    outgoing, backlinks = between(
        known,
        file,
        names=lambda topic: (topic.name,),
        path=lambda topic: topic.path,
    )
    # Nothing in this format says what a link is: one that leads nowhere is just brackets.
    leading = [(name, topic) for name, topic in outgoing if topic is not None]
    return Links(outgoing=leading, backlinks=backlinks)
