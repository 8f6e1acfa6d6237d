"""What workers tell the screens. A worker only posts; the screen that gets it changes state."""

# Without comparison and representation these classes take a third of the time to make.

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.message import Message

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pimem_core.drafts import Draft
    from pimem_core.model import Change, StoreStatus, Topic
    from pimem_core.systems.base import Links, Removal, Store

    from .listing import Listing
    from .markdown import Line


@dataclass(eq=False, repr=False)
class TopicsRead(Message):
    """A worker read the topics of a store."""

    store: Store
    listing: Listing


@dataclass(eq=False, repr=False)
class TokensCounted(Message):
    """What a store costs in each prompt, in tokens."""

    store: Store
    tokens: int


@dataclass(eq=False, repr=False)
class ReadFailed(Message):
    """A store is there but cannot be read."""

    store: Store
    error: str


@dataclass(eq=False, repr=False)
class StatusRead(Message):
    """A worker looked at a store: how it is, apart from its topics."""

    store: Store
    status: StoreStatus


@dataclass(eq=False, repr=False)
class HitsFound(Message):
    """A search found topics so far; `done` when it is over.

    `words` are those of the query that were looked for in texts.
    """

    store: Store
    query: str
    listing: Listing
    done: bool
    words: str


@dataclass(eq=False, repr=False)
class SearchProgress(Message):
    """How far a search is, in topics."""

    store: Store
    query: str
    looked_at: int
    total: int

    def can_replace(self, message: Message) -> bool:
        """Only the newest progress matters."""
        return isinstance(message, SearchProgress)


@dataclass(eq=False, repr=False)
class SearchFailed(Message):
    """A search ended with an error."""

    store: Store
    query: str
    error: str


@dataclass(eq=False, repr=False)
class BodyRead(Message):
    """A worker opened a topic and laid its body out in lines."""

    store: Store
    topic: Topic
    lines: Sequence[Line]
    width: int
    truncated: bool = False
    error: str = ""


@dataclass(eq=False, repr=False)
class LinksRead(Message):
    """A worker found what a topic links to and what links to it; `lines` go below its body."""

    store: Store
    file: str
    links: Links
    lines: Sequence[Line]
    width: int


@dataclass(eq=False, repr=False)
class ReadingBroke(Message):
    """A job ended with an error that nobody foresaw."""

    error: BaseException


@dataclass(eq=False, repr=False)
class RemovalKnown(Message):
    """What removing a topic would do; the person is asked next."""

    store: Store
    topic: Topic
    removal: Removal


@dataclass(eq=False, repr=False)
class TopicChanged(Message):
    """A change was made to a topic of a store."""

    store: Store
    change: Change


@dataclass(eq=False, repr=False)
class ChangeFailed(Message):
    """A change was refused or failed; nothing changed on disk."""

    store: Store
    file: str
    error: str


@dataclass(eq=False, repr=False)
class DraftReady(Message):
    """A topic was read and written to a draft; the editor opens next."""

    store: Store
    topic: Topic
    draft: Draft


@dataclass(eq=False, repr=False)
class SecretFound(Message):
    """An edited text looks like it holds a credential; the person is asked next."""

    edit: DraftReady
    text: str
    reason: str


@dataclass(eq=False, repr=False)
class NothingChanged(Message):
    """There was nothing to change, and why."""

    text: str


@dataclass(eq=False, repr=False)
class WorkDone(Message):
    """A worker is through with a topic; `result` is told next."""

    key: tuple[str, str]
    result: Message
