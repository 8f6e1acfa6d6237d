"""What the files of a layer may be called."""

from __future__ import annotations

import re

from ...errors import Hint, InvalidArgumentError, InvalidTopicError
from ...formats.text import quote
from ..system import GLOBAL
from .folder import INDEX_NAME, NOT_MEMORY, TASK_FILE, is_memory_name, split

_CONTROL = r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]"
_NAME_BYTES = 255 - len(".tmp-4194304-0123456789")


def is_file(file: str) -> bool:
    """Whether a relative path can name a file of a layer: at its root or one level down."""
    parts = file.split("/")
    return (
        len(parts) <= 2
        and all(part and part not in (".", "..") and not part.startswith(".") for part in parts)
        and is_memory_name(parts[-1])
        and "\0" not in file
    )


def new_file(topic: str) -> str:
    """The relative path of a file to be written; `.md` may be left out.

    Raises:
        InvalidTopicError: It is none that a memory can have; the message says why.
    """
    file = topic.strip().removeprefix("./")
    if file and not file.endswith(".md"):
        file += ".md"
    folder, name = split(file)
    if not is_file(file) or re.search(_CONTROL, file) or "\\" in file:
        raise InvalidTopicError(
            f"{quote(topic)} is not a path of a memory file: name a .md file, or one in a folder, "
            "such as decisions.md or knowledge/decisions.md.",
            name=topic,
        )
    if len(name.encode()) > _NAME_BYTES:
        raise InvalidTopicError(f"The name is too long; {_NAME_BYTES} bytes fit.", name=topic)
    if file == TASK_FILE:
        raise InvalidTopicError(
            f"{TASK_FILE} is the task state, not a list of entries.",
            name=topic,
            file=file,
            hint=Hint(Hint.EDIT, topic=TASK_FILE, store=GLOBAL),
        )
    if folder in NOT_MEMORY:
        raise InvalidTopicError(
            f"{folder}/ is not memory; choose another folder, or checkpoint and promote.",
            name=topic,
            file=file,
        )
    return file


def inbox_name(file: str) -> str:
    """The name of an inbox file that is meant, with or without `inbox/`.

    Raises:
        InvalidArgumentError: It leads out of the inbox, or is no Markdown file.
    """
    name = file.strip().removeprefix("./").removeprefix("inbox/")
    if name and not name.endswith(".md"):
        name += ".md"
    if "/" in name or "\\" in name or not is_file(name) or re.search(_CONTROL, name):
        raise InvalidArgumentError(
            f"{quote(file)} is not in the inbox; name one such as "
            "checkpoint-2026-07-21T16-30-00.md.",
            file=file,
        )
    return name


def target_name(target: str) -> str:
    """The name of the file that promoted text goes to.

    Raises:
        InvalidArgumentError: It leads elsewhere, is an index, or no plain `.md` name.
    """
    name = target.strip()
    if "/" in name or "\\" in name or not is_file(name) or re.search(_CONTROL, name):
        raise InvalidArgumentError(
            f"{quote(target)} is not a plain file name; name one such as decisions.md.",
            file=target,
        )
    if name.lower() == INDEX_NAME:
        raise InvalidArgumentError(
            f"{INDEX_NAME} lists files and holds no memories; name one such as decisions.md.",
            file=target,
        )
    if len(name.encode()) > _NAME_BYTES:
        raise InvalidArgumentError(f"The name is too long; {_NAME_BYTES} bytes fit.", file=target)
    return name
