"""Front matter: read leniently, changed line by line.

Reading goes through python-frontmatter with our handler. Changing never dumps YAML: the lines of
the touched keys are replaced and every other byte of the file stays.
"""

from __future__ import annotations

import re

from ..value import Value
from .front_matter_lines import DOUBLE_END, PROSE_KEYS, SINGLE_END, spans
from .lines import line_end

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from typing import Any

BOM = "\ufeff"
_OPENING = re.compile(r"---[ \t]*(?:\r?\n|\Z)")
_CLOSING = re.compile(r"^---[ \t]*(?:\r?\n|\Z)", re.MULTILINE)
#: Keys that memory files have. With one of them a block whose YAML is invalid is front matter all
#: the same; without, it may be prose between two rules.
_USUAL_KEY = re.compile(
    r"(?:name|description|title|summary|type|metadata|tags|id|date|created|updated|modified"
    r"|last_updated|aliases|pinned|links|status)[ \t]*:"
)
#: A block that is plainly keys with values, a usual one first.
_PLAIN_BLOCK = re.compile(
    _USUAL_KEY.pattern + r"[^\n]*\n(?:(?:[A-Za-z_][\w.-]*:\s|[ \t#\r])[^\n]*\n|\n)*+\Z", re.ASCII
)


class Parts(Value):
    """A text cut into byte order mark, opening fence, block, closing fence and body.

    The five joined are the text again. Without front matter `opening`, `block` and `closing` are
    empty. The block's lines keep their ends.
    """

    bom: str
    opening: str
    block: str
    closing: str
    body: str

    @property
    def present(self) -> bool:
        """Whether the text has front matter."""
        return bool(self.opening)


def split(text: str) -> Parts:
    """Cut a text at its front matter. The first closing fence ends it; an unclosed one is body.

    Only a block of keys with values is front matter (an empty one as well): prose between two
    rules is body.
    """
    bom = BOM if text.startswith(BOM) else ""
    rest = text[len(bom) :]
    fences = _fences(rest)
    if fences is not None:
        opening, closing = fences
        block = rest[opening.end() : closing.start()]
        if is_mapping(block):
            return Parts(
                bom=bom,
                opening=opening.group(),
                block=block,
                closing=closing.group(),
                body=rest[closing.end() :],
            )
    return Parts(bom=bom, opening="", block="", closing="", body=rest)


def is_unclosed(text: str) -> bool:
    """Whether a text begins with a fence that no other one closes."""
    rest = text.removeprefix(BOM)
    return _OPENING.match(rest) is not None and _fences(rest) is None


def _fences(text: str) -> tuple[re.Match[str], re.Match[str]] | None:
    opening = _OPENING.match(text)
    closing = None if opening is None else _CLOSING.search(text, opening.end())
    return None if opening is None or closing is None else (opening, closing)


def is_mapping(block: str) -> bool:
    """Whether a block between two fences is front matter, not prose between two rules."""
    if not block.strip() or _PLAIN_BLOCK.match(block):
        return True
    cut = spans(block)
    # An update takes repeated keys out, so each counts once.
    keys = {key: chunk for key, chunk in cut if key is not None}
    between = [chunk for key, chunk in cut if key is None]
    strays = [line for line in between if line.strip() and line.lstrip()[0] != "#"]
    if len(strays) <= len(keys) and any(map(_USUAL_KEY.match, keys.values())):
        return True
    from .front_matter_yaml import has_keys

    return has_keys(block.replace("\r\n", "\n"))


def read(text: str) -> dict[str, Any]:
    """The front matter as strings and nested objects of strings; empty when there is none.

    YAML 1.2 as people mean it: every scalar stays the text it is written as, and where the YAML is
    invalid each `key: rest of the line` counts as written.
    """
    if not split(text).block.strip():
        return {}
    # python-frontmatter and PyYAML take 30 ms to import, which only opening a topic needs.
    import frontmatter

    from .front_matter_yaml import Handler

    metadata, _body = frontmatter.parse(text.removeprefix(BOM), handler=Handler())
    return dict(metadata)


def update(
    text: str, values: Mapping[str, str], *, defaults: Mapping[str, str] | None = None
) -> str:
    """Set top-level keys of a text's front matter and leave every other byte as it is.

    A key's first occurrence takes the new value, its whole old value goes, a comment behind that
    stays. Later occurrences of the same key go. A missing key is added at the end of the block.
    The file keeps its line ends.

    Args:
        text: A text with front matter.
        values: Values as they are written (quoted where needed), in the order of adding.
        defaults: Values that are only added when their key is absent.
    """
    parts = split(text)
    eol = line_end(text)
    cut = spans(parts.block)
    kept: list[str] = []
    done = set()
    for key, chunk in cut:
        if key is None or key not in values:
            kept.append(chunk)
        elif key not in done:
            done.add(key)
            kept.append(f"{key}: {values[key]}{_comment(key, chunk)}{eol}")
    if kept and not kept[-1].endswith("\n"):
        kept[-1] += eol
    present = {key for key, _ in cut}
    added = {**values, **{k: v for k, v in (defaults or {}).items() if k not in present}}
    kept.extend(f"{key}: {value}{eol}" for key, value in added.items() if key not in done)
    return parts.bom + parts.opening + "".join(kept) + parts.closing + parts.body


def with_body(text: str, body: str) -> str:
    """A text with another body; the closing fence gets the line end that it needs for one."""
    parts = split(text)
    fence = parts.closing
    if fence and body and not fence.endswith("\n"):
        fence += line_end(text)
    return parts.bom + parts.opening + parts.block + fence + body


def _comment(key: str, chunk: str) -> str:
    """The comment behind a key's value with the space before it; bare prose has none."""
    value = chunk.split(":", 1)[1].lstrip(" \t")
    if value[:1] in ('"', "'"):
        closed = (DOUBLE_END if value[0] == '"' else SINGLE_END).match(value, 1)
        rest = value[closed.end() :] if closed else ""
        found = re.match(r"[ \t]+#[^\r\n]*", rest)
    elif key in PROSE_KEYS or value[:1] in ("|", ">", "[", "{"):
        return ""
    else:
        found = re.search(r"[ \t]+#[^\r\n]*", chunk.split("\n", 1)[0])
    return found.group() if found else ""


def keeps(old: str, new: str, touched: Collection[str]) -> bool:
    """Whether a changed front matter says the same as before in all keys but some.

    That YAML could read it, and still can, counts too: other programs have no lenient reading.
    """

    def rest(text: str) -> dict[str, Any]:
        return {key: value for key, value in read(text).items() if key not in touched}

    return rest(old) == rest(new) and (not _is_yaml(old) or _is_yaml(new))


def _is_yaml(text: str) -> bool:
    from .front_matter_yaml import is_valid

    return is_valid(split(text).block.replace("\r\n", "\n"))
