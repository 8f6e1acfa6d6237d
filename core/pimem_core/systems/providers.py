"""Other extensions of the host that offer what a system does: it stays passive beside them."""

from __future__ import annotations

from . import actions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from typing import Any

    from .actions import Action
    from .hosting import HookContext


def keep_out(
    payload: Mapping[str, Any],
    context: HookContext,
    *,
    who: str,
    tools: Collection[str] = (),
    commands: Collection[str] = (),
) -> list[Action]:
    """Make a system passive for a session in which another extension offers the same.

    Args:
        payload: What the host told at the session's start, with `@tools` and `@commands`.
        context: The system's context; `passive` in its state tells the runner.
        who: Begins the sentence for the person, such as "pimem's layered memory".
        tools: Names of the system's tools.
        commands: Names of its slash commands.

    Returns:
        One notice; nothing where nobody else offers the same.
    """
    kind, other = "tools", _other(payload.get("@tools"), tools)
    if not other:
        kind, other = "commands", _other(payload.get("@commands"), commands)
    if not other:
        return []
    context.state["passive"] = True
    text = (
        f"{who} stays out of this session: {other} offers the same {kind}. "
        "`pimem pi install --take-over` switches it off."
    )
    return [actions.notify(text, "warning")]


def _other(rows: Any, names: Collection[str]) -> str:
    """Whose is the first row that is not ours and has one of the names; empty without one."""
    for row in rows if names and isinstance(rows, list) else ():
        if not isinstance(row, dict) or row.get("own", True):
            continue
        if row.get("kind") not in (None, "tool", "extension"):
            continue  # a prompt or skill of that name takes nothing from ours
        # pi numbers a command that two extensions have: `memory:1`.
        name, _, number = str(row.get("name")).rpartition(":")
        if row.get("name") in names or (number.isdecimal() and name in names):
            return str(row.get("path") or row.get("source") or "another extension")
    return ""
