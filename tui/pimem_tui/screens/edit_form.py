"""The form of the editor: name, summary and text, what is wrong with them and what they cost."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

from pimem_core.formats.text import plural, visible_cell
from pimem_core.formats.tokens import estimate
from pimem_core.history.drafts import Typed
from pimem_core.model import Document
from pimem_core.paths import tilde
from pimem_core.systems.stores import (
    ComposingStore,
    PinningStore,
    TypedStore,
    WritableStore,
    WriteRequest,
    supporting,
)
from pimem_styles import stylesheets
from textual import getters, on
from textual.containers import Horizontal, Vertical
from textual.widgets import Checkbox, Input, Static, TextArea
from textual.worker import get_current_worker

from ..drawing.cells import clean, cut
from ..services.manager_app import ManagerApp
from ..widgets import BodyView, KeyBar, TooSmall
from ..widgets.choice import Choice
from ..widgets.line_input import LineInput
from ..widgets.text_editor import TextEditor
from ..widgets.tick import Tick
from ..workers.background import Reader
from ..workers.messages import TextMeasured
from .steady import SteadyScreen

if TYPE_CHECKING:
    from pimem_core.systems.stores import Store
    from textual.app import ComposeResult
    from textual.timer import Timer

#: Seconds without a key before the text is measured and laid out.
_MEASURE_S = 0.12


class Fields(NamedTuple):
    """What the form holds."""

    name: str = ""
    title: str = ""
    summary: str = ""
    type: str | None = None
    body: str = ""
    pin: bool = False
    replace: bool = False


class EditForm(SteadyScreen[None], Reader):
    """Shows what is typed, checks it and tells what it costs; it saves nothing."""

    app = getters.app(ManagerApp)

    CSS_PATH = stylesheets("edit")
    AUTO_FOCUS = None

    name_field = getters.query_one("#name", Input)
    title_field = getters.query_one("#title", Input)
    summary_field = getters.query_one("#summary", Input)
    type_choice = getters.query_one(Choice)
    editor = getters.query_one(TextEditor)
    preview = getters.query_one(BodyView)

    def __init__(
        self,
        store: Store,
        document: Document | None,
        draft_of: Typed | None = None,
        *,
        whole: bool = False,
    ) -> None:
        super().__init__()
        self.store = store
        #: The store as one whose topics have a type and a title; None when they have none.
        self.typed_store = store if isinstance(store, TypedStore) else None
        if draft_of is not None and draft_of.opened is not None:
            document = Document(**draft_of.opened)
        #: The text is edited as a whole, where a system has no name and summary to compose.
        self._whole = (
            whole
            or not isinstance(store, ComposingStore)
            or (draft_of is not None and draft_of.whole)
        )
        # Before anything is mounted a class costs nothing; later it styles the whole form anew.
        self.set_class(self._whole, "-whole")
        self.set_class(self.typed_store is not None, "-typed")
        self.add_class("-preview")
        self._document = document
        self._restored = draft_of
        self._first = self._fields_of(document)
        self._refusal = ""
        self._note = ""
        self._measures = ""
        self._measuring: Timer | None = None
        self._latest: Typed | None = None

    def _fields_of(self, document: Document | None) -> Fields:
        """What the fields hold before anybody types."""
        if document is None:
            return Fields()
        text = document.text if self._whole else document.body.lstrip("\r\n")
        return Fields(
            name=document.name,
            title=document.title,
            summary=document.summary,
            type=document.type,
            body=text,
        )

    # Showing -----------------------------------------------------------------------------------

    def compose(self) -> ComposeResult:
        """Fields, text, preview, status and keys."""
        fields = self._first if self._restored is None else _fields_typed(self._restored)
        yield from self.compose_fields(fields)
        yield Static(id="refusal", markup=False)
        with Horizontal(id="body"):
            yield TextEditor()
            with Vertical(id="preview"):
                yield BodyView(can_focus=False)
        if self._document is None:
            yield self.options(fields)
        yield Static(id="about", markup=False)
        yield KeyBar()
        yield TooSmall()
        self._body_at_first = fields.body

    def options(self, fields: Fields) -> Horizontal:
        """What can be ticked for a new topic; below the text, so that tab leads into that first."""
        ticks = [Tick("replace old text", fields.replace, id="replace", compact=True)]
        if isinstance(self.store, PinningStore):
            ticks.insert(0, Tick("pinned", fields.pin, id="pin", compact=True))
        return Horizontal(*ticks, id="options")

    def compose_fields(self, fields: Fields) -> ComposeResult:
        """The fields above the text."""
        types = self.typed_store.types if self.typed_store is not None else ()
        with Horizontal(classes="field"):
            yield Static("Name", classes="label")
            yield LineInput(
                fields.name,
                placeholder="lower case, with-hyphens" if types else "",
                id="name",
                compact=True,
                select_on_focus=False,
            )
        if types:
            with Horizontal(classes="field"):
                yield Static("Title", classes="label")
                yield LineInput(
                    fields.title,
                    placeholder="empty for the first heading, else the name",
                    id="title",
                    compact=True,
                    select_on_focus=False,
                )
        with Horizontal(classes="field"):
            yield Static("Description" if types else "Summary", classes="label")
            yield LineInput(
                fields.summary,
                placeholder="one line that tells when to read this",
                id="summary",
                compact=True,
                select_on_focus=False,
            )
        if types:
            with Horizontal(classes="field"):
                yield Static("Type", classes="label")
                yield Choice(types, fields.type)

    def on_mount(self) -> None:
        """Put the text in, and the cursor where typing begins."""
        self.editor.load_text(self._body_at_first)
        if self._document is None and not self.name_field.value:
            self.name_field.focus()
        else:
            self.editor.focus()
        self._changed()

    @on(Input.Submitted)
    def _go_on(self) -> None:
        """Enter leads from one field to the next, at last into the text."""
        self.focus_next()

    @property
    def dirty(self) -> bool:
        """Whether something was typed that is not saved."""
        return self.fields() != self._first

    def fields(self) -> Fields:
        """What the fields hold now."""
        typed, first = self.typed_store is not None, self._first
        ticked = {tick.id for tick in self.query(Checkbox) if tick.value}
        return Fields(
            name=self.name_field.value,
            title=self.title_field.value if typed else first.title,
            summary=self.summary_field.value,
            type=self.type_choice.value if typed else first.type,
            body=self.editor.text,
            pin="pin" in ticked,
            replace="replace" in ticked,
        )

    def typed(self) -> Typed:
        """What the fields hold now, as a draft keeps it."""
        fields = self.fields()
        return Typed(
            system=self.store.system,
            folder=self.store.place,
            opened=None if self._document is None else dict(self._document.__dict__),
            name=fields.name,
            summary=fields.summary,
            body=fields.body,
            title=fields.title,
            type=fields.type,
            pin=fields.pin,
            mode="replace" if fields.replace else "append",
            time=time.time(),
            whole=self._whole,
        )

    @on(Input.Changed)
    @on(TextArea.Changed)
    @on(Checkbox.Changed)
    @on(Choice.Changed)
    def _changed(self) -> None:
        """Check what was typed at once; measure and keep it when the keys rest."""
        if not self.is_mounted:
            return
        self._check()
        self._show_about()
        if self._measuring is not None:
            self._measuring.stop()
        self._measuring = self.set_timer(_MEASURE_S, self._measure)
        self._latest = self.typed() if self.dirty else None
        if self._latest is not None:
            self.keep_soon()

    def _check(self) -> None:
        refusal = self.refusal()
        if refusal != self._refusal:
            self._refusal = refusal
            self.query_one("#refusal", Static).update(f"! {visible_cell(refusal)}")
            self.set_class(bool(refusal), "-refused")
        self.refresh_bindings()

    def refusal(self) -> str:
        """Why the store would refuse what was typed; empty when it would not."""
        fields = self.fields()
        if fields[:4] == self._first[:4]:  # an untouched form needs no scolding
            return ""
        request = WriteRequest(
            topic=fields.name,
            content="",
            summary=fields.summary,
            title=fields.title,
            type=fields.type,
        )
        return supporting(self.store, WritableStore).check(request, self._document) or ""

    def _show_about(self) -> None:
        parts = ["unsaved" if self.dirty else "saved" if self._document is not None else "empty"]
        if self._note:
            parts.append(self._note)
        if not self._whole:
            parts.append(f"{plural(self.cost(), 'token')} per prompt")
        if self._measures:
            parts.append(self._measures)
        where = self._document.path if self._document is not None else self.store.place
        parts.append(tilde(where, self.app.places.home))
        text = cut(" · ".join(clean(part) for part in parts), max(self.size.width - 2, 1))
        self.query_one("#about", Static).update(text)

    def cost(self) -> int:
        """About how many tokens this adds to each prompt."""
        name, summary = self.name_field.value, self.summary_field.value
        if self.typed_store is not None:
            return self.typed_store.cost(name, summary, self.title_field.value)
        return supporting(self.store, WritableStore).cost(name, summary)

    def on_resize(self) -> None:
        """Lay the preview out for the new width."""
        self.call_after_refresh(self._changed)

    @property
    def is_measured(self) -> bool:
        """Whether what was typed is measured and previewed, or being so."""
        return self._measuring is None

    def _measure(self) -> None:
        self._measuring = None
        body, shown = self.editor.text, self.text_to_show()
        shows = self.query_one("#preview").display
        width = self.preview.measure

        def work() -> None:
            from ..drawing.markdown import lay_out

            worker = get_current_worker()
            words, tokens = len(body.split()), estimate(body)
            lines = lay_out(shown, width) if shows else None
            if not worker.is_cancelled:
                self.post_message(TextMeasured(words, tokens, lines))

        self.run_worker(work, thread=True, exclusive=True, exit_on_error=False, group="measure")

    def text_to_show(self) -> str:
        """What the preview shows."""
        return self.editor.text

    @on(TextMeasured)
    def _show_measures(self, message: TextMeasured) -> None:
        self._measures = f"{plural(message.words, 'word')}, {plural(message.tokens, 'token')}"
        self._show_about()
        if message.lines is not None:
            self.preview.show(message.lines, keep_place=True)

    def action_preview(self) -> None:
        """Show or hide the preview; on a narrow screen it takes the place of the text."""
        if self.has_class("-wide"):
            self.toggle_class("-preview")
        else:
            self.toggle_class("-only-preview")
            if not self.has_class("-only-preview"):
                self.editor.focus()
        self.call_after_refresh(self._measure)

    def keep_soon(self) -> None:
        """Keep what was typed, once the keys rest."""
        raise NotImplementedError

    def tell_note(self, note: str) -> None:
        """Show a note in the status line."""
        self._note = note
        if self.is_mounted:
            self._show_about()


def _fields_typed(draft: Typed) -> Fields:
    return Fields(
        name=draft.name,
        title=draft.title,
        summary=draft.summary,
        type=draft.type,
        body=draft.body,
        pin=draft.pin,
        replace=draft.mode == "replace",
    )
