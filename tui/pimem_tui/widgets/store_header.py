"""The two lines at the top of the list: the stores as tabs, and what is known of the shown one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pimem_core.formats.text import plural
from pimem_core.paths import tilde
from rich.cells import cell_len
from textual.content import Content
from textual.reactive import reactive

from ..drawing.cells import clean, cut
from ..keys.bindings import key_of
from ..rows.statuses import read_only
from ..workers.field_message import FieldMessage
from .text_styles import TextStyled

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pimem_core.model import StoreStatus
    from textual import events

#: Most cells of a store's name.
_NAME_CELLS = 24


class StoreTabs(TextStyled):
    """The stores with their counts; the shown one stands out."""

    active: reactive[int] = reactive(0)
    counts: reactive[tuple[int | None, ...]] = reactive(())
    tokens: reactive[int | None] = reactive(None)
    """What the next prompt carries, of all systems together."""
    left_out: reactive[int] = reactive(0)
    """How much a limit kept out of it, in topics, files and the like."""

    class TabChosen(FieldMessage):
        """A tab was clicked."""

        index: int

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__()
        self._names = [clean(_short_name(name)) for name in names]
        self._places: list[tuple[int, int, int]] = []
        self.set_reactive(StoreTabs.counts, (None,) * len(names))

    def set_count(self, index: int, count: int | None) -> None:
        """Say how many topics a store has; None when that is not known."""
        counts = list(self.counts)
        counts[index] = count
        self.counts = tuple(counts)

    def render(self) -> Content:
        """The line: what has no room goes, the name of the shown store last of all."""
        width = self.size.width
        tokens = "" if self.tokens is None else f"{plural(self.tokens, 'token')} per prompt "
        if tokens and self.left_out:
            tokens = f"{tokens.rstrip()}, {self.left_out:,} not sent "
        lead, labels, first = self._fitted(width)
        content = Content.styled(lead, self.style_named("muted strong"))
        self._places = []
        at = cell_len(lead)
        for index, label in enumerate(labels, first):
            self._places.append((at, at + cell_len(label), index))
            kind = "tab" if index == self.active else "muted"
            content += Content.styled(label, self.style_named(kind))
            at += cell_len(label)
        if tokens and at + 2 + cell_len(tokens) <= width:
            gap = " " * (width - at - cell_len(tokens))
            content += Content.styled(gap + tokens, self.style_named("muted"))
        return content

    def _fitted(self, width: int) -> tuple[str, list[str], int]:
        """What stands before the tabs, their texts, and which store the first of them is.

        The program's name goes first, then the counts of the other stores, then their names; where
        even their numbers are too many, those far from the shown store go.
        """
        lead, labels = " pimem  ", self._labels(self._counted)
        if _cells(lead, labels) <= width:
            return lead, labels, 0
        lead = " "
        for others in (self._counted, self._named, self._number):
            labels = self._labels(others)
            if _cells(lead, labels) <= width:
                return lead, labels, 0
        at, first, last = self.active, 0, len(labels)
        while last - first > 1 and _cells(lead, labels[first:last]) > width:
            if at - first > last - 1 - at:
                first += 1
            else:
                last -= 1
        if last - first > 1:
            return lead, labels[first:last], first
        return lead, [self._counted(at, width - cell_len(lead))], at

    def on_click(self, event: events.Click) -> None:
        """Choose the store under the pointer."""
        for start, end, index in self._places:
            if start <= event.x < end:
                self.post_message(self.TabChosen(index))

    def _labels(self, others: Callable[[int], str]) -> list[str]:
        return [
            self._counted(index) if index == self.active else others(index)
            for index in range(len(self._names))
        ]

    def _counted(self, index: int, width: int = 0) -> str:
        """A store with how many topics it has; in a width, its name gives way."""
        count = self.counts[index]
        shown = "" if count is None else f"{count:,} "
        room = width - cell_len(self._number(index)) - 1 - cell_len(shown)
        return f"{self._named(index, room if width else _NAME_CELLS)}{shown}"

    def _named(self, index: int, cells: int = _NAME_CELLS) -> str:
        return f"{self._number(index)}{cut(self._names[index], max(min(cells, _NAME_CELLS), 1))} "

    def _number(self, index: int) -> str:
        return f" {index + 1} " if len(self._names) > 1 else " "


class StoreAbout(TextStyled):
    """Where the shown store is, who else writes there, and what needs attention."""

    path: reactive[str] = reactive("")
    """Where the store is."""
    status: reactive[StoreStatus | None] = reactive(None)
    stale: reactive[int] = reactive(0)
    problems: reactive[int] = reactive(0)
    order: reactive[str] = reactive("")
    """The order of the rows; empty for the store's own."""
    drafts: reactive[int] = reactive(0)
    """How many texts were typed and never saved."""

    def __init__(self, home: str) -> None:
        super().__init__()
        self._home = home

    def render(self) -> Content:
        """The line: the state at the right always shows, the text at the left gives way."""
        status = self.status
        right = [] if status is None else self._state(status)
        width = self.size.width
        while len(right) > 1 and sum(cell_len(text) + 2 for text, _ in right) > width - 22:
            del right[0]
        room = width - 1 - sum(cell_len(text) + 2 for text, _ in right) - 1
        parts = [clean(tilde(self.path, self._home))]
        if status is not None and status.active:
            parts.append("pi uses this store")
        if status is not None and status.writers:
            parts.append("also written by " + ", ".join(clean(name) for name in status.writers))
        while len(parts) > 1 and cell_len(" · ".join(parts)) > room:
            parts.pop()
        left = cut(" · ".join(parts), room)
        content = Content.styled(f" {left}", self.style_named("muted"))
        content += " " * max(room - cell_len(left) - 1, 0)
        for text, kind in right:
            content += Content.styled(f"  {text}", self.style_named(kind))
        return content

    def _state(self, status: StoreStatus) -> list[tuple[str, str]]:
        """What needs attention, the most important last."""
        state: list[tuple[str, str]] = []
        help_key = key_of(self, "app.help")
        if status.notes and not read_only(status):
            state.append((f"{plural(len(status.notes), 'note')} ({help_key})", "muted"))
        if self.order:
            state.append((self.order, "muted"))
        if self.drafts:
            key = key_of(self, "list.drafts")
            state.append((f"{plural(self.drafts, 'draft')} ({key})", "warning"))
        if self.stale:
            state.append((f"{self.stale:,} stale", "warning"))
        if self.problems:
            state.append((plural(self.problems, "problem"), "error"))
        if status.lock is not None:
            state.append((lock_words(status), "warning"))
        if read_only(status):
            why = f" ({help_key})" if status.notes else ""
            state.append((f"read-only: {clean(status.format or '')}{why}", "warning"))
        return state


def lock_words(status: StoreStatus) -> str:
    """Who holds a store's lock and for how long."""
    lock = status.lock
    if lock is None:
        return ""
    who = f"process {lock.pid}" if lock.pid is not None else "another program"
    seconds = int(lock.age_s)
    since = f"{seconds} s" if seconds < 120 else f"{seconds // 60} min"
    return f"locked by {who} for {since}"


def _short_name(name: str) -> str:
    """A store named by its path goes by its last two parts."""
    return "/".join(name.rstrip("/").split("/")[-2:]) if name.startswith("/") else name


def _cells(lead: str, labels: Sequence[str]) -> int:
    return cell_len(lead) + sum(map(cell_len, labels))
