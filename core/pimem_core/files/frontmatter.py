"""Front matter: read leniently, changed line by line.

Reading goes through python-frontmatter with a handler of ours. Changing never dumps YAML: the
lines of the touched keys are replaced and every other byte of the file stays.
"""

from __future__ import annotations

import re

from ..model import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

BOM = "\ufeff"
# Keys that people and older programs wrote as bare prose, where ` #` and `: ` are part of the text.
_PROSE_KEYS = frozenset({"name", "description", "title"})
_OPENING = re.compile(r"---[ \t]*(?:\r?\n|\Z)")
_CLOSING = re.compile(r"^---[ \t]*(?:\r?\n|\Z)", re.MULTILINE)
_KEY_LINE = re.compile(r"([A-Za-z_][\w.-]*)[ \t]*:[ \t]*(.*)$", re.ASCII)
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
    import yaml

    lines = block.replace("\r\n", "\n").split("\n")
    try:
        # BaseLoader resolves nothing: each scalar is a string.
        loaded = yaml.load("\n".join(_protect(line) for line in lines), yaml.BaseLoader)
    except (yaml.YAMLError, ValueError, RecursionError):
        loaded = None
    if isinstance(loaded, dict):
        return {str(key): _strings(value) for key, value in loaded.items()}
    return _by_line(lines)


def _protect(line: str) -> str:
    """Quote a bare prose value that YAML would cut or refuse."""
    match = _KEY_LINE.match(line)
    if match is None or match[1] not in _PROSE_KEYS or not match[2]:
        return line
    value = match[2].strip(" \t")
    if not value or value[0] in "\"'|>" or not re.search(r"[#:]|^[\[{&*!%@`?-]", value):
        return line
    quoted = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'{match[1]}: "{quoted}"'


def _strings(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _strings(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_strings(item) for item in value]
    return str(value)


def _by_line(lines: list[str]) -> dict[str, Any]:
    """Read a block whose YAML is invalid: what stands on each line is what is meant."""
    found: dict[str, Any] = {}
    nested: dict[str, Any] | None = None
    for line in lines:
        indented = line[:1] in (" ", "\t")
        match = _KEY_LINE.match(line.strip(" \t") if indented else line)
        if match is None:
            continue
        value = _unquoted((match[2] or "").strip(" \t"))
        if indented and nested is not None:
            nested[match[1]] = value
        elif not indented:
            nested = None
            found.setdefault(match[1], value)
            if value == "":
                nested = found[match[1]] = {}
    return {key: "" if value == {} else value for key, value in found.items()}


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

    A key's first occurrence takes the new value, its whole old value goes, later occurrences of
    the same key go. A missing key is added at the end of the block. The file keeps its line ends.

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
            kept.append(f"{key}: {values[key]}{eol}")
    if kept and not kept[-1].endswith("\n"):
        kept[-1] += eol
    present = {key for key, _ in spans}
    added = {**values, **{k: v for k, v in (defaults or {}).items() if k not in present}}
    kept.extend(f"{key}: {value}{eol}" for key, value in added.items() if key not in done)
    return parts.bom + parts.opening + "".join(kept) + parts.closing + parts.body


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
        end = _value_end(lines, index, (match[2] or "").strip(" \t"))
        spans.append((match[1], "".join(lines[index:end])))
        index = end
    return spans


def _value_end(lines: list[str], start: int, value: str) -> int:
    """The line after a key's value: quoted and indented continuations belong to it."""
    if value[:1] in ("'", '"'):
        rest = "".join(lines[start:]).split(":", 1)[1].lstrip(" \t")[1:]
        closed = (_DOUBLE_END if value[0] == '"' else _SINGLE_END).match(rest)
        if closed is not None:
            return start + closed.group().count("\n") + 1
    end = start + 1
    blank_from = end
    while end < len(lines):
        line = lines[end]
        item = not value and re.match(r"-(?:[ \t]|\r?$)", line)
        if (line[:1] in (" ", "\t") and line.strip()) or item:
            blank_from = end + 1
        elif line.strip():
            break
        end += 1
    # Blank lines belong to the value only when more of it follows.
    return blank_from
