"""The index `MEMORY.md`: what its lines say, as people and programs wrote them.

A line is `- [Title](file.md) — hook`. Read are links to Markdown files below the folder in any
line, outside of code and comments; rewritten are only lines of a list with one such link, and of
those only title and hook.
"""

from __future__ import annotations

import posixpath
import re

from ...formats.code_fences import CodeFences
from .facts import is_fact_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

INITIAL = "# Memory Index\n\n"
_LINK = re.compile(
    r"(?<!!)\[(?P<title>(?:[^\[\]\\\n]|\\.|\[[^\[\]\n]*\])*)\]\([ \t]*"
    r"(?P<target><[^<>\n]*>|[^\s()]*(?:\([^\s()]*\)[^\s()]*)*|[^()\n]*?\.md)"
    r"(?:[ \t]+(?:\"[^\"\n]*\"|'[^'\n]*'))?[ \t]*\)"
)
_COMMENT_LINE = re.compile(r" {0,3}<!--")
_BLOCK_START = re.compile(r"[ \t]*(?:[-*+>|]|\d+[.)]|#{1,6}|`{3,}|~{3,})(?:\s|[`~|]|\Z)")
_BULLET = re.compile(r"\ufeff?[ \t]*(?:[-*+]|\d+[.)])[ \t]+")
_CODE = re.compile(r"(`+)(?!`)(?:.*?[^`])?\1(?!`)")
_CODE_TAGS = re.compile(r"(?:\s*`[^`]*`)+(?=\s)")
# What stands between link and hook; the last is a dash that was read in the wrong encoding.
_SEPARATOR = re.compile(r"\s*(?:—|–|--?|·|:|→|->|\u00e2\u20ac\u201d|\u00e2\u20ac\u201c)(?:\s+|\Z)")
_MARKS = re.compile(r"(?:\*\*|__|~~|\*|_)*")
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
_PERCENT = re.compile(r"(?:%[0-9A-Fa-f]{2})+")
#: Between link and hook in a line as this program writes it.
DASH = " — "


class IndexLink:
    """A link of the index to a fact file. `line` counts from 1.

    `kind` is `line` where the line is the fact's own and can be rewritten, else `row` for a row of
    a table and `link` for any other. `target` is the file as the link has it, `start` and `end`
    are the link's place in its line.
    """

    __slots__ = ("end", "file", "hook", "kind", "line", "start", "target", "title")

    def __init__(
        self,
        line: int,
        file: str,
        target: str,
        title: str,
        hook: str,
        kind: str,
        start: int,
        end: int,
    ) -> None:
        self.line = line
        self.file = file
        self.target = target
        self.title = title
        self.hook = hook
        self.kind = kind
        self.start = start
        self.end = end


def entries(text: str) -> list[IndexLink]:
    """The links of an index to fact files, in order, several for a line that has several."""
    return [entry for number, line in _open_lines(text) for entry in _in_line(line, number)]


def _open_lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines outside of fenced code and comments, with their numbers."""
    fences, in_comment = CodeFences(), False
    lines = text.split("\n")
    for number, line in enumerate(lines, start=1):
        if in_comment:
            before, closed, line = line.partition("-->")
            in_comment = not closed
            # What follows a comment keeps its place in the line.
            line = " " * (len(before) + 3) + line if closed else ""
        if fences.is_code(line):
            continue
        if "<!--" in line:
            line = re.sub(r"<!--.*?-->", lambda m: " " * len(m.group()), line)
            begun = line.find("<!--")
            if begun >= 0 and (_COMMENT_LINE.match(line) or _is_closed(lines, number)):
                line, in_comment = line[:begun], True
        if "](" in line:
            yield number, line


def _is_closed(lines: Sequence[str], number: int) -> bool:
    """Whether a comment that begins inside a line ends in the same paragraph, behind that line.

    As in CommonMark: one that does not is text, such as a description that says `<!--`.
    """
    for line in lines[number:]:
        if "-->" in line:
            return True
        if not line.strip() or _BLOCK_START.match(line):
            break
    return False


def _in_line(line: str, number: int) -> list[IndexLink]:
    # The text of code stays as long as it is, so that places in the line are right.
    plain = _CODE.sub(lambda m: "`" + "x" * (len(m.group()) - 2) + "`", line)
    found = []
    for match in _LINK.finditer(plain):
        file = linked_file(line[match.start("target") : match.end("target")])
        if file is not None:
            found.append((match, file))
    is_row = line.lstrip().startswith("|")
    alone = len(found) == 1 and not is_row and _BULLET.match(line) is not None
    kind = "line" if alone else "row" if is_row and len(found) == 1 else "link"
    return [
        IndexLink(
            line=number,
            file=file,
            target=line[match.start("target") : match.end("target")],
            title=line[match.start("title") : match.end("title")],
            hook=_unescaped(
                _row_hook(line, match.end())
                if is_row
                else hook_at(line, match.start(), match.end())[1]
            ),
            kind=kind,
            start=match.start(),
            end=match.end(),
        )
        for match, file in found
    ]


def hook_at(line: str, start_of_link: int, end: int) -> tuple[int, str, bool]:
    """Where the hook behind a line's link begins, the hook, and whether a separator is there."""
    rest = line[end:].rstrip()
    marks = _MARKS.match(rest)
    start = marks.end() if marks else 0
    tags = _CODE_TAGS.match(rest, start)
    separator = _SEPARATOR.match(rest, tags.end() if tags else start)
    if separator is not None:
        start = separator.end()
    else:
        start += len(rest[start:]) - len(rest[start:].lstrip())
    hook = rest[start:]
    for mark in ("~~", "**", "__"):
        # A mark that was opened before the link and is closed behind the hook.
        if (
            hook.endswith(mark)
            and line[:start_of_link].count(mark) % 2
            and mark not in rest[:start]
        ):
            hook = hook[: -len(mark)].rstrip()
    return end + start, hook, separator is not None


def _row_hook(line: str, end: int) -> str:
    cells = [cell.strip() for cell in line[end:].strip().strip("|").split("|")]
    return " · ".join(cell for cell in cells if cell)


def linked_file(target: str) -> str | None:
    """The fact file below the folder that a link's target names; None for any other target."""
    target = target.strip()
    if target.startswith("<") and target.endswith(">"):
        target = target[1:-1]
    target = target.partition("#")[0].partition("?")[0]
    if not target or target[0] in "/~\\" or _SCHEME.match(target):
        return None
    target = _PERCENT.sub(_decoded, target)
    file = posixpath.normpath(target)
    return file if is_fact_file(file) else None


def _decoded(match: re.Match[str]) -> str:
    return bytes.fromhex(match.group().replace("%", "")).decode("utf-8", "replace")


def target_of(file: str) -> str:
    """A file as the target of a link."""
    target = re.sub(r"[#?%]", lambda m: f"%{ord(m.group()):02X}", file)
    return f"<{target}>" if re.search(r"[\s()]", target) else target


def line_of(title: str, file: str, hook: str) -> str:
    """A line as this program writes it."""
    return f"- [{title}]({target_of(file)}){DASH}{escaped(hook)}"


def escaped(hook: str) -> str:
    """A hook as a line can carry it: it opens no comment and has no link of its own."""
    return hook.replace("<!--", "&lt;!--").replace("](", "]\\(")


def _unescaped(hook: str) -> str:
    return hook.replace("&lt;!--", "<!--").replace("]\\(", "](")
