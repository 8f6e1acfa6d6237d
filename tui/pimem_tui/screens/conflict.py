"""Two edits of one text that cannot be merged by themselves: the person decides place by place."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, NamedTuple

from pimem_core.formats.merge import both, regions
from pimem_core.formats.text import visible
from pimem_styles import stylesheets
from textual import getters
from textual.containers import Container, Vertical
from textual.widgets import Static

from ..drawing.cells import clean, cut
from ..drawing.lines import Line
from ..drawing.wrap import Run, wrap
from ..keys.bindings import bindings_of
from ..services.manager_app import ManagerApp
from ..widgets import BodyView, KeyBar, TooSmall
from .base import BaseScreen

if TYPE_CHECKING:
    from pimem_core.formats.merge import Region
    from textual.app import ComposeResult
    from textual.binding import BindingType

_SIDES = ("theirs", "mine", "result")
_TITLES = {"theirs": "On disk", "mine": "Yours", "result": "Result"}


class _Column(NamedTuple):
    """A side laid out: its lines, and the line at which each place to decide begins."""

    lines: list[Line]
    places: list[int]


class ConflictScreen(BaseScreen[str | None]):
    """Shows both texts and the result; gives the result, or None to go on editing."""

    app = getters.app(ManagerApp)

    CSS_PATH = stylesheets("conflict")
    AUTO_FOCUS = None
    KEY_BAR = (
        "conflict.theirs",
        "conflict.mine",
        "conflict.both",
        "conflict.next",
        "conflict.save",
        "conflict.back",
        "app.help",
    )
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_of("conflict")]

    def __init__(self, name: str, base: str, *, theirs: str, mine: str) -> None:
        super().__init__()
        self._topic_name = name
        self._regions = regions(base, mine=mine, theirs=theirs)
        open_places = [n for n, region in enumerate(self._regions) if region.merged is None]
        #: What was chosen for each region that needs it.
        self._chosen: dict[int, str | None] = dict.fromkeys(open_places)
        self._order = open_places
        self._at = 0

    def compose(self) -> ComposeResult:
        """What happened, three columns, keys."""
        yield Static(id="what", markup=False)
        with Container(id="columns"):
            for side in _SIDES:
                with Vertical(classes="column", id=side):
                    yield Static(_TITLES[side], classes="title", markup=False)
                    yield BodyView(can_focus=False)
        yield KeyBar()
        yield TooSmall()

    def on_mount(self) -> None:
        """Begin at the first place."""
        self.call_after_refresh(self._show)

    def on_resize(self) -> None:
        """Lay the columns out for their new width."""
        self.call_after_refresh(self._show)

    @property
    def left(self) -> int:
        """How many places are not decided."""
        return sum(choice is None for choice in self._chosen.values())

    def result(self) -> str:
        """The text as it was decided; undecided places hold what is on disk."""
        return "".join(self._decided(number) for number in range(len(self._regions)))

    def _decided(self, number: int) -> str:
        region = self._regions[number]
        if region.merged is not None:
            return region.merged
        choice = self._chosen[number]
        if choice == "both":
            return both(region)
        return region.mine if choice == "mine" else region.theirs

    def _show(self) -> None:
        total = len(self._order)
        done = total - self.left
        if self.left:
            todo = f"Decide: place {self._at + 1} of {total}" if total > 1 else "Decide"
        else:
            todo = "All decided, ready to save"
        counted = f" ({done} of {total} decided)" if total > 1 else ""
        text = (
            f'{todo}{counted} · "{clean(self._topic_name)}" was changed on disk in the same lines'
        )
        self.query_one("#what", Static).update(cut(text, max(self.size.width - 2, 1)))
        current = self._order[self._at] if self._order else -1
        for side in _SIDES:
            view = self.query_one(f"#{side} BodyView", BodyView)
            column = self._lay_out(side, view.measure)
            view.show(column.lines, keep_place=True)
            if current >= 0:
                place_at = column.places[current]
                view.jump_to(place_at - 2)
        self.refresh_bindings()

    def _lay_out(self, side: str, width: int) -> _Column:
        """The lines of a side: `-` before what is on disk, `+` before the person's own."""
        lines: list[Line] = []
        places: list[int] = []
        current = self._order[self._at] if self._order else -1
        for number, region in enumerate(self._regions):
            places.append(len(lines))
            here = number == current
            if region.merged is not None:
                lines += _lines(region.merged, " ", "", width)
            elif side == "theirs":
                lines += _lines(region.theirs or "(nothing here)\n", "-", "removed", width, here)
            elif side == "mine":
                lines += _lines(region.mine or "(nothing here)\n", "+", "added", width, here)
            else:
                lines += self._result_lines(number, region, width, here)
        return _Column(lines, places)

    def _result_lines(self, number: int, region: Region, width: int, here: bool) -> list[Line]:
        choice = self._chosen[number]
        if choice is None:
            return _lines("(not decided)\n", "?", "muted", width, here)
        lines: list[Line] = []
        if choice in ("theirs", "both"):
            lines += _lines(region.theirs, "-", "removed", width, here)
        if choice in ("mine", "both"):
            lines += _lines(region.mine, "+", "added", width, here)
        return lines or _lines("(nothing here)\n", " ", "muted", width, here)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Saving waits until every place is decided."""
        if action == "save":
            return None if self.left else True
        if action == "go":
            return len(self._order) > 1
        return True

    def action_take(self, choice: str) -> None:
        """Decide the place, then go on to the next one that is open."""
        if not self._order:
            return
        self._chosen[self._order[self._at]] = choice
        following = [*range(self._at + 1, len(self._order)), *range(self._at)]
        for at in following:
            if self._chosen[self._order[at]] is None:
                self._at = at
                break
        self._show()

    def action_go(self, by: int) -> None:
        """Go to another place."""
        if self._order:
            self._at = (self._at + by) % len(self._order)
            self._show()

    def action_save(self) -> None:
        """Give the result."""
        self.dismiss(self.result())

    def action_back(self) -> None:
        """Go back to the editor."""
        self.dismiss(None)


def _lines(text: str, sign: str, kind: str, width: int, here: bool = False) -> list[Line]:
    """The lines of a text with a sign before each; the place to decide has a bar as well."""
    found: list[Line] = []
    if not text:
        return found
    bar = "▌" if here else " "
    for line in visible(text).expandtabs(4).removesuffix("\n").split("\n"):
        for part in wrap([Run(line, kind)], max(width - 3, 8)):
            found.append(Line((Run(f"{bar}{sign} ", kind or "muted"), *part)))
    return found
