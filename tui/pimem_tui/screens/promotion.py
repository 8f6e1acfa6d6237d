"""What promoting would do, to be looked at before it is written."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from pimem_core.errors import PimemError
from pimem_core.formats.text import plural, visible
from pimem_core.paths import tilde
from pimem_styles import stylesheets
from textual import getters, on

from ..drawing.cells import clean
from ..drawing.lines import Line
from ..drawing.wrap import Run, wrap
from ..keys.bindings import bindings_of
from ..rows.targets import target_options, typed_target
from ..services.manager_app import ManagerApp
from ..widgets import KeyBar, Page, TooSmall
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
    from ..services.notices import Explain
    from ..services.outcomes import ChangeFailed, TopicChanged
    from ..workers.reading import Cancelled, Post

#: Lines of the old text that show above what is added.
_ABOVE = 4


class PromotionScreen(BaseScreen[None], Reader):
    """The target as it would be, what is added marked; nothing is written before `promote`."""

    app = getters.app(ManagerApp)

    CSS_PATH = stylesheets("promotion")
    AUTO_FOCUS = "BodyView"
    KEY_BAR = ("promotion.do", "promotion.target", "promotion.back", "app.help")
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_of("promotion")]

    page = getters.query_one(Page)

    def __init__(self, store: LayerStore, wanted: Wanted, targets: Sequence[Target]) -> None:
        super().__init__()
        self._store = store
        self._wanted = wanted
        self._targets = targets
        self._promotion: Promotion | None = None

    def compose(self) -> ComposeResult:
        """Title, text, keys."""
        yield Page("Reading …", has_rows=False)
        yield KeyBar()
        yield TooSmall()

    def on_mount(self) -> None:
        """Work out what it would do; go back once it is done."""
        self.app.outcomes.changed.subscribe(self, self._follow_change)
        self.app.outcomes.failed.subscribe(self, self._follow_failure)
        self._read()

    def _read(self) -> None:
        self.due = True
        explain = self.app.notices.explain
        self.read("promotion", partial(_read_promotion, self._store, self._wanted, explain))

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
        page, found = self.page, self._promotion
        if found is None:
            if error:
                target = f"{self._wanted.folder}/{self._wanted.target}"
                page.show_title(f"{target} is refused; nothing was changed")
                page.explain(error)
                page.text.show(())
            return
        verb = "Add to" if found.before is not None else "Make"
        page.show_title(f"{verb} {tilde(found.path, self.app.places.home)}")
        page.explain(_what_happens(found, self._wanted, self.app.key_for("change.undo")))
        lines, at = _marked(found, page.text.measure)
        page.text.show(lines, keep_place=True)
        page.text.jump_to(at - _ABOVE)

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

    def _follow_change(self, message: TopicChanged) -> None:
        if message.change.outcome == "promoted":
            self.dismiss()

    def _follow_failure(self, _message: ChangeFailed) -> None:
        self._read()


def _read_promotion(
    store: LayerStore, wanted: Wanted, explain: Explain, post: Post, cancelled: Cancelled
) -> None:
    """Work out what promoting would do."""
    try:
        promotion = store.promotion(
            wanted.file, wanted.folder, wanted.target, sections=wanted.sections
        )
        found = PromotionRead(promotion, "")
    except PimemError as error:
        found = PromotionRead(None, explain(error))
    if not cancelled():
        post(found)


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
