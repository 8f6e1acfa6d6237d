"""`field:value` in a query: which topics pass."""

from __future__ import annotations

import re

from .folding import fold

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

    from ..model import Topic
    from .query import Filter

_YES = frozenset({"yes", "true", "1", "y", "on"})
_NO = frozenset({"no", "false", "0", "n", "off"})
_STATES = frozenset({"pinned", "stale"})
_OWN = frozenset({"store", "type", "name", "file"})
_BY_PART = frozenset({"name", "file"})


def passes(
    topic: Callable[[], Topic], front: Callable[[], bytes], filters: Sequence[Filter]
) -> bool:
    """Whether a topic has what each filter asks for, or has not what it must not have.

    Args:
        topic: Gives the topic.
        front: Gives its front matter, asked only for what a topic has not itself.
        filters: What to look at.
    """
    return all(_has(topic, front, one) != one.unwanted for one in filters)


def may_have(front: bytes, field: str) -> bool:
    """Whether a front matter has a field, at a glance."""
    pattern = rb"(?mi)^[ \t-]*[\"']?%b[\"']?[ \t]*:" % re.escape(field.encode("utf-8", "replace"))
    return re.search(pattern, front) is not None


def _has(topic: Callable[[], Topic], front: Callable[[], bytes], wanted: Filter) -> bool:
    field, value = wanted.field, wanted.value.casefold()
    if field == "is":
        return value in _STATES and bool(getattr(topic(), value))
    if field in _STATES:
        state = bool(getattr(topic(), field))
        return state if value in _YES else not state if value in _NO else False
    said = getattr(topic(), field) if field in _OWN else None
    if said is not None:
        return _fits(field, said, value)
    block = front()
    if not may_have(block, field):
        return False
    from ..formats import frontmatter

    read = frontmatter.read(block.decode("utf-8", "replace"))
    return any(_fits(field, text, value) for text in _values(read, field))


def _values(read: Mapping[str, Any], field: str) -> Iterator[str]:
    """The values of a key, also of one inside of another."""
    for key, value in read.items():
        inner = hasattr(value, "items")
        if key.casefold() == field:
            items = value if isinstance(value, (list, tuple)) else [value]
            yield from (str(item) for item in items if not hasattr(item, "items"))
        if inner:
            yield from _values(value, field)


def _fits(field: str, said: str, value: str) -> bool:
    ours, theirs = fold(value).strip(), fold(said).strip()
    # A name is asked for by a part of it, everything else by how it begins.
    return ours in theirs if field in _BY_PART else theirs.startswith(ours)
