"""The YAML of front matter, as people mean it: what python-frontmatter reads a block with."""

from __future__ import annotations

import json
import re
from typing import Any

import yaml
from frontmatter.default_handlers import YAMLHandler

from .front_matter_lines import KEY_LINE, PROSE_KEYS, spans
from .text import quote

# What YAML would cut off, refuse or read as something else than text.
_NOT_PLAIN = re.compile(r"[#:]|^[\[\]{}&*!%@`?,-]")
# PyYAML reads about 100 KB a second; nobody's front matter is that long, but somebody's file is.
_YAML_MOST = 65_536


class Handler(YAMLHandler):
    """YAML 1.2 between fences of exactly three dashes, every scalar a string."""

    FM_BOUNDARY = re.compile(r"^---[ \t]*\r?$", re.MULTILINE)

    def load(self, fm: str, **_options: object) -> dict[str, Any]:
        """Read a block; invalid YAML counts line by line."""
        return load_leniently(fm)


class Strings(yaml.BaseLoader):
    """It resolves nothing, and refuses what would repeat or hide a value."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        """Refuse aliases: a few lines of them can stand for more text than fits into memory."""
        if self.check_event(yaml.AliasEvent):
            raise yaml.YAMLError
        return super().compose_node(parent, index)

    def construct_mapping(self, node: Any, deep: bool = False) -> Any:
        """Refuse a key that is there twice."""
        made = super().construct_mapping(node, deep=deep)
        if len(made) < len(node.value):
            raise yaml.YAMLError
        return made


def load_strictly(block: str) -> Any:
    """The YAML of a block with strings as its only scalars; None when it is invalid."""
    if len(block) > _YAML_MOST:
        return None
    try:
        return _strings(yaml.load(block, Strings))
    except (yaml.YAMLError, ValueError, RecursionError):
        return None


def is_valid(block: str) -> bool:
    """Whether other programs' YAML reads a block as keys with values."""
    return _mapping(block) is not None


def has_keys(block: str) -> bool:
    """Whether a block is keys with values, not a sentence that has a colon in it."""
    node = _mapping(block)
    return node is not None and all(
        isinstance(key, yaml.ScalarNode) and key.value and not re.search(r"\s", key.value)
        for key, _value in node.value
    )


def _mapping(block: str) -> yaml.MappingNode | None:
    if len(block) > _YAML_MOST:
        return None
    try:
        node = yaml.compose(block, yaml.BaseLoader)
    except (yaml.YAMLError, ValueError, RecursionError):
        return None
    return node if isinstance(node, yaml.MappingNode) else None


def load_leniently(block: str) -> dict[str, Any]:
    """The keys of a block; where its YAML is invalid, as they stand on their lines."""
    cut = spans(block.replace("\r\n", "\n"))
    loaded = load_strictly("".join(_protected(key, chunk) for key, chunk in cut))
    if isinstance(loaded, dict):
        return loaded
    # One broken line must not take the others with it; the first of duplicate keys counts.
    found: dict[str, Any] = {}
    short = len(block) <= _YAML_MOST
    for key, chunk in cut:
        if key is not None and key not in found:
            own = load_strictly(_protected(key, chunk)) if short else None
            if isinstance(own, dict) and key in own:
                found[key] = own[key]
            else:
                found[key] = _by_line(chunk)
    return found


def _protected(key: str | None, chunk: str) -> str:
    """Quote a bare prose value that YAML would cut or refuse."""
    if key not in PROSE_KEYS:
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
        match = KEY_LINE.match(line.strip(" \t"))
        if match is not None:
            nested.setdefault(match["key"], _unquoted(match["value"].strip(" \t")))
    return nested or _folded(more.strip())


def _unquoted(value: str) -> str:
    if len(value) >= 2 and value[0] == value[-1] == '"':
        try:
            return str(json.loads(value))
        except ValueError:
            return value[1:-1]
    if len(value) >= 2 and value[0] == value[-1] == "'":
        return value[1:-1].replace("''", "'")
    return value
