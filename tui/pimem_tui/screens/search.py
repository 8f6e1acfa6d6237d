"""The search across stores: hits of all of them as they come, each with why it matched."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from pimem_core.formats.text import plural, visible, visible_cell
from pimem_core.search.finding import find
from pimem_core.systems.stores import FolderStore
from pimem_styles import stylesheets
from rich.cells import cell_len
from textual import getters, on
from textual.containers import Horizontal
from textual.widgets import Input, Static

from ..drawing.cells import clean, fit
from ..drawing.matches import NO_WORDS, Words, around, cleaned, set_off
from ..drawing.wrap import Run
from ..keys.bindings import bindings_of
from ..rows.recent import Recall
from ..services.manager_app import ManagerApp
from ..widgets import KeyBar, TooSmall
from ..widgets.line_input import LineInput
from ..widgets.rows import Rows
from ..workers.background import Reader
from ..workers.field_message import FieldMessage
from ..workers.reading import words_of
from .base import BaseScreen

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pimem_core.model import Hit, StoreStatus
    from pimem_core.search.finding import Shelf
    from pimem_core.systems.stores import Store
    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.message import Message

    from ..services.outcomes import TopicChanged

#: Most hits that are listed; whoever has more types on.
_MOST = 1_000
#: Seconds between two reports of a running search.
_REPORT_S = 0.12
#: The same while texts are read, which takes turns with searching them.
_FILLING_S = 0.4
_NAME_CELLS = 30
#: Cells from which a hit says why it is one.
_LEAST_WHY = 8
#: Keys that are about the hits, by their ids.
_ABOUT_HITS = [f"search.{name}" for name in ("open", "up", "down", "page_up", "page_down")]


class Found(FieldMessage):
    """What a search has found so far, with a row for each hit; `note` says how far it is."""

    query: str
    hits: Sequence[tuple[int, Hit]]
    words: Words
    rows: Sequence[Sequence[Run]]
    nothing: str
    note: str
    done: bool
    errors: Sequence[str]


class SearchInput(LineInput):
    """The words to look for. The keys of the list work while they are typed."""

    BINDINGS: ClassVar[list[BindingType]] = bindings_of("search")

    def validate_value(self, value: str) -> str:
        """Pasted control characters are drawn as signs, like everywhere."""
        return visible_cell(value)


class SearchScreen(BaseScreen[None], Reader):
    """Looks for words in every store."""

    app = getters.app(ManagerApp)

    CSS_PATH = stylesheets("search")
    AUTO_FOCUS = "SearchInput"
    KEY_BAR = ("search.open", "search.back", "app.help")
    BINDINGS: ClassVar[list[BindingType]] = []

    rows = getters.query_one(Rows)
    words = getters.query_one(SearchInput)

    def __init__(
        self,
        stores: Sequence[Store],
        statuses: Sequence[StoreStatus | None],
        now: Callable[[], float],
    ) -> None:
        super().__init__()
        self._stores = stores
        self._statuses = statuses
        self._now = now
        self._hits: Sequence[tuple[int, Hit]] = ()
        self._found = NO_WORDS
        self._recall = Recall(self.app.searches)
        self._width = 0

    def compose(self) -> ComposeResult:
        """The line to type into, the hits, keys."""
        with Horizontal(id="line"):
            yield Static("Search", id="label", markup=False)
            yield SearchInput(
                placeholder="words in any store", id="words", compact=True, select_on_focus=False
            )
            yield Static(id="note", markup=False)
        yield Rows()
        yield Static(id="state", markup=False)
        yield KeyBar()
        yield TooSmall()

    def on_mount(self) -> None:
        """Begin empty. Keys stay with the words, also after a click on a hit."""
        self.rows.can_focus = False
        self.app.outcomes.changed.subscribe(self, self._follow)
        self._begin()

    def _follow(self, _message: TopicChanged) -> None:
        self._search()

    def on_resize(self) -> None:
        """Lay the rows out for the new width."""
        if self.words.value and self._width != self.size.width:
            self._search()

    @on(Input.Changed)
    def _search(self) -> None:
        query = self.words.value
        if not query.strip():
            self.workers.cancel_group(self, "search")
            self._begin()
            return
        self.due = True
        stores, width = self._stores, self.size.width
        self._width = width

        self.read("search", partial(_search, stores, query, width))

    def keeps_waiting(self, key: str, waited_s: float) -> bool:
        """Words are typed on while hits are looked for; other keys are about the hits."""
        active = self.active_bindings.get(key) if super().keeps_waiting(key, waited_s) else None
        return active is not None and active.binding.id in _ABOUT_HITS

    def _begin(self) -> None:
        self.due = False
        for store in self._stores:
            store.forget_texts()
        self._hits = ()
        self.rows.show(())
        names = ", ".join(clean(store.name) for store in self._stores)
        self._say(f"Type what to look for in {names}: names, files, summaries and texts.")
        self.query_one("#note", Static).update("")

    def _say(self, text: str) -> None:
        self.set_class(bool(text), "-message")
        self.query_one("#state", Static).update(visible(text))
        self.refresh_bindings()

    @on(Found)
    def _take(self, message: Found) -> None:
        if message.query != self.words.value:
            return
        self.due &= not message.done
        at = self.rows.selected
        chosen = self._hits[at] if 0 < at < len(self._hits) else None
        self._hits, self._found = message.hits, message.words
        selected = 0
        if chosen is not None:  # what the eye is on stays, though hits come in before it
            where = (chosen[0], chosen[1].topic.file)
            found = ((n, (index, hit.topic.file)) for n, (index, hit) in enumerate(message.hits))
            selected = next((n for n, known in found if known == where), 0)
        self.rows.show(message.rows, selected=selected)
        self.query_one("#note", Static).update(message.note)
        text = ""
        if not message.hits:
            key = self.app.key_for("search.back")
            text = f"{message.nothing}\n\n{key} clears the words."
            text = text if message.done else "Searching …"
        self._say("\n\n".join((text, *message.errors)) if text else "")
        if message.done and message.hits and message.errors:
            self.app.notices.say_error(message.errors[0])

    def action_open(self) -> None:
        """Open the selected topic in its store."""
        from .detail import DetailScreen

        if 0 <= self.rows.selected < len(self._hits):
            self.app.searches.remember(self.words.value)
            index, hit = self._hits[self.rows.selected]
            self.app.push_screen(
                DetailScreen(
                    self._stores[index],
                    self._statuses[index],
                    hit.topic,
                    self._found,
                    self._now,
                )
            )

    def action_back(self) -> None:
        """Clear the words, then go back."""
        if self.words.value:
            self.app.searches.remember(self.words.value)
            self.words.value = ""
        else:
            self.dismiss()

    def action_move(self, by: int) -> None:
        """Select another hit; above the first are the searches before this one."""
        if self.rows.selected <= 0:
            text = self._recall.step(by, self.words.value)
            if text is not None:
                self.words.value, self.words.cursor_position = text, len(text)
                return
        self.rows.move(by)

    def action_page(self, direction: int) -> None:
        """Move by a screen."""
        self.rows.move(direction * max(self.rows.size.height - 1, 1))


def _search(
    stores: Sequence[Store],
    query: str,
    width: int,
    post: Callable[[Message], object],
    cancelled: Callable[[], bool],
) -> None:
    """Search all stores and post the best of what is there, more often while texts are read."""
    errors: list[str] = []
    shelves: list[Shelf] = []
    reported = time.monotonic()
    cells = max(len(clean(store.name, 12)) for store in stores)
    names = [clean(store.name) for store in stores]
    numbers: dict[int, int] = {}

    def report(note: str, *, done: bool = False, filling: Store | None = None) -> None:
        kept = None if filling is None else filling.kept
        ready = shelves if kept is None else [*shelves, kept]
        if filling is not None and kept is not None:
            numbers[id(kept)] = stores.index(filling)
        found = find(ready, query, typing=True, cancelled=cancelled)
        hits = [(numbers[id(shelf)], hit) for shelf, hit in found.shelved(_MOST)]
        words = Words.of(found)
        rows = [_row(names[number], hit, words, width, cells) for number, hit in hits]
        said = plural(len(found), "hit") + note
        if done and len(found) > _MOST:
            said = f"the first {_MOST:,} hits; type on"
        if not cancelled():
            post(Found(query, hits, words, rows, found.nothing(query), said, done, tuple(errors)))

    # One that is not on this disk may be slow, and others are not to wait for it.
    order = sorted(enumerate(stores), key=lambda one: not isinstance(one[1], FolderStore))
    for number, store in order:
        name = names[number]

        def progress(looked_at: int, total: int, name: str = name, store: Store = store) -> None:
            nonlocal reported
            if total and time.monotonic() - reported > _FILLING_S:
                report(f", {name} {100 * looked_at // total}% …", filling=store)
                reported = time.monotonic()

        store.keep_texts()
        try:
            shelves.append(store.shelf(cancelled=cancelled, progress=progress))
            numbers[id(shelves[-1])] = number
        except Exception as error:
            errors.append(f"{name}: {words_of(error)}")
        if cancelled():
            return
        if store is not order[-1][1]:
            report(" …")
            reported = time.monotonic()
    report("", done=True)


def _row(store: str, hit: Hit, words: Words, width: int, cells: int) -> Sequence[Run]:
    """Store, name, and where the words are; the snippet goes first where there is no room."""
    topic = hit.topic
    name_cells = min(_NAME_CELLS, max(width - cells - 6, 8))
    where = f"line {hit.line}: " if hit.line is not None else ""
    if hit.note:
        where += f"({clean(hit.note)}) "
    name = fit(clean(topic.name), name_cells)
    parts = [(f" {fit(store, cells)}  ", "muted"), *set_off(name, words.places(name), "name")]
    room = width - cells - name_cells - 7 - cell_len(where)
    if room > _LEAST_WHY:
        if hit.where in ("body", "file"):
            why, places = cleaned(hit.snippet, hit.matches)
        else:
            why = clean(topic.summary)
            places = words.places(why)
        text, places = around(why, places, room)
        parts += [(f"  {where}", "muted"), *set_off(text, places, "muted")]
    return [Run(text, kind) for text, kind in parts]
