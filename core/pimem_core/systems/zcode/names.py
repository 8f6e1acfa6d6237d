"""What may be stored: names, types, descriptions, titles, and the paths that are written to."""

from __future__ import annotations

import os
import re
import unicodedata

from ...errors import InvalidArgumentError, InvalidTopicError
from ...files.publish import refuse_linked_folder, refuse_others_link
from ...formats.text import one_line, quote, trim
from .facts import TYPES

_SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_LONGEST = 64
_CODE_SPAN = re.compile(r"(`+)(?!`)(?:.*?[^`])?\1(?!`)")
_LINE_BREAK = re.compile(r"[\r\n\u0085\u2028\u2029]")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
_INVISIBLE = re.compile(r"[\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
#: Folders that ZCode writes nothing into, for safety, whatever stands there.
REFUSED = frozenset(
    {
        ".git",
        "hooks",
        ".husky",
        ".githooks",
        "node_modules",
        ".vscode",
        ".idea",
        "head",
        "config",
        "objects",
        "refs",
        ".claude",
        ".zcode",
        "skills",
        "commands",
        "agents",
        ".cargo",
        ".devcontainer",
        ".yarn",
        ".mvn",
    }
)


def is_slug(name: str) -> bool:
    """Whether a name has the form of new facts' names."""
    return len(name) <= _LONGEST and _SLUG.fullmatch(name) is not None


def check_name(name: object) -> str:
    """The name of a new fact.

    Raises:
        InvalidArgumentError: It is not a slug, or a refused one; the message suggests another.
        InvalidTopicError: It is the index's own.
    """
    if not isinstance(name, str):
        raise InvalidArgumentError("name is missing or not a text.")
    if not is_slug(name):
        near = _suggestion(name)
        advice = f"; for example {quote(near)}" if near else ""
        raise InvalidArgumentError(
            f"name {quote(name[:200])} is not a slug: 1 to {_LONGEST} of a-z, 0-9 and single "
            f"hyphens between them{advice}.",
            name=name,
        )
    if name == "memory":
        raise InvalidTopicError(
            'name "memory" would take the index\'s own file where case does not count; '
            "choose another.",
            name=name,
        )
    if name in REFUSED:
        raise InvalidArgumentError(
            f"name {quote(name)} is one that ZCode refuses to write; "
            f"for example {quote(name + '-notes')}.",
            name=name,
        )
    return name


def _suggestion(name: str) -> str:
    plain = unicodedata.normalize("NFKD", name.removesuffix(".md"))
    plain = "".join(c for c in plain if not unicodedata.combining(c)).lower()
    near = re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:_LONGEST].strip("-")
    if near == "memory" or near in REFUSED:
        near += "-notes"
    return near


def check_description(description: object) -> str:
    """A description as it will be stored: one line.

    Raises:
        InvalidArgumentError: It is not a text, blank, or more than a line.
    """
    return _checked("description", description)


def check_title(title: object) -> str:
    """A title as it will be stored: one line, without the brackets that end it in the index.

    Raises:
        InvalidArgumentError: It is not a text, blank, or more than a line.
    """
    made = as_title(_checked("title", title))
    if not made:
        raise InvalidArgumentError("title has no letter that an index line can carry.")
    return made


def _checked(field: str, value: object) -> str:
    if not isinstance(value, str):
        raise InvalidArgumentError(f"{field} is missing or not a text.")
    if _LINE_BREAK.search(trim(value)):
        raise InvalidArgumentError(
            f"{field} has a line break; it must be one line, for it becomes one of the index."
        )
    control = _CONTROL.search(value)
    if control is not None:
        raise InvalidArgumentError(
            f"{field} has the control character U+{ord(control.group()):04X}; leave it out."
        )
    text = one_line(value)
    if not text:
        raise InvalidArgumentError(f"{field} is blank; say in one line what the fact is.")
    return text


def as_title(text: str) -> str:
    """A text as an index line can carry it between brackets; it may be left blank.

    Nothing in it may open a comment or a span of code that would swallow the link.
    """
    title = re.sub(r"[\[\]\x00-\x1f\x7f-\x9f]", " ", text).replace("<!--", "<! --")
    if "`" in _CODE_SPAN.sub("", title):
        title = title.replace("`", "'")
    return one_line(title).rstrip("\\ ")


def check_type(type_: object) -> str:
    """A fact's type.

    Raises:
        InvalidArgumentError: It is none of the four.
    """
    if not isinstance(type_, str) or type_ not in TYPES:
        given = quote(type_) if isinstance(type_, str) else "missing"
        raise InvalidArgumentError(f"type is {given}; it must be one of {', '.join(TYPES)}.")
    return type_


def check_content(content: object) -> str:
    """Refuse anything but a text.

    Raises:
        InvalidArgumentError: It is none.
    """
    if not isinstance(content, str):
        raise InvalidArgumentError("content is missing or not a text.")
    return content


def refuse_path(root: str, file: str) -> None:
    """Refuse to write to a path below the root that ZCode refuses, or that a link leads to.

    Raises:
        InvalidArgumentError: A part of it is a refused name.
        StorageError: One of the folders is a symbolic link; the message has the real path. The root
            may be one of this user.
    """
    for part in file.split("/"):
        plain = _INVISIBLE.sub("", part).lower().split(":", 1)[0].rstrip(". ")
        if plain in REFUSED:
            raise InvalidArgumentError(
                f"{file} is below {quote(part)}, where ZCode writes nothing; neither does pimem.",
                file=file,
            )
    folder = root
    refuse_others_link(folder)
    for part in file.split("/")[:-1]:
        folder = os.path.join(folder, part)
        refuse_linked_folder(folder)
