"""Links between topics: what the links in a text lead to, and what stands below it about them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pimem_core.formats.text import plural
from rich.cells import cell_len

from .cells import clean, cut
from .lines import Line
from .wrap import Run, wrap

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pimem_core.model import Topic
    from pimem_core.systems.stores import Links

#: What the link to a topic that links here begins with; no name has a line end.
_BACK = "\n"
#: A summary shorter than this in cells says nothing.
_LEAST_SUMMARY = 12


class Target(NamedTuple):
    """Where a link leads: `topic` is None when nothing has the name (yet)."""

    name: str
    topic: Topic | None


class Place(NamedTuple):
    """Where a link stands in a text: its line, and the first of its cells there."""

    link: str
    line: int
    cell: int


def target_of(text: str) -> str:
    """What `[[name#part|shown]]` leads to."""
    return text.strip("[]").partition("|")[0].partition("#")[0].strip()


def targets_of(links: Links) -> Mapping[str, Target]:
    """Where each link of a text and of what stands below it leads."""
    found = {name: Target(name, topic) for name, topic in links.outgoing}
    for topic in links.backlinks:
        found[_BACK + topic.file] = Target(topic.name, topic)
    return found


def places_of(lines: Sequence[Line], targets: Mapping[str, Target]) -> list[Place]:
    """Where the links stand, each once: one that runs over a line end goes on below."""
    found: list[Place] = []
    for number, line in enumerate(lines):
        cell = 0
        for run in line.runs:
            begins = run.link.startswith(_BACK) or run.text.startswith("[[")
            if run.link in targets and begins:
                found.append(Place(run.link, number, cell))
            cell += cell_len(run.text)
    return found


def lay_out_relations(related: Sequence[tuple[str, Topic]], width: int) -> list[Line]:
    """The lines below an entry: a word for each relation, and the entry it leads to."""
    lines: list[Line] = [Line(())] if related else []
    for word, topic in related:
        name = cut(clean(topic.name), max(width - cell_len(word) - 3, 1))
        link = Run(f"→ {name}", "link", _BACK + topic.file)
        lines.append(Line((Run(f"{word} ", "muted"), link)))
    return lines


def lay_out_links(links: Links, width: int) -> list[Line]:
    """The lines below a text: what links here, and which of its links lead nowhere yet."""
    lines: list[Line] = []
    missing = [name for name, topic in links.outgoing if topic is None]
    if missing:
        names = ", ".join(clean(name, 200) for name in missing)
        text = f"Leads nowhere yet: {names}"
        lines += [Line(()), *(Line(tuple(line)) for line in wrap([Run(text, "muted")], width))]
    if links.backlinks:
        title = f"Linked from {plural(len(links.backlinks), 'memory')}"
        lines += [Line(()), Line((Run(cut(title, width), "subheading"),))]
    for topic in links.backlinks:
        link = _BACK + topic.file
        name = cut(clean(topic.name), max(width - 2, 1))
        room = width - 4 - cell_len(name)
        summary = cut(clean(topic.summary), room) if room >= _LEAST_SUMMARY else ""
        shown = (Run(f"← {name}", "link", link),)
        lines.append(Line((*shown, Run(f"  {summary}", "muted")) if summary else shown))
    return lines
