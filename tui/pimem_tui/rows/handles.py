"""What a row of the list stands for, which may be gone by now."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from pimem_core.errors import AmbiguousTopicError, InvalidTopicError, TopicNotFoundError
from pimem_core.systems.stores import FolderStore, supporting

if TYPE_CHECKING:
    from pimem_core.model import Document, Topic
    from pimem_core.systems.stores import Store


def refuse_gone(store: Store, topic: Topic) -> None:
    """Refuse to change a topic that is gone.

    A store takes a name for a part of another one's where nothing has it; a row means its own file.

    Raises:
        TopicNotFoundError: It is gone.
    """
    with contextlib.suppress(AmbiguousTopicError):
        if store.find(topic.file).file == topic.file:
            return
    raise TopicNotFoundError(f"“{topic.name}” is not in this store any more.", name=topic.name)


def to_edit(store: Store, file: str, remove_key: str) -> Document:
    """A topic as it is opened to be edited.

    Args:
        store: Where it is.
        file: Its file.
        remove_key: The key that removes a topic, for a line whose file is missing.

    Raises:
        ReadOnlyFormatError: The store is in another program's format.
        TopicNotFoundError: The file is gone.
        InvalidTopicError: It is not UTF-8: saving would write other bytes than it has.
    """
    store.refuse_changes()
    try:
        document = store.read(file)
    except TopicNotFoundError as error:
        if any(topic.file == file and topic.problem for topic in store.list()):
            reason = f"{error} {remove_key} takes its line out of the index."
            raise TopicNotFoundError(reason, file=file) from error
        raise
    if "\ufffd" in document.text and "\ufffd".encode() not in supporting(
        store, FolderStore
    ).read_bytes(file):
        raise InvalidTopicError(f"{document.path} is not UTF-8, so it cannot be edited.", file=file)
    return document
