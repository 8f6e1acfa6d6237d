"""`HANDOFF.md`: what was going on before a compaction, for the prompt after it."""

from __future__ import annotations

import os
import re

from ...errors import InvalidTopicError, PimemError, StorageError, TopicNotFoundError
from ...files.read import decode, read_bytes
from ...formats.text import SPACE, trim

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from ...paths import Places
    from .config import Config

HANDOFF_NAME = "HANDOFF.md"
_BULLETS = 15
_MESSAGES = 3
_SUMMARY_BYTES = 12_288
_CUT_NOTE = "\n\n<!-- summary truncated: it was longer than 12 KiB -->"
# Not compiled at import: a prompt without a handoff needs none of them.
_UNFINISHED = r"(?ai)\b(?:need to|waiting for|next step|pending|not done|incomplete|unfinished)\b"
_HEADING = f"#{{1,6}}[{SPACE}]"
_MARKER = f"^[-*][{SPACE}]+"
#: Code, or one or two asterisks around text, as CommonMark has it: none beside a space inside or a
#: letter outside.
_EMPHASIS = r"(`[^`]*`)|(?<!\w)(\*{1,2})(?=[^\s*])([^*]*[^\s*])\2(?!\w)"


def decide(config: Config, handoff: str) -> str:
    """What to do after a threshold compaction: `consolidate`, `continue` or `none`.

    Without a setting for it, only explicit words about unfinished work continue.
    """
    if config.consolidate_on_compact:
        return "consolidate"
    if config.auto_resume_after_threshold_compaction or re.search(_UNFINISHED, handoff):
        return "continue"
    return "none"


def handoff_path(places: Places) -> str:
    """The file; it is pi's alone, never shared."""
    return os.path.join(places.agent_dir, HANDOFF_NAME)


def bullets(messages: Sequence[Mapping[str, Any]]) -> list[str]:
    """What the assistant last said, as bullets: the newest 15 lines of its last three messages.

    Headings and fence lines are left out, list markers and emphasis are unwrapped.
    """
    texts = []
    for message in messages:
        if message.get("role") == "assistant" and (text := trim(_text(message.get("content")))):
            texts.append(text)
    found = []
    for text in texts[-_MESSAGES:]:
        for raw in text.split("\n"):
            line = trim(raw)
            if not line or line.startswith("```") or re.match(_HEADING, line):
                continue
            found.append(f"- {re.sub(_EMPHASIS, _unwrapped, re.sub(_MARKER, '', line))}")
    return found[-_BULLETS:]


def _unwrapped(found: re.Match[str]) -> str:
    return found[1] or found[3]


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    parts = [part for part in content if isinstance(part, dict) and part.get("type") == "text"]
    return "".join(str(part.get("text", "")) for part in parts)


def entry(stamp: str, reason: str, body: str) -> str:
    """A section of the file; headings inside it are escaped so that they do not end it."""
    escaped = re.sub(r"^([ \t]*)##(?=[ \t])", r"\1\\##", body, flags=re.MULTILINE)
    return f"## {stamp} ({reason})\n\n{escaped}\n"


def sections(text: str) -> list[str]:
    """The sections of a file, trimmed, oldest first; a preface counts as one."""
    parts = re.split(r"^(?=## )", text.replace("\r\n", "\n"), flags=re.MULTILINE)
    return [part for part in map(trim, parts) if part]


def with_entry(text: str, new: str, keep: float) -> str:
    """The file with a new section, pruned to the newest `keep`, one blank line between."""
    count = max(1, int(keep))
    return "\n\n".join([*sections(text), trim(new)][-count:]) + "\n"


def with_newest_replaced(text: str, new: str, keep: float) -> str:
    """The file with its newest section replaced."""
    count = max(1, int(keep))
    return "\n\n".join([*sections(text)[:-1], trim(new)][-count:]) + "\n"


def consolidation_body(summary: str) -> str:
    """A compaction summary as the body of a section: at most 12 KiB."""
    body = trim(summary)
    data = body.encode("utf-8", "replace")
    if len(data) <= _SUMMARY_BYTES:
        return body
    return data[:_SUMMARY_BYTES].decode("utf-8", "ignore") + _CUT_NOTE


def read_text(places: Places) -> str:
    """The whole file, or its older place inside the store; nothing when there is none.

    Raises:
        StorageError: It is there but cannot be read.
    """
    legacy = os.path.join(places.agent_dir, "memory", HANDOFF_NAME)
    for path in (handoff_path(places), legacy):
        try:
            return decode(read_bytes(path), path)
        except TopicNotFoundError:
            continue
        except InvalidTopicError as error:
            raise StorageError(str(error), file=HANDOFF_NAME) from error
    return ""


def newest(places: Places) -> str:
    """The newest section, or nothing when there is none or it cannot be read."""
    try:
        found = sections(read_text(places))
    except PimemError:
        return ""
    return found[-1] if found else ""
