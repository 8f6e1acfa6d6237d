"""What pi's model is given: the exact text, and what each entry of it costs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from pimem_core.errors import PimemError
from pimem_core.formats.text import plural, visible
from pimem_core.formats.tokens import estimate
from pimem_core.hooks.next_prompt import given
from pimem_styles import stylesheets
from textual import getters, on
from textual.containers import Horizontal
from textual.widgets import Static

from ..drawing.cells import clean
from ..drawing.lines import Line
from ..drawing.wrap import Run, wrap
from ..keys.bindings import bindings_of
from ..services.manager_app import ManagerApp
from ..widgets import BodyView, KeyBar, TooSmall
from ..widgets.rows import Rows
from ..workers.background import Reader
from ..workers.field_message import FieldMessage
from .base import BaseScreen

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pimem_core.paths import Places
    from pimem_core.systems.stores import Store
    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.message import Message

_BAR_CELLS = 10
#: Names of entries that a limit kept out; more are only counted.
_MOST_NAMED = 30


@dataclass
class _Entry:
    """A line of the text that stands for a topic or a part, and what it costs."""

    name: str
    tokens: int
    line: int
    """Its line in the text, counted before wrapping."""
    failed: bool = False
    """It could not be read, and its line says why."""


@dataclass
class _Injection:
    """The text in lines with the style of each, the entries by cost, and the cost of all."""

    lines: list[tuple[str, str]]
    entries: list[_Entry]
    tokens: int


class InjectionRead(FieldMessage):
    """A worker worked out what the model is given."""

    injection: _Injection


class InjectionScreen(BaseScreen[None], Reader):
    """The text at the left, its entries with bars at the right; moving in one moves the other."""

    app = getters.app(ManagerApp)

    CSS_PATH = stylesheets("injection")
    AUTO_FOCUS = "Rows"
    KEY_BAR = ("injection.back", "injection.page_down", "app.help")
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_of("injection")]

    rows = getters.query_one(Rows)
    text = getters.query_one(BodyView)

    def __init__(self, places: Places, stores: Sequence[Store], store: Store) -> None:
        """Show what is given.

        Args:
            places: Where everything is.
            stores: Those whose topics are shown one by one.
            store: The one of them that was shown; why it cannot be read is shown in any case.
        """
        super().__init__()
        self._places = places
        self._stores = stores
        self._store = store
        self._injection = _Injection([], [], 0)
        self._is_read = False

    def compose(self) -> ComposeResult:
        """Title, text, entries, keys."""
        yield Static("Reading …", id="title", markup=False)
        with Horizontal(id="body"):
            yield BodyView(can_focus=False)
            yield Rows()
        yield KeyBar()
        yield TooSmall()

    def on_mount(self) -> None:
        """Work it out in a worker."""
        places, stores, store = self._places, self._stores, self._store
        self.due = True

        def work(post: Callable[[Message], object], cancelled: Callable[[], bool]) -> None:
            found = _read(places, stores, store)
            if not cancelled():
                post(InjectionRead(found))

        self.read("injection", work)

    @on(InjectionRead)
    def _take(self, message: InjectionRead) -> None:
        self.due = False
        self._injection, self._is_read = message.injection, True
        self._show_title()
        most = max((entry.tokens for entry in message.injection.entries), default=1) or 1
        self.rows.show([_row(entry, most) for entry in message.injection.entries])
        self._lay_out()

    def on_resize(self) -> None:
        """Lay the text out for the new width."""
        self.call_after_refresh(self._lay_out)
        if self._is_read:
            self._show_title()

    def _show_title(self) -> None:
        what = "What pi's model is given with the first prompt"
        if self.size.width < 72:
            what = "First prompt"
        cost = plural(self._injection.tokens, "token")
        self.query_one("#title", Static).update(f"{what}: about {cost}")

    @on(Rows.RowSelected)
    def _lay_out(self) -> None:
        """Show the text with the selected entry set off and in view."""
        entries = self._injection.entries
        chosen = entries[self.rows.selected].line if entries else -1
        width = max(self.text.measure - 2, 8)
        lines: list[Line] = []
        at = 0
        for number, (text, kind) in enumerate(self._injection.lines):
            sign = "▌ " if number == chosen else "  "
            if number == chosen:
                at, kind = len(lines), "strong"
            for part in wrap([Run(text, kind)], width):
                lines.append(Line((Run(sign, "subheading"), *part)))
        self.text.show(lines, keep_place=True)
        if chosen >= 0:
            self.text.jump_to(at - self.text.size.height // 3)

    def action_page(self, direction: int) -> None:
        """Scroll the text."""
        self.text.page(direction)

    def action_back(self) -> None:
        """Go back."""
        self.dismiss()


def _row(entry: _Entry, most: int) -> list[Run]:
    if entry.failed:
        return [Run(f" {clean(entry.name)}", "warning")]
    cells = max(round(_BAR_CELLS * entry.tokens / most), 1)
    return [
        Run(f"{entry.tokens:>6,} ", "muted"),
        Run("█" * cells + " " * (_BAR_CELLS - cells + 1), "accent"),
        Run(clean(entry.name), "name"),
    ]


def _read(places: Places, stores: Sequence[Store], shown: Store) -> _Injection:
    names: dict[str, str] = {}
    found = _Injection([], [], 0)
    systems = list(given(places))
    reported = {str(error) for system in systems for error in system.errors}
    for store in stores:
        try:
            for topic in store.list():
                if topic.injected:
                    names.setdefault(topic.injected, topic.name)
        except PimemError as error:
            if store is shown and str(error) not in reported:
                reason = visible(str(error).replace(places.home, "~"))
                found.lines += [(f"! {clean(store.name)}: {reason}", "cut"), ("", "")]
    for system in systems:
        for trouble in system.errors:
            reason = visible(str(trouble).replace(places.home, "~"))
            title = f"! {system.system} cannot be read"
            found.entries.append(_Entry(title, 0, len(found.lines), failed=True))
            found.lines += [(f"! {system.system}: {reason}", "cut"), ("", "")]
        for part in system.parts:
            _add(found, f"{system.system} {part.name}", part.text, part.dropped, names)
    if not found.entries:
        found.lines.append(("Nothing is given here.", "muted"))
    found.entries.sort(key=lambda entry: (not entry.failed, -entry.tokens))
    return found


def _add(
    found: _Injection, title: str, text: str, dropped: Sequence[str], names: dict[str, str]
) -> None:
    begin = len(found.lines)
    tokens = estimate(text)
    found.tokens += tokens
    of_entries = 0
    for line in text.split("\n"):
        name = names.get(line)
        if name is not None:
            cost = estimate(f"{line}\n")
            of_entries += cost
            found.entries.append(_Entry(name, cost, len(found.lines)))
        found.lines.append((visible(line), "heading" if line.startswith("## ") else ""))
    rest = f"({title}: all else)" if of_entries else f"({title})"
    found.entries.append(_Entry(rest, tokens - of_entries, begin))
    if dropped:
        named = visible(", ".join(dropped[:_MOST_NAMED]))
        more = f" and {len(dropped) - _MOST_NAMED:,} more" if dropped[_MOST_NAMED:] else ""
        found.lines.append((f"! cut, {plural(len(dropped), 'entry')}: {named}{more}", "cut"))
    found.lines.append(("", ""))
