"""Links between topics: `[[name]]`, where the name is another topic's name or its file's."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..errors import PimemError
from ..files.read import read_bytes
from . import frontmatter
from .code_fences import CodeFences

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any, TypeVar

    T = TypeVar("T")

_LINK = re.compile(r"\[\[([^\[\]|#\n]+)(?:#[^\[\]|\n]*)?(?:\|[^\[\]\n]*)?\]\]")
_CODE = re.compile(r"(`+)(?!`)(?:[^\n]*?[^`\n])?\1(?!`)")
#: A shell's test looks like a link; only a topic that is there is called so.
_HARDLY = re.compile(r"\s|^-[a-z]\s|[$\"'=<>!]")
#: A topic longer than this links only as far as this.
_MOST = 1 << 20


class Targets:
    """Finds the topic that a link means: by its name, else by its file with or without `.md`."""

    def __init__(self) -> None:
        self._by_name: dict[str, Any] = {}
        self._by_file: dict[str, Any] = {}

    def add(self, topic: object, names: Iterable[str], file: str) -> None:
        """Let a topic be found; one that has the same name already goes before it."""
        for name in names:
            self._by_name.setdefault(name.lower(), topic)
        stem = file.removesuffix(".md")
        last = stem.rpartition("/")[2]
        for key in (file, stem, last, last.replace("_", "-")):
            self._by_file.setdefault(key.lower(), topic)

    def find(self, name: str) -> Any | None:
        """The topic, None when there is none (yet)."""
        key = name.lower()
        found = self._by_name.get(key)
        return self._by_file.get(key.removesuffix(".md")) if found is None else found

    def names_in(self, text: str) -> list[str]:
        """The names that a topic's body links to, each once, in order; code has none."""
        if "[[" not in text:
            return []
        body = frontmatter.split(text.replace("\r\n", "\n")).body
        fences = CodeFences()
        body = "\n".join(line for line in body.split("\n") if not fences.is_code(line))
        body = _CODE.sub("", body)
        found = (match[1].strip() for match in _LINK.finditer(body))
        return [
            name
            for name in dict.fromkeys(found)
            if name and (not _HARDLY.search(name) or self.find(name) is not None)
        ]


def between(
    topics: Mapping[str, T],
    file: str,
    *,
    names: Callable[[T], Iterable[str]],
    path: Callable[[T], str],
    listed: Callable[[T], Iterable[str]] = lambda _topic: (),
) -> tuple[Sequence[tuple[str, T | None]], Sequence[T]]:
    """What a topic links to, and the topics that link to it.

    Args:
        topics: All topics by their files.
        file: The file of the one.
        names: The names that a topic goes by, the one that counts most first.
        path: Where its file is; one that cannot be read has no links.
        listed: The names that its front matter lists as links.
    """
    targets = Targets()
    for name, topic in topics.items():
        targets.add(topic, names(topic), name)
    one = topics[file]

    def linked(topic: T) -> Iterable[str]:
        return dict.fromkeys((*targets.names_in(_text(path(topic))), *listed(topic)))

    outgoing = [(name, targets.find(name)) for name in linked(one)]
    backlinks = [
        other
        for other in topics.values()
        if other is not one and any(targets.find(name) is one for name in linked(other))
    ]
    return outgoing, backlinks


def _text(path: str) -> str:
    try:
        data = read_bytes(path, limit=_MOST)
    except PimemError:
        return ""
    return data.decode("utf-8", "replace") if b"[[" in data else ""
