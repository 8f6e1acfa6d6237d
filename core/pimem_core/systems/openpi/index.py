"""The index `MEMORY.md`: its grammar, and the changes that keep every other line's bytes.

The grammar is that of openpi-memory 0.3.9. Flags and stamps count only before the first ` -- `,
as in openclaude-memory, so that a summary may mention them.
"""

from __future__ import annotations

import re

from ...text import SPACE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import datetime

INDEX_NAME = "MEMORY.md"
INITIAL = "# Memory Index\n\n"
#: A stamp in an index line: a date, or local time with offset and without fraction.
STAMP = re.compile(r"\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}:\d{2}[+-]\d{2}:\d{2})?", re.ASCII)
_PIN = "[pin]"
_STALE = "[stale?]"
_ENTRY = re.compile(f"([{SPACE}]*-[{SPACE}]+\\[)([^\\]]+)(\\]\\(([^)]+)\\))([^\r\n\u2028\u2029]*)")
_SUMMARY = re.compile(f"--[{SPACE}]+(.*)", re.DOTALL)
_UNSAFE = re.compile(r"[\x00-\x1f\x7f/\\\[\]()]|\.\.")


def is_topic_file(name: str) -> bool:
    """Whether a name can be a topic's file: it ends in `.md`, is not the index and stays here."""
    lower = name.lower()
    return (
        lower.endswith(".md")
        and lower != "memory.md"
        and not name.startswith(".")
        and _UNSAFE.search(name) is None
    )


class Entry:
    """An index line that names a topic. Its parts joined are the line again.

    `tail` is what follows a carriage return or a Unicode line separator; it is kept, never read.
    A plain class, because an index of 10,000 lines makes as many of them on every change.
    """

    __slots__ = ("file", "middle", "name", "prefix", "rest", "tail")

    def __init__(
        self, prefix: str, name: str, middle: str, file: str, rest: str, tail: str = ""
    ) -> None:
        self.prefix = prefix
        self.name = name
        self.middle = middle
        self.file = file
        self.rest = rest
        self.tail = tail

    @property
    def line(self) -> str:
        """The line, byte for byte."""
        return self.prefix + self.name + self.middle + self.rest + self.tail

    @property
    def head(self) -> str:
        """The part where flags and stamp count."""
        return self.rest.split(" -- ", 1)[0]

    @property
    def pinned(self) -> bool:
        """Whether the line carries the pin."""
        return _PIN in self.head

    @property
    def stale(self) -> bool:
        """Whether maintenance marked the line as stale."""
        return _STALE in self.head

    @property
    def stamp(self) -> str | None:
        """The line's stamp as written."""
        match = STAMP.search(self.head)
        return match.group() if match else None

    @property
    def summary(self) -> str:
        """What follows the first `--` that a space follows."""
        match = _SUMMARY.search(self.rest)
        return match[1] if match else ""

    def with_head(self, head: str) -> Entry:
        """The same line with another head."""
        rest = head + self.rest[len(self.head) :]
        return Entry(self.prefix, self.name, self.middle, self.file, rest, self.tail)


def parse_line(line: str) -> Entry | None:
    """Read one line, without its LF, as an entry; None when it is prose."""
    match = _ENTRY.match(line)
    if match is None or not is_topic_file(match[4]):
        return None
    prefix, name, middle, file, rest = match.groups()
    return Entry(prefix, name, middle, file, rest, line[match.end() :])


def entries(text: str) -> list[Entry]:
    """The entries of an index in order, duplicates included."""
    return [entry for entry in map(parse_line, text.split("\n")) if entry is not None]


def canonical(name: str, file: str, *, pinned: bool, stamp: str, summary: str) -> str:
    """An entry line as this program and its peers write it."""
    return f"- [{name}]({file}){' ' + _PIN if pinned else ''} {stamp} -- {summary}"


class Index:
    """An index being changed. `text()` gives it back; untouched lines keep their bytes."""

    def __init__(self, text: str) -> None:
        self._lines: list[str] = text.split("\n")
        self._entries: list[Entry | None] = [parse_line(line) for line in self._lines]
        first = self._lines[0]
        self._eol = "\r" if len(self._lines) > 1 and first.endswith("\r") else ""

    def text(self) -> str:
        """The whole index."""
        return "\n".join(self._lines)

    def entries(self) -> list[Entry]:
        """The entries in order."""
        return [entry for entry in self._entries if entry is not None]

    def of_file(self, file: str) -> list[Entry]:
        """The entries of one file; more than one when lines are duplicated."""
        return [entry for entry in self.entries() if entry.file == file]

    def _put(self, position: int, line: str) -> None:
        self._lines[position] = line
        self._entries[position] = parse_line(line)

    def _positions(self, file: str) -> list[int]:
        return [i for i, entry in enumerate(self._entries) if entry and entry.file == file]

    def upsert(self, name: str, file: str, *, pin: bool, stamp: str, summary: str) -> None:
        """Set the first line of a file, keeping its pin, or append one.

        A new line is pushed onto the LF-split text, as the peers do: the file then ends without
        a line end.
        """
        positions = self._positions(file)
        pinned = pin or any(entry.pinned for entry in self.of_file(file))
        line = canonical(name, file, pinned=pinned, stamp=stamp, summary=summary)
        if positions:
            ends_here = positions[0] == len(self._lines) - 1
            self._put(positions[0], line if ends_here else line + self._eol)
            return
        if self._eol and not self._lines[-1].endswith(self._eol):
            self._put(len(self._lines) - 1, self._lines[-1] + self._eol)
        self._lines.append(line)
        self._entries.append(parse_line(line))

    def remove(self, file: str) -> None:
        """Drop every line of a file."""
        self._keep(lambda entry: entry.file != file)

    def drop(self, doomed: Callable[[Entry], bool]) -> list[Entry]:
        """Drop the entries that a test picks, and give them back."""
        gone = [entry for entry in self.entries() if doomed(entry)]
        self._keep(lambda entry: not doomed(entry))
        return gone

    def _keep(self, wanted: Callable[[Entry], bool]) -> None:
        kept = [
            (line, entry)
            for line, entry in zip(self._lines, self._entries, strict=True)
            if entry is None or wanted(entry)
        ]
        self._lines = [line for line, _ in kept]
        self._entries = [entry for _, entry in kept]

    def set_pin(self, file: str, pinned: bool) -> None:
        """Add or take the pin on every line of a file."""
        for position in self._positions(file):
            entry = self._entries[position]
            assert entry is not None
            if entry.pinned != pinned:
                head = f" {_PIN}{entry.head}" if pinned else entry.head
                while not pinned and _PIN in head:
                    head = _without(head, _PIN)
                self._put(position, entry.with_head(head).line)

    def maintain(
        self, is_present: Callable[[str], bool], *, stale_after_days: float, moment: datetime
    ) -> list[str]:
        """Drop lines without a file and duplicates, and refresh stale marks, on every change.

        Of duplicates the newest stamp wins and keeps its place; a pin on any of them stays.

        Args:
            is_present: Whether a topic file is there as a regular file.
            stale_after_days: Age beyond which an unpinned entry is marked; 0 leaves marks alone.
            moment: Now.

        Returns:
            The names of the entries whose lines went because their file is missing.
        """
        from datetime import timedelta  # reading an index needs no clock

        winners: dict[str, int] = {}
        pinned: set[str] = set()
        orphans: list[str] = []
        doomed: set[int] = set()
        for position, entry in enumerate(self._entries):
            if entry is None:
                continue
            if not is_present(entry.file):
                orphans.append(entry.name)
                doomed.add(position)
                continue
            if entry.pinned:
                pinned.add(entry.file)
            best = winners.get(entry.file)
            if best is None:
                winners[entry.file] = position
                continue
            rival = self._entries[best]
            assert rival is not None
            if _is_newer(entry.stamp, rival.stamp):
                winners[entry.file], position = position, best
            doomed.add(position)
        # No stamp of this day or later can be too old, whatever its offset: the usual case is
        # settled without reading the stamp.
        horizon = (moment - timedelta(days=min(stale_after_days, 100_000) - 2)).date().isoformat()
        for file, position in winners.items():
            entry = self._entries[position]
            assert entry is not None
            fresh = _refreshed(entry, file in pinned, stale_after_days, moment, horizon)
            if fresh is not entry:
                self._put(position, fresh.line)
        if doomed:
            self._lines = [line for i, line in enumerate(self._lines) if i not in doomed]
            self._entries = [entry for i, entry in enumerate(self._entries) if i not in doomed]
        return orphans


def _without(text: str, mark: str) -> str:
    """Take the first mark out, with the space before it."""
    spaced = f" {mark}"
    return text.replace(spaced if spaced in text else mark, "", 1)


def _is_newer(one: str | None, other: str | None) -> bool:
    """Whether a stamp is later: by instant, and by its text where instants do not decide."""
    from .stamps import instant

    one, other = one or "", other or ""
    first, second = instant(one), instant(other)
    if first is not None and second is not None and first != second:
        return first > second
    return one > other


def _refreshed(
    entry: Entry, pinned: bool, stale_after_days: float, moment: datetime, horizon: str
) -> Entry:
    if pinned:
        return entry if entry.pinned else entry.with_head(f" {_PIN}{entry.head}")
    stamp = entry.stamp
    if stale_after_days <= 0 or stamp is None:
        return entry
    from .stamps import age_days

    if stamp[:10] > horizon and not entry.stale:
        return entry
    age = age_days(stamp, moment)
    if age is not None and age > stale_after_days:
        if entry.stale:
            return entry
        return entry.with_head(entry.head.replace(stamp, f"{stamp} {_STALE}", 1))
    return entry.with_head(_without(entry.head, _STALE)) if entry.stale else entry


def find(found: Sequence[Entry], query: str) -> list[Entry]:
    """The entries that a name, file or part of one means, one per file.

    An exact name or file wins outright; otherwise every entry that contains the query.
    """
    wanted = query.lower()
    unique: dict[str, Entry] = {}
    for entry in found:
        if wanted in (entry.name.lower(), entry.file.lower()):
            return [entry]
        if wanted in entry.name.lower() or wanted in entry.file.lower():
            unique.setdefault(entry.file, entry)
    return list(unique.values())


def named(found: Iterable[Entry], topic: str) -> Entry | None:
    """The entry that carries exactly this topic's name, ignoring case; the last one counts."""
    wanted = topic.lower()
    last = None
    for entry in found:
        if entry.name.lower() == wanted:
            last = entry
    return last
