"""The fields above the text of a new dated entry of a memory file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pimem_core.formats.text import visible_cell
from pimem_core.formats.tokens import estimate
from pimem_core.systems.layers import (
    CONFIDENCES,
    STATUSES,
    entry_content,
    entry_text,
    split_content,
)
from pimem_core.systems.stores import WritableStore, WriteRequest, supporting
from textual import getters
from textual.containers import Horizontal, Vertical
from textual.suggester import SuggestFromList
from textual.widgets import Input, Static

from ..keys.bindings import key_of
from ..rows.fields import Fields
from .line_input import LineInput
from .topic_fields import field

if TYPE_CHECKING:
    from pimem_core.model import Document
    from pimem_core.systems.stores import Store
    from textual.app import ComposeResult

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


def new_entry(file: str) -> Fields:
    """The fields of an entry that nobody has typed into."""
    return Fields(name=file, body=entry_content([("status", "active")], ""))


class EntryFields(Vertical):
    """Holds file, title and fields of an entry, checks them and says what they cost."""

    name_field = getters.query_one("#name", Input)
    summary_field = getters.query_one("#summary", Input)

    def __init__(self, store: Store, shown: Fields, today: str) -> None:
        """Hold fields.

        Args:
            store: The layer that the entry goes into.
            shown: What they hold now, which may come from a draft.
            today: The date of the entry.
        """
        super().__init__()
        self._store = store
        self._shown = shown
        self._today = today
        self._values, self._text = split_content(shown.body, _FIELDS)

    @property
    def text(self) -> str:
        """The text to begin with."""
        return self._text

    def compose(self) -> ComposeResult:
        """File and title, then the fields."""
        with Horizontal(classes="field"):
            hint = f"such as decisions.md; {key_of(self, 'form.file')} lists them"
            yield from field("File", self._shown.name, hint, "name")
        with Horizontal(classes="field"):
            hint = "what was decided or learnt, in a few words"
            yield from field("Title", self._shown.summary, hint, "summary")
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

    def choose_file(self, file: str) -> None:
        """Take a file that was chosen; the title is next."""
        self.name_field.value = file
        self.summary_field.focus()

    def choose_older(self, heading: str) -> None:
        """Take the heading of the entry that this one supersedes."""
        self.query_one("#supersedes", Input).value = heading

    def show(self, fields: Fields) -> None:
        """Show fields; nobody changes an entry on disk before it is written."""
        self.name_field.value, self.summary_field.value = fields.name, fields.summary

    def values(self, text: str) -> Fields:
        """File, title, and the fields with the text."""
        values = [
            (key, visible_cell(self.query_one(f"#{key}", Input).value.strip())) for key in _FIELDS
        ]
        return Fields(
            name=self.name_field.value,
            summary=self.summary_field.value,
            body=entry_content(values, text),
        )

    def refusal(self, fields: Fields, first: Fields, _document: Document | None) -> str:
        """Why the entry would be refused; an untouched form needs no scolding."""
        if fields == first:
            return ""
        request = WriteRequest(topic=fields.name, content=fields.body, summary=fields.summary)
        return supporting(self._store, WritableStore).check(request) or ""

    def cost(self, fields: Fields) -> int:
        """Tokens of the whole entry."""
        return estimate(f"{self.preview(fields)}\n")

    def preview(self, fields: Fields) -> str:
        """The entry as it will stand in its file."""
        return entry_text(self._today, fields.summary, fields.body)
