"""What a reader sees of an openpi store: its index whole, and a topic for each line."""

from __future__ import annotations

import os

from ...errors import InvalidTopicError, StorageError, TopicNotFoundError
from ...files.read import decode, read_bytes
from ...model import Topic
from ..base import never
from .index import INDEX_NAME, Entry, entries, is_topic_file, parse_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from ..base import Cancelled


class View:
    """A store as a reader sees it: the index, and where each topic's file really is.

    A change that a kill left unfinished shows as not made; a carry-over that is due shows as done.
    """

    def __init__(
        self, text: str | None, elsewhere: Mapping[str, str], shown: Mapping[str, bytes | None]
    ) -> None:
        self.text = text
        self.elsewhere = elsewhere
        self.shown = shown


def read_index(path: str, shown: Mapping[str, bytes | None]) -> str | None:
    """The text of an index, always whole; None when there is none.

    Raises:
        StorageError: It is there but cannot be read, is no regular file or no UTF-8.
    """
    try:
        data = shown[path] if path in shown else read_bytes(path)
    except TopicNotFoundError:
        return None
    except InvalidTopicError as error:
        raise StorageError(str(error), file=INDEX_NAME) from error
    return None if data is None else decode(data, path)


class Rows:
    """Makes topics of index lines, each line's only once: long indexes are read again and again."""

    def __init__(self, store: str, folder: str) -> None:
        self.store = store
        self._start = os.path.join(folder, "")
        self._made: dict[str, Topic] = {}

    def listed(
        self, view: View, present: AbstractSet[str], cancelled: Cancelled = never
    ) -> dict[str, Topic]:
        """The topics of an index by file, in its order; of a file's lines the first counts."""
        made: dict[str, Topic] = {}
        topics: dict[str, Topic] = {}
        for line in (view.text or "").split("\n"):
            if cancelled():
                break
            topic = self._made.get(line)
            if topic is None or topic.file not in present:
                entry = parse_line(line)
                if entry is None:
                    continue
                # One text for the line as it is read and as the topic has it.
                topic = self.topic(entry, view, present, "" if entry.tail else line)
            if topic.problem is None and not view.elsewhere:
                made[line] = topic
            topics.setdefault(topic.file, topic)
        self._made = made
        return topics

    def subjects(self, view: View, present: AbstractSet[str]) -> Sequence[Entry | Topic]:
        """What a search looks through: the entries, then the topic files that no entry names."""
        found: dict[str, Entry | Topic] = {}
        for entry in entries(view.text or ""):
            found.setdefault(entry.file, entry)
        return [*found.values(), *self.unlisted(view, present, found.keys())]

    def unlisted(
        self, view: View, present: AbstractSet[str], listed: AbstractSet[str]
    ) -> Sequence[Topic]:
        """The topic files that no entry names, in byte order of their names."""
        return [
            self.unlisted_topic(file)
            for file in sorted(present - listed, key=os.fsencode)
            # A file that an unfinished change created is not there yet.
            if is_topic_file(file) and view.shown.get(self._start + file, b"") is not None
        ]

    def path(self, file: str, view: View) -> str:
        """Where the file of a topic is."""
        return view.elsewhere.get(file) or self._start + file

    def topic_of(self, subject: Entry | Topic, view: View, present: AbstractSet[str]) -> Topic:
        """The topic of what a search looked through."""
        return subject if isinstance(subject, Topic) else self.topic(subject, view, present)

    def topic(self, entry: Entry, view: View, present: AbstractSet[str], line: str = "") -> Topic:
        """The topic of an index line, whose text can be given where it is at hand."""
        problem = None
        if entry.file not in present and entry.file not in view.elsewhere:
            exists = os.path.lexists(self._start + entry.file)
            problem = "not a regular file" if exists else "file missing"
        stamp, pinned, stale = entry.facts()
        return Topic(
            store=self.store,
            name=entry.name,
            file=entry.file,
            path=self.path(entry.file, view),
            summary=entry.summary,
            stamp=stamp,
            pinned=pinned,
            stale=stale,
            line=line or entry.prefix + entry.name + entry.middle + entry.rest,
            problem=problem,
        )

    def unlisted_topic(self, file: str) -> Topic:
        """A topic file that no entry names."""
        return Topic(
            store=self.store,
            name=os.path.splitext(file)[0],
            file=file,
            path=self._start + file,
            summary="",
            listed=False,
        )
