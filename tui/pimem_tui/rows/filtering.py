"""What is typed into the filter: words to look for, and a type to keep to."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pimem_core.model import Topic

#: Stands for topics without a type, in a store whose topics have types.
NO_TYPE = "none"


class Filter(NamedTuple):
    """A filter taken apart; `type` is None when every type is wanted."""

    words: str
    type: str | None = None

    def takes(self, topic: Topic) -> bool:
        """Whether a topic is of the wanted type; its beginning is enough while it is typed."""
        if self.type is None:
            return True
        if self.type == NO_TYPE and topic.type is None:
            return True
        return topic.type is not None and topic.type.casefold().startswith(self.type)


def parse(query: str, types: Sequence[str], word: str = "type") -> Filter:
    """Take a filter apart.

    Args:
        query: What was typed, such as `type:user deploy`.
        types: The types in the store; where there are none, `type:` is text like any other.
        word: What stands before the colon: `type`, or `status` where entries have one.
    """
    pattern = rf"(?:^|\s){word}:(\S*)(?:\s|$)"
    found = re.search(pattern, query, re.IGNORECASE) if types else None
    if found is None:
        return Filter(query)
    words = f"{query[: found.start()]} {query[found.end() :]}".strip()
    return Filter(words, found[1].casefold())


def next_type(query: str, types: Sequence[str], word: str = "type") -> str:
    """The filter that keeps its words and goes on to the next type, after the last to all."""
    now = parse(query, types, word)
    rest = [*types, None]
    # After a type that was typed in part there is none that follows.
    following = rest[rest.index(now.type) + 1] if now.type in types else None
    if now.type is None:
        following = rest[0]
    return " ".join(
        part for part in (f"{word}:{following}" if following else "", now.words) if part
    )
