"""The newest handoff for a prompt: once after a session's start, and once after a compaction."""

from __future__ import annotations

import os

from .. import actions
from . import injection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from ...paths import Places
    from ..actions import Action
    from ..hosting import HookContext, Part
    from .config import Config

_MESSAGE = "pimem-handoff"
#: Whether the message is in front of the model, as the host tells.
IN_TAIL = f"@tail_has:{_MESSAGE}"


def as_message(context: HookContext, settings: Config) -> list[Action]:
    """The newest handoff as a hidden message, unless this session has had it."""
    part = take(context, settings)
    if part is None:
        return []
    context.state["told"] = True
    return [actions.message(_MESSAGE, part.text)]


def follow_branch(payload: Mapping[str, Any], context: HookContext) -> None:
    """Take the session for where it stands: the person may have gone to another branch of it.

    A message that the branch does not have was not seen there.
    """
    if payload.get(IN_TAIL) is False and context.state.get("told"):
        context.state.update(handed="", told=False)


def take(context: HookContext, settings: Config) -> Part | None:
    """The newest handoff, unless this session has had it."""
    if context.state.get("handed") or settings.handoff_keep <= 0:
        return None
    part = newest(context.places)
    if part is not None:
        context.state["handed"] = mark_of(part)
    return part


def mark_of(part: Part) -> str:
    """What distinguishes a handoff from a later one: its heading with the time."""
    start = part.text.find("\n## ") + 1
    return part.text[start : start + 100].split("\n", 1)[0] or "?"


def newest(places: Places) -> Part | None:
    """The newest handoff as it is injected; None when there is none."""
    # Most sessions have none; then nothing of it is loaded.
    paths = (places.agent_dir, os.path.join(places.agent_dir, "memory"))
    if not any(os.path.lexists(os.path.join(path, "HANDOFF.md")) for path in paths):
        return None
    from . import handoff

    return injection.handoff_part(handoff.newest(places))
