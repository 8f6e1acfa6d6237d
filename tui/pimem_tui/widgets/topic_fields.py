"""The fields above the text of a topic: name and summary, and title and type where it has them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pimem_core.systems.stores import (
    PinningStore,
    TypedStore,
    WritableStore,
    WriteRequest,
    supporting,
)
from textual import getters
from textual.containers import Horizontal, Vertical
from textual.widgets import Input, Static

from ..rows.fields import Fields
from .choice import Choice
from .line_input import LineInput
from .tick import Tick

if TYPE_CHECKING:
    from pimem_core.model import Document
    from pimem_core.systems.stores import Store
    from textual.app import ComposeResult


def field(label: str, value: str, placeholder: str, field_id: str) -> ComposeResult:
    """A label with a line to type into."""
    yield Static(label, classes="label")
    yield LineInput(
        value, placeholder=placeholder, id=field_id, compact=True, select_on_focus=False
    )


class TopicFields(Vertical):
    """Holds the fields of a topic, checks them and says what they cost in each prompt."""

    name_field = getters.query_one("#name", Input)
    title_field = getters.query_one("#title", Input)
    summary_field = getters.query_one("#summary", Input)
    type_choice = getters.query_one(Choice)

    def __init__(self, store: Store, first: Fields, shown: Fields) -> None:
        """Hold fields.

        Args:
            store: Where the topic is, or goes.
            first: What they hold before anybody types.
            shown: What they hold now, which may come from a draft.
        """
        super().__init__()
        self._store = store
        #: The store as one whose topics have a type and a title; None when they have none.
        self._typed_store = store if isinstance(store, TypedStore) else None
        self._first = first
        self._shown = shown

    @property
    def text(self) -> str:
        """The text to begin with."""
        return self._shown.body

    def compose(self) -> ComposeResult:
        """A line for each field."""
        typed, shown = self._typed_store, self._shown
        with Horizontal(classes="field"):
            hint = "lower case, with-hyphens" if typed is not None else ""
            yield from field("Name", shown.name, hint, "name")
        if typed is not None:
            with Horizontal(classes="field"):
                hint = "empty for the first heading, else the name"
                yield from field("Title", shown.title, hint, "title")
        with Horizontal(classes="field"):
            label = "Summary" if typed is None else "Description"
            hint = "one line that tells when to read this"
            yield from field(label, shown.summary, hint, "summary")
        if typed is not None:
            with Horizontal(classes="field"):
                yield Static("Type", classes="label")
                yield Choice(typed.types, shown.type)

    def show(self, fields: Fields) -> None:
        """Show the fields of a topic that was changed on disk."""
        self._first = fields
        self.name_field.value, self.summary_field.value = fields.name, fields.summary
        if self._typed_store is not None:
            self.title_field.value, self.type_choice.value = fields.title, fields.type

    def values(self, text: str) -> Fields:
        """What the fields hold, with the text below them."""
        typed, first = self._typed_store is not None, self._first
        return Fields(
            name=self.name_field.value,
            title=self.title_field.value if typed else first.title,
            summary=self.summary_field.value,
            type=self.type_choice.value if typed else first.type,
            body=text,
        )

    def refusal(self, fields: Fields, first: Fields, document: Document | None) -> str:
        """Why the store would refuse the fields; empty when it would not.

        Args:
            fields: What is typed.
            first: What was there before anybody typed: an untouched form needs no scolding.
            document: The topic that is edited; None for a new one.
        """
        if fields[:4] == first[:4]:
            return ""
        request = WriteRequest(
            topic=fields.name,
            content="",
            summary=fields.summary,
            title=fields.title,
            type=fields.type,
        )
        return supporting(self._store, WritableStore).check(request, document) or ""

    def cost(self, fields: Fields) -> int:
        """About how many tokens the topic adds to each prompt."""
        if self._typed_store is not None:
            return self._typed_store.cost(fields.name, fields.summary, fields.title)
        return supporting(self._store, WritableStore).cost(fields.name, fields.summary)

    def preview(self, fields: Fields) -> str:
        """The Markdown that the preview shows."""
        return fields.body


class NewTopicOptions(Horizontal):
    """What can be ticked for a new topic; below the text, so that tab leads into that first."""

    def __init__(self, store: Store, fields: Fields) -> None:
        super().__init__(id="options")
        self._can_pin = isinstance(store, PinningStore)
        self._fields = fields

    def compose(self) -> ComposeResult:
        """The ticks."""
        if self._can_pin:
            yield Tick("pinned", self._fields.pin, id="pin", compact=True)
        yield Tick("replace old text", self._fields.replace, id="replace", compact=True)

    def added_to(self, fields: Fields) -> Fields:
        """The fields with what is ticked."""
        ticked = {tick.id for tick in self.query(Tick) if tick.value}
        return fields._replace(pin="pin" in ticked, replace="replace" in ticked)
