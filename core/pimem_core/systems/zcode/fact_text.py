"""The text of a fact file: a new one, and one whose description, type or body changes.

A new one has exactly the four keys of the format. Of an existing one only the lines of what
changes are touched: other programs keep their own keys there.
"""

from __future__ import annotations

import re

from ...formats import frontmatter
from ...formats.code_fences import CodeFences
from ...formats.lines import line_end
from ...formats.text import quote
from .facts import head
from .names import as_title

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_HEADING = re.compile(r" {0,3}#{1,6}[ \t]+(.+?)(?:[ \t]+#+)?[ \t]*")
# The value alone: a comment behind it stays.
_TYPE_LINE = re.compile(
    r"^(?P<key>[ \t]+type:)[^#\r\n]*?(?P<rest>[ \t]+#[^\r\n]*)?(?=\r?$)", re.MULTILINE
)
_FLOW_TYPE = re.compile(r"(?P<before>[{,]\s*)type\s*:\s*[^,}\r\n]*?(?P<after>\s*[,}])")
_NEXT_KEY = re.compile(r"^[^\s#]", re.MULTILINE)
_METADATA = re.compile(r"^metadata[ \t]*:(?P<value>[^\r\n]*)(?:\r?\n|\Z)", re.MULTILINE)


def new_text(name: str, description: str, type_: str, content: str) -> str:
    """The text of a new fact file."""
    return _block(name, description, type_, "\n") + "\n" + _ended(content, "\n")


def _block(name: str, description: str, type_: str | None, eol: str) -> str:
    lines = ["---", f"name: {quote(name)}", f"description: {quote(description)}"]
    lines += ["metadata:", "  node_type: memory"]
    if type_ is not None:
        lines.append(f"  type: {type_}")
    return eol.join([*lines, "---", ""])


def _ended(content: str, eol: str) -> str:
    content = re.sub(r"\r?\n", eol, content)
    return content if not content or content.endswith("\n") else content + eol


def updated_text(
    old: str,
    *,
    name: str,
    description: str,
    type_: str | None,
    content: str,
    append: bool,
) -> str:
    """An existing text with what is new in place.

    Args:
        old: The text of the file.
        name: What the front matter gets where it has no name.
        description: The new one.
        type_: The new one, None to leave it as it is.
        content: The new body, or what comes at its end.
        append: Whether the old body stays.
    """
    eol = line_end(old)
    text = with_front(old, name=name, description=description, type_=type_)
    parts = frontmatter.split(text)
    body = _ended(content, eol)
    if append:
        before = parts.body
        if before and not before.endswith("\n"):
            before += eol
        body = before + (eol if before.strip() else "") + body
    else:
        # The blank line below the front matter stays or is missing as it was.
        starts = re.match(r"(?:[ \t]*\r?\n)*", parts.body)
        body = ((starts.group() if starts else "") if parts.body else eol) + body
    return parts.bom + parts.opening + parts.block + parts.closing + body


def with_front(old: str, *, name: str, description: str, type_: str | None) -> str:
    """A text with its description and type brought up to date, front matter added if need be."""
    eol = line_end(old)
    parts = frontmatter.split(old)
    if not parts.present:
        blank = "" if not parts.body or parts.body.startswith(("\n", "\r")) else eol
        return parts.bom + _block(name, description, type_, eol) + blank + parts.body
    found = head(old)
    values = {} if found.description == description else {"description": quote(description)}
    missing = {"name": quote(name)} if not found.name else {}
    text = frontmatter.update(old, values, defaults=missing)
    if type_ is not None and found.type != type_:
        text = with_type(text, type_)
    parts = frontmatter.split(text)
    if not parts.closing.endswith("\n"):
        closing = parts.closing + eol
        text = parts.bom + parts.opening + parts.block + closing + parts.body
    return text


def is_safe(
    old: str, new: str, *, description: str | None, type_: str | None, renamed: bool = False
) -> bool:
    """Whether a changed text can be read again, and says the same in all that was not changed.

    Args:
        old: The text before.
        new: The text with what was changed.
        description: What it is to say; None when that was left alone.
        type_: The type it is to have; None when that was left alone.
        renamed: Whether it got another name.
    """
    was, found = head(old), head(new)
    if description is not None and found.description != description:
        return False
    if type_ is not None and found.type != type_:
        return False
    if was.is_usual:  # its lines can be changed one by one
        return True
    touched = {
        key
        for key, is_touched in (
            ("name", renamed or not was.name),
            ("description", description is not None and description != was.description),
            ("type", type_ is not None and type_ != was.type),
            ("metadata", type_ is not None and type_ != was.type),
        )
        if is_touched
    }
    return frontmatter.keeps(old, new, touched) and (
        "metadata" not in touched or _metadata(old) in ({}, _metadata(new))
    )


def _metadata(text: str) -> dict[str, Any]:
    """What `metadata` says besides the type."""
    found = frontmatter.read(text).get("metadata")
    rest = found if isinstance(found, dict) else {}
    return {key: value for key, value in rest.items() if key != "type"}


def with_type(text: str, type_: str) -> str:
    """Set the type where it stands, in `metadata` or at the top, or add it to `metadata`."""
    eol = line_end(text)
    parts = frontmatter.split(text)
    block = parts.block
    place = _METADATA.search(block)
    if place is None:
        values = {"type": type_}
        if "type" in frontmatter.read(text):
            return frontmatter.update(text, values)
        block += f"metadata:{eol}  node_type: memory{eol}  type: {type_}{eol}"
    elif place["value"].strip(" \t").startswith("{"):
        flow = block[place.start() :]
        changed = _FLOW_TYPE.sub(rf"\g<before>type: {type_}\g<after>", flow, count=1)
        if changed == flow:
            inner = "" if re.match(r"metadata[ \t]*:\s*\{\s*\}", flow) else ", "
            changed = re.sub(r"\{\s*", f"{{ type: {type_}{inner or ' '}", flow, count=1)
        block = block[: place.start()] + changed
    else:
        following = _NEXT_KEY.search(block, place.end())
        end = following.start() if following else len(block)
        inside = block[place.end() : end]
        line = _TYPE_LINE.search(inside)
        if line is not None:
            start, stop = line.span()
            inside = f"{inside[:start]}{line['key']} {type_}{line['rest'] or ''}{inside[stop:]}"
        else:
            indent = re.match(r"[ \t]+", inside)
            inside = f"{indent.group() if indent else '  '}type: {type_}{eol}{inside}"
        block = block[: place.end()] + inside + block[end:]
    return parts.bom + parts.opening + block + parts.closing + parts.body


def heading(text: str) -> str:
    """The first heading of a fact's body as a title; empty when there is none."""
    fences = CodeFences()
    for line in frontmatter.split(text).body.split("\n"):
        line = line.rstrip("\r")
        if not fences.is_code(line) and (match := _HEADING.fullmatch(line)) is not None:
            return as_title(match[1])
    return ""
