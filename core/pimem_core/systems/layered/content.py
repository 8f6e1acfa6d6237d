"""What the text of a file says: whether it is content at all, and its first line."""

from __future__ import annotations

import re

from ...formats.text import one_line

_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
# A list item that names a file and says nothing about it.
_LISTED_FILE = re.compile(
    r"\s*(?:[-*+]|\d+[.)])\s+(?:\*\*|__)?"
    r"(?:\[[^\]]*\]\((?:<[^<>]*>|[^)\s]*)\)|`[^`]+\.md`|[^\s`\[]+\.md)"
    r"(?:\*\*|__)?\s*(?:[-–—:]\s*)?\Z"
)
_RULE = re.compile(r"\s*(?:-{3,}|_{3,}|\*{3,})\s*\Z")
_FIELD = re.compile(r"\s*[-*+]\s+\*\*[^*]+\*\*\s*[:：]")
_ORIGIN = re.compile(r"\s*_(?:Promoted from|From) .*_\s*\Z")
_MARKS = re.compile(r"\s*(?:#{1,6}(?=\s|\Z)|>|[-*+](?=\s)|\d+[.)](?=\s))\s*")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}\s+")
_HEADING = re.compile(r"\s{0,3}#{1,6}(?:\s|\Z)")


def plain(data: bytes) -> str:
    """The text of a file for a prompt: no byte order mark, LF ends, no blank lines around it."""
    text = data.decode("utf-8", "replace").removeprefix("\ufeff")
    return text.replace("\r\n", "\n").replace("\r", "\n").strip("\n").rstrip()


def is_content(name: str, text: str) -> bool:
    """Whether a file says anything: placeholders and bare lists of files do not."""
    rest = _COMMENT.sub("", text) if "<!--" in text else text
    if not rest.strip():
        return False
    return name != "index.md" or any(map(_says_something, rest.split("\n")))


def is_placeholder(text: str) -> bool:
    """Whether a text is blank but for comments."""
    return not _COMMENT.sub("", text).strip()


def _says_something(line: str) -> bool:
    stripped = line.strip()
    if not stripped or stripped.startswith((">", "#")) or _RULE.match(line):
        return False
    return _LISTED_FILE.match(line) is None


def summary(name: str, text: str) -> str:
    """The first line that says something, without its marks; empty when there is none.

    A heading that only repeats the file's name says nothing.
    """
    stem = name.removesuffix(".md").casefold()
    lines = _COMMENT.sub("", text).split("\n")
    if lines and lines[0].strip() == "---" and "---" in (line.strip() for line in lines[1:]):
        end = next(at for at, line in enumerate(lines[1:], 1) if line.strip() == "---")
        lines = lines[end + 1 :]
    for line in lines:
        if not line.strip() or _RULE.match(line) or _FIELD.match(line) or _ORIGIN.match(line):
            continue
        said = line
        while (mark := _MARKS.match(said)) and mark.end():
            said = said[mark.end() :]
        said = one_line(_DATE.sub("", said, count=1) if _HEADING.match(line) else said)
        if said and said.casefold().replace(" ", "-") != stem and said.casefold() != stem:
            return said
    return ""
