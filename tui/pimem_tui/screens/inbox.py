"""What waits to become memory: read it, edit it, choose its sections, say where they go."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from pimem_core.errors import PimemError
from pimem_core.formats.text import plural, visible
from pimem_core.model import Topic
from pimem_styles import stylesheets
from rich.cells import cell_len
from textual import getters, on

from ..drawing.cells import clean, cut
from ..drawing.matches import NO_WORDS
from ..drawing.wrap import Run
from ..keys.bindings import bindings_of
from ..rows.targets import target_options, typed_target
from ..services.layer_changes import Wanted
from ..services.manager_app import ManagerApp
from ..services.watcher import StoreTouched
from ..widgets import KeyBar, Page, TooSmall
from ..widgets.rows import Rows
from ..workers.background import Reader
from ..workers.messages import BodyRead, InboxRead, TargetsRead
from ..workers.reading import read_body
from .base import BaseScreen
from .choice import ChoiceScreen

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pimem_core.systems.layers import InboxFile, LayerStore
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from ..services.notices import Explain
    from ..services.outcomes import ChangeFailed, TopicChanged
    from ..workers.reading import Cancelled, Post

_EMPTY = (
    "Nothing waits in the inbox.\n\n"
    "{key} puts an empty checkpoint there: fill it in with what you should know next time, then "
    "promote it to a memory file. Nothing in the inbox is ever given to the model."
)
_NO_WORKSPACE = (
    "Nothing waits in the inbox.\n\n"
    "Checkpoints go into a project's memory, and this project has none yet: in the list, go to "
    "the workspace and create it."
)


class _Row(NamedTuple):
    """A file, or one of its sections."""

    layer: LayerStore
    file: InboxFile
    section: str | None = None

    @property
    def key(self) -> tuple[str, str]:
        """What names the file among all layers."""
        return self.layer.path, self.file.file


class InboxScreen(BaseScreen[None], Reader):
    """The files of both inboxes with their sections; the text of the selected one beside them."""

    app = getters.app(ManagerApp)

    CSS_PATH = stylesheets("inbox")
    AUTO_FOCUS = "Rows"
    KEY_BAR = (
        "inbox.back",
        "inbox.promote",
        "inbox.toggle",
        "inbox.edit",
        "inbox.open",
        "inbox.new",
        "inbox.remove",
        "app.help",
    )
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_of("inbox")]

    page = getters.query_one(Page)
    key_bar = getters.query_one(KeyBar)

    def __init__(self, now: Callable[[], float]) -> None:
        super().__init__()
        self._now = now
        self._rows: list[_Row] = []
        #: Sections that were taken out of the choice, by file; all are chosen at first.
        self._left_out: dict[tuple[str, str], set[str]] = {}
        self._begun: _Row | None = None

    def compose(self) -> ComposeResult:
        """Title, files, text, keys."""
        yield Page("Inbox")
        yield KeyBar()
        yield TooSmall()

    def on_mount(self) -> None:
        """Read the inboxes."""
        self.app.outcomes.changed.subscribe(self, self._follow)
        self.app.outcomes.failed.subscribe(self, self._follow)
        self.app.watcher.touched.subscribe(self, self._follow)
        self.due = True
        self._read()

    def _follow(self, message: TopicChanged | ChangeFailed | StoreTouched) -> None:
        self.due |= not isinstance(message, StoreTouched)
        self._read()

    def _read(self) -> None:
        self.read("inbox", partial(_read_inboxes, self.app.layers.all, self.app.notices.explain))

    @on(InboxRead)
    def _take(self, found: InboxRead) -> None:
        self.due = False
        old = self.selected
        self._rows = []
        for layer, file in found.files:
            self._rows.append(_Row(layer, file))
            self._rows += [_Row(layer, file, section) for section in file.sections]
        if found.error:
            self.app.notices.say_error(found.error)
        count = len(found.files)
        self.page.show_title(
            f"Inbox: {plural(count, 'file')} to review and promote" if count else "Inbox"
        )
        text = _EMPTY if self._workspace is not None else _NO_WORKSPACE
        text = text.format(key=self.app.key_for("inbox.new"))
        self.page.say_instead("" if count else text)
        self._show(self._place_of(old))

    def _place_of(self, old: _Row | None) -> int:
        """The row of what was selected, else of its file, else the same row."""
        if old is None:
            return 0
        keys = [(row.key, row.section) for row in self._rows]
        for wanted in ((old.key, old.section), (old.key, None)):
            if wanted in keys:
                return keys.index(wanted)
        return self.page.rows.selected

    def _show(self, selected: int) -> None:
        self.page.rows.show([self._draw(row) for row in self._rows], selected=selected)
        self.refresh_bindings()

    def _draw(self, row: _Row) -> list[Run]:
        if row.section is not None:
            tick = "[ ]" if row.section in self._left_out.get(row.key, ()) else "[x]"
            return [Run(f"   {tick} ", "accent"), Run(visible(clean(row.section)), "name")]
        several = len({other.layer.path for other in self._rows}) > 1
        layer = f"  {clean(row.layer.name)}" if several else ""
        state = "" if row.file.filled else "  to fill in"
        room = self.page.rows.size.width - 2 - cell_len(state) - cell_len(layer)
        name = cut(clean(row.file.file.removeprefix("inbox/")), max(room, 8))
        return [Run(f" {name}", "name"), Run(state, "warning"), Run(layer, "muted")]

    @property
    def selected(self) -> _Row | None:
        """The selected row."""
        row = self.page.rows.selected
        return self._rows[row] if 0 <= row < len(self._rows) else None

    @property
    def _workspace(self) -> LayerStore | None:
        return next((layer for layer in self.app.layers.all if layer.name == "workspace"), None)

    def _chosen(self, row: _Row) -> Sequence[str] | None:
        """The chosen sections of a file; None when all of it is."""
        left_out = self._left_out.get(row.key, set())
        if not left_out & set(row.file.sections):
            return None
        return [section for section in row.file.sections if section not in left_out]

    # The text ----------------------------------------------------------------------------------

    def on_resize(self) -> None:
        """Lay rows and text out for the new width."""
        self.call_after_refresh(lambda: self._show(self.page.rows.selected))

    @on(Rows.RowSelected)
    def _read_text(self) -> None:
        row = self.selected
        self.refresh_bindings()
        if row is None:
            self.page.text.show(())
            self.key_bar.status = ""
            return
        chosen = self._chosen(row)
        sections = len(row.file.sections)
        count = sections if chosen is None else len(chosen)
        self.key_bar.status = f"{count:,} of {plural(sections, 'section')}" if sections else ""
        job = partial(read_body, row.layer, _topic(row), self.page.text.measure)
        self.read("text", job)

    @on(BodyRead)
    def _show_text(self, message: BodyRead) -> None:
        row = self.selected
        if row is not None and message.topic.file == row.file.file:
            self.page.text.show(message.lines, keep_place=True)

    # Actions -----------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Grey out what needs a file, or something in it."""
        row = self.selected if self.is_mounted else None
        if action in ("open", "edit", "edit_outside", "remove"):
            return True if row is not None else None
        if action == "choose":
            return True if row is not None and row.file.sections else None
        if action == "promote":
            ready = row is not None and row.file.filled and self._chosen(row) != []
            return True if ready else None
        if action == "checkpoint":
            return True if self._workspace is not None else None
        return True

    def action_page(self, direction: int) -> None:
        """Scroll the text."""
        self.page.scroll_text(direction)

    def action_choose(self) -> None:
        """Choose the section or leave it out; on a file, all of them or none."""
        row = self.selected
        if row is None:
            return
        left_out = self._left_out.setdefault(row.key, set())
        if row.section is not None:
            left_out ^= {row.section}
        elif left_out:
            left_out.clear()
        else:
            left_out |= set(row.file.sections)
        self._show(self.page.rows.selected)

    def action_promote(self) -> None:
        """Ask where the chosen sections go."""
        row = self.selected
        if row is None:
            return
        self._begun = row
        self.due = True
        self.read("targets", partial(_read_targets, row.layer))

    @on(TargetsRead)
    def _ask_target(self, message: TargetsRead) -> None:
        self.due = False
        row = self._begun
        if row is None or not self.is_current:
            return
        chosen = self._chosen(row)
        what = "all of it" if chosen is None else plural(len(chosen), "section")

        def answered(value: str | None) -> None:
            if value is None:
                return
            from .promotion import PromotionScreen

            folder, _, target = value.partition("/")
            wanted = Wanted(row.file.file, chosen, folder, target)
            self.app.push_screen(PromotionScreen(row.layer, wanted, message.targets))

        self.app.push_screen(
            ChoiceScreen(
                f"Promote {what}: where to?",
                target_options(message.targets),
                new=typed_target,
                hint="find, or type a new one such as knowledge/redis.md",
            ),
            answered,
        )

    def action_open(self) -> None:
        """Read the whole file."""
        from .detail import DetailScreen

        row = self.selected
        if row is not None:
            self.app.push_screen(DetailScreen(row.layer, None, _topic(row), NO_WORDS, self._now))

    def action_edit(self) -> None:
        """Edit the file here."""
        if self.selected is not None:
            self.app.editor.open(self.selected.layer, self.selected.file.file)

    def action_edit_outside(self) -> None:
        """Edit the file in the person's own editor."""
        if self.selected is not None:
            self.app.external_editor.open(self.selected.layer, self.selected.file.file)

    def action_remove(self) -> None:
        """Remove the file after asking."""
        if self.selected is not None:
            self.app.changes.remove(self.selected.layer, _topic(self.selected))

    def action_checkpoint(self) -> None:
        """Put an empty checkpoint into the inbox."""
        if self._workspace is not None:
            self.app.layers.checkpoint(self._workspace)


def _topic(row: _Row) -> Topic:
    return Topic(
        store=row.layer.name,
        name=row.file.file,
        file=row.file.file,
        path=row.file.path,
        summary="",
        listed=False,
        note="waits in the inbox",
    )


def _read_inboxes(
    layers: Sequence[LayerStore], explain: Explain, post: Post, cancelled: Cancelled
) -> None:
    """Read the inboxes of all layers; of what cannot be read the last is told."""
    found, error = [], ""
    for layer in layers:
        try:
            found += [(layer, file) for file in layer.inbox()]
        except PimemError as failure:
            error = explain(failure)
    if not cancelled():
        post(InboxRead(found, error))


def _read_targets(layer: LayerStore, post: Post, cancelled: Cancelled) -> None:
    """Find where text from the inbox of a layer can go."""
    targets = layer.targets()
    if not cancelled():
        post(TargetsRead(targets))
