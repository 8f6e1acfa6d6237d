"""Dated entries in a file: parsed with markdown-it-py, changed line by line.

An edit touches only the lines of the field it is about; everything else keeps every byte.
"""

from __future__ import annotations

import functools
import re
from datetime import date

from markdown_it import MarkdownIt

from ...errors import AmbiguousTopicError, TopicNotFoundError
from ...formats.lines import line_end, lines_of
from ...formats.text import one_line, plural, quote
from ..layers import CONFIDENCES, STATUSES, DatedEntry, Place

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from markdown_it.token import Token

#: What stands for no reference in `supersedes`.
_NONE = frozenset({"", "-", "–", "—", "none", "n/a", "无"})
#: Names of known fields in the language of the first version.
_ALIASES = {
    "状态": "status",
    "生效期": "valid_from",
    "替代条目": "supersedes",
    "背景": "context",
    "方案": "decision",
    "理由": "rationale",
    "后果": "consequences",
    "置信度": "confidence",
    "验证": "verified",
}
_KNOWN = frozenset(_ALIASES.values())
_HEADING = re.compile(r"(\d{4}-\d{1,2}-\d{1,2})(?:\s*[:：–—-]\s*|\s+|\Z)(.*)", re.DOTALL)
_FIELD = re.compile(
    r"(?P<head>\s*(?:[-*+]|\d+[.)])\s+"
    r"(?:(?P<bold>\*\*|__)(?P<name>[^*_:：]+(?:_[^*_:：]+)*)"
    r"(?:(?P=bold)\s*[:：]|[:：]\s*(?P=bold))|(?P<bare>[^\s*_:：]+(?:_[^\s*_:：]+)*)\s*[:：])\s*)"
    r"(?P<value>.*)",
    re.DOTALL,
)
# A value goes on in indented lines, but for a list of its own.
_CONTINUED = re.compile(r"[ \t]+(?![-*+] |\d+[.)] )\S")
_ORIGIN = re.compile(r"_(?:Promoted from|From) ")
# Blocks are enough; what is inside their lines would take most of the time.
_parser = MarkdownIt("commonmark").disable(["inline", "text_join"])


class Field:
    """Where a field stands: its lines, what is before its value, and the value as one line."""

    def __init__(self, name: str, value: str, first: int, end: int, head: str) -> None:
        self.name = name
        self.value = value
        self.first = first
        self.end = end
        self.head = head


class Section:
    """An entry with the places of its parts; lines count from 0, `end` is behind the last."""

    def __init__(self, heading: str, first: int, body: int, end: int, fields: list[Field]) -> None:
        self.heading = heading
        self.first = first
        self.body = body
        self.end = end
        self.fields = fields
        match = _HEADING.match(heading)
        assert match is not None
        self.date, self.title = match[1], match[2].strip()

    def field(self, name: str) -> Field | None:
        """The first field of a name."""
        return next((field for field in self.fields if field.name == name), None)


@functools.lru_cache(maxsize=4)  # a change looks at the same text several times
def sections(text: str) -> Sequence[Section]:
    """The entries of a text in order."""
    lines = lines_of(text)
    tokens = _parser.parse(text.removeprefix("\ufeff"))
    found = []
    for at, token in enumerate(tokens):
        if token.type != "heading_open" or token.level != 0 or token.tag != "h2":
            continue
        heading = one_line(tokens[at + 1].content)
        if token.map is None or _HEADING.match(heading) is None:
            continue
        end_token = _end(tokens, at + 3)
        place = tokens[end_token].map if end_token < len(tokens) else None
        end = len(lines) if place is None else place[0]
        while end > token.map[1] and not lines[end - 1].strip():
            end -= 1
        fields = _fields(tokens[at + 3 : end_token], lines)
        found.append(Section(heading, token.map[0], token.map[1], end, fields))
    return found


def _end(tokens: Sequence[Token], start: int) -> int:
    """The token at which an entry ends: the next heading of its rank, or of its origin."""
    for at in range(start, len(tokens)):
        token = tokens[at]
        if token.level != 0:
            continue
        if token.type == "heading_open" and token.tag in ("h1", "h2"):
            return at
        if token.type == "hr" and at + 2 < len(tokens) and _ORIGIN.match(tokens[at + 2].content):
            return at
    return len(tokens)


def _fields(tokens: Sequence[Token], lines: Sequence[str]) -> list[Field]:
    found = []
    for token in tokens:
        if token.type != "list_item_open" or token.level != 1 or token.map is None:
            continue
        first = token.map[0]
        end = first + 1
        while end < token.map[1] and _CONTINUED.match(lines[end]):
            end += 1
        match = _FIELD.match(lines[first].rstrip("\r\n"))
        if match is None:
            continue
        name = _canonical(match["name"] or match["bare"])
        if match["bare"] and name not in _KNOWN:
            continue
        value = one_line(" ".join([match["value"], *lines[first + 1 : end]]))
        found.append(Field(name, value, first, end, match["head"]))
    return found


def _canonical(name: str) -> str:
    name = name.strip().lower()
    return _ALIASES.get(name, name)


def parse(text: str, *, store: str, file: str) -> list[DatedEntry]:
    """The entries of a file, each checked by itself."""
    lines = lines_of(text)
    return [
        DatedEntry(
            store=store,
            file=file,
            heading=section.heading,
            date=section.date,
            title=section.title,
            line=section.first + 1,
            text="".join(lines[section.first : section.end]).rstrip("\r\n"),
            fields=[(field.name, field.value) for field in section.fields],
            problems=_problems(section),
        )
        for section in sections(text)
    ]


def _problems(section: Section) -> list[str]:
    said = []
    if not is_date(section.date):
        said.append(f"There is no date {section.date}; write it as 2026-07-15.")
    if not section.title:
        said.append("The entry has no title.")
    for name, known in (("status", STATUSES), ("confidence", CONFIDENCES)):
        field = section.field(name)
        if field is not None and field.value.lower() not in known:
            said.append(f"Unknown {name} {quote(field.value)}; there are {', '.join(known)}.")
    since = section.field("valid_from")
    if since is not None and since.value.lower() not in _NONE and not _is_month(since.value):
        said.append(f"valid_from is {quote(since.value)}; write it as 2026-07 or 2026-07-15.")
    return said


def is_date(text: str) -> bool:
    """Whether a text is a day as entries write it."""
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _is_month(text: str) -> bool:
    """Whether a text is a day or a month as entries write them."""
    return is_date(text) or (len(text) == len("2026-07") and is_date(f"{text}-01"))


def newest_date(found: Iterable[DatedEntry]) -> str | None:
    """The date of the newest entry; None without one."""
    return max((entry.date for entry in found if is_date(entry.date)), default=None)


def check_references(found: Sequence[DatedEntry]) -> list[DatedEntry]:
    """The entries with what each one's `supersedes` leads to, or that it leads nowhere."""
    named: dict[str, list[int]] = {}
    for at, entry in enumerate(found):
        for name in {_folded(entry.heading), _folded(entry.title), entry.date}:
            named.setdefault(name, []).append(at)
    checked = list(found)
    newer: dict[int, list[Place]] = {}
    for at, entry in enumerate(found):
        wanted = dict(entry.fields).get("supersedes", "")
        if wanted.strip().lower() in _NONE:
            continue
        others = [other for other in named.get(_folded(wanted), ()) if other != at]
        if not others:
            said = f"supersedes names {quote(wanted)}, which is not another entry here."
            checked[at] = entry.but(problems=[*entry.problems, said])
            continue
        # Of several with one title that in the same file is meant.
        old = min(others, key=lambda other: found[other].file != entry.file)
        checked[at] = entry.but(supersedes=_place(found[old]))
        newer.setdefault(old, []).append(_place(entry))
    return [
        entry.but(superseded_by=newer[at]) if at in newer else entry
        for at, entry in enumerate(checked)
    ]


def _place(entry: DatedEntry) -> Place:
    return Place(file=entry.file, heading=entry.heading)


def _folded(text: str) -> str:
    link = re.fullmatch(r"\[+([^\]]*)\]+(?:\([^)]*\))?", text.strip())
    return one_line((link[1] if link else text).strip("`\"'“”")).casefold()


def find(found: Iterable[Section], wanted: str, *, file: str) -> Section:
    """The entry that a heading, a title or a part of one means.

    A whole heading, with date and title, is never a part of another: whoever holds one and finds it
    gone must not act on the next.

    Raises:
        TopicNotFoundError: Nothing matches; the message lists what is there.
        AmbiguousTopicError: Several match.
    """
    known = list(found)
    folded = wanted.strip().casefold()
    dated = _HEADING.fullmatch(wanted.strip())
    part = "" if dated and dated[2] else folded
    for matches in (
        [one for one in known if one.heading == wanted.strip()],
        [one for one in known if folded in (one.heading.casefold(), one.title.casefold())],
        [one for one in known if part and part in one.heading.casefold()],
    ):
        if len(matches) == 1:
            return matches[0]
        if matches:
            headings = [f"line {one.first + 1}: {one.heading}" for one in matches]
            raise AmbiguousTopicError(
                f"{quote(wanted)} matches {plural(len(matches), 'entry')} of {file}: "
                f"{'; '.join(headings[:5])}. Name one of them.",
                name=wanted,
                file=file,
                candidates=[one.heading for one in matches],
            )
    there = "; ".join(one.heading for one in known[:5])
    raise TopicNotFoundError(
        f"{file} has no entry {quote(wanted)}; "
        + (f"there are: {there}." if there else "it has no dated entries at all."),
        name=wanted,
        file=file,
    )


def with_fields(text: str, section: Section, values: Mapping[str, str]) -> str:
    """The text with some fields of an entry set; a missing one is added."""
    lines = lines_of(text)
    end = line_end(text)
    edits: list[tuple[int, int, list[str]]] = []
    for name, value in values.items():
        field = section.field(name)
        if field is not None:
            if field.value != value:
                head = field.head.rstrip(" \t") + " " if field.head[-1:] in ":：*_" else field.head
                edits.append((field.first, field.end, [head + value + _end_of(lines, field, end)]))
        elif section.fields:
            near = section.fields[0] if name == "status" else section.fields[-1]
            at = near.first if name == "status" else near.end
            edits.append((at, at, [f"{_bullet(near)}**{name}**: {value}{end}"]))
    if not section.fields and values:
        edits.append((section.body, section.body, _first_fields(values, section, lines, end)))
    for first, last, new in sorted(edits, key=lambda edit: edit[0], reverse=True):
        if first == len(lines) and lines and not lines[-1].endswith(("\n", "\r")):
            lines[-1] += end
        lines[first:last] = new
    return "".join(lines)


def _first_fields(
    values: Mapping[str, str], section: Section, lines: Sequence[str], end: str
) -> list[str]:
    """Fields below a heading that has none; text that follows must not become part of them."""
    next_line = lines[section.body] if section.body < len(lines) else ""
    made = [f"- **{name}**: {value}{end}" for name, value in values.items()]
    return [end, *made, *([end] if next_line.strip() else [])]


def _bullet(field: Field) -> str:
    match = re.match(r"\s*(?:[-*+]|\d+[.)])\s+", field.head)
    mark = match[0] if match else "- "
    return "- " if mark.strip()[:1].isdigit() else mark


def _end_of(lines: Sequence[str], field: Field, usual: str) -> str:
    last = lines[field.end - 1]
    ending = last[len(last.rstrip("\r\n")) :]
    return ending if ending or field.end == len(lines) else usual


def without(text: str, section: Section) -> tuple[str, str]:
    """The text without an entry, and the entry's own text."""
    lines = lines_of(text)
    end = section.end
    while end < len(lines) and not lines[end].strip():
        end += 1
    taken = "".join(lines[section.first : section.end])
    above, below = lines[: section.first], lines[end:]
    if taken.startswith("\ufeff"):  # the mark is the file's, not the entry's
        taken = taken[1:]
        above = ["\ufeff"]
    elif above and below and above[-1].strip():
        # What is below must not join the text above.
        blank = lines[section.end : end][:1]
        is_heading = below[0].startswith("#")
        above += blank or ([] if is_heading else [line_end(text)])
    return "".join([*above, *below]), taken
