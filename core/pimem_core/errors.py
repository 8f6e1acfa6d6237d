"""The exceptions that cross borders. `str(error)` is one or two sentences fit to show."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import ClassVar

#: Exit code of each outcome; product contract, section 3.
EXIT_CODES = {
    **dict.fromkeys(
        (
            "created",
            "updated",
            "removed",
            "pinned_now",
            "unpinned_now",
            "unchanged",
            "undone",
            "redone",
            "imported",
            "exported",
            "promoted",
            "initialized",
            "moved",
            "copied",
            "cleared",
            "repaired",
            "installed",
            "uninstalled",
        ),
        0,
    ),
    **dict.fromkeys(
        (
            "invalid_topic",
            "reserved_topic",
            "pinned",
            "ambiguous",
            "not_found",
            "no_index",
            "conflict",
            "secret",
            "unsupported",
            "read_only_format",
            "invalid_argument",
        ),
        1,
    ),
    "usage": 2,
    "busy": 3,
    **dict.fromkeys(("storage_error", "unavailable", "denied"), 4),
}


class Hint:
    """What to do next, for each front to put into its own words: a command, a key, a tool.

    `do` is one of the words below, `topic` and `store` what it is about. `text` is the hint where
    it is the same for every front.
    """

    #: See what there is; see the history; create a topic; unpin one; edit one; open a folder.
    LIST, HISTORY, WRITE, UNPIN, EDIT, OPEN = "list", "history", "write", "unpin", "edit", "open"
    #: Layered memory: create a layer, agree to its use, put a file into the inbox, promote one.
    INIT, AGREE, CHECKPOINT, PROMOTE = "init", "agree", "checkpoint", "promote"
    #: Take a credential out, or say that it is meant to be kept; undo; switch another provider off.
    SECRET, UNDO, TAKE_OVER = "secret", "undo", "take_over"

    def __init__(self, do: str, *, topic: str = "", store: str = "", text: str = "") -> None:
        self.do = do
        self.topic = topic
        self.store = store
        self.text = text


class Note(str):
    """A sentence for a person, with a hint where something can be done about it."""

    hint: Hint | None

    def __new__(cls, text: str, hint: Hint | None = None) -> Note:
        """Make one."""
        made = super().__new__(cls, text)
        made.hint = hint
        return made


class PimemError(Exception):
    """Anything that stops a read or a change; nothing was changed on disk.

    `str(error)` says what is wrong, `hint` what to do about it. `outcome` is the word of the
    contract. `name`, `file` and `candidates` say which topic is meant as far as it is known,
    `store` where it is when that is not the store that was asked, `path` the file that could not be
    read.
    """

    outcome: ClassVar[str] = "storage_error"
    store = ""
    path = ""

    def __init__(
        self,
        message: str,
        *,
        name: str = "",
        file: str = "",
        candidates: Sequence[str] = (),
        hint: Hint | None = None,
    ) -> None:
        super().__init__(message)
        self.hint = hint
        self.name = name
        self.file = file
        self.candidates = tuple(candidates)


class InvalidTopicError(PimemError):
    """The topic breaks a rule, or its file is not a regular file."""

    outcome = "invalid_topic"


class ReservedTopicError(PimemError):
    """The topic belongs to another feature."""

    outcome = "reserved_topic"


class InvalidArgumentError(PimemError):
    """Another argument breaks a rule; the message names it."""

    outcome = "invalid_argument"


class ConfigError(InvalidArgumentError):
    """A configuration file is broken; defaults hold until it is fixed.

    The message names the file, line and column.
    """


class PinnedError(PimemError):
    """A pinned topic cannot be removed."""

    outcome = "pinned"


class AmbiguousTopicError(PimemError):
    """Several topics match; `candidates` lists their names."""

    outcome = "ambiguous"


class TopicNotFoundError(PimemError):
    """No topic matches."""

    outcome = "not_found"


class NoIndexError(PimemError):
    """The store has no index yet."""

    outcome = "no_index"


class ConflictError(PimemError):
    """Somebody else changed the same lines.

    `theirs` is the text on disk now, `mine` the text that could not be saved, `merged` a draft
    with both, marked with `<<<<<<<`, `=======` and `>>>>>>>` lines.
    """

    outcome = "conflict"

    def __init__(
        self,
        message: str,
        *,
        name: str = "",
        file: str = "",
        theirs: str = "",
        mine: str = "",
        merged: str = "",
    ) -> None:
        super().__init__(message, name=name, file=file)
        self.theirs = theirs
        self.mine = mine
        self.merged = merged


class SecretError(PimemError):
    """The text looks like it holds a credential. The message never shows the value."""

    outcome = "secret"


class UnsupportedError(PimemError):
    """The system has no such action."""

    outcome = "unsupported"


class ReadOnlyFormatError(PimemError):
    """The folder is in another program's format, or in none that is known."""

    outcome = "read_only_format"


class StoreBusyError(PimemError):
    """Another process holds the store's lock."""

    outcome = "busy"


class StorageError(PimemError):
    """The disk, a file or a right stands in the way."""

    outcome = "storage_error"


class OutputError(Exception):
    """Nothing more can be printed, for example because the disk behind a file is full."""
