"""What a store offers that is a layer of a memory: dated entries, an inbox, an archive."""

from __future__ import annotations

from abc import abstractmethod

from ..value import Value
from .stores import Store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from ..files.git import GitState
    from ..model import Change, Topic


#: What an entry's status and confidence can be.
STATUSES = ("active", "superseded", "deprecated")
CONFIDENCES = ("high", "medium", "low")
#: Fields that say something about an entry, not what it is about.
_ABOUT = frozenset({"status", "confidence", "valid_from", "supersedes", "verified"})


class Place(Value):
    """Where an entry is: its file and its heading."""

    file: str
    heading: str


class DatedEntry(Value):
    """A dated entry of a memory file: `## YYYY-MM-DD Title` with fields below it.

    `heading` is the whole text of the heading and names the entry. `fields` are names in small
    letters with their values, in the file's order, unknown ones included. `line` counts from 1,
    `problems` are sentences about what is wrong with it. `supersedes` is the entry that its field
    of this name leads to, `superseded_by` are those that name it so.
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
    supersedes: Place | None = None
    superseded_by: Sequence[Place] = ()

    @property
    def status(self) -> str:
        """What its status field says; an entry without one is active."""
        return dict(self.fields).get("status", "active").lower()

    @property
    def confidence(self) -> str:
        """What its confidence field says; empty without one."""
        return dict(self.fields).get("confidence", "").lower()

    @property
    def gist(self) -> str:
        """What it says in a line: its first telling field, else its first line of prose."""
        for name, value in self.fields:
            if name not in _ABOUT and value:
                return value
        for line in self.text.splitlines()[1:]:
            said = line.strip()
            if said and not said.startswith(("- **", "* **", "+ **")):
                return said
        return dict(self.fields).get("verified", "")


class Target(Value):
    """Where promoted text or a new entry can go: a folder, a file in it, and what belongs there.

    `store` is the layer, `folder` what `promote` takes for it. `exists` is False for a usual file
    that is not there yet.
    """

    store: str
    folder: str
    name: str
    about: str
    exists: bool


#: Why nothing, or not all, of a file is given: notes of `LoadedFile` that fronts tell apart.
NOT_AGREED = "not agreed to yet"
LEFT_OUT = "left out for lack of room"
CUT = "cut for lack of room"


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
    `task_file` is where the global layer keeps the task, whether there is one or not. `problems`
    are sentences about files that could not be read.
    """

    global_path: str
    workspace_path: str | None
    max_total: int
    max_file: int
    total: int
    task: LoadedFile | None
    task_file: str
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


def entry_content(fields: Iterable[tuple[str, str]], text: str) -> str:
    """What stands below the heading of an entry: its fields, those without a value left out."""
    lines = [f"- **{name}**: {value}" for name, value in fields if value]
    text = text.strip("\r\n")
    joint = "\n" if text.startswith("- **") else "\n\n"
    return joint.join(part for part in ("\n".join(lines), text) if part)


def split_content(content: str, names: Collection[str]) -> tuple[dict[str, str], str]:
    """What `entry_content` made: the fields of these names at the beginning, and the rest."""
    fields: dict[str, str] = {}
    lines = content.split("\n")
    while lines:
        name, mark, value = lines[0].removeprefix("- **").partition("**: ")
        if not lines[0].startswith("- **") or not mark or name not in names or name in fields:
            break
        fields[name] = value
        del lines[0]
    return fields, "\n".join(lines).strip("\n")


def entry_text(day: str, title: str, content: str) -> str:
    """A whole entry of a day: its heading, and what stands below."""
    return f"## {day} {title}\n\n{content}".rstrip("\r\n")


class LayerStore(Store):
    """A store that is a layer of a memory with dated entries and an inbox.

    Its topics are files, their names relative paths.
    """

    #: The folder, there or not.
    path: str

    @abstractmethod
    def layer(self, name: str) -> LayerStore | None:
        """The store of the layer `global` or `workspace`, there or not; None for other names.

        Raises:
            InvalidArgumentError: The project can have no such layer; the message says why.
        """

    @abstractmethod
    def load_lines(self) -> Sequence[str]:
        """The load status as lines for people."""

    @abstractmethod
    def git_state(self) -> GitState | None:
        """How git sees the layer's folder; None outside git and without the person's trust."""

    @abstractmethod
    def load(self) -> LoadStatus:
        """Which files the next prompt gets, how much of each, and what is hidden or cut."""

    @abstractmethod
    def entries(self, file: str | None = None) -> Sequence[DatedEntry]:
        """The dated entries of one file or of all, in the files' order."""

    @abstractmethod
    def set_status(self, file: str, entry: str, status: str) -> Change:
        """Set an entry's status: `updated` or `unchanged`.

        Raises:
            InvalidArgumentError: There is no such status; the message lists them.
            TopicNotFoundError: There is no such entry.
            AmbiguousTopicError: Several match.
        """

    @abstractmethod
    def supersede(self, file: str, entry: str, by: str, *, by_file: str | None = None) -> Change:
        """Mark an entry as replaced by another one, in both; raises as `set_status`."""

    @abstractmethod
    def archive(self, file: str, entry: str | None = None) -> Change:
        """Move a file, or one entry of it, into the archive: `moved`."""

    @abstractmethod
    def archived(self) -> Sequence[Topic]:
        """What is in the archive."""

    @abstractmethod
    def inbox(self) -> Sequence[InboxFile]:
        """What waits to be reviewed in this layer."""

    @abstractmethod
    def checkpoint(self) -> Change:
        """Put an empty template into the workspace's inbox: `created`."""

    @abstractmethod
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

    @abstractmethod
    def targets(self) -> Sequence[Target]:
        """The files that can be promoted to, and the usual ones that are not there yet."""

    @abstractmethod
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
            InvalidTopicError: Source or target is not a regular file, or both are the same one.
            SecretError: The text looks like it holds a credential.
        """

    @abstractmethod
    def init(self, scope: str) -> Change:
        """Create what is missing of the layer `global` or `workspace`: `initialized`, `unchanged`.

        Creating a workspace also says yes to its use in prompts.

        Raises:
            InvalidArgumentError: There is no such scope, or the project can have no memory.
            StorageError: Something that is not a folder is in the way.
        """

    @abstractmethod
    def clear_task(self) -> Change:
        """Empty the task state: `cleared` or `unchanged`."""

    @abstractmethod
    def refresh(self) -> Change:
        """Read everything again and say what changed since the last time this was asked."""
