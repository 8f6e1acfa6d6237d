"""Commands that change one topic: write, pin, unpin, remove, edit."""

from __future__ import annotations

import os
import sys

from ..errors import EXIT_CODES, InvalidArgumentError, TopicNotFoundError
from ..files.read import decode, read_bytes
from ..systems.base import WriteRequest
from .reading import store_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from ..model import Change
    from ..paths import Places
    from ..systems.base import Store
    from .output import Output


def _told(store: Store, change: Change, output: Output) -> int:
    store.announce()
    output.change(change)
    return EXIT_CODES[change.outcome]


def write(options: argparse.Namespace, places: Places, output: Output) -> int:
    """Create or extend a topic."""
    store = store_of(options, places, output)
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
    return _told(store, store.write(request), output)


def _content(options: argparse.Namespace, output: Output) -> str:
    if options.content is not None:
        return _utf8("--content", options.content)
    if options.file is not None:
        try:
            text = decode(read_bytes(options.file, follow=True), options.file)
        except TopicNotFoundError as error:
            raise InvalidArgumentError(f"{options.file} does not exist.") from error
    else:
        if sys.stdin.isatty():
            output.notice("Type the text; ctrl-d on an empty line ends it.")
        text = decode(sys.stdin.buffer.read(), "standard input")
    # The line end that closes a text file is not part of what was meant.
    return text.removesuffix("\n").removesuffix("\r") if text.endswith("\n") else text


def _utf8(what: str, text: str) -> str:
    """Refuse an argument with bytes that are no UTF-8: the shell passes them as surrogates."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InvalidArgumentError(
            f"{what} is not UTF-8 at character {error.start + 1}; nothing was stored."
        ) from error
    return text


def pin(options: argparse.Namespace, places: Places, output: Output) -> int:
    """Pin a topic."""
    store = store_of(options, places, output)
    return _told(store, store.pin(options.topic, True), output)


def unpin(options: argparse.Namespace, places: Places, output: Output) -> int:
    """Unpin a topic."""
    store = store_of(options, places, output)
    return _told(store, store.pin(options.topic, False), output)


def remove(options: argparse.Namespace, places: Places, output: Output) -> int:
    """Remove a topic."""
    store = store_of(options, places, output)
    return _told(store, store.remove(options.topic), output)


def edit(options: argparse.Namespace, places: Places, output: Output) -> int:
    """Edit a topic in the person's editor and save it, merged with what changed meanwhile."""
    from ..drafts import Draft, edit_in_editor

    store = store_of(options, places, output)
    topic = store.find(options.topic)
    opened = decode(store.read_bytes(topic.file), topic.path)
    draft = Draft.create(places, topic.file, opened)
    text = edit_in_editor(draft, os.environ)
    with draft.kept_on_failure():
        change = store.save(topic.file, opened=opened, text=text, allow_secret=options.allow_secret)
    return _told(store, change, output)
