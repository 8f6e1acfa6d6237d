"""The index `MEMORY.md`: what its lines say.

The grammar is that of openpi-memory 0.3.9. Flags and stamps count only before the first ` -- `,
as in openclaude-memory, so that a summary may mention them.
"""

from __future__ import annotations

import re

from ...formats.text import SPACE_PATTERN

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

INDEX_NAME = "MEMORY.md"
INITIAL = "# Memory Index\n\n"
#: A stamp in an index line: a date or a time of ISO 8601. openpi writes dates, and times with an
#: offset and without a fraction.
STAMP = re.compile(
    r"(\d{4})-(\d{2})-(\d{2})"
    r"(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d+))?)?(?:[Zz]|([+-])(\d{2})(?::?(\d{2}))?)?"
    r"(?![\w:]))?",
    re.ASCII,
)
#: The flags of a line.
PIN = "[pin]"
STALE = "[stale?]"
# A topic file's name is part of the grammar: any other link is prose.
_FILE = r"(?!\.)[^\x00-\x1f\x7f/\\\[\]()]+\.[mM][dD]"
_ENTRY = re.compile(
    f"({SPACE_PATTERN}*-{SPACE_PATTERN}+\\[)([^\\]]+)(\\]\\(({_FILE})\\))([^\r\n\u2028\u2029]*)"
)
_SUMMARY = re.compile(f"--{SPACE_PATTERN}+(.*)", re.DOTALL)


def is_topic_file(name: str) -> bool:
    """Whether a name can be a topic's file: it ends in `.md`, is not the index and stays here."""
    return re.fullmatch(_FILE, name) is not None and not _is_taken(name)


def _is_taken(file: str) -> bool:
    """Whether a name is the index's own, or has dots that could lead out of the folder."""
    return ".." in file or (len(file) == len(INDEX_NAME) and file.lower() == "memory.md")


class IndexEntry:
    """An index line that names a topic. Its parts joined are the line again.

    `tail` is what follows a carriage return or a Unicode line separator; it is kept, never read.
    A plain class, because listing an index of 10,000 lines makes as many of them.
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
        return _head(self.rest)

    @property
    def pinned(self) -> bool:
        """Whether the line carries the pin."""
        return is_pinned(self.rest)

    @property
    def stale(self) -> bool:
        """Whether maintenance marked the line as stale."""
        return is_stale(self.rest)

    @property
    def stamp(self) -> str | None:
        """The line's stamp as written."""
        return stamp_in(self.rest)

    @property
    def summary(self) -> str:
        """What follows the first `--` that a space follows."""
        return summary_in(self.rest)

    def with_name(self, name: str) -> IndexEntry:
        """The same line with another name."""
        return IndexEntry(self.prefix, name, self.middle, self.file, self.rest, self.tail)

    def with_head(self, head: str) -> IndexEntry:
        """The same line with another head."""
        rest = head + self.rest[len(self.head) :]
        return IndexEntry(self.prefix, self.name, self.middle, self.file, rest, self.tail)


def is_pinned(rest: str) -> bool:
    """Whether what follows an entry's link has the pin where it counts."""
    return PIN in rest and PIN in _head(rest)


def is_stale(rest: str) -> bool:
    """Whether it has the stale mark where it counts."""
    return STALE in rest and STALE in _head(rest)


def stamp_in(rest: str) -> str | None:
    """Its stamp as written."""
    match = STAMP.search(_head(rest))
    return match.group() if match else None


def summary_in(rest: str) -> str:
    """Its summary: what follows the first `--` that a space follows."""
    at = rest.find("--")
    if at < 0:
        return ""
    if rest[at + 2 : at + 3] == " " and rest[at + 3 : at + 4].isalnum():
        return rest[at + 3 :]  # as nearly all have it
    match = _SUMMARY.search(rest)
    return match[1] if match else ""


def _head(rest: str) -> str:
    return rest.split(" -- ", 1)[0]


def parse_line(line: str) -> IndexEntry | None:
    """Read one line, without its LF, as an entry; None when it is prose."""
    match = match_line(line)
    return None if match is None else entry_of(match)


def match_line(line: str) -> re.Match[str] | None:
    """The line as an entry's parts, a group for each but the tail; None when it is prose."""
    match = _ENTRY.match(line)
    return None if match is None or _is_taken(match[4]) else match


def entry_of(match: re.Match[str]) -> IndexEntry:
    """The entry of a line that matched."""
    prefix, name, middle, file, rest = match.groups()
    return IndexEntry(prefix, name, middle, file, rest, match.string[match.end() :])


def matches(text: str) -> Iterator[re.Match[str]]:
    """The lines of an index that are entries, in order, duplicates included."""
    for match in map(_ENTRY.match, text.split("\n")):
        if match is not None and not _is_taken(match[4]):
            yield match


def first_lines(text: str) -> dict[str, re.Match[str]]:
    """The line of each file that an index names, the first of several, in order."""
    lines: dict[str, re.Match[str]] = {}
    for match in matches(text):
        lines.setdefault(match[4], match)
    return lines


def has_entry(text: str) -> bool:
    """Whether an index has an entry."""
    return next(matches(text), None) is not None


def entries(text: str) -> list[IndexEntry]:
    """The entries of an index in order, duplicates included."""
    return list(map(entry_of, matches(text)))


def files(text: str) -> set[str]:
    """The files that an index names."""
    return {match[4] for match in matches(text)}


def canonical(name: str, file: str, *, pinned: bool, stamp: str, summary: str) -> str:
    """An entry line as this program and its peers write it."""
    return f"- [{name}]({file}){' ' + PIN if pinned else ''} {stamp} -- {summary}"
