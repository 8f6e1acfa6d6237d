"""The form for a new dated entry of a memory file."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, ClassVar

from pimem_core.errors import PimemError
from pimem_core.formats.text import visible_cell
from pimem_core.formats.tokens import estimate
from pimem_core.systems.guidelines import DISTILL
from pimem_core.systems.layers import (
    CONFIDENCES,
    STATUSES,
    LayerStore,
    entry_content,
    entry_text,
    split_content,
)
from pimem_core.systems.stores import WritableStore, WriteRequest, supporting
from pimem_styles import stylesheets
from textual import on
from textual.containers import Horizontal
from textual.suggester import SuggestFromList
from textual.widgets import Input, Static

from ..keys.bindings import bindings_of
from ..rows.branches import entry_rows
from ..rows.options import entry_options
from ..rows.targets import file_options
from ..widgets.line_input import LineInput
from ..workers.messages import OlderRead, TargetsRead
from .choice import ChoiceScreen
from .edit import EditScreen
from .edit_form import Fields

if TYPE_CHECKING:
    from collections.abc import Callable

    from pimem_core.history.drafts import Typed, TypedDraft
    from pimem_core.model import Document
    from pimem_core.systems.stores import Store
    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.message import Message

#: The fields in their order, with what an empty one says and what can be completed.
_FIELDS: dict[str, tuple[str, str, tuple[str, ...]]] = {
    "status": ("Status", ", ".join(STATUSES), STATUSES),
    "confidence": ("Confidence", ", ".join(CONFIDENCES), CONFIDENCES),
    "valid_from": ("Valid from", "2026-07, if it matters", ()),
    "supersedes": ("Supersedes", "an older entry, by its heading", ()),
    "verified": ("Verified", "how it is known to hold", ()),
}
#: Those that stand beside each other.
_LINES = (("status", "confidence"), ("valid_from", "verified"), ("supersedes",))


class NewEntryScreen(EditScreen):
    """File, title, fields and text of a new entry; what it would be stands beside them."""

    CSS_PATH = stylesheets("edit", "new_entry")
    KEY_BAR = ("edit.save", "edit.leave", "form.file", "form.older", "edit.preview", "app.help")
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_of("form")]

    def __init__(
        self,
        store: Store,
        document: Document | None,
        *,
        draft: TypedDraft | None = None,
        typed: Typed | None = None,
        file: str = "",
    ) -> None:
        """Write an entry.

        Args:
            store: The layer that it goes into.
            document: Always None: what is there is edited as a whole file.
            draft: The draft to go on with.
            typed: What it holds.
            file: The file to begin with.
        """
        self._file = file
        super().__init__(store, document, draft=draft, typed=typed)
        self._whole = False  # a layer's texts are edited whole, a new entry is not
        self.remove_class("-whole")
        self._today = datetime.fromtimestamp(self.app.now()).astimezone().strftime("%Y-%m-%d")
        content = self._first.body if typed is None else typed.body
        self._values, self._text = split_content(content, _FIELDS)

    def _fields_of(self, document: Document | None) -> Fields:
        return Fields(name=self._file, body=entry_content([("status", "active")], ""))

    def compose(self) -> ComposeResult:
        """The form of all editors, with the text alone below the fields."""
        yield from super().compose()
        self._body_at_first = self._text

    def compose_fields(self, fields: Fields) -> ComposeResult:
        """File and title, then the fields of an entry."""
        with Horizontal(classes="field"):
            yield Static("File", classes="label")
            yield LineInput(
                fields.name,
                placeholder="such as decisions.md; F4 lists them",
                id="name",
                compact=True,
                select_on_focus=False,
            )
        with Horizontal(classes="field"):
            yield Static("Title", classes="label")
            yield LineInput(
                fields.summary,
                placeholder="what was decided or learnt, in a few words",
                id="summary",
                compact=True,
                select_on_focus=False,
            )
        for number, line in enumerate(_LINES):
            with Horizontal(classes="field pair more" if number else "field pair"):
                for key in line:
                    label, hint, known = _FIELDS[key]
                    with Horizontal(classes="half" if key == line[-1] else "half left"):
                        yield Static(label, classes="label")
                        yield LineInput(
                            self._values.get(key, ""),
                            placeholder=hint,
                            id=key,
                            compact=True,
                            select_on_focus=False,
                            suggester=SuggestFromList(known) if known else None,
                        )

    def on_mount(self) -> None:
        """Begin at the title where the file is known."""
        self.editor.placeholder = DISTILL
        if self.name_field.value:
            self.call_after_refresh(self.summary_field.focus)

    def _value(self, key: str) -> str:
        return self.query_one(f"#{key}", Input).value.strip()

    def fields(self) -> Fields:
        """File, title, and the fields with the text."""
        values = [(key, visible_cell(self._value(key))) for key in _FIELDS]
        content = entry_content(values, self.editor.text)
        return Fields(name=self.name_field.value, summary=self.summary_field.value, body=content)

    def refusal(self) -> str:
        """Why the entry would be refused; an untouched form needs no scolding."""
        fields = self.fields()
        if not self.dirty:
            return ""
        request = WriteRequest(topic=fields.name, content=fields.body, summary=fields.summary)
        return supporting(self.store, WritableStore).check(request) or ""

    def cost(self) -> int:
        """Tokens of the whole entry."""
        return estimate(f"{self.text_to_show()}\n")

    def text_to_show(self) -> str:
        """The entry as it will stand in its file."""
        fields = self.fields()
        return entry_text(self._today, fields.summary, fields.body)

    # Choosing ----------------------------------------------------------------------------------

    def _look(self, work: Callable[[], Message]) -> None:
        def run() -> None:
            try:
                self.post_message(work())
            except PimemError as error:
                self.app.call_later(self.app.notices.say_error, str(error))

        self.run_worker(run, thread=True, exclusive=True, exit_on_error=False, group="look")

    def action_choose_file(self) -> None:
        """Choose the file from those that are there and the usual ones."""
        layer = self.store if isinstance(self.store, LayerStore) else None
        if layer is not None:
            self._look(lambda: TargetsRead(layer.targets()))

    @on(TargetsRead)
    def _ask_file(self, message: TargetsRead) -> None:
        def chosen(file: str | None) -> None:
            if file is not None:
                self.name_field.value = file
                self.summary_field.focus()

        choices = file_options(message.targets, self.store.name)
        self.app.push_screen(
            ChoiceScreen("Which file?", choices, at=self.name_field.value, search=True), chosen
        )

    def action_choose_older(self) -> None:
        """Choose the entry that this one supersedes."""
        layer = self.store if isinstance(self.store, LayerStore) else None
        if layer is not None:
            self._look(lambda: OlderRead(entry_rows(layer, layer.entries())))

    @on(OlderRead)
    def _ask_older(self, message: OlderRead) -> None:
        headings = {row.file: row.entry.heading for row in message.rows}

        def chosen(file: str | None) -> None:
            if file is not None:
                self.query_one("#supersedes", Input).value = headings[file]

        if not headings:
            self.app.notices.say("There is no older entry.")
            return
        rows = sorted(message.rows, key=lambda row: row.of != self.name_field.value)
        self.app.push_screen(
            ChoiceScreen("Which entry does this one supersede?", entry_options(rows), search=True),
            chosen,
        )
