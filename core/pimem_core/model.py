"""The values that cross borders: between store, command line, hooks and manager."""

from __future__ import annotations

from .value import Value

TYPE_CHECKING = False  # see value.py
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any


class Topic(Value):
    """One memory as a list shows it.

    `file` is its handle: actions address it by file, never by its place in a list. `stamp` is the
    text in the store, RFC 3339 or a date. `line` is the store's text that a model is given of the
    topic, `injected` what it is given in fact. `entries` counts its dated entries, in systems that
    have them. `note` is what else a list should say, such as what hides it.

    Slots and an `__init__` of its own: a list has 10,000 of them, and they are most of its memory.
    """

    __slots__ = (
        "entries",
        "file",
        "line",
        "listed",
        "name",
        "note",
        "path",
        "pinned",
        "problem",
        "stale",
        "stamp",
        "store",
        "summary",
        "type",
    )

    store: str
    name: str
    file: str
    path: str
    summary: str
    stamp: str | None
    pinned: bool
    stale: bool
    line: str
    type: str | None
    listed: bool
    problem: str | None
    entries: int
    note: str | None

    def __init__(
        self,
        *,
        store: str,
        name: str,
        file: str,
        path: str,
        summary: str,
        stamp: str | None = None,
        pinned: bool = False,
        stale: bool = False,
        line: str = "",
        type: str | None = None,  # noqa: A002 - the field's name in the contract
        listed: bool = True,
        problem: str | None = None,
        entries: int = 0,
        note: str | None = None,
    ) -> None:
        """Set every field."""
        put = object.__setattr__
        put(self, "store", store)
        put(self, "name", name)
        put(self, "file", file)
        put(self, "path", path)
        put(self, "summary", summary)
        put(self, "stamp", stamp)
        put(self, "pinned", pinned)
        put(self, "stale", stale)
        put(self, "line", line)
        put(self, "type", type)
        put(self, "listed", listed)
        put(self, "problem", problem)
        put(self, "entries", entries)
        put(self, "note", note)

    def __eq__(self, other: object) -> bool:
        """Compare the fields; how a topic came by them does not count."""
        return other is self or (
            isinstance(other, Topic)
            and other._fields == self._fields
            and all(getattr(other, name) == getattr(self, name) for name in self._fields)
        )

    __hash__ = Value.__hash__

    @property
    def described(self) -> str:
        """Name, file and summary in one text, and maybe what stands around them."""
        return f"{self.name}\n{self.file}\n{self.summary}"

    @property
    def injected(self) -> str:
        """The line as a model is given it: the stamp is the day alone."""
        return (
            self.line if self.stamp is None else self.line.replace(self.stamp, self.stamp[:10], 1)
        )

    @property
    def tokens(self) -> int:
        """An estimate of what the topic costs in a prompt that lists it."""
        from .formats.tokens import (
            estimate,  # worked out for what is shown, not for all that is read
        )

        return estimate(f"{self.injected}\n") if self.line else 0


class Document(Value):
    """One memory as it is opened: front matter read leniently, and every character after it.

    `summary` is the one that lists show. `type` and `title` are set in stores that have them.
    """

    store: str
    name: str
    file: str
    path: str
    front_matter: Mapping[str, Any]
    body: str
    text: str
    summary: str = ""
    type: str | None = None
    title: str = ""


class Hit(Value):
    """A topic that matches a search: where (`name`, `file`, `summary`, `body`) and on which line.

    `line` counts from 1 in the file and is None when the match is not in a body. `matches` are
    start and end of each match in the snippet, in characters. `why` has the words of the query by
    the part they are in, which may be `heading` as well. `note` says which word was taken for
    another one. `score` orders the hits of one search; its whole part is 3 for the query as it
    was typed, 2 for all of its words near each other, 1 for all of them.
    """

    topic: Topic
    where: str
    snippet: str
    line: int | None = None
    score: float = 0.0
    matches: Sequence[tuple[int, int]] = ()
    why: Sequence[tuple[str, Sequence[str]]] = ()
    note: str = ""


class Change(Value):
    """What a change did. `outcome` is one of the words of `errors.EXIT_CODES`.

    `dropped` names the index entries that maintenance took out along the way. `notes` are further
    sentences for the person, such as a limit that was crossed.
    """

    outcome: str
    store: str
    name: str
    file: str
    message: str
    candidates: Sequence[str] = ()
    dropped: Sequence[str] = ()
    notes: Sequence[str] = ()


class HistoryEntry(Value):
    """A change in the history. `undoable` is False once it was taken back."""

    id: str
    time: str
    action: str
    store: str
    name: str
    file: str
    undoable: bool


class LockHolder(Value):
    """Who holds a store's lock: process id when readable, and since when, in seconds."""

    pid: int | None
    age_s: float
    path: str


class StoreStatus(Value):
    """What is known of a store without changing it. `changed` is a Unix time or None."""

    store: str
    system: str
    path: str
    exists: bool
    active: bool
    count: int = 0
    size_bytes: int = 0
    changed: float | None = None
    writers: Sequence[str] = ()
    lock: LockHolder | None = None
    format: str | None = None
    notes: Sequence[str] = ()


class Setting(Value):
    """One setting: its value and the file, variable or default that it comes from.

    `kind` says how a front edits it: `switch` (true or false), `choice` among `choices`, `number`,
    `text`, `texts` (a list), or nothing where it cannot be changed here.
    """

    key: str
    value: Any
    source: str
    kind: str = ""
    choices: Sequence[str] = ()
