"""Which fact a person or a model means."""

from __future__ import annotations

from ...errors import AmbiguousTopicError
from ...formats.text import plural, quote

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ...model import Topic
    from .view import View


def match(view: View, topics: Sequence[Topic], topic: str) -> Topic | None:
    """The topic that a name, file, title or part of one means, None when nothing matches.

    Raises:
        AmbiguousTopicError: Several match.
    """
    found = exact(view, topics, topic)
    if found is not None:
        return found
    wanted = topic.lower()
    titles: dict[str, str] = {}
    for entry in view.entries:
        titles.setdefault(entry.file, entry.title.lower())
    return _first(
        topic,
        topics,
        lambda t: wanted == titles.get(t.file),
        lambda t: wanted in t.name.lower() or wanted in t.file.lower(),
        lambda t: wanted in titles.get(t.file, ""),
    )


def exact(view: View, topics: Sequence[Topic], topic: str) -> Topic | None:
    """The topic that has exactly this file or name; its file goes before its name.

    Raises:
        AmbiguousTopicError: Several have the name.
    """
    wanted = topic.lower()
    return _first(
        topic,
        topics,
        lambda t: t.file == topic,
        lambda t: wanted in (t.file.lower(), t.file[:-3].lower()),
        lambda t: t.name.lower() == wanted,
        lambda t: _written_name(view, t) == wanted,
        lambda t: t.file[:-3].lower().replace("_", "-") == wanted,
    )


def _first(topic: str, topics: Sequence[Topic], *tests: Callable[[Topic], bool]) -> Topic | None:
    """The topic that passes the first test that any passes."""
    for test in tests:
        matches = [candidate for candidate in topics if test(candidate)]
        if len(matches) > 1:
            raise _ambiguous(topic, matches)
        if matches:
            return matches[0]
    return None


def _written_name(view: View, topic: Topic) -> str:
    """The name in a fact's front matter, which may be a free title."""
    fact = view.facts.get(topic.file)
    return fact.head.name.lower() if fact is not None else ""


def _ambiguous(topic: str, matches: Sequence[Topic]) -> AmbiguousTopicError:
    # Two facts may have one name; their files differ.
    names = [found.name for found in matches]
    if len(set(names)) < len(names):
        names = [found.file for found in matches]
    shown = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if names[5:] else "")
    return AmbiguousTopicError(
        f"{quote(topic)} matches {plural(len(names), 'fact')}: {shown}. Name one of them.",
        name=topic,
        candidates=names,
    )
