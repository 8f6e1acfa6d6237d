"""What every memory system offers, so that no front needs to know which one it talks to."""

from __future__ import annotations

from ..model import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Protocol, cast

    from ..errors import ConfigError, PimemError
    from ..history.record import Record
    from ..model import Change, Document, Hit, Setting, StoreStatus, Topic
    from ..paths import Places
    from ..settings.config import Settings
    from .hosting import Hooks

    Cancelled = Callable[[], bool]
    Progress = Callable[[int, int], None]
    Unread = Callable[[PimemError], None]
else:
    Protocol = object

    def cast(_kind, value):
        """Stand in for what only type checkers read."""
        return value


def never() -> bool:
    """A `cancelled` that never is."""
    return False


def silent(_done: int, _total: int) -> None:
    """A `progress` that nobody watches."""


def untold(_error: PimemError) -> None:
    """An `unread` that nobody asked for."""


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


class Store(Protocol):
    """One folder (or server) of memories.

    Reads take no lock and never write. Changes lock, read again, and either happen whole or raise
    a `PimemError` and leave the store as it was. Topics are found by exact name or file, else by a
    part of either that only one topic has. Calls may come from any thread.
    """

    name: str
    system: str
    path: str
    #: Which of `write`, `pin`, `remove`, `edit`, `compose` the system has; `links` for a
    #: `LinkedStore`, `skim` for a `SkimmedStore`, `types` for a `TypedStore`, `handoff` for a
    #: `HandoffStore`, `inbox` for a `LayeredStore`.
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
        self,
        query: str,
        *,
        cancelled: Cancelled = never,
        progress: Progress = silent,
        unread: Unread = untold,
    ) -> Iterator[Hit]:
        """Topics that contain the query, ignoring case: one hit each.

        The first of name, file, summary and body counts; listed topics come in index order, then
        unlisted ones. `unread` is told of files that cannot be read, unless texts are kept.
        """
        ...

    def keep_texts(self) -> None:
        """Keep what searches read in memory from now on, for a front that searches at each key.

        Files are looked at again when their size or time changed, at the latest with the first
        search after `forget_texts`.
        """
        ...

    def forget_texts(self) -> None:
        """Say that files may have changed since the last search."""
        ...

    def status(self) -> StoreStatus:
        """What is known of the store; an unreadable store says so in `notes`, it does not raise."""
        ...

    def write(self, request: WriteRequest) -> Change:
        """Create or extend a topic: `created` or `updated`."""
        ...

    def check(self, request: WriteRequest, opened: Document | None = None) -> str | None:
        """Why the store's rules would refuse a write, None when they would not.

        It looks at the arguments alone and reads nothing, so that a front can ask at every key.
        What stands in an `opened` topic already is not complained about.
        """
        ...

    def cost(self, name: str, summary: str) -> int:
        """About how many tokens a topic with these adds to each prompt."""
        ...

    def compose(self, document: Document, *, name: str, summary: str, body: str) -> str:
        """The text of an opened topic with another name, summary and body, to be given to `save`.

        What is the same as in the document keeps every byte. Only for stores with the ability
        `compose`; in others the text is edited as a whole.
        """
        ...

    def pin(self, topic: str, pinned: bool) -> Change:
        """Pin or unpin: `pinned_now`, `unpinned_now` or `unchanged`."""
        ...

    def refuse_changes(self) -> None:
        """Let a front ask before a person starts to edit what could not be saved.

        Raises:
            ReadOnlyFormatError: The folder is in another program's format, or in none known.
        """
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


class LinkedStore(Store, Protocol):
    """A store whose topics link to each other; its abilities have `links`."""

    def links(self, file: str) -> Links:
        """What the topic with this file links to, and what links to it; raises as `read` does."""
        ...


def linked(store: Store) -> LinkedStore | None:
    """The store as one with links, None when it has none."""
    return cast("LinkedStore", store) if "links" in store.abilities else None


#: The handle of the handoff, for `read` and `save`; it names no topic.
HANDOFF_FILE = "../HANDOFF.md"


class Handoff(Value):
    """What was going on before a compaction, for the prompt after it: the file and its entries.

    `entries` are Markdown, newest first. `text` is empty where there is no file.
    """

    path: str
    text: str
    entries: Sequence[str]


class HandoffStore(Store, Protocol):
    """A store of a host that keeps a handoff beside it; its abilities have `handoff`.

    `read`, `read_bytes` and `save` take `HANDOFF_FILE` as well.
    """

    def handoff(self) -> Handoff:
        """The handoff as it is.

        Raises:
            StorageError: It is there but cannot be read.
        """
        ...

    def clear_handoff(self) -> Change:
        """Empty the handoff: `cleared` or `unchanged`; undo brings it back."""
        ...


def handing_over(store: Store) -> HandoffStore | None:
    """The store as one with a handoff, None when it has none."""
    return cast("HandoffStore", store) if "handoff" in store.abilities else None


class SkimmedStore(Store, Protocol):
    """A store that has the top of its list long before all of it; its abilities have `skim`."""

    def skim(self, count: int) -> Sequence[Topic]:
        """The first so many of `list`, or fewer; raises as that does."""
        ...


def skimmed(store: Store) -> SkimmedStore | None:
    """The store as one that can be skimmed, None when it cannot."""
    return cast("SkimmedStore", store) if "skim" in store.abilities else None


class TypedStore(Store, Protocol):
    """A store whose topics have a type and a title of their own; its abilities have `types`."""

    #: The types there are, in the order to offer them. A new topic needs one of them.
    types: Sequence[str]

    def cost(self, name: str, summary: str, title: str = "") -> int:
        """About how many tokens a topic with these adds to each prompt."""
        ...

    def compose(
        self,
        document: Document,
        *,
        name: str,
        summary: str,
        body: str,
        type: str | None = None,  # noqa: A002 - the name it has everywhere
    ) -> str:
        """As in every store, and with another type; None leaves it as it is.

        Raises:
            InvalidArgumentError: A value that differs from the document's breaks a rule.
            StorageError: The front matter is in a form that cannot be changed safely.
        """
        ...

    def save(
        self,
        file: str,
        *,
        opened: str,
        text: str,
        title: str | None = None,
        allow_secret: bool = False,
    ) -> Change:
        """As in every store; None lets the title that lists show follow the text."""
        ...


def typed(store: Store) -> TypedStore | None:
    """The store as one with types and titles, None when it has none."""
    return cast("TypedStore", store) if "types" in store.abilities else None


class WholeText:
    """The part of a store whose topics fronts edit as whole files: there are no fields to compose.

    Such a store has no ability `compose`.
    """

    def check(self, request: WriteRequest, opened: Document | None = None) -> str | None:
        """Whatever is refused is refused when it is written."""
        return None

    def cost(self, name: str, summary: str) -> int:
        """Tokens of the words alone."""
        from ..formats.tokens import estimate

        return estimate(f"{name} {summary}")

    def compose(self, document: Document, *, name: str, summary: str, body: str) -> str:
        """The body is the whole text."""
        return body

    def keep_texts(self) -> None:
        """Nothing is kept: these stores are small."""

    def forget_texts(self) -> None:
        """Nothing was kept."""


class System(Protocol):
    """A memory system: where its stores are, and how its folders look."""

    name: str

    @property
    def providers(self) -> Sequence[str]:
        """Extensions of the host that do the same, by a part of their source in its settings."""
        ...

    def is_active(self, places: Places, settings: Settings) -> bool:
        """Whether the system takes part inside a host, for this user and folder."""
        ...

    @property
    def hooks(self) -> Hooks:
        """What it does there."""
        ...

    def stores(self, places: Places) -> Sequence[Store]:
        """The stores of this user and working folder, whether they exist or not."""
        ...

    def active(self, places: Places) -> Store:
        """The store that the system reads and writes now."""
        ...

    def named(self, name: str, places: Places) -> Store | None:
        """The store of this user and working folder with a name, there or not; None without one.

        Raises:
            InvalidArgumentError: There can be no such store here; the message says why.
        """
        ...

    def recognise(self, folder: str) -> str | None:
        """The format of a folder (`openpi`, `foreign:<name>` …), None when it is not known."""
        ...

    def open(self, folder: str, places: Places) -> Store:
        """The store in any folder of this system's shape."""
        ...

    def settings(self, places: Places) -> Sequence[Setting]:
        """The system's own settings with their sources; of a broken file nothing comes."""
        ...

    def wanted(self, key: str, value: object) -> str | None:
        """What a value of a setting must be, in words, where the given one cannot be used."""
        ...

    def change_setting(self, places: Places, key: str, value: object) -> None:
        """Set one of the system's own settings that has a `kind`; the rest of its file stays.

        Raises:
            UnsupportedError: The system has no such setting, or it is not changed here.
            InvalidArgumentError: The value cannot be used; the message says what can.
            ConfigError: The file is broken; the message names line and column.
            StorageError: It cannot be written.
        """
        ...

    def trouble(self, places: Places) -> ConfigError | None:
        """What is wrong with the system's configuration, for a notice; None when nothing is."""
        ...
