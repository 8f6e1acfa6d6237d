"""Changing an index: one line at a time, every other line keeps its bytes."""

from __future__ import annotations

import re
from datetime import timedelta

from .index import PIN, STALE, canonical, entry_of, match_line
from .stamps import age_days, instant

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from collections.abc import Set as AbstractSet
    from datetime import datetime
    from typing import ClassVar

    from .index import IndexEntry

    #: What maintenance has nothing to do for: the files, each of one line without a stale mark, and
    #: the earliest day of their stamps.
    _Calm = tuple[frozenset[str], str]
    _Match = re.Match[str] | None
    #: An index's text, its lines, what they match, and whether maintenance left all alone.
    _Read = tuple[str, tuple[str, ...], tuple[_Match, ...], _Calm | None]

_FOREVER = "9999-99-99"
# Programs that know only one form of time put the mark behind the date, inside other forms.
_INSIDE = re.compile(r"(\d{4}-\d{2}-\d{2}) \[stale\?\](T[^\s\[]+)", re.ASCII)


class Index:
    """An index being changed. `text()` gives it back; untouched lines keep their bytes.

    Entries are made of the lines that a change looks at; of most lines of a long index it only
    needs to know the file. What the last index of this process was made of is kept: the next
    change mostly starts from there, and reading ten thousand lines would take most of its time.
    """

    _last: ClassVar[_Read | None] = None

    def __init__(self, text: str) -> None:
        known = Index._last
        if known is not None and known[0] == text:
            _text, lines, matches, self._calm = known
            self._lines, self._matches = list(lines), list(matches)
        else:
            self._lines = text.split("\n")
            self._matches = [match_line(line) for line in self._lines]
            self._calm = None
        first = self._lines[0]
        self._eol = "\r" if len(self._lines) > 1 and first.endswith("\r") else ""

    def text(self) -> str:
        """The whole index."""
        text = "\n".join(self._lines)
        if self._lines:  # an empty text has one line, but no line gives it too
            Index._last = text, tuple(self._lines), tuple(self._matches), self._calm
        return text

    def entries(self) -> list[IndexEntry]:
        """The entries in order."""
        return [entry_of(match) for match in self._matches if match is not None]

    def files(self) -> set[str]:
        """The files that the entries name."""
        return {match[4] for match in self._matches if match is not None}

    def of_file(self, file: str) -> list[IndexEntry]:
        """The entries of one file; more than one when lines are duplicated."""
        return [self._at(position) for position in self._positions(file)]

    def named(self, topic: str) -> IndexEntry | None:
        """The entry with exactly this name, ignoring case; the last one counts."""
        wanted = topic.lower()
        for match in reversed(self._matches):
            if match is not None and match[2].lower() == wanted:
                return entry_of(match)
        return None

    def _put(self, position: int, line: str) -> None:
        before, after = self._matches[position], match_line(line)
        self._lines[position], self._matches[position] = line, after
        calm, self._calm = self._calm, None
        day = _calm_day(after[5]) if after is not None else ""
        if calm is None or after is None or not day:
            return
        known, oldest = calm
        if before is None and after[4] not in known:
            known |= {after[4]}
        elif before is None or before[4] != after[4]:
            return
        self._calm = known, min(oldest, day)

    def _at(self, position: int) -> IndexEntry:
        match = self._matches[position]
        assert match is not None
        return entry_of(match)

    def _positions(self, file: str) -> list[int]:
        return [i for i, match in enumerate(self._matches) if match and match[4] == file]

    def upsert(self, name: str, file: str, *, pin: bool, stamp: str, summary: str) -> None:
        """Set the first line of a file, keeping its pin, or append one.

        A new line is pushed onto the LF-split text, as the peers do: the file then ends without
        a line end.
        """
        positions = self._positions(file)
        pinned = pin or any(self._at(position).pinned for position in positions)
        line = canonical(name, file, pinned=pinned, stamp=stamp, summary=summary)
        if positions:
            ends_here = positions[0] == len(self._lines) - 1
            self._put(positions[0], line if ends_here else line + self._eol)
            return
        self.append(line)

    def append(self, line: str) -> None:
        """Add a line at the end, as `upsert` does."""
        if self._eol and not self._lines[-1].endswith(self._eol):
            self._put(len(self._lines) - 1, self._lines[-1] + self._eol)
        self._lines.append("")
        self._matches.append(None)
        self._put(len(self._lines) - 1, line)

    def repoint(self, file: str, other: str) -> None:
        """Have every line of a file name another one."""
        for position in self._positions(file):
            entry = self._at(position)
            middle = f"]({other})"
            line = entry.prefix + entry.name + middle + entry.rest + entry.tail
            self._put(position, line)

    def remove(self, file: str) -> None:
        """Drop every line of a file."""
        self._drop(set(self._positions(file)))

    def drop(self, doomed: Callable[[IndexEntry], bool]) -> list[IndexEntry]:
        """Drop the entries that a test picks, and give them back."""
        picked = {
            i: entry
            for i, match in enumerate(self._matches)
            if match is not None and doomed(entry := entry_of(match))
        }
        self._drop(set(picked))
        return list(picked.values())

    def _drop(self, positions: set[int]) -> None:
        if positions:
            self._calm = None
            self._lines = [line for i, line in enumerate(self._lines) if i not in positions]
            self._matches = [match for i, match in enumerate(self._matches) if i not in positions]

    def set_pin(self, file: str, pinned: bool) -> None:
        """Add or take the pin on every line of a file."""
        for position in self._positions(file):
            entry = self._at(position)
            if entry.pinned != pinned:
                head = f" {PIN}{entry.head}" if pinned else entry.head
                while not pinned and PIN in head:
                    head = _without(head, PIN)
                self._put(position, entry.with_head(head).line)

    def maintain(
        self,
        is_present: Callable[[str], bool],
        *,
        known: AbstractSet[str] = frozenset(),
        stale_after_days: float,
        moment: datetime,
    ) -> list[IndexEntry]:
        """Drop lines without a file and duplicates, and refresh stale marks, on every change.

        Of duplicates the newest stamp wins and keeps its place; a pin on any of them stays.

        Args:
            is_present: Whether a topic file is there as a regular file.
            known: Files that are, which need not be asked about.
            stale_after_days: Age beyond which an unpinned entry is marked; 0 leaves marks alone.
            moment: Now.

        Returns:
            The entries whose lines went because their file is missing.
        """
        # No stamp of this day or later can be too old, whatever its offset: the usual line is
        # settled by comparing its first letters.
        horizon = (moment - timedelta(days=min(stale_after_days, 100_000) - 2)).date().isoformat()
        if self._calm is not None and self._calm[1] > horizon:
            asked = self._calm[0] - known
            if all(map(is_present, asked)):
                return []
        winners: dict[str, int] = {}
        repeated: dict[str, list[int]] = {}
        orphans: list[IndexEntry] = []
        doomed: set[int] = set()
        unsettled: list[int] = []
        oldest = _FOREVER
        for position, match in enumerate(self._matches):
            if match is None:
                continue
            file, rest = match[4], match[5]
            if file not in known and not is_present(file):
                orphans.append(entry_of(match))
                doomed.add(position)
            elif file in winners:
                repeated.setdefault(file, [winners[file]]).append(position)
            else:
                winners[file] = position
                day = _calm_day(rest)
                if day <= horizon:
                    unsettled.append(position)
                elif day < oldest:
                    oldest = day
        for positions in repeated.values():
            winner = self._newest(positions)
            pinned = any(self._at(position).pinned for position in positions)
            entry = self._at(winner)
            if pinned and not entry.pinned:
                self._put(winner, entry.with_head(f" {PIN}{entry.head}").line)
            doomed.update(position for position in positions if position != winner)
            unsettled.append(winner)
        for position in unsettled:
            if position not in doomed:
                entry = self._at(position)
                fresh = _refreshed(entry, stale_after_days, moment)
                if fresh is not entry:
                    self._put(position, fresh.line)
        self._drop(doomed)
        if not unsettled:
            self._calm = frozenset(winners), oldest
        return orphans

    def _newest(self, positions: Sequence[int]) -> int:
        best = positions[0]
        for position in positions[1:]:
            if _is_newer(self._at(position).stamp, self._at(best).stamp):
                best = position
        return best


def _calm_day(rest: str) -> str:
    """The day until which maintenance lets a line be, as its text; empty when it has to look."""
    if rest.startswith(f" {PIN}"):
        return _FOREVER
    day = rest[1:11]
    return day if day[:4].isdigit() and day[4:5] == "-" and STALE not in rest else ""


def _without(text: str, mark: str) -> str:
    """Take the first mark out, with the space before it."""
    spaced = f" {mark}"
    return text.replace(spaced if spaced in text else mark, "", 1)


def _is_newer(one: str | None, other: str | None) -> bool:
    """Whether a stamp is later: by instant, and by its text where instants do not decide."""
    one, other = one or "", other or ""
    first, second = instant(one), instant(other)
    if first is not None and second is not None and first != second:
        return first > second
    return one > other


def _refreshed(entry: IndexEntry, stale_after_days: float, moment: datetime) -> IndexEntry:
    """An entry with its stale mark set or taken; the same one when that is right already."""
    healed = entry.with_head(_INSIDE.sub(rf"\1\2 {STALE}", entry.head, count=1))
    entry = healed if healed.head != entry.head else entry
    stamp = entry.stamp
    if entry.pinned or stale_after_days <= 0 or stamp is None:
        return entry
    age = age_days(stamp, moment)
    if age is not None and age > stale_after_days:
        if entry.stale:
            return entry
        return entry.with_head(entry.head.replace(stamp, f"{stamp} {STALE}", 1))
    return entry.with_head(_without(entry.head, STALE)) if entry.stale else entry
