"""What every memory system offers, so that no front needs to know which one it talks to."""

from __future__ import annotations

from ..model import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Protocol

    from ..errors import ConfigError
    from ..files.transaction import Record
    from ..model import Change, Document, Hit, Setting, StoreStatus, Topic
    from ..paths import Places

    Cancelled = Callable[[], bool]
    Progress = Callable[[int, int], None]
else:
    Protocol = object


def never() -> bool:
    """A `cancelled` that never is."""
    return False


def silent(_done: int, _total: int) -> None:
    """A `progress` that nobody watches."""


class WriteRequest(Value):
    """What a person or a model asks to be stored.

    `mode` is `append` (a dated section after the old body) or `replace` (the body; front matter
    stays). `type` and `title` are for systems that have them.
    """

    topic: str
    content: str
    summary: str
    pin: bool = False
    mode: str = "append"
    type: str | None = None
    title: str | None = None
    allow_secret: bool = False


class Removal(Value):
    """What removing a topic would do, in words for the person who has to agree."""

    question: str
    goes_and_stays: str


class Store(Protocol):
    """One folder (or server) of memories.

    Reads take no lock and never write. Changes lock, read again, and either happen whole or raise
    a `PimemError` and leave the store as it was. Topics are found by exact name or file, else by a
    part of either that only one topic has. Calls may come from any thread.
    """

    name: str
    system: str
    path: str
    #: Which of `write`, `pin`, `remove`, `edit` the system has.
    abilities: frozenset[str]

    def list(self, *, cancelled: Cancelled = never) -> Sequence[Topic]:
        """All topics in the store's own order.

        An absent store is empty. `problem` is set on a topic that needs the person's eye.

        Raises:
            StorageError: The store is there but cannot be read.
        """
        ...

    def find(self, topic: str) -> Topic:
        """The topic that a name, file or part of one means.

        Raises:
            TopicNotFoundError: Nothing matches.
            AmbiguousTopicError: Several match.
        """
        ...

    def read(self, file: str) -> Document:
        """Open the topic with exactly this file.

        Raises:
            TopicNotFoundError: The file is gone.
            InvalidTopicError: It is not a regular file.
            StorageError: It cannot be read.
        """
        ...

    def read_bytes(self, file: str) -> bytes:
        """The bytes of the topic's file; raises as `read` does."""
        ...

    def preview(self, file: str) -> str:
        """The topic's body for a glance: bounded, so that a huge file costs no more than others."""
        ...

    def search(
        self, query: str, *, cancelled: Cancelled = never, progress: Progress = silent
    ) -> Iterator[Hit]:
        """Topics that contain the query, ignoring case: one hit each.

        The first of name, file, summary and body counts; listed topics come in index order, then
        unlisted ones.
        """
        ...

    def status(self) -> StoreStatus:
        """What is known of the store; an unreadable store says so in `notes`, it does not raise."""
        ...

    def write(self, request: WriteRequest) -> Change:
        """Create or extend a topic: `created` or `updated`."""
        ...

    def pin(self, topic: str, pinned: bool) -> Change:
        """Pin or unpin: `pinned_now`, `unpinned_now` or `unchanged`."""
        ...

    def removal(self, topic: str) -> Removal:
        """What `remove` would do; raises as it would."""
        ...

    def remove(self, topic: str) -> Change:
        """Take a topic out: `removed`."""
        ...

    def save(self, file: str, *, opened: str, text: str, allow_secret: bool = False) -> Change:
        """Save an edited topic: `updated` or `unchanged`.

        `opened` is the text as it was when editing began. When the file changed since, changes in
        different parts are merged and the message says so.

        Raises:
            ConflictError: Both sides changed the same part; it carries both and a merged draft.
        """
        ...

    def revert(self, record: Record, action: str) -> Change:
        """Take a recorded change of this store back: `undone` for `undo`, `redone` for `redo`.

        Raises:
            ConflictError: Somebody else changed the topic since.
        """
        ...

    def recover(self) -> Sequence[str]:
        """Repair what a killed process left unfinished here; a sentence for each repair.

        Raises:
            StoreBusyError: Somebody else holds the lock; the next start tries again.
        """
        ...

    def announce(self) -> None:
        """Tell programs that watch the store of a change; fronts call it after each."""
        ...


class System(Protocol):
    """A memory system: where its stores are, and how its folders look."""

    name: str

    def stores(self, places: Places) -> Sequence[Store]:
        """The stores of this user and working folder, whether they exist or not."""
        ...

    def active(self, places: Places) -> Store:
        """The store that the system reads and writes now."""
        ...

    def recognise(self, folder: str) -> str | None:
        """The format of a folder (`openpi`, `foreign:<name>` …), None when it is not known."""
        ...

    def open(self, folder: str, places: Places) -> Store:
        """The store in any folder of this system's shape."""
        ...

    def settings(self, places: Places) -> Sequence[Setting]:
        """The system's own settings with their sources.

        Raises:
            ConfigError: The file is broken; the message names line and column.
        """
        ...

    def trouble(self, places: Places) -> ConfigError | None:
        """What is wrong with the system's configuration, for a notice; None when nothing is."""
        ...
