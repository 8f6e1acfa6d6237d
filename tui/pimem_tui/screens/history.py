"""What was changed through pimem, newest first, with the difference of each change."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from pimem_core.errors import PimemError
from pimem_core.formats.text import plural, visible
from pimem_core.paths import tilde
from pimem_core.systems import undo
from pimem_styles import stylesheets
from rich.cells import cell_len
from textual import getters, on

from ..drawing.cells import clean, cut, fit
from ..drawing.lines import Line
from ..drawing.wrap import Run, wrap
from ..hints import shorten_paths
from ..keys.bindings import bindings_of
from ..rows.ages import short_age
from ..services.manager_app import ManagerApp
from ..widgets import KeyBar, Page, TooSmall
from ..widgets.rows import Rows
from ..workers.background import Reader
from ..workers.messages import DifferenceRead, HistoryRead
from .base import BaseScreen

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pimem_core.model import HistoryEntry
    from pimem_core.paths import Places
    from pimem_core.systems.stores import Store
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from ..services.notices import Explain
    from ..services.outcomes import ChangeFailed, TopicChanged
    from ..workers.reading import Cancelled, Post

_KINDS = {"-": "removed", "+": "added", "@": "muted"}
#: Cells from which there is room for the date beside the age.
_DATED = 56
_EMPTY = "Nothing was changed through pimem yet."
#: Most changes that are shown.
_MOST = 2_000


class HistoryScreen(BaseScreen[None], Reader):
    """Lists the changes and shows what the selected one did."""

    app = getters.app(ManagerApp)

    CSS_PATH = stylesheets("history")
    AUTO_FOCUS = "Rows"
    KEY_BAR = ("history.undo", "history.redo", "history.back", "app.help")
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_of("history")]

    page = getters.query_one(Page)
    key_bar = getters.query_one(KeyBar)

    def __init__(self) -> None:
        super().__init__()
        self._entries: Sequence[HistoryEntry] = ()
        self._troubles: Sequence[str] = ()

    def compose(self) -> ComposeResult:
        """Title, changes, difference, keys."""
        yield Page("History")
        yield KeyBar()
        yield TooSmall()

    def on_mount(self) -> None:
        """Read the journal."""
        self.app.outcomes.changed.subscribe(self, self._follow)
        self.app.outcomes.failed.subscribe(self, self._follow)
        self._read()

    def _follow(self, _message: TopicChanged | ChangeFailed) -> None:
        self._read()

    def _read(self) -> None:
        self.due = True
        app = self.app
        self.read("history", partial(_read_history, app.places, app.stores, app.notices.explain))

    @on(HistoryRead)
    def _take(self, message: HistoryRead) -> None:
        self.due = False
        self._entries = message.entries
        text = "" if message.entries else _EMPTY
        if message.error:
            reason = shorten_paths(message.error, self.app.places.home)
            text = f"The history cannot be read.\n\n{reason}"
        self.page.say_instead(text)
        self._troubles = message.troubles
        self._show_troubles()
        self._show_rows()
        self.refresh_bindings()

    def _row(self, entry: HistoryEntry) -> list[Run]:
        """One change; the date goes first where there is no room, the name shrinks last."""
        age = short_age(entry.time, self.app.now())
        taken_back = not entry.undoable and entry.action != "undo"
        moment = (
            f"{entry.time[:16].replace('T', ' ')} " if self.page.rows.size.width >= _DATED else ""
        )
        after = f"  {clean(entry.store)}" + ("  (undone)" if taken_back else "")
        before = f" {moment}{age:>4}  "
        room = self.page.rows.size.width - cell_len(before) - 8 - cell_len(after) - 1
        return [
            Run(before, "muted"),
            Run(fit(clean(entry.action), 7) + " ", "warning" if taken_back else ""),
            Run(cut(clean(entry.name or entry.file), max(room, 8)), "name"),
            Run(after, "muted"),
        ]

    def _show_troubles(self) -> None:
        """Say in one line what of the journal is left out; `pimem history` lists each."""
        found = self._troubles
        self.set_class(bool(found), "-troubled")
        if found:
            reason = tilde(found[0], self.app.places.home)
            self.page.show_about(f"! {plural(len(found), 'record')} left out: {reason}")

    def on_resize(self) -> None:
        """Lay changes and difference out for the new width."""
        self._show_troubles()
        self.call_after_refresh(self._show_rows)

    def _show_rows(self) -> None:
        rows = [self._row(entry) for entry in self._entries]
        self.page.rows.show(rows, selected=self.page.rows.selected)

    @on(Rows.RowSelected)
    def _show_selected(self) -> None:
        row = self.page.rows.selected
        if not 0 <= row < len(self._entries):
            self.page.text.show(())
            return
        self.key_bar.status = f"{row + 1:,} of {len(self._entries):,}"
        job = partial(_read_difference, self.app.places, self._entries[row].id)
        self.read("difference", job)

    @on(DifferenceRead)
    def _show_difference(self, message: DifferenceRead) -> None:
        row = self.page.rows.selected
        if row >= len(self._entries) or self._entries[row].id != message.entry:
            return
        lines: list[Line] = []
        width, home = self.page.text.measure, self.app.places.home
        for line in visible(message.text).split("\n"):
            kind = _KINDS.get(line[:1], "heading" if line.startswith("/") else "")
            lines += [Line(tuple(part)) for part in wrap([Run(tilde(line, home), kind)], width)]
        self.page.text.show(lines)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Undo and redo need something to take back."""
        if action == "undo_newest":
            return True if any(entry.undoable for entry in self._entries) else None
        if action == "redo_newest":
            undone = any(entry.action == "undo" for entry in self._entries)
            return True if undone else None
        return True

    def action_page(self, direction: int) -> None:
        """Scroll the difference."""
        self.page.scroll_text(direction)

    def action_undo_newest(self) -> None:
        """Undo the newest change."""
        self.app.changes.undo()

    def action_redo_newest(self) -> None:
        """Redo what was undone last."""
        self.app.changes.redo()


def _read_history(
    places: Places, stores: Sequence[Store], explain: Explain, post: Post, cancelled: Cancelled
) -> None:
    """Read the journal."""
    try:
        left_out: list[str] = []
        entries = undo.history(places, stores, left_out=left_out)[:_MOST]
        found = HistoryRead(entries, left_out)
    except PimemError as error:
        found = HistoryRead((), error=explain(error))
    if not cancelled():
        post(found)


def _read_difference(places: Places, entry: str, post: Post, cancelled: Cancelled) -> None:
    """Work out what a change did."""
    try:
        text = undo.difference(places, entry)
    except PimemError as error:
        text = str(error)
    if not cancelled():
        post(DifferenceRead(entry, text))
