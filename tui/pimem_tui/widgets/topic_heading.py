"""Name, summary and facts of one topic, above its body."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pimem_core.formats.text import plural
from rich.cells import cell_len
from textual.content import Content
from textual.reactive import reactive

from ..drawing.cells import clean, cut
from ..drawing.wrap import Run, wrap
from ..rows.ages import exact, long_age
from ..rows.branches import EntryRow
from .text_styles import TextStyled
from .topic_row import mark

if TYPE_CHECKING:
    from collections.abc import Callable

    from pimem_core.model import Topic
    from textual.geometry import Size


_MAX_SUMMARY_LINES = 6
_MAX_FACT_LINES = 4


class TopicHeading(TextStyled):
    """Says in words everything that the marks of the list say with a sign."""

    short: reactive[bool] = reactive(False, layout=True)
    """Keep to three lines, as on a low screen."""

    def __init__(self, now: Callable[[], float]) -> None:
        super().__init__()
        self._now = now
        self._topic: Topic | None = None
        self._runs: list[list[Run]] = []

    def show(self, topic: Topic | None) -> None:
        """Show another topic, or the same one changed."""
        self._topic = topic
        self.refresh(layout=True)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        """As many lines as the text takes."""
        return len(self._lay_out(width))

    def render(self) -> Content:
        """The heading."""
        lines = self._lay_out(self.size.width)
        content = Content("")
        for number, line in enumerate(lines):
            if number:
                content = content + "\n"
            for run in line:
                content = content + Content.styled(run.text, self.style_named(run.kind))
        return content

    def _lay_out(self, width: int) -> list[list[Run]]:
        topic = self._topic
        if topic is None or width < 1:
            return []
        sign, kind = mark(topic)
        title = [Run(f"{sign} ", kind)] if kind else []
        room = max(width - sum(cell_len(run.text) for run in title), 1)
        lines = [[*title, Run(cut(clean(topic.name), room), "strong")]]
        if topic.summary:
            summary = clean(topic.summary)
            if self.short:
                summary = cut(summary, width)
            lines += wrap([Run(summary, "muted")], width)[:_MAX_SUMMARY_LINES]
        facts = self._facts(topic)
        if self.short:
            while len(facts) > 1 and sum(cell_len(fact.text) + 3 for fact in facts) - 3 > width:
                facts.pop()
            return [*lines, _separated(facts)]
        return lines + wrap(_separated(facts), width)[:_MAX_FACT_LINES]

    def _facts(self, topic: Topic) -> list[Run]:
        facts: list[Run] = []
        if topic.problem:
            facts.append(Run(clean(topic.problem), "error"))
        if topic.pinned:
            facts.append(Run("pinned", "accent"))
        if topic.stale:
            facts.append(Run("stale", "warning"))
        if isinstance(topic, EntryRow):
            facts += [Run(clean(fact), "muted") for fact in _standing(topic)]
        elif topic.type:
            facts.append(Run(clean(topic.type), "muted"))
        if topic.stamp:
            age = long_age(topic.stamp, self._now())
            stamp = clean(exact(topic.stamp))
            both = f"{age} ({stamp})" if age and not self.short else age or stamp
            facts.append(Run(both, "muted"))
        if isinstance(topic, EntryRow):
            facts.append(Run(f"{clean(topic.of)} line {topic.entry.line:,}", "muted"))
        else:
            facts.append(Run(clean(topic.file), "muted"))
        if topic.note and not topic.problem:
            facts.append(Run(clean(topic.note), "warning"))
        elif not topic.listed:
            facts.append(Run("not in the index", "warning"))
        if topic.entries:
            facts.append(Run(plural(topic.entries, "entry"), "muted"))
        if topic.listed and (topic.line or not topic.note):
            facts.append(Run(plural(topic.tokens, "token"), "muted"))
        return facts


def _standing(row: EntryRow) -> list[str]:
    """Status, confidence and what came before or after an entry, in words."""
    entry = row.entry
    facts = [entry.status]
    if entry.confidence:
        facts.append(f"confidence {entry.confidence}")
    if entry.supersedes is not None:
        facts.append(f"supersedes {entry.supersedes.heading}")
    return facts + [f"superseded by {newer.heading}" for newer in entry.superseded_by]


def _separated(facts: list[Run]) -> list[Run]:
    runs: list[Run] = []
    for fact in facts:
        if runs:
            runs.append(Run(" · ", "muted"))
        runs.append(fact)
    return runs
