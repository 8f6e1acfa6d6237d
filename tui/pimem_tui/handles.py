"""What a row of the list stands for, which may be gone by now."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from pimem_core.errors import AmbiguousTopicError, TopicNotFoundError

if TYPE_CHECKING:
    from pimem_core.model import Topic
    from pimem_core.systems.base import Store


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
