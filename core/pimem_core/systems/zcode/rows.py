"""A topic for each fact, and for each link of the index whose fact is missing."""

from __future__ import annotations

import os
import time

from ...files.read import is_possible_name
from ...model import Topic
from ...progress import never
from .facts import FRONT_LINES, Fact
from .index import line_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ...progress import Cancelled
    from .folder import FactFolder, View
    from .index import IndexLink


#: Problems of a topic whose file does not exist.
ABSENT = ("file missing", "file name too long")


#: The place of the stamp in a topic.
_stamp = vars(Topic)["stamp"]


class FactTopic(Topic):
    """The topic of a fact. One that does not say when it was modified is as old as its file.

    The disk is asked when somebody asks for the stamp: a list of ten thousand shows forty.
    """

    __slots__ = ()

    def __init__(self, **fields: Any) -> None:
        """Set every field."""
        super().__init__(**fields)

    @property  # type: ignore[misc]
    def stamp(self) -> str | None:
        """What the front matter says, else the disk; None where there is no file."""
        known: str | None = _stamp.__get__(self)
        if known is None and self.problem not in (*ABSENT, "not a regular file"):
            try:
                changed = os.lstat(self.path).st_mtime
            except OSError:
                return None
            known = time.strftime("%Y-%m-%dT%H:%M:%S+00:00", time.gmtime(changed))
            _stamp.__set__(self, known)
        return known

    @stamp.setter
    def stamp(self, value: str | None) -> None:
        _stamp.__set__(self, value)


def rows(folder: FactFolder, view: View, cancelled: Cancelled = never) -> Sequence[Topic]:
    """The facts in the order of the index, then those it does not list."""
    found: dict[str, Topic] = {}
    for entry in view.entries:
        if cancelled():
            return list(found.values())
        fact = view.fact_of(entry)
        file = fact.file if fact is not None else entry.file
        if file not in found:
            found[file] = _topic(folder, file, fact, entry)
    for file, fact in view.facts.items():
        if cancelled():
            break
        if file not in found:
            found[file] = _topic(folder, file, fact, None)
    return list(found.values())


def _topic(folder: FactFolder, file: str, fact: Fact | None, entry: IndexLink | None) -> Topic:
    name = fact.name if fact is not None else file[:-3]
    summary = entry.hook if entry is not None else ""
    if not summary and fact is not None:
        summary = fact.head.description
    path = folder.file(file)
    return FactTopic(
        store=folder.name,
        name=name,
        file=file,
        path=path,
        summary=summary,
        line=line_of(entry.title, file, entry.hook) if entry is not None else "",
        stamp=fact.head.modified if fact is not None else None,
        type=fact.head.type if fact is not None else None,
        listed=entry is not None,
        problem=_problem(path, fact),
    )


def _problem(path: str, fact: Fact | None) -> str | None:
    if fact is None:
        if not is_possible_name(os.path.basename(path)):
            return ABSENT[1]
        return "not a regular file" if os.path.lexists(path) else ABSENT[0]
    if not fact.is_regular:
        return "not a regular file"
    if fact.head.unclosed:
        return "front matter is never closed"
    if fact.head.closing is not None and fact.head.closing > FRONT_LINES:
        return f"front matter closes after line {FRONT_LINES}"
    return None
