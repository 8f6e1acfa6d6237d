"""What no model is given: copies that sync programs leave beside a file, and unfinished merges."""

from __future__ import annotations

import os
import re

from ..errors import PimemError
from ..files.read import read_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

# Not compiled at import: few names make a prompt ask for them.
# Syncthing; Dropbox, Obsidian, Seafile, Nextcloud and pCloud; ownCloud; Resilio; git mergetool.
_COPY = (
    r"(?i)(?P<stem>.+?)(?:"
    r"\.sync-conflict-\d{8}-\d{6}(?:-\w+)?"
    r"| ?\([^()]*(?:conflict|konflikt|conflit)[^()]*\)"
    r"|_conflict-\d{8}-\d{6}"
    r"|\.conflict"
    r"|_(?:BACKUP|BASE|LOCAL|REMOTE)_\d+"
    r")(?P<ending>\.[^.]+)"
)
# Google Drive and browsers number copies in parentheses, iCloud without; so do people.
_NUMBERED = r"(?P<stem>.+?) (?:\([1-9]\d?\)|[2-9])(?P<ending>\.[^.]+)"
_HEAD_BYTES = 8192
# Both sides and the line between them; a base may stand there too.
_MARKED = r"(?ms)^<{7}(?: [^\n]*)?\r?$.*?^={7}\r?$.*?^>{7}(?: [^\n]*)?\r?$"


def is_unmerged(text: str) -> bool:
    """Whether a text holds two sides of a merge that nobody has decided on."""
    return "<<<<<<<" in text and ">>>>>>>" in text and re.search(_MARKED, text) is not None


def is_copy_name(name: str) -> bool:
    """Whether a file is named as only programs name copies."""
    return re.fullmatch(_COPY, name) is not None


def original_of(folder: str, name: str, is_there: Callable[[str], bool]) -> str | None:
    """The file that another one is a copy of, None when it is none.

    A number at a name's end makes a copy only of what has the same name in its front matter.

    Args:
        folder: The folder of both.
        name: The file.
        is_there: Whether a file of that folder is there.
    """
    stem = name.rpartition(".")[0]
    numbered = stem[-1:].isdigit() and (" " in stem or "_" in stem)
    if not numbered and stem[-1:] != ")" and "onfli" not in stem.lower():
        return None
    copy = re.fullmatch(_COPY, name)
    found = copy or re.fullmatch(_NUMBERED, name)
    if found is None:
        return None
    original = found["stem"] + found["ending"]
    if not is_there(original):
        return None
    if copy is not None or _name(folder, name) == _name(folder, original) != "":
        return original
    return None


def _name(folder: str, file: str) -> str:
    try:
        data = read_bytes(os.path.join(folder, file), limit=_HEAD_BYTES)
    except PimemError:
        return ""
    from . import frontmatter

    return str(frontmatter.read(data.decode("utf-8", "replace")).get("name") or "")
