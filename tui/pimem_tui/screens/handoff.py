"""What pi hands over from before a compaction to the prompt after it: read, edit, clear."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from pimem_core.errors import PimemError
from pimem_core.formats.text import plural
from pimem_core.formats.tokens import estimate
from pimem_core.paths import tilde
from pimem_core.systems.stores import HANDOFF_FILE, Handoff
from pimem_styles import stylesheets
from textual import getters, on

from ..keys.bindings import bindings_of
from ..services.manager_app import ManagerApp
from ..widgets import KeyBar, Page, TooSmall
from ..widgets.body_view import MEASURE
from ..workers.background import Reader
from ..workers.field_message import FieldMessage
from .base import BaseScreen

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pimem_core.systems.stores import HandoffStore
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from ..drawing.lines import Line
    from ..services.jobs import Next
    from ..services.notices import Explain
    from ..services.outcomes import ChangeFailed, TopicChanged
    from ..workers.reading import Cancelled, Post

#: Seconds between two looks at the file: pi writes it at a compaction.
_LOOK_S = 2.0
_EMPTY = (
    "There is no handoff.\n\n"
    "When pi compacts a conversation, it keeps here what was going on; the newest entry goes to "
    "the model with the next prompt. handoff_keep in the settings ({key}) says how many stay."
)


class HandoffRead(FieldMessage):
    """A worker read the handoff and laid it out; `error` says why it could not be read."""

    handoff: Handoff | None
    lines: Sequence[Line] = ()
    width: int = 0
    error: str = ""


class HandoffScreen(BaseScreen[None], Reader):
    """Shows the entries, newest first."""

    app = getters.app(ManagerApp)

    CSS_PATH = stylesheets("handoff")
    AUTO_FOCUS = "BodyView"
    KEY_BAR = (
        "handoff.back",
        "handoff.edit",
        "handoff.edit_outside",
        "handoff.clear",
        "change.undo",
        "app.help",
    )
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_of("handoff")]

    page = getters.query_one(Page)

    def __init__(self, store: HandoffStore) -> None:
        super().__init__()
        self._store = store
        self._handoff: Handoff | None = None
        self._shown: tuple[str, int] | None = None

    def compose(self) -> ComposeResult:
        """Title, where it is, entries, keys."""
        yield Page("Handoff", has_rows=False)
        yield KeyBar()
        yield TooSmall()

    def on_mount(self) -> None:
        """Read the file, and look at it again now and then."""
        self.app.outcomes.changed.subscribe(self, self._follow)
        self.app.outcomes.failed.subscribe(self, self._follow)
        self.due = True
        self.call_after_refresh(self._read)
        self.set_interval(_LOOK_S, self._read)

    def _follow(self, _message: TopicChanged | ChangeFailed) -> None:
        self._read()

    def on_resize(self) -> None:
        """Lay the text out for the new width."""
        self.call_after_refresh(self._read)

    def _read(self) -> None:
        width = max(min(MEASURE, self.size.width - 3), 1)  # as the text has it once it shows
        explain = self.app.notices.explain
        job = partial(_read_handoff, self._store, explain, width, self._shown)
        self.read("handoff", job)

    @on(HandoffRead)
    def _take(self, message: HandoffRead) -> None:
        self.due = False
        handoff = self._handoff = message.handoff
        self._shown = None if handoff is None else (handoff.text, message.width)
        about, state = "", ""
        if handoff is None:
            state = f"The handoff cannot be read.\n\n{message.error}"
        else:
            where = tilde(handoff.path, self.app.places.home)
            if handoff.entries:
                count = len(handoff.entries)
                entries = "1 entry" if count == 1 else f"{count:,} entries, newest first"
                cost = plural(estimate(handoff.entries[0]), "token")
                about = f"{entries} · the newest goes to the model, {cost} · {where}"
            else:
                about, state = where, _EMPTY.format(key=self.app.key_for("list.settings"))
        self.page.show_about(about)
        self.page.say_instead(state)
        self.page.text.show(message.lines, keep_place=True)
        self.refresh_bindings()

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """An empty handoff has nothing to clear; one that cannot be read is not edited."""
        if action in ("edit", "edit_outside"):
            return True if self._handoff is not None and self._handoff.entries else None
        if action == "clear":
            return True if self._handoff is not None and self._handoff.text else None
        return True

    def action_edit(self) -> None:
        """Edit the file inside the app."""
        self.app.editor.open(self._store, HANDOFF_FILE, whole=True)

    def action_edit_outside(self) -> None:
        """Edit the file in the person's editor."""
        self.app.external_editor.open(self._store, HANDOFF_FILE)

    def action_clear(self) -> None:
        """Empty the handoff."""
        store = self._store

        def clear() -> Next:
            with self.app.jobs.turn:
                change = store.clear_handoff()
            return partial(self.app.outcomes.report, self._store, change)

        self.app.jobs.start(store, HANDOFF_FILE, clear)


def _read_handoff(
    store: HandoffStore,
    explain: Explain,
    width: int,
    shown: tuple[str, int] | None,
    post: Post,
    cancelled: Cancelled,
) -> None:
    """Read the handoff and lay it out, unless its text shows already in this width."""
    from ..drawing.markdown import lay_out

    try:
        handoff = store.handoff()
    except PimemError as error:
        post(HandoffRead(None, error=explain(error)))
        return
    if shown != (handoff.text, width) and not cancelled():
        post(HandoffRead(handoff, lay_out("\n\n".join(handoff.entries), width), width))
