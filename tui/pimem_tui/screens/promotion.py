"""What promoting would do, to be looked at before it is written."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from pimem_core.errors import PimemError
from pimem_core.formats.text import plural, visible
from pimem_core.paths import tilde
from pimem_styles import stylesheets
from textual import getters, on
from textual.widgets import Static

from ..drawing.cells import clean, cut
from ..drawing.lines import Line
from ..drawing.wrap import Run, wrap
from ..keys.bindings import bindings_of
from ..rows.targets import target_options, typed_target
from ..services.manager_app import ManagerApp
from ..widgets import BodyView, KeyBar, TooSmall
from ..workers.background import Reader
from ..workers.messages import PromotionRead
from .base import BaseScreen
from .choice import ChoiceScreen

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pimem_core.systems.layers import LayerStore, Promotion, Target
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from ..services.layer_changes import Wanted
    from ..services.outcomes import ChangeFailed, TopicChanged

#: Lines of the old text that show above what is added.
_ABOVE = 4


class PromotionScreen(BaseScreen[None], Reader):
    """The target as it would be, what is added marked; nothing is written before `promote`."""

    app = getters.app(ManagerApp)

    CSS_PATH = stylesheets("promotion")
    AUTO_FOCUS = "BodyView"
    KEY_BAR = ("promotion.do", "promotion.target", "promotion.back", "app.help")
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_of("promotion")]

    text = getters.query_one(BodyView)

    def __init__(self, store: LayerStore, wanted: Wanted, targets: Sequence[Target]) -> None:
        super().__init__()
        self._store = store
        self._wanted = wanted
        self._targets = targets
        self._promotion: Promotion | None = None

    def compose(self) -> ComposeResult:
        """Title, text, keys."""
        yield Static("Reading …", id="title", markup=False)
        yield Static(id="about", markup=False)
        yield BodyView()
        yield KeyBar()
        yield TooSmall()

    def on_mount(self) -> None:
        """Work out what it would do; go back once it is done."""
        self.app.outcomes.changed.subscribe(self, self._follow_change)
        self.app.outcomes.failed.subscribe(self, self._follow_failure)
        self._read()

    def _read(self) -> None:
        store, wanted = self._store, self._wanted
        self.due = True

        def work() -> None:
            try:
                promotion = store.promotion(
                    wanted.file, wanted.folder, wanted.target, sections=wanted.sections
                )
            except PimemError as error:
                self.post_message(PromotionRead(None, self.app.notices.explain(error)))
            else:
                self.post_message(PromotionRead(promotion, ""))

        self.run_worker(work, thread=True, exclusive=True, exit_on_error=False, group="promotion")

    @on(PromotionRead)
    def _take(self, message: PromotionRead) -> None:
        self.due = False
        self._promotion = message.promotion
        self.set_class(message.promotion is None, "-refused")
        self._lay_out(message.error)
        self.refresh_bindings()

    def on_resize(self) -> None:
        """Lay the text out for the new width."""
        self.call_after_refresh(self._lay_out)

    def _lay_out(self, error: str = "") -> None:
        title, about = self.query_one("#title", Static), self.query_one("#about", Static)
        found = self._promotion
        room = max(self.size.width - 2, 1)
        target = clean(f"{self._wanted.folder}/{self._wanted.target}")
        if found is None:
            if error:
                title.update(cut(f"{target} is refused; nothing was changed", room))
                about.update(visible(error))
                self.text.show(())
            return
        where = clean(tilde(found.path, self.app.places.home))
        verb = "Add to" if found.before is not None else "Make"
        title.update(cut(f"{verb} {where}", room))
        undo = self.app.key_for("change.undo")
        about.update(_what_happens(found, self._wanted, undo))
        lines, at = _marked(found, self.text.measure)
        self.text.show(lines, keep_place=True)
        self.text.jump_to(at - _ABOVE)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Promoting needs something that can be."""
        if action == "promote":
            return True if self._promotion is not None else None
        return True

    def action_promote(self) -> None:
        """Write it."""
        self.app.layers.promote(self._store, self._wanted)

    def action_target(self) -> None:
        """Choose another file."""

        def answered(value: str | None) -> None:
            if value is not None:
                folder, _, target = value.partition("/")
                self._wanted = self._wanted._replace(folder=folder, target=target)
                self._promotion = None
                self._read()

        self.app.push_screen(
            ChoiceScreen(
                "Where to?",
                target_options(self._targets),
                at=f"{self._wanted.folder}/{self._wanted.target}",
                new=typed_target,
                hint="find, or type a new one such as knowledge/redis.md",
            ),
            answered,
        )

    def action_back(self) -> None:
        """Go back to the inbox."""
        self.dismiss()

    def _follow_change(self, message: TopicChanged) -> None:
        if message.change.outcome == "promoted":
            self.dismiss()

    def _follow_failure(self, _message: ChangeFailed) -> None:
        self._read()


def _what_happens(found: Promotion, wanted: Wanted, undo: str) -> str:
    """What becomes of the file in the inbox."""
    source = clean(found.source)
    if found.left is None:
        return f"{source} goes; {undo} brings it back."
    return f"{plural(len(wanted.sections or ()), 'section')} of {source}; the rest stays there."


def _marked(found: Promotion, width: int) -> tuple[list[Line], int]:
    """The target's text with `+` before what is added, and the first line of that."""
    after = visible(found.after).splitlines()
    added = len(visible(found.added).strip("\n").splitlines())
    first = max(len(after) - added, 0)
    lines: list[Line] = []
    at = 0
    for number, line in enumerate(after):
        is_new = number >= first
        sign, kind = ("+ ", "added") if is_new else ("  ", "")
        if number == first:
            at = len(lines)
        for part in wrap([Run(line, kind)], max(width - 2, 8)):
            lines.append(Line((Run(sign, kind), *part)))
    return lines, at
