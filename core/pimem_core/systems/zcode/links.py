"""Links between facts: `[[name]]`, where the name is another fact's."""

from __future__ import annotations

import re

from ...errors import PimemError
from ...files import frontmatter
from ...files.read import read_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from .facts import Fact

_LINK = re.compile(r"\[\[([^\[\]|#\n]+)(?:#[^\[\]|\n]*)?(?:\|[^\[\]\n]*)?\]\]")
_FENCED = re.compile(
    r"^ {0,3}(`{3,}|~{3,}).*?(?:^ {0,3}\1[`~]*[ \t]*$|\Z)", re.MULTILINE | re.DOTALL
)
_CODE = re.compile(r"(`+)(?!`)(?:[^\n]*?[^`\n])?\1(?!`)")
#: A shell's test looks like a link, but nobody calls a fact so.
_NO_NAME = re.compile(r"\s|^-[a-z]\s|[$\"'=<>!]")
#: A fact longer than this links only as far as this.
_MOST = 1 << 20


def names_in(text: str) -> list[str]:
    """The names that a fact's body links to, each once, in order; code has none."""
    body = frontmatter.split(text.replace("\r\n", "\n")).body
    if "[[" not in body:
        return []
    body = _CODE.sub("", _FENCED.sub("", body))
    found = (match[1].strip() for match in _LINK.finditer(body))
    return list(dict.fromkeys(name for name in found if name and not _NO_NAME.search(name)))


class Targets:
    """Finds the fact that a link means: by its name, else by its file with or without `.md`."""

    def __init__(self, facts: Iterable[Fact]) -> None:
        self._by_name: dict[str, Fact] = {}
        self._by_file: dict[str, Fact] = {}
        for fact in facts:
            self._by_name.setdefault(fact.head.name.lower() or fact.name.lower(), fact)
            self._by_name.setdefault(fact.name.lower(), fact)
            last = fact.stem.rpartition("/")[2]
            for key in (fact.file, fact.stem, last, last.replace("_", "-")):
                self._by_file.setdefault(key.lower(), fact)

    def find(self, name: str) -> Fact | None:
        """The fact, None when there is none (yet)."""
        key = name.lower()
        return self._by_name.get(key) or self._by_file.get(key.removesuffix(".md"))


def between(
    facts: Mapping[str, Fact], file: str
) -> tuple[Sequence[tuple[str, Fact | None]], Sequence[Fact]]:
    """What a fact links to, and the facts that link to it."""
    targets = Targets(facts.values())
    outgoing = [(name, targets.find(name)) for name in names_in(_text(facts[file]))]
    backlinks = []
    for other in facts.values():
        if other.file == file or not other.is_regular:
            continue
        found = (targets.find(name) for name in names_in(_text(other)))
        if any(target is not None and target.file == file for target in found):
            backlinks.append(other)
    return outgoing, backlinks


def _text(fact: Fact) -> str:
    try:
        data = read_bytes(fact.path, limit=_MOST)
    except PimemError:
        return ""
    return data.decode("utf-8", "replace") if b"[[" in data else ""
