"""Other extensions of the host that offer what a system does: it stays passive beside them."""

from __future__ import annotations

from . import actions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping
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
    kind = "tools"
    other = _other(payload.get("@tools"), lambda row: row.get("name") in tools)
    if not other:
        kind = "commands"
        other = _other(payload.get("@commands"), lambda row: _has_command(row, commands))
    if not other:
        return []
    context.state["passive"] = True
    text = (
        f"{who} stays out of this session: {other} offers the same {kind}. "
        "`pimem pi install --take-over` switches it off."
    )
    return [actions.notify(text, "warning")]


def _other(rows: Any, is_same: Callable[[Mapping[str, Any]], bool]) -> str:
    """Whose is the first row that is not ours and offers the same; empty without one."""
    for row in rows if isinstance(rows, list) else ():
        if isinstance(row, dict) and not row.get("own", True) and is_same(row):
            return str(row.get("path") or row.get("source") or "another extension")
    return ""


def _has_command(row: Mapping[str, Any], names: Collection[str]) -> bool:
    """Whether a row is an extension's command; a prompt or skill takes nothing from ours."""
    if row.get("kind") == "extension" and row.get("name") in names:
        return True
    # pi numbers a name that two extensions have: `memory:1`.
    name, _, number = str(row.get("name")).rpartition(":")
    return number.isdecimal() and name in names
