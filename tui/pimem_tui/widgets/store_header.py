"""The two lines at the top of the list: the stores as tabs, and what is known of the shown one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pimem_core.paths import tilde
from pimem_core.text import plural
from rich.cells import cell_len
from textual.content import Content
from textual.reactive import reactive

from ..bindings import key_of
from ..cells import clean, cut
from ..news import News
from .voices import Voiced

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pimem_core.model import StoreStatus
    from textual import events


class StoreTabs(Voiced):
    """The stores with their counts; the shown one stands out."""

    active: reactive[int] = reactive(0)
    counts: reactive[tuple[int | None, ...]] = reactive(())
    tokens: reactive[int | None] = reactive(None)

    class TabChosen(News):
        """A tab was clicked."""

        index: int

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__()
        self._names = [cut(clean(_short_name(name)), 24) for name in names]
        self._places: list[tuple[int, int, int]] = []
        self.set_reactive(StoreTabs.counts, (None,) * len(names))

    def set_count(self, index: int, count: int) -> None:
        """Say how many topics a store has."""
        counts = list(self.counts)
        counts[index] = count
        self.counts = tuple(counts)

    def render(self) -> Content:
        """The line: what has no room goes, tokens first, then the program's name, then counts."""
        width = self.size.width
        tokens = "" if self.tokens is None else f"{plural(self.tokens, 'token')} per prompt "
        labels = [self._label(index, counted=True) for index in range(len(self._names))]
        lead = " pimem  "
        if _cells(lead, labels) > width:
            lead = " "
        if _cells(lead, labels) > width:
            labels = [
                self._label(index, counted=index == self.active)
                for index in range(len(self._names))
            ]
        first = 0
        while first < self.active and _cells(lead, labels[first:]) > width:
            first += 1
        content = Content.styled(lead, self.spoken("muted strong"))
        self._places = []
        at = cell_len(lead)
        for index, label in list(enumerate(labels))[first:]:
            self._places.append((at, at + cell_len(label), index))
            kind = "tab" if index == self.active else "muted"
            content += Content.styled(label, self.spoken(kind))
            at += cell_len(label)
        if tokens and at + 2 + cell_len(tokens) <= width:
            gap = " " * (width - at - cell_len(tokens))
            content += Content.styled(gap + tokens, self.spoken("muted"))
        return content

    def on_click(self, event: events.Click) -> None:
        """Choose the store under the pointer."""
        for start, end, index in self._places:
            if start <= event.x < end:
                self.post_message(self.TabChosen(index))

    def _label(self, index: int, *, counted: bool) -> str:
        number = f"{index + 1} " if len(self._names) > 1 else ""
        count = self.counts[index]
        shown = f" {count:,}" if counted and count is not None else ""
        return f" {number}{self._names[index]}{shown} "


class StoreAbout(Voiced):
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
        content = Content.styled(f" {left}", self.spoken("muted"))
        content += " " * max(room - cell_len(left) - 1, 0)
        for text, kind in right:
            content += Content.styled(f"  {text}", self.spoken(kind))
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


def read_only(status: StoreStatus | None) -> bool:
    """Whether a store is in a format that pimem must not change."""
    return bool(
        status and status.format and status.format.partition(":")[0] in ("foreign", "unknown")
    )


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
