"""Finding facts: the one that a name means, those that hold a text, those that links lead to."""

from __future__ import annotations

from ...errors import AmbiguousTopicError, Hint, TopicNotFoundError
from ...formats.text import plural, quote
from ..stores import Links
from .rows import rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ...model import Topic
    from ...progress import Cancelled
    from ...search.material import Material
    from .folder import FactFolder, View


def topic(folder: FactFolder, view: View, wanted: str) -> Topic:
    """The topic of a view that a name, file, title or part of one means.

    Raises:
        TopicNotFoundError: Nothing matches.
        AmbiguousTopicError: Several match.
    """
    topics = rows(folder, view)
    found = _exact(view, topics, wanted)
    if found is not None:
        return found
    word = wanted.lower()
    titles: dict[str, str] = {}
    for entry in view.entries:
        titles.setdefault(entry.file, entry.title.lower())
    found = _first(
        wanted,
        topics,
        lambda t: word == titles.get(t.file),
        lambda t: word in t.name.lower() or word in t.file.lower(),
        lambda t: word in titles.get(t.file, ""),
    )
    if found is None:
        raise TopicNotFoundError(
            f"No fact matches {quote(wanted)} in {folder.path}.",
            name=wanted,
            hint=Hint(Hint.LIST, store=folder.name),
        )
    return found


def exact(folder: FactFolder, view: View, wanted: str) -> Topic | None:
    """The topic that has exactly this file or name, None without one.

    Raises:
        AmbiguousTopicError: Several have the name.
    """
    return _exact(view, rows(folder, view), wanted)


def _exact(view: View, topics: Sequence[Topic], topic: str) -> Topic | None:
    # Its file goes before its name.
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


def material(folder: FactFolder, cancelled: Cancelled) -> Material:
    """What is searched: the facts in the order of the list."""
    from ...search.material import Material

    view = folder.view(cancelled=cancelled)
    topics = rows(folder, view, cancelled)
    return Material.of(topics, view.shown)


def links(folder: FactFolder, file: str) -> Links:
    """What a fact links to, and what links to it; raises as `FactFolder.content`."""
    from ...formats.links import between

    folder.content(file, limit=1)
    view = folder.view()
    if file not in view.facts:
        raise TopicNotFoundError(f"{folder.file(file)} does not exist.", file=file)
    outgoing, backlinks = between(
        view.facts,
        file,
        names=lambda fact: (fact.head.name or fact.name, fact.name),
        path=lambda fact: fact.path,
        listed=lambda fact: fact.head.links,
    )
    topics = {topic.file: topic for topic in rows(folder, view)}
    return Links(
        outgoing=[
            (name, topics[target.file] if target is not None else None) for name, target in outgoing
        ],
        backlinks=[topics[fact.file] for fact in backlinks],
    )
