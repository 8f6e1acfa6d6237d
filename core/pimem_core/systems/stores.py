"""Stores: what every one offers, and the parts that only some have.

A front asks for a part with `isinstance(store, PinningStore)`, or takes it with `supporting`,
which refuses in words where the store lacks it.
"""

from __future__ import annotations

from abc import abstractmethod

from ..errors import UnsupportedError
from ..progress import never
from ..search.searched import Searched
from ..value import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeVar

    from ..history.record import Record
    from ..model import Change, Document, StoreStatus, Topic
    from ..progress import Cancelled

    Part = TypeVar("Part")


class WriteRequest(Value):
    """What a person or a model asks to be stored.

    `mode` is `append` (after the old body) or `replace` (the body; front matter stays), None for
    what the system does by itself. `type` and `title` are for systems that have them.
    """

    topic: str
    content: str
    summary: str
    pin: bool = False
    mode: str | None = None
    type: str | None = None
    title: str | None = None
    allow_secret: bool = False


class Removal(Value):
    """What removing a topic would do, in words for the person who has to agree."""

    question: str
    goes_and_stays: str


class Links(Value):
    """What a topic links to, and what links to it.

    `outgoing` has each linked name once with its topic, None for one that is not there (yet).
    `backlinks` are the topics that link here.
    """

    outgoing: Sequence[tuple[str, Topic | None]]
    backlinks: Sequence[Topic]


class Handoff(Value):
    """What was going on before a compaction, for the prompt after it: the file and its entries.

    `entries` are Markdown, newest first. `text` is empty where there is no file.
    """

    path: str
    text: str
    entries: Sequence[str]


#: The handle of the handoff, for `read` and `save`; it names no topic.
HANDOFF_FILE = "../HANDOFF.md"


class Store(Searched):
    """One folder (or server) of memories.

    Reads take no lock and never write. Changes lock, read again, and either happen whole or raise
    a `PimemError` and leave the store as it was. Topics are found by exact name or file, else by a
    part of either that only one topic has. Calls may come from any thread.
    """

    #: As the command line names it; a path for a folder that is none of this user's stores.
    name: str
    #: The name of its system.
    system: str

    @property
    def place(self) -> str:
        """Where it is, for a person: a folder, an address; empty where that has no meaning."""
        return ""

    @abstractmethod
    def list(self, *, cancelled: Cancelled = never) -> Sequence[Topic]:
        """All topics in the store's own order.

        An absent store is empty. `problem` is set on a topic that needs the person's eye.

        Raises:
            StorageError: The store is there but cannot be read.
        """

    @abstractmethod
    def find(self, topic: str) -> Topic:
        """The topic that a name, file or part of one means.

        Raises:
            TopicNotFoundError: Nothing matches.
            AmbiguousTopicError: Several match.
        """

    @abstractmethod
    def read(self, file: str) -> Document:
        """Open the topic with exactly this file.

        Raises:
            TopicNotFoundError: The file is gone.
            InvalidTopicError: It is not a regular file.
            StorageError: It cannot be read.
        """

    @abstractmethod
    def preview(self, file: str) -> str:
        """The topic's body for a glance: bounded, so that a huge file costs no more than others."""

    @abstractmethod
    def status(self) -> StoreStatus:
        """What is known of the store; an unreadable store says so in `notes`, it does not raise."""

    def refuse_changes(self) -> None:
        """Let a front ask before a person starts to edit what could not be saved.

        Raises:
            ReadOnlyFormatError: The folder is in another program's format, or in none known.
        """

    def announce(self) -> None:
        """Tell programs that watch the store of a change; fronts call it after each."""


class FolderStore(Store):
    """The part of a store whose topics are files in a folder."""

    #: The folder, there or not.
    path: str

    @property
    def place(self) -> str:
        """The folder."""
        return self.path

    @abstractmethod
    def read_bytes(self, file: str) -> bytes:
        """The bytes of the topic's file; raises as `read` does."""

    @abstractmethod
    def recover(self) -> Sequence[str]:
        """Repair what a killed process left unfinished here; a sentence for each repair.

        Raises:
            StoreBusyError: Somebody else holds the lock; the next start tries again.
        """


class WritableStore(Store):
    """The part of a store that takes new topics."""

    @abstractmethod
    def write(self, request: WriteRequest) -> Change:
        """Create or extend a topic: `created` or `updated`."""

    def check(self, request: WriteRequest, opened: Document | None = None) -> str | None:
        """Why the store's rules would refuse a write, None when they would not.

        It looks at the arguments alone and reads nothing, so that a front can ask at every key.
        What stands in an `opened` topic already is not complained about.
        """
        del request, opened
        return None

    def cost(self, name: str, summary: str) -> int:
        """About how many tokens a topic with these adds to each prompt."""
        from ..formats.tokens import estimate

        return estimate(f"{name} {summary}")


class EditableStore(Store):
    """The part of a store whose topics a person can edit."""

    @abstractmethod
    def save(self, file: str, *, opened: str, text: str, allow_secret: bool = False) -> Change:
        """Save an edited topic: `updated` or `unchanged`.

        `opened` is the text as it was when editing began. When the file changed since, changes in
        different parts are merged and the message says so.

        Raises:
            ConflictError: Both sides changed the same part; it carries both and a merged draft.
        """


class ComposingStore(Store):
    """The part of a store whose topics have fields to edit; in others the text is edited whole."""

    @abstractmethod
    def compose(self, document: Document, *, name: str, summary: str, body: str) -> str:
        """The text of an opened topic with other fields, to be given to `save`.

        What is the same as in the document keeps every byte.

        Raises:
            InvalidArgumentError: A value that differs from the document's breaks a rule.
            StorageError: The front matter is in a form that cannot be changed safely.
        """


class PinningStore(Store):
    """The part of a store that can hold a topic fast."""

    @abstractmethod
    def pin(self, topic: str, pinned: bool) -> Change:
        """Pin or unpin: `pinned_now`, `unpinned_now` or `unchanged`."""


class RemovingStore(Store):
    """The part of a store that lets topics go."""

    @abstractmethod
    def removal(self, topic: str) -> Removal:
        """What `remove` would do; raises as it would."""

    @abstractmethod
    def remove(self, topic: str) -> Change:
        """Take a topic out: `removed`."""


class UndoableStore(Store):
    """The part of a store whose changes are recorded in the journal."""

    @abstractmethod
    def revert(self, record: Record, action: str) -> Change:
        """Take a recorded change of this store back: `undone` for `undo`, `redone` for `redo`.

        Raises:
            ConflictError: Somebody else changed the topic since.
        """


class SkimmableStore(Store):
    """The part of a store that has the top of its list long before all of it."""

    @abstractmethod
    def skim(self, count: int) -> Sequence[Topic]:
        """The first so many of `list`, or fewer; raises as that does."""


class LinkedStore(Store):
    """The part of a store whose topics link to each other."""

    @abstractmethod
    def links(self, file: str) -> Links:
        """What the topic with this file links to, and what links to it; raises as `read` does."""


class TypedStore(Store):
    """The part of a store whose topics have a type and a title of their own."""

    #: The types there are, in the order to offer them. A new topic needs one of them.
    types: Sequence[str]

    @abstractmethod
    def cost(self, name: str, summary: str, title: str = "") -> int:
        """About how many tokens a topic with these adds to each prompt."""

    @abstractmethod
    def compose(
        self,
        document: Document,
        *,
        name: str,
        summary: str,
        body: str,
        type: str | None = None,  # noqa: A002 - the name it has everywhere
    ) -> str:
        """As in a `ComposingStore`, and with another type; None leaves it as it is."""

    @abstractmethod
    def save(
        self,
        file: str,
        *,
        opened: str,
        text: str,
        title: str | None = None,
        allow_secret: bool = False,
    ) -> Change:
        """As in an `EditableStore`; None lets the title that lists show follow the text."""


class HandoffStore(Store):
    """The part of a store of a host that may keep a handoff beside it.

    Where `has_handoff`, `read`, `read_bytes` and `save` take `HANDOFF_FILE` as well.
    """

    #: Whether the host keeps one beside this very store.
    has_handoff: bool

    @abstractmethod
    def handoff(self) -> Handoff:
        """The handoff as it is.

        Raises:
            StorageError: It is there but cannot be read.
        """

    @abstractmethod
    def clear_handoff(self) -> Change:
        """Empty the handoff: `cleared` or `unchanged`; undo brings it back."""


#: What a store without a part cannot do, in words.
_CANNOT: dict[type, str] = {
    WritableStore: "takes no new topics",
    EditableStore: "cannot be edited",
    PinningStore: "has no pins",
    RemovingStore: "cannot remove topics",
    UndoableStore: "keeps no journal",
    FolderStore: "is not a folder of files",
}


def folder_of(store: Store) -> str:
    """The folder of a store whose topics are files; empty for any other."""
    return store.path if isinstance(store, FolderStore) else ""


def supporting(store: Store, part: type[Part], *, name: str = "") -> Part:
    """The store as one that has a part.

    Args:
        store: Any store.
        part: One of the classes of this module.
        name: The topic that is meant, for the error.

    Raises:
        UnsupportedError: It lacks the part; the message says what it cannot do.
    """
    if isinstance(store, part):
        return store
    what = _CANNOT.get(part, "cannot do that")
    raise UnsupportedError(f"The store {store.name} {what}.", name=name)
