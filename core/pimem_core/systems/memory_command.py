"""What the systems' parts of the slash command /memory share."""

from __future__ import annotations

from ..errors import PimemError
from ..formats.text import plural, quote
from . import actions
from .pi_hints import said_in_pi

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from ..search.finding import Found
    from .actions import Action
    from .hosting import HookContext, Part

_MOST_HITS = 20


def refused(error: PimemError) -> list[Action]:
    """Why nothing was done, and what to type instead."""
    return [actions.notify(said_in_pi(error), "warning")]


def found(found: Found, text: str, *, store: str, noun: str, context: HookContext) -> list[Action]:
    """What a search found, best first: in the manager where there is a screen, else as a list.

    Args:
        found: What was found.
        text: What was searched for.
        store: The store that was searched.
        noun: What the system calls a topic.
        context: The session.
    """
    if not len(found):
        return [actions.notify(found.nothing(text))]
    if context.session.mode == "tui":
        return [actions.open_manager(["--store", store, f"--search={text}"])]
    lines = [f"{plural(len(found), noun)} for {quote(text)}:"]
    for hit in found.first(_MOST_HITS):
        where = f"line {hit.line}: {hit.snippet}" if hit.line else hit.topic.summary
        note = f" ({hit.note})" if hit.note else ""
        lines.append(f"  {hit.topic.name} ({hit.topic.file}) {where}{note}")
    if len(found) > _MOST_HITS:
        lines.append(f"  and {len(found) - _MOST_HITS} more")
    return [actions.notify("\n".join(lines))]


def preview(
    given: Callable[[], Sequence[Part]], context: HookContext, *, nothing: str
) -> list[Action]:
    """What the first prompt of a new session is given; `nothing` is said where that is nothing."""
    try:
        parts = given()
    except PimemError as error:
        return refused(error)
    text = "\n\n".join(part.text for part in parts)
    troubles = [actions.notify(said_in_pi(error), "warning") for error in context.troubles]
    return [actions.notify(text or nothing), *troubles]


def status(head: Iterable[str], notes: Iterable[str]) -> list[Action]:
    """A store's status: its first lines, and a line for each note."""
    return [actions.notify("\n".join([*head, *(f"  - {said_in_pi(note)}" for note in notes)]))]


def words(
    known: Mapping[str, str], prefix: str, *, with_argument: Sequence[str]
) -> list[dict[str, str]]:
    """Completions of the command's first word; those that take an argument end with a space."""
    return [
        {
            "value": f"{name} " if name in with_argument else name,
            "label": name,
            "description": text,
        }
        for name, text in known.items()
        if name.startswith(prefix.lower())
    ]
