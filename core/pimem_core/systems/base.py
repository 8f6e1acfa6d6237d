"""What every memory system offers, so that no front needs to know which one it talks to."""

from __future__ import annotations

from ..model import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any, Protocol, cast

    from ..actions import Action
    from ..errors import ConfigError
    from ..files.record import Record
    from ..model import Change, Document, Hit, Setting, StoreStatus, Topic
    from ..paths import Places
    from ..settings import Settings

    Cancelled = Callable[[], bool]
    Progress = Callable[[int, int], None]
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


class SessionInfo(Value):
    """A session of the host, as its request tells.

    `trusted` is None where the host has no such notion. `mode` is `tui`, `rpc`, `json` or `print`.
    `features` are those of docs/hook-protocol.md.
    """

    id: str
    cwd: str
    file: str | None = None
    trusted: bool | None = None
    mode: str = "print"
    pi: str | None = None
    features: frozenset[str] = frozenset()


class HookContext:
    """What a hook knows besides its payload.

    `state` is this system's part of the session's state: what the hook leaves in it is there at
    the next call, also in another process, unless the answer came too late. `texts` is the same
    for long texts, which a late answer does not take back. `places` has the session's folder.
    """

    def __init__(
        self,
        places: Places,
        session: SessionInfo,
        settings: Settings,
        state: dict[str, Any],
        texts: dict[str, str],
        cancelled: Cancelled = never,
    ) -> None:
        self.places = places
        self.session = session
        self.settings = settings
        self.state = state
        self.texts = texts
        self.cancelled = cancelled


class Offer(Value):
    """What a system offers a host: tools, slash commands and the events it wants.

    Each is a row of the describe document; docs/hook-protocol.md gives their keys.
    """

    tools: Sequence[Mapping[str, Any]] = ()
    commands: Sequence[Mapping[str, Any]] = ()
    events: Sequence[Mapping[str, Any]] = ()


class Part(Value):
    """A part of what a model is given. `dropped` names what a limit kept out."""

    name: str
    text: str
    dropped: Sequence[str] = ()


class Entry(Value):
    """A dated entry of a memory file: `## YYYY-MM-DD Title` with fields below it.

    `heading` is the whole text of the heading and names the entry. `fields` are names in small
    letters with their values, in the file's order, unknown ones included. `line` counts from 1,
    `problems` are sentences about what is wrong with it.
    """

    store: str
    file: str
    heading: str
    date: str
    title: str
    line: int
    text: str
    fields: Sequence[tuple[str, str]] = ()
    problems: Sequence[str] = ()

    @property
    def status(self) -> str:
        """What its status field says; an entry without one is active."""
        return dict(self.fields).get("status", "active").lower()


class LoadedFile(Value):
    """A memory file and what the next prompt gets of it, in characters.

    `hidden_by` is the workspace file that hides a global one. `note` says why else nothing of it
    is given, such as a placeholder or a file that cannot be read.
    """

    store: str
    file: str
    path: str
    chars: int
    injected: int
    hidden_by: str | None = None
    note: str | None = None


class LoadStatus(Value):
    """What the next prompt gets of a layered memory, in characters.

    `agreed` is the person's answer about this project's memory, None before there is one.
    `problems` are sentences about files that could not be read.
    """

    global_path: str
    workspace_path: str | None
    max_total: int
    max_file: int
    total: int
    task: LoadedFile | None
    files: Sequence[LoadedFile]
    inbox: Sequence[str]
    agreed: bool | None
    problems: Sequence[str]


class InboxFile(Value):
    """A file that waits to be reviewed. `sections` are its headings that hold something."""

    store: str
    file: str
    path: str
    text: str
    filled: bool
    sections: Sequence[str] = ()


class Promotion(Value):
    """What promoting would do, to be looked at first: the target's text before and after."""

    source: str
    store: str
    file: str
    path: str
    before: str | None
    after: str
    added: str
    left: str | None = None


class Hooks(Protocol):
    """What a system does inside a host such as pi. Calls of one session come one at a time."""

    def is_active(self, places: Places, settings: Settings) -> bool:
        """Whether the system takes part for this user and folder."""
        ...

    def offer(self, places: Places) -> Offer:
        """Tools, commands and events, for the describe document."""
        ...

    def event(self, name: str, payload: Mapping[str, Any], context: HookContext) -> list[Action]:
        """What the host should do at one of the events that were asked for."""
        ...

    def start(self, context: HookContext) -> list[Action]:
        """The slow part of a session's start, after `session_start` was answered."""
        ...

    def tool(self, name: str, params: Mapping[str, Any], context: HookContext) -> list[Action]:
        """Run a tool; a refusal is a result that tells the model what to do instead."""
        ...

    def command(self, name: str, args: str, context: HookContext) -> list[Action] | None:
        """Run a slash command; None when these words are not this system's."""
        ...

    def complete(self, name: str, prefix: str, context: HookContext) -> list[dict[str, str]]:
        """Completions of a command's argument: value, label and description."""
        ...

    def answer(self, key: str, value: bool | None, context: HookContext) -> list[Action] | None:
        """Go on after the person answered a `confirm`; None when the key is not this system's."""
        ...

    def inject(self, context: HookContext, *, turn: int) -> Sequence[Part]:
        """The parts that a session's n-th prompt is given, without changing anything."""
        ...


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
    #: `LinkedStore`, `inbox` for a `LayeredStore`.
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

    def check(self, request: WriteRequest) -> str | None:
        """Why the store's rules would refuse a write, None when they would not.

        It looks at the request alone and reads nothing, so that a front can ask at every key.
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


class LayeredStore(Store, Protocol):
    """A store that is a layer of a memory with an inbox; `inbox` is among its `abilities`.

    Its topics are files, their names relative paths.
    """

    def layer(self, name: str) -> LayeredStore | None:
        """The store of the layer `global` or `workspace`, there or not; None for other names.

        Raises:
            InvalidArgumentError: The project can have no such layer; the message says why.
        """
        ...

    def load_lines(self) -> Sequence[str]:
        """The load status as lines for people."""
        ...

    def load(self) -> LoadStatus:
        """Which files the next prompt gets, how much of each, and what is hidden or cut."""
        ...

    def entries(self, file: str | None = None) -> Sequence[Entry]:
        """The dated entries of one file or of all, in the files' order."""
        ...

    def set_status(self, file: str, entry: str, status: str) -> Change:
        """Set an entry's status: `updated` or `unchanged`.

        Raises:
            InvalidArgumentError: There is no such status; the message lists them.
            TopicNotFoundError: There is no such entry.
            AmbiguousTopicError: Several match.
        """
        ...

    def supersede(self, file: str, entry: str, by: str, *, by_file: str | None = None) -> Change:
        """Mark an entry as replaced by another one, in both; raises as `set_status`."""
        ...

    def archive(self, file: str, entry: str | None = None) -> Change:
        """Move a file, or one entry of it, into the archive: `moved`."""
        ...

    def archived(self) -> Sequence[Topic]:
        """What is in the archive."""
        ...

    def inbox(self) -> Sequence[InboxFile]:
        """What waits to be reviewed in this layer."""
        ...

    def checkpoint(self) -> Change:
        """Put an empty template into the workspace's inbox: `created`."""
        ...

    def promotion(
        self, file: str, folder: str, target: str, *, sections: Sequence[str] | None = None
    ) -> Promotion:
        """What `promote` would do; raises as it would.

        Args:
            file: The file in the inbox, with or without `inbox/`.
            folder: `workspace`, or a folder of the global layer: `user`, `knowledge`, `facts`.
            target: The name of the file that gets the text.
            sections: Headings of the sections to take; the whole file when left out.
        """
        ...

    def promote(
        self,
        file: str,
        folder: str,
        target: str,
        *,
        sections: Sequence[str] | None = None,
        allow_secret: bool = False,
    ) -> Change:
        """Append a reviewed file to a memory file and take it out of the inbox: `promoted`.

        Raises:
            InvalidArgumentError: A folder or name breaks a rule; the message lists the choices.
            TopicNotFoundError: The inbox has no such file.
            InvalidTopicError: Source or target is no regular file, or both are the same one.
            SecretError: The text looks like it holds a credential.
        """
        ...

    def init(self, scope: str) -> Change:
        """Create what is missing of the layer `global` or `workspace`: `initialized`, `unchanged`.

        Creating a workspace also says yes to its use in prompts.

        Raises:
            InvalidArgumentError: There is no such scope, or the project can have no memory.
            StorageError: Something that is no folder is in the way.
        """
        ...

    def clear_task(self) -> Change:
        """Empty the task state: `cleared` or `unchanged`."""
        ...

    def refresh(self) -> Change:
        """Read everything anew and say what changed since the last time this was asked."""
        ...


def layered(store: Store) -> LayeredStore | None:
    """The store as a layer with entries, inbox and archive, None when it is none."""
    return cast("LayeredStore", store) if "inbox" in store.abilities else None


class LinkedStore(Store, Protocol):
    """A store whose topics link to each other; its abilities have `links`."""

    def links(self, file: str) -> Links:
        """What the topic with this file links to, and what links to it; raises as `read` does."""
        ...


def linked(store: Store) -> LinkedStore | None:
    """The store as one with links, None when it has none."""
    return cast("LinkedStore", store) if "links" in store.abilities else None


class WholeText:
    """The part of a store whose topics fronts edit as whole files: there are no fields to compose.

    Such a store has no ability `compose`.
    """

    def check(self, request: WriteRequest) -> str | None:
        """Whatever is refused is refused when it is written."""
        return None

    def cost(self, name: str, summary: str) -> int:
        """Tokens of the words alone."""
        from ..tokens import estimate

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

    @property
    def hooks(self) -> Hooks:
        """What the system does inside a host."""
        ...

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
