"""`.ocl-removed`: topic files that were removed on purpose, so that no tool lists them again."""

from __future__ import annotations

import os

from ...errors import InvalidTopicError, StorageError, TopicNotFoundError
from ...files.read import decode, read_bytes
from .index import is_topic_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

TOMBSTONES_NAME = ".ocl-removed"


def tombstones_path(folder: str) -> str:
    """The list's file in a store."""
    return os.path.join(folder, TOMBSTONES_NAME)


def read(folder: str) -> tuple[bytes | None, list[str]]:
    """The list's bytes, None when it is absent, and its safe names in order.

    Raises:
        StorageError: It cannot be read or is not a regular file.
    """
    path = tombstones_path(folder)
    try:
        data = read_bytes(path)
    except TopicNotFoundError:
        return None, []
    except InvalidTopicError as error:
        raise StorageError(str(error), file=TOMBSTONES_NAME) from error
    names = [name for name in decode(data, path).split("\n") if is_topic_file(name)]
    return data, names


def write(names: Sequence[str]) -> bytes:
    """The list's bytes; an emptied list is an empty file."""
    return "".join(f"{name}\n" for name in names).encode()
