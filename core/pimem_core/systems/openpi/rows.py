"""A topic for each line of an index, and for each file beside it."""

from __future__ import annotations

import os

from ...files.read import is_possible_name
from ...model import Topic
from ...progress import never
from .index import entry_of, first_lines, is_pinned, is_stale, is_topic_file, stamp_in, summary_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Mapping, Sequence
    from collections.abc import Set as AbstractSet
    from typing import Any

    from ...progress import Cancelled
    from .folder import TopicFolder, View
    from .index import IndexEntry


class Rows:
    """Makes topics of the lines of an index and of the files beside it."""

    def __init__(self, folder: TopicFolder) -> None:
        self.folder = folder
        self.store = folder.name
        #: What paths of topic files begin with.
        self.start = os.path.join(folder.path, "")

    def listed(
        self, view: View, present: AbstractSet[str], cancelled: Cancelled = never
    ) -> dict[str, Topic]:
        """The topics of an index by file, in its order; of a file's lines the first counts."""
        topics: dict[str, Topic] = {}
        for file, line in first_lines(view.text or "").items():
            if cancelled():
                break
            topics[file] = self.of_line(line, view, present)
        return topics

    def of_line(self, line: re.Match[str], view: View, present: AbstractSet[str]) -> Topic:
        """The topic of a line that matched."""
        if line[4] in present and not view.elsewhere:
            return ListedTopic(line, self)
        return self.topic(entry_of(line), view, present)

    def unlisted(
        self, view: View, present: AbstractSet[str], listed: AbstractSet[str]
    ) -> Sequence[Topic]:
        """The topic files that no entry names, in byte order of their names.

        Of a folder that is not memory, every Markdown file.
        """
        plain = [] if listed else self.folder.plain_files(view)
        if plain:
            return [self.unlisted_topic(file) for file in plain]
        return [
            self.unlisted_topic(file)
            for file in sorted(present - listed, key=os.fsencode)
            # A file that an unfinished change created is not there yet.
            if is_topic_file(file) and view.shown.get(self.start + file, b"") is not None
        ]

    def topic(self, entry: IndexEntry, view: View, present: AbstractSet[str]) -> Topic:
        """The topic of an index line."""
        problem = None
        if entry.file not in present and entry.file not in view.elsewhere:
            problem = self._problem(entry.file)
        return Topic(
            store=self.store,
            name=entry.name,
            file=entry.file,
            path=self.folder.where(entry.file, view),
            summary=entry.summary,
            stamp=entry.stamp,
            pinned=entry.pinned,
            stale=entry.stale,
            line=entry.prefix + entry.name + entry.middle + entry.rest,
            problem=problem,
        )

    def _problem(self, file: str) -> str:
        if not is_possible_name(file):
            return "file name too long"
        return "not a regular file" if os.path.lexists(self.start + file) else "file missing"

    def unlisted_topic(self, file: str) -> Topic:
        """A topic file that no entry names."""
        return Topic(
            store=self.store,
            name=os.path.splitext(file)[0],
            file=file,
            path=self.start + file,
            summary="",
            listed=False,
        )


class ListedTopic(Topic):
    """The topic of an index line whose file is there, worked out of the line when asked for.

    A list of ten thousand shows forty. The match costs a tenth of what all fields would, in time,
    and less than half in memory.
    """

    __slots__ = ("_match", "_rows")
    if TYPE_CHECKING:  # these are not fields
        _match: re.Match[str]
        _rows: Rows

    type = None
    listed = True
    problem = None
    entries = 0
    note = None

    def __init__(self, match: re.Match[str], rows: Rows) -> None:
        _set_match(self, match)
        _set_rows(self, rows)

    def __eq__(self, other: object) -> bool:
        """Two of the same line are equal; else the fields are compared."""
        if isinstance(other, ListedTopic) and other._rows is self._rows:
            return other._match.string == self._match.string
        return super().__eq__(other)

    __hash__ = Topic.__hash__

    def but(self, **changes: Any) -> Topic:  # type: ignore[override]
        """The topic with some fields changed, which no line has."""
        return Topic(**{name: getattr(self, name) for name in self._fields} | changes)


_WORKED_OUT: Mapping[str, Callable[[ListedTopic], object]] = {
    "store": lambda topic: topic._rows.store,
    "name": lambda topic: topic._match[2],
    "file": lambda topic: topic._match[4],
    "path": lambda topic: topic._rows.start + topic._match[4],
    "summary": lambda topic: summary_in(topic._match[5]),
    "stamp": lambda topic: stamp_in(topic._match[5]),
    "pinned": lambda topic: is_pinned(topic._match[5]),
    "stale": lambda topic: is_stale(topic._match[5]),
    "line": lambda topic: topic._match[0],
    "described": lambda topic: topic._match.string,
}
for _name, _work_out in _WORKED_OUT.items():
    setattr(ListedTopic, _name, property(_work_out))
# Past the refusal to change, and in half the time of `object.__setattr__`.
_set_match = vars(ListedTopic)["_match"].__set__
_set_rows = vars(ListedTopic)["_rows"].__set__
