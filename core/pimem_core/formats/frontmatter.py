"""Front matter: read leniently, changed line by line.

Reading goes through python-frontmatter with a handler of ours. Changing never dumps YAML: the
lines of the touched keys are replaced and every other byte of the file stays.
"""

from __future__ import annotations

import re

from ..model import Value
from .text import quote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from typing import Any

BOM = "\ufeff"
# Keys that people and older programs wrote as bare prose, where ` #` and `: ` are part of the text.
_PROSE_KEYS = frozenset({"name", "description", "title"})
_OPENING = re.compile(r"---[ \t]*(?:\r?\n|\Z)")
_CLOSING = re.compile(r"^---[ \t]*(?:\r?\n|\Z)", re.MULTILINE)
_KEY_LINE = re.compile(
    r"(?P<quote>[\"']?)(?P<key>[A-Za-z_][\w.-]*)(?P=quote)[ \t]*:[ \t]*(?P<value>.*)$", re.ASCII
)
_ITEM = re.compile(r"-(?:[ \t]|\r?$)")
# What YAML would cut off, refuse or read as something else than text.
_NOT_PLAIN = re.compile(r"[#:]|^[\[\]{}&*!%@`?,-]")
# PyYAML reads about 100 KB a second; nobody's front matter is that long, but somebody's file is.
_YAML_MOST = 65_536
_DOUBLE_END = re.compile(r'(?:[^"\\]|\\.)*"', re.DOTALL)
_SINGLE_END = re.compile(r"(?:[^']|'')*'(?!')", re.DOTALL)


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
    """Cut a text at its front matter. The first closing fence ends it; an unclosed one is body."""
    bom = BOM if text.startswith(BOM) else ""
    rest = text[len(bom) :]
    opening = _OPENING.match(rest)
    if opening is not None:
        closing = _CLOSING.search(rest, opening.end())
        if closing is not None:
            return Parts(
                bom=bom,
                opening=opening.group(),
                block=rest[opening.end() : closing.start()],
                closing=closing.group(),
                body=rest[closing.end() :],
            )
    return Parts(bom=bom, opening="", block="", closing="", body=rest)


def line_end(text: str) -> str:
    """The line end that a file uses: that of its first line, LF when it has none."""
    first = text.find("\n")
    return "\r\n" if first > 0 and text[first - 1] == "\r" else "\n"


def read(text: str) -> dict[str, Any]:
    """The front matter as strings and nested objects of strings; empty when there is none.

    YAML 1.2 as people mean it: every scalar stays the text it is written as, and where the YAML is
    invalid each `key: rest of the line` counts as written.
    """
    parts = split(text)
    if not parts.block.strip():
        return {}
    # python-frontmatter and PyYAML take 30 ms to import, which only opening a topic needs.
    import frontmatter
    from frontmatter.default_handlers import BaseHandler

    class Handler(BaseHandler):
        FM_BOUNDARY = _OPENING  # it must be there; `split` below does the work

        def detect(self, text: str) -> bool:
            return True

        def split(self, text: str) -> tuple[str, str]:
            return parts.block, parts.body

        def load(self, fm: str) -> dict[str, Any]:
            return _load(fm)

    metadata, _body = frontmatter.parse(text, handler=Handler())
    return dict(metadata)


def _load(block: str) -> dict[str, Any]:
    spans = _spans(block.replace("\r\n", "\n"))
    loaded = _yaml("".join(_protected(key, chunk) for key, chunk in spans))
    if isinstance(loaded, dict):
        return loaded
    # One broken line must not take the others with it; the first of duplicate keys counts.
    found: dict[str, Any] = {}
    short = len(block) <= _YAML_MOST
    for key, chunk in spans:
        if key is not None and key not in found:
            own = _yaml(_protected(key, chunk)) if short else None
            if isinstance(own, dict) and key in own:
                found[key] = own[key]
            else:
                found[key] = _by_line(chunk)
    return found


def _yaml(text: str) -> Any:
    """The YAML of a text with strings as its only scalars; None when it is invalid."""
    if len(text) > _YAML_MOST:
        return None
    import yaml

    class Strings(yaml.BaseLoader):
        """It resolves nothing, and refuses what would repeat or hide a value."""

        def compose_node(self, parent: Any, index: Any) -> Any:
            # A few lines of aliases can stand for more text than fits into memory.
            if self.check_event(yaml.AliasEvent):
                raise yaml.YAMLError
            return super().compose_node(parent, index)

        def construct_mapping(self, node: Any, deep: bool = False) -> Any:
            made = super().construct_mapping(node, deep=deep)
            if len(made) < len(node.value):
                raise yaml.YAMLError
            return made

    try:
        return _strings(yaml.load(text, Strings))
    except (yaml.YAMLError, ValueError, RecursionError):
        return None


def _protected(key: str | None, chunk: str) -> str:
    """Quote a bare prose value that YAML would cut or refuse."""
    if key not in _PROSE_KEYS:
        return chunk
    value = chunk.split(":", 1)[1].strip()
    if not value or value[0] in "\"'|>" or not _NOT_PLAIN.search(value):
        return chunk
    return f"{key}: {quote(_folded(value))}\n"


def _folded(value: str) -> str:
    """A value over several lines as YAML folds it: lines joined, blank ones a line end."""
    lines = [line.strip() for line in value.split("\n")]
    return re.sub(r"\n+", lambda m: m.group()[1:] or " ", "\n".join(lines))


def _strings(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _strings(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_strings(item) for item in value]
    return str(value)


def _by_line(chunk: str) -> Any:
    """Read a key whose YAML is invalid: what stands on each line is what is meant."""
    first, _, more = chunk.partition("\n")
    value = first.split(":", 1)[1].strip(" \t")
    if value:
        return _unquoted(_folded(f"{value}\n{more}".strip()))
    nested: dict[str, str] = {}
    for line in more.split("\n"):
        match = _KEY_LINE.match(line.strip(" \t"))
        if match is not None:
            nested.setdefault(match["key"], _unquoted(match["value"].strip(" \t")))
    return nested or _folded(more.strip())


def _unquoted(value: str) -> str:
    if len(value) >= 2 and value[0] == value[-1] == '"':
        import json

        try:
            return str(json.loads(value))
        except ValueError:
            return value[1:-1]
    if len(value) >= 2 and value[0] == value[-1] == "'":
        return value[1:-1].replace("''", "'")
    return value


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
    spans = _spans(parts.block)
    kept: list[str] = []
    done = set()
    for key, chunk in spans:
        if key is None or key not in values:
            kept.append(chunk)
        elif key not in done:
            done.add(key)
            kept.append(f"{key}: {values[key]}{_comment(key, chunk)}{eol}")
    if kept and not kept[-1].endswith("\n"):
        kept[-1] += eol
    present = {key for key, _ in spans}
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
        closed = (_DOUBLE_END if value[0] == '"' else _SINGLE_END).match(value, 1)
        rest = value[closed.end() :] if closed else ""
        found = re.match(r"[ \t]+#[^\r\n]*", rest)
    elif key in _PROSE_KEYS or value[:1] in ("|", ">", "[", "{"):
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
    import yaml

    block = split(text).block.replace("\r\n", "\n")
    try:
        return len(block) <= _YAML_MOST and isinstance(
            yaml.compose(block, yaml.BaseLoader), yaml.MappingNode
        )
    except (yaml.YAMLError, ValueError, RecursionError):
        return False


def _spans(block: str) -> list[tuple[str | None, str]]:
    """Cut a block into its top-level keys with their whole values, and what is between them."""
    lines = re.findall(r"[^\n]*\n|[^\n]+\Z", block)
    spans: list[tuple[str | None, str]] = []
    index = 0
    while index < len(lines):
        match = _KEY_LINE.match(lines[index].rstrip("\r\n"))
        if match is None:
            spans.append((None, lines[index]))
            index += 1
            continue
        end = _value_end(lines, index, match["value"].strip(" \t"))
        spans.append((match["key"], "".join(lines[index:end])))
        index = end
    return spans


def _value_end(lines: list[str], start: int, value: str) -> int:
    """The line after a key's value: quoted and indented continuations belong to it."""
    end = start + 1
    if value[:1] in ("'", '"'):
        # A quote that another key's line would close was never closed, nor was one inside prose.
        stop = end
        while stop < len(lines) and not _KEY_LINE.match(lines[stop]):
            stop += 1
        rest = "".join(lines[start:stop]).split(":", 1)[1].lstrip(" \t")[1:]
        closed = (_DOUBLE_END if value[0] == '"' else _SINGLE_END).match(rest)
        if closed is not None:
            after = rest[closed.end() :].split("\n", 1)[0].strip()
            if after[:1] in ("", "#"):
                end = start + closed.group().count("\n") + 1
    value_end = end
    while end < len(lines):
        line = lines[end]
        item = not value and _ITEM.match(line)
        if line[:1] in (" ", "\t") and line.strip():
            # In bare prose a comment ends the value; in a block or a nested object it is inside.
            if value and value[0] not in "|>" and line.lstrip().startswith("#"):
                break
            value_end = end + 1
        elif item:
            value_end = end + 1
        elif line.strip():
            break
        end += 1
    # Blank lines belong to the value only when more of it follows.
    return value_end
