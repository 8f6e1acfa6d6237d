"""Topics for searches, in memory and read once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pimem_core.model import Topic
from pimem_core.progress import ignored, never, unwatched
from pimem_core.search.finding import Found, find
from pimem_core.search.material import Material
from pimem_core.search.once import Once
from pimem_core.search.text_library import Library

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pimem_core.model import Hit
    from pimem_core.search.finding import Shelf


def topic(
    name: str,
    summary: str = "",
    *,
    file: str = "",
    pinned: bool = False,
    stamp: str | None = None,
    type: str | None = None,  # noqa: A002
    store: str = "local",
    stale: bool = False,
) -> Topic:
    file = file or f"{name.lower().replace(' ', '-')}.md"
    return Topic(
        store=store,
        name=name,
        file=file,
        path=f"/{store}/{file}",
        summary=summary,
        pinned=pinned,
        stale=stale,
        stamp=stamp,
        type=type,
    )


def material(*topics: tuple[Topic, str]) -> Material:
    return Material.of(
        [one for one, _body in topics],
        {one.path: body.encode("utf-8", "replace") for one, body in topics},
    )


def refill(made: Library, *topics: tuple[Topic, str]) -> None:
    made.doubt()
    made.fill(object(), lambda: material(*topics), never, unwatched, ignored)


def library(*topics: tuple[Topic, str], indexed: bool = True) -> Library:
    made = Library(indexed=indexed)
    refill(made, *topics)
    return made


def shelf(kind: str, *topics: tuple[Topic, str]) -> Shelf:
    """One of the three ways to search."""
    if kind == "once":
        return Once(material(*topics))
    return library(*topics, indexed=kind == "index").kept()


def search(made: Shelf | Library, query: str, *, typing: bool = False) -> Found:
    return find([made.kept() if isinstance(made, Library) else made], query, typing=typing)


def hits(made: Shelf | Library, query: str, *, typing: bool = False) -> Sequence[Hit]:
    return list(search(made, query, typing=typing))


def names(made: Shelf | Library, query: str, *, typing: bool = False) -> list[str]:
    return [hit.topic.name for hit in hits(made, query, typing=typing)]
