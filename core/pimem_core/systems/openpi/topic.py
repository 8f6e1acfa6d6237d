"""Topics: what a name may be, which file it gets, and the text of that file."""

from __future__ import annotations

import hashlib
import json
import os
import re
from datetime import UTC
from itertools import count, takewhile

from ...clock import stamp
from ...errors import InvalidArgumentError, InvalidTopicError, ReservedTopicError
from ...formats import frontmatter
from ...formats.lines import line_end
from ...formats.text import SPACE, cut_utf16, encode, one_line, quote, trim

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from datetime import datetime

RECAP_SLUG = "last-session-recap"
RECAP_FILE = RECAP_SLUG + ".md"
#: Longest summary in UTF-16 code units.
SUMMARY_UNITS = 500
_NAME_BYTES = 255
_SLUG_BYTES = 200
_FORBIDDEN = re.compile(r"[\[\]()\r\n\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_NOT_SLUG = re.compile(f"[^a-z0-9{SPACE}-]")
_SPACES = re.compile(f"[{SPACE}]+")
_HYPHENS = re.compile("-+")
_NAME_LINE = re.compile(r"^name:(.*)$", re.MULTILINE)


def slug(topic: str) -> str:
    """The ASCII form of a topic that its file is named after; may be empty."""
    kept = trim(_NOT_SLUG.sub("", topic.lower()))
    return _HYPHENS.sub("-", _SPACES.sub("-", kept))


def check_topic(topic: object) -> str:
    """A topic as it will be stored, trimmed.

    Raises:
        InvalidTopicError: It is blank, holds characters that an index line cannot, or has no ASCII
            letter or digit.
        ReservedTopicError: It names the retired recap.
    """
    if not isinstance(topic, str):
        raise InvalidTopicError("topic must be a text.")
    name = trim(topic)
    if not name:
        raise InvalidTopicError("The topic is blank; give it a name.")
    found = _FORBIDDEN.search(name)
    if found is not None:
        raise InvalidTopicError(
            f"The topic holds {_named(found.group())}, which an index line cannot; leave it out.",
            name=name,
        )
    stem = slug(name)
    if not stem:
        raise InvalidTopicError(
            f"The topic {quote(name)} has no ASCII letter or digit to name its file after; "
            f"add one, for example {quote('Notes ' + name)}.",
            name=name,
        )
    if stem == RECAP_SLUG:
        raise ReservedTopicError(
            f"The topic {quote(name)} is reserved: the handoff carries sessions over now. "
            "Choose another name.",
            name=name,
        )
    if stem == "memory":
        raise InvalidTopicError(
            f"The topic {quote(name)} would take the index's own file; choose another name.",
            name=name,
        )
    return name


def _named(character: str) -> str:
    if character in "[]()":
        return f'"{character}"'
    if character in "\r\n":
        return "a line break"
    if character > "\ud7ff":
        return "half of a character"
    return f"the control character U+{ord(character):04X}"


def check_summary(summary: object) -> str:
    """A summary as it will be stored: one line of at most 500 UTF-16 units.

    Raises:
        InvalidArgumentError: It is not a text.
    """
    if not isinstance(summary, str):
        raise InvalidArgumentError("summary is missing or not a text.")
    return cut_utf16(encode(one_line(summary)).decode(), SUMMARY_UNITS)


def check_content(content: object) -> None:
    """Refuse anything but a text.

    Raises:
        InvalidArgumentError: It is none.
    """
    if not isinstance(content, str):
        raise InvalidArgumentError("content is missing or not a text.")


def file_for(
    topic: str,
    *,
    is_indexed: Callable[[str], bool],
    exists: Callable[[str], bool],
    owner: Callable[[str], str | None],
) -> str:
    """The file of a topic that the index does not name: its slug, suffixed while that is taken.

    Args:
        topic: A checked topic.
        is_indexed: Whether a file is in the index.
        exists: Whether a name is taken on disk, links followed.
        owner: The name in the front matter of an unlisted regular file, None when it has none.
    """

    def is_ours(file: str) -> bool:
        if is_indexed(file):
            return False
        if not exists(file):
            return True
        name = owner(file)
        return name is not None and name.lower() == topic.lower()

    return next(filter(is_ours, file_names(slug(topic), "", ".md", topic)))


def file_names(stem: str, mark: str, ending: str, topic: str) -> Iterator[str]:
    """Names for a topic's file, best first: the stem with a mark, then with a number as well.

    Where they get longer than a file system takes, a cut stem with a hash of the topic goes on.
    """

    def fits(name: str) -> bool:
        return len(os.fsencode(name)) <= _NAME_BYTES

    yield from takewhile(fits, _numbered(stem + mark, ending))
    start = os.fsencode(stem)[:_SLUG_BYTES].decode("utf-8", "ignore")
    known = hashlib.sha256(topic.encode("utf-8", "replace")).hexdigest()[:8]
    yield from _numbered(f"{start}-{known}{mark}", ending)


def _numbered(stem: str, ending: str) -> Iterator[str]:
    yield stem + ending
    for number in count(2):
        yield f"{stem}-{number}{ending}"


def owner_name(text: str) -> str | None:
    """The name that a file's front matter gives, as the peers compare it."""
    block = frontmatter.split(text).block.replace("\r\n", "\n")
    match = _NAME_LINE.search(block)
    if match is None:
        return None
    value = trim(match[1])
    if value.startswith('"'):
        try:
            decoded = json.loads(value)
        except ValueError:
            return value
        return decoded if isinstance(decoded, str) else value
    return value.removeprefix("'").removesuffix("'")


def new_text(name: str, summary: str, content: str, moment: datetime) -> str:
    """The text of a new topic file."""
    return _fresh_block(name, summary, moment, "\n") + f"\n{content}\n"


def _fresh_block(name: str, summary: str, moment: datetime, eol: str) -> str:
    now = stamp(moment)
    lines = (
        "---",
        "metadata:",
        "  node_type: memory",
        f"name: {quote(name)}",
        f"description: {quote(summary)}",
        f"last_updated: {now}",
        f"created: {now}",
        "---",
        "",
    )
    return eol.join(lines)


def updated_text(
    old: str, *, name: str, summary: str, content: str, replace: bool, moment: datetime
) -> str:
    """The text of a topic file after a write: keys refreshed, content appended or put in place.

    Everything else keeps its bytes; the file keeps its line ends.
    """
    eol = line_end(old)
    text = refreshed(old, name=name, summary=summary, moment=moment)
    parts = frontmatter.split(text)
    content = content if eol == "\n" else re.sub(r"\r?\n", eol, content)
    if replace:
        body = f"{eol}{content}{eol}"
    else:
        day = moment.astimezone(UTC).date().isoformat()
        body = f"{parts.body}{eol}## {day}{eol}{eol}{content}{eol}"
    return parts.bom + parts.opening + parts.block + parts.closing + body


def refreshed(text: str, *, name: str, summary: str, moment: datetime) -> str:
    """A topic text with its name, description and time renewed; a missing block is put in front."""
    parts = frontmatter.split(text)
    if not parts.present:
        eol = line_end(text)
        return parts.bom + _fresh_block(name, summary, moment, eol) + parts.body
    now = stamp(moment)
    text = frontmatter.update(
        text,
        {"name": quote(name), "description": quote(summary), "last_updated": now},
        defaults={"created": now},
    )
    parts = frontmatter.split(text)
    if not parts.closing.endswith("\n"):
        closing = parts.closing + line_end(text)
        text = parts.bom + parts.opening + parts.block + closing + parts.body
    return text
