"""The newest handoff for a prompt: once after a session's start, and once after a compaction."""

from __future__ import annotations

import os

from .. import actions
from . import injection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...paths import Places
    from ..actions import Action
    from ..hosting import HookContext, Part
    from .config import Config

_MESSAGE = "pimem-handoff"


def as_message(context: HookContext, settings: Config) -> list[Action]:
    """The newest handoff as a hidden message, unless this session has had it."""
    part = take(context, settings)
    return [actions.message(_MESSAGE, part.text)] if part is not None else []


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
