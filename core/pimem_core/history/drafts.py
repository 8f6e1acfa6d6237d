"""Drafts: texts that a person is editing, kept until they are saved."""

from __future__ import annotations

import contextlib
import json
import os
import threading
import time
from typing import TYPE_CHECKING

from ..errors import ConflictError, PimemError, SecretError, StorageError
from ..files.private import folder_not_ours, not_ours
from ..files.process import Process, this_process
from ..files.publish import explained, private_folder, publish
from ..files.read import decode, read_bytes, signature_of
from ..log import write_log
from ..model import Document
from ..value import Value

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from typing import Any

    from ..paths import Places


_FOLDER = "drafts"
#: Fields of a draft, and of what was opened, that are texts.
_TEXTS = ("system", "folder", "name", "summary", "body", "title", "mode", "outside")
_OPENED = ("store", "name", "file", "path", "body", "text")
#: A Unix time that no calendar of ours reaches.
_END_OF_TIME = 253_402_300_000
#: Seconds after which nobody has a text open any more that was left as it was.
_OPEN_S = 30 * 86_400
#: Ends the names of drafts that the manager's editor wrote.
_TYPED = ".typed.json"


class Draft:
    """A private file in the state folder that holds a topic's text while it is edited."""

    def __init__(self, path: str, opened: str) -> None:
        self.path = path
        self.opened = opened
        #: Whether it stays, because a window may still have it open.
        self.stays = False
        self._made = self._seen = signature_of(path)

    @classmethod
    def create(cls, places: Places, file: str, text: str) -> Draft:
        """Write the text into a new draft; its name ends as the topic's file, for the editor.

        Raises:
            StorageError: The state folder cannot be written.
        """
        folder = os.path.join(places.state_dir, _FOLDER)
        ending = os.fsdecode(os.fsencode(file.replace("/", "-"))[-200:])
        path = os.path.join(folder, f"{time.time_ns() // 1_000_000}-{os.getpid()}-{ending}")
        with explained(path):
            private_folder(folder)
            try:
                publish(path, text.encode(), exclusive=True)
            except OSError:
                cls(path, text).discard()  # it may be there, though not for certain
                raise
        return cls(path, text)

    @property
    def is_untouched(self) -> bool:
        """Whether nobody has written the file since it was made, not even the same text."""
        return signature_of(self.path) == self._made

    def has_settled(self) -> bool:
        """Whether somebody has written the file, and not again since this was last asked."""
        before, self._seen = self._seen, signature_of(self.path)
        return self._seen == before != self._made

    def text(self) -> str:
        """What the draft holds now.

        Raises:
            StorageError: It is gone or not UTF-8.
        """
        try:
            # An editor may have replaced the file by a link of its own making: that is its text.
            return decode(read_bytes(self.path, follow=True), self.path)
        except StorageError:
            raise
        except PimemError as error:
            raise StorageError(f"The editor left no text: {error}") from error

    def again(self) -> Draft:
        """The same draft, opened with what it holds now; raises as `text`."""
        made = Draft(self.path, "")  # before it is read, so that no later change is missed
        made.opened = made.text()
        return made

    def discard(self) -> None:
        """Remove the draft; one that is gone is fine."""
        with contextlib.suppress(OSError):
            os.unlink(self.path)

    @contextlib.contextmanager
    def kept_on_failure(self) -> Iterator[None]:
        """Remove the draft after the block, or keep it when the block fails and say where it is.

        After a conflict the draft holds the merged text with both sides marked.
        """
        try:
            yield
        except PimemError as error:
            if isinstance(error, ConflictError) and error.merged:
                with contextlib.suppress(OSError, PimemError):
                    publish(self.path, error.merged.encode())
            error.args = (f"{error} Your text is kept in {self.path}.",)
            raise
        if not self.stays:
            self.discard()


class Typed(Value):
    """What stands in the manager's editor, and what it began from.

    `opened` has the fields of the document that was opened; None for a new topic. `time` is when
    it was typed, a Unix time. `whole` says that `body` is the whole file. `outside` is the path of
    a file that the person's own editor has: its text counts in place of `body`.
    """

    system: str
    folder: str
    opened: Mapping[str, Any] | None
    name: str
    summary: str
    body: str
    title: str = ""
    type: str | None = None
    pin: bool = False
    mode: str = "append"
    time: float = 0.0
    whole: bool = False
    outside: str = ""


class TypedDraft:
    """A private file in the state folder that follows what is typed, so that a crash loses none.

    Its calls take time on a disk and may come from any thread: an older text never replaces a
    newer one, and nothing comes back after `discard`.
    """

    def __init__(self, path: str, outside: str = "") -> None:
        self.path = path
        self._outside = outside
        self._lock = threading.Lock()
        self._kept = 0.0

    @classmethod
    def begin(cls, places: Places, file: str) -> TypedDraft:
        """A draft of this process; the first `keep` makes its file."""
        ending = os.fsdecode(os.fsencode(file.replace("/", "-"))[-180:])
        name = f"{time.time_ns() // 1_000_000}-{os.getpid()}-{ending}{_TYPED}"
        return cls(os.path.join(places.state_dir, _FOLDER, name))

    def keep(self, typed: Typed) -> None:
        """Write what is typed now.

        Raises:
            StorageError: The state folder cannot be written.
        """
        process = this_process()
        row = {**typed.__dict__, "process": [process.host, process.pid, process.started]}
        with self._lock, explained(self.path):
            if typed.time <= self._kept:
                return
            private_folder(os.path.dirname(self.path))
            publish(self.path, json.dumps(row).encode())
            self._kept = typed.time
            self._follow(typed.outside)

    def _follow(self, outside: str) -> None:
        """Take note of the file outside; one that no longer counts goes."""
        if self._outside and self._outside != outside:
            with contextlib.suppress(OSError):
                os.unlink(self._outside)
        self._outside = outside

    def forget(self) -> None:
        """Remove the draft and leave the file outside to itself."""
        self._outside = ""
        self.discard()

    def discard(self) -> None:
        """Remove the draft and the file outside that belongs to it; what is gone is fine."""
        with self._lock:
            self._kept = float("inf")
            with contextlib.suppress(OSError):
                os.unlink(self.path)
            self._follow("")


@contextlib.contextmanager
def handed_over(
    places: Places, system: str, folder: str, document: Document, draft: Draft
) -> Iterator[None]:
    """Note what the person's own editor has, so that the manager offers it after a kill.

    Raises:
        StorageError: The state folder cannot be written; the draft is gone then.
    """
    note = TypedDraft.begin(places, document.file)
    try:
        note.keep(
            Typed(
                system=system,
                folder=folder,
                opened={**document.__dict__, "text": draft.opened},
                name=document.name,
                summary=document.summary,
                body=draft.opened,
                title=document.title,
                type=document.type,
                time=time.time(),
                whole=True,
                outside=draft.path,
            )
        )
    except PimemError:
        draft.discard()
        raise
    try:
        yield
    except PimemError:
        note.forget()  # the error says where the text is
        raise
    if not draft.stays:
        note.forget()


def left_drafts(places: Places, open_here: Collection[str] = ()) -> list[tuple[TypedDraft, Typed]]:
    """What was typed and never saved, newest first. What another process has open is its own.

    A file that the person's own editor was given and left as it was is not such a text.

    Args:
        places: The folders of this user.
        open_here: Paths of the drafts that this process has open.
    """
    folder = os.path.join(places.state_dir, _FOLDER)
    try:
        names = sorted(os.listdir(folder), reverse=True)
    except OSError:
        return []
    if folder_not_ours(places.state_dir, _FOLDER) is not None:
        return []  # what others can have put there is nobody's text to offer
    found = []
    for name in names:
        path = os.path.join(folder, name)
        if not name.endswith(_TYPED) or path in open_here or not_ours(path) is not None:
            continue
        try:
            process, typed = _load(path)
        except ValueError as error:
            _put_aside(places, path, error)
            continue
        except PimemError:
            continue
        if process.pid != os.getpid() and not process.is_gone(time.time() - typed.time):
            continue
        if typed.outside:
            try:
                text = Draft(typed.outside, "").text()
            except PimemError:
                continue
            if typed.opened is not None and text == typed.opened["text"]:
                if time.time() - typed.time > _OPEN_S:
                    TypedDraft(path, typed.outside).discard()
                continue
            typed = typed.but(body=text)
        found.append((TypedDraft(path, typed.outside), typed))
    return found


def _load(path: str) -> tuple[Process, Typed]:
    """What a draft's file holds.

    Raises:
        ValueError: It is not a draft, or one of another shape.
        PimemError: It cannot be read.
    """
    try:
        row = json.loads(read_bytes(path))
        host, pid, started = row.pop("process")
        process = Process(host=host, pid=pid, started=started)
        typed = Typed(**row)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise ValueError(f"{path} is not a draft: {error}") from error
    texts = (host, *(getattr(typed, name) for name in _TEXTS))
    is_whole = (
        all(isinstance(text, str) for text in texts)
        and isinstance(pid, int)
        and isinstance(started, str | None)
        and isinstance(typed.type, str | None)
        and isinstance(typed.time, int | float)
        and 0 <= typed.time < _END_OF_TIME
        and _is_document(typed.opened)
    )
    # A file outside is removed with its draft: it can only be one of ours, beside it.
    beside = os.path.dirname(typed.outside) if is_whole else ""
    if not is_whole or (typed.outside and beside != os.path.dirname(path)):
        raise ValueError(f"{path} is not a draft: a field has a value that it cannot have")
    return process, typed


def _is_document(opened: object) -> bool:
    """Whether a draft says what was opened in the form of a document, or that nothing was."""
    if opened is None:
        return True
    return (
        isinstance(opened, dict)
        and set(opened) <= set(Document._fields)
        and all(isinstance(opened.get(name), str) for name in _OPENED)
        and isinstance(opened.get("front_matter", {}), dict)
        and isinstance(opened.get("type"), str | None)
        and all(isinstance(opened.get(name, ""), str) for name in ("summary", "title"))
    )


def _put_aside(places: Places, path: str, error: ValueError) -> None:
    """Keep a file that is not a draft out of the way, and say so in the log."""
    with contextlib.suppress(OSError):
        os.rename(path, f"{path}.unreadable")
        write_log(places, error)


@contextlib.contextmanager
def kept_when_refused(places: Places, file: str, text: str) -> Iterator[None]:
    """Keep a text that has no other copy as a draft when the block fails, and say where it is.

    A text that was refused for a secret in it is not kept.
    """
    try:
        yield
    except SecretError:
        raise
    except PimemError as error:
        try:
            where = f"Your text is kept in {Draft.create(places, file, text).path}."
        except PimemError as failure:
            where = f"Your text could not be kept as a draft: {failure}"
        error.args = (f"{error} {where}",)
        raise
