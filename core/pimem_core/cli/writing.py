"""Commands that change one topic: write, pin, unpin, remove, edit."""

from __future__ import annotations

import os
import sys

from ..errors import EXIT_CODES, InvalidArgumentError, StorageError
from ..files.read import decode
from ..systems.stores import (
    EditableStore,
    FolderStore,
    PinningStore,
    RemovingStore,
    WritableStore,
    WriteRequest,
    supporting,
)
from .reading import about, store_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from ..history.drafts import Draft
    from ..model import Change
    from ..paths import Places
    from ..systems.stores import Store
    from .output import Output

_STDERR = 2


def _told(store: Store, change: Change, output: Output) -> int:
    store.announce()
    output.change(change)
    return EXIT_CODES[change.outcome]


def write(options: argparse.Namespace, places: Places, output: Output) -> int:
    """Create or extend a topic."""
    store = supporting(store_of(options, places, output), WritableStore, name=options.topic)
    request = WriteRequest(
        topic=_utf8("TOPIC", options.topic),
        content=_content(options, output),
        summary=_utf8("--summary", options.summary),
        pin=options.pin,
        mode=options.mode,
        type=options.type,
        title=options.title,
        allow_secret=options.allow_secret,
    )
    if not request.content or options.content is not None or options.file is not None:
        return _told(store, store.write(request), output)
    from ..history.drafts import kept_when_refused

    # What came through standard input may be nowhere else.
    with kept_when_refused(places, "text.md", request.content):
        change = store.write(request)
    return _told(store, change, output)


def _content(options: argparse.Namespace, output: Output) -> str:
    if options.content is not None:
        return _utf8("--content", options.content)
    if options.file is not None:
        what, data = options.file, _file(options.file)
    elif sys.stdin is None:
        raise InvalidArgumentError(
            "Standard input is closed; give the text with --content or --file."
        )
    else:
        if sys.stdin.isatty():
            output.notice("Type the text; ctrl-d on an empty line ends it.")
        what, data = "standard input", sys.stdin.buffer.read()
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise InvalidArgumentError(
            f"{what} is not UTF-8 at byte {error.start}; nothing was stored."
        ) from error
    # The line end that closes a text file is not part of what was meant.
    return text.removesuffix("\n").removesuffix("\r") if text.endswith("\n") else text


def _file(path: str) -> bytes:
    """The bytes of a file or of a pipe such as a shell's `<(command)`; one that nobody feeds ends.

    Raises:
        InvalidArgumentError: It is absent, a folder, or a pipe without anything in it.
        StorageError: It cannot be read.
    """
    import stat

    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(descriptor, "rb") as stream:
            mode = os.fstat(descriptor).st_mode
            if not (stat.S_ISREG(mode) or stat.S_ISFIFO(mode)):
                raise InvalidArgumentError(f"{path} is neither a file nor a pipe.")
            os.set_blocking(descriptor, True)
            data = stream.read()
    except IsADirectoryError as error:
        raise InvalidArgumentError(f"{path} is a folder.") from error
    except FileNotFoundError as error:
        raise InvalidArgumentError(f"{path} does not exist.") from error
    except OSError as error:
        raise StorageError(f"{path} cannot be read: {error.strerror}.") from error
    if not data and stat.S_ISFIFO(mode):
        raise InvalidArgumentError(f"Nothing came out of the pipe {path}.")
    return data


def _utf8(what: str, text: str) -> str:
    """Refuse an argument with bytes that are not UTF-8: the shell passes them as surrogates."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InvalidArgumentError(
            f"{what} is not UTF-8 at character {error.start + 1}; nothing was stored."
        ) from error
    return text


def pin(options: argparse.Namespace, places: Places, output: Output) -> int:
    """Pin a topic."""
    store = supporting(store_of(options, places, output), PinningStore, name=options.topic)
    return _told(store, store.pin(options.topic, True), output)


def unpin(options: argparse.Namespace, places: Places, output: Output) -> int:
    """Unpin a topic."""
    store = supporting(store_of(options, places, output), PinningStore, name=options.topic)
    return _told(store, store.pin(options.topic, False), output)


def remove(options: argparse.Namespace, places: Places, output: Output) -> int:
    """Remove a topic."""
    store = supporting(store_of(options, places, output), RemovingStore, name=options.topic)
    return _told(store, store.remove(options.topic), output)


def _has_terminal() -> bool:
    return sys.stdin is not None and sys.stdin.isatty()


def _from_window(draft: Draft) -> str:
    """Wait until the person is done in the editor's window, and give back the text."""
    sys.stderr.write(
        "The editor came back at once, as one with a window does. Save there, then press Enter "
        "here. (With an option such as --wait this is not needed.) "
    )
    sys.stderr.flush()
    try:
        is_done = bool(sys.stdin.readline())
    except KeyboardInterrupt:
        is_done = False
    if not is_done:
        draft.stays = True
        sys.stderr.write(f"\nWhat you save goes to {draft.path}, and the manager offers it.\n")
    return draft.text()


def edit(options: argparse.Namespace, places: Places, output: Output) -> int:
    """Edit a topic in the person's editor and save it, merged with what changed meanwhile."""
    from ..history.drafts import Draft, handed_over
    from ..history.editors import edit_in_editor

    store = store_of(options, places, output)
    store.refuse_changes()
    topic = store.find(options.topic)
    if not (os.environ.get("VISUAL") or os.environ.get("EDITOR") or _has_terminal()):
        raise InvalidArgumentError("There is no terminal and no $EDITOR; set $EDITOR to one.")
    # What the command prints may go to a program, which must not get the editor's screen.
    screen = None if sys.stdout.isatty() else _STDERR
    with about(topic):
        folder = supporting(store, FolderStore)
        opened = decode(folder.read_bytes(topic.file), topic.path)
        draft = Draft.create(places, topic.file, opened)
        with handed_over(places, store.system, folder.path, folder.read(topic.file), draft):
            text, is_open = edit_in_editor(draft, os.environ, screen)
            if is_open and _has_terminal():
                text = _from_window(draft)
            elif is_open:
                draft.stays = True
                output.notice(
                    "The editor came back at once, as one with a window does. What you save there "
                    f"goes to {draft.path}, and the manager offers it. Have the editor wait, for "
                    "instance with --wait."
                )
            with draft.kept_on_failure():
                change = supporting(store, EditableStore).save(
                    topic.file, opened=opened, text=text, allow_secret=options.allow_secret
                )
    return _told(store, change, output)
