"""Messages of workers to screens. A worker only posts; the screen that gets it changes state."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..drawing.matches import NO_MARKS
from .field_message import FieldMessage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pimem_core.model import Document, HistoryEntry, StoreStatus, Topic
    from pimem_core.systems.layers import InboxFile, LayerStore, Promotion, Target
    from pimem_core.systems.stores import Links, Store
    from textual.message import Message

    from ..drawing.lines import Line
    from ..drawing.matches import Marks, Words
    from ..rows.layer_state import LayerState
    from ..rows.listing import Listing


class TopicsRead(FieldMessage):
    """A worker read the topics of a store; `changed` are files that somebody else changed."""

    store: Store
    listing: Listing
    changed: frozenset[str] = frozenset()


class PromptRead(FieldMessage):
    """What the next prompt of a session in this folder carries, of all systems together.

    `tokens` is None when that cannot be told. `left_out` counts what a limit kept out of it.
    """

    tokens: int | None
    left_out: int = 0


class ReadFailed(FieldMessage):
    """A store is there but cannot be read."""

    store: Store
    error: str


class StatusRead(FieldMessage):
    """A worker looked at a store: how it is, apart from its topics."""

    store: Store
    status: StoreStatus


class LayerRead(FieldMessage):
    """A worker looked at a layer of a memory."""

    state: LayerState


class HitsFound(FieldMessage):
    """A search found topics so far; `done` when it is over.

    `words` are those that were looked for in texts. `nothing` says that they are nowhere, and what
    is like them.
    """

    store: Store
    query: str
    listing: Listing
    done: bool
    words: Words
    nothing: str = ""


class SearchProgress(FieldMessage):
    """How far a search is, in topics."""

    store: Store
    query: str
    looked_at: int
    total: int

    def can_replace(self, message: Message) -> bool:
        """Only the newest progress matters."""
        return isinstance(message, SearchProgress)


class SearchFailed(FieldMessage):
    """A search ended with an error."""

    store: Store
    query: str
    error: str


class ReadingBroke(FieldMessage):
    """A job ended with an unexpected error."""

    error: BaseException


class BodyRead(FieldMessage):
    """A worker opened a topic and laid its body out in lines."""

    store: Store
    topic: Topic
    lines: Sequence[Line]
    width: int
    truncated: bool = False
    error: str = ""
    marks: Marks = NO_MARKS


class LinksRead(FieldMessage):
    """A worker found what a topic links to and what links to it; `lines` go below its body."""

    store: Store
    file: str
    links: Links
    lines: Sequence[Line]
    width: int


class TextMeasured(FieldMessage):
    """A worker counted the words and tokens of an edited text and laid it out."""

    words: int
    tokens: int
    lines: Sequence[Line] | None


class DiskRead(FieldMessage):
    """A worker looked at a topic again that is open and was changed outside; None when gone."""

    document: Document | None


class HistoryRead(FieldMessage):
    """A worker read what was changed through pimem.

    `troubles` has a sentence for each record that is left out; `error` says why nothing was read.
    """

    entries: Sequence[HistoryEntry]
    troubles: Sequence[str] = ()
    error: str = ""


class DifferenceRead(FieldMessage):
    """A worker read what one change did."""

    entry: str
    text: str


class InboxRead(FieldMessage):
    """A worker read what waits in the inboxes of the layers."""

    files: Sequence[tuple[LayerStore, InboxFile]]
    error: str


class PromotionRead(FieldMessage):
    """A worker worked out what promoting would do; an error says why it would be refused."""

    promotion: Promotion | None
    error: str


class TargetsRead(FieldMessage):
    """A worker found the files that text can go to."""

    targets: Sequence[Target]
