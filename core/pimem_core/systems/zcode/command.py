"""zcode's part of the slash command /memory."""

from __future__ import annotations

from ...errors import PimemError
from ...formats.text import plural
from .. import actions, memory_command
from . import check

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..actions import Action
    from ..hosting import HookContext, Part
    from .store import ZcodeStore

_WORDS = {
    "status": "what the store holds, and what is wrong with it",
    "preview": "what the model is given",
    "reload": "give the model the index once more",
    "search": "find facts: search <text>",
}
#: Forms of other systems, which are not text to store.
_OTHERS = ("pin", "unpin", "remove", "consolidate")


def run(
    args: str, store: ZcodeStore, context: HookContext, given: Callable[[], Sequence[Part]]
) -> list[Action] | None:
    """Run /memory; None for words that belong to another system.

    Args:
        args: What was typed behind it, as it is.
        store: The project's store.
        context: The session.
        given: What the next prompt of a new session is given.
    """
    text = args.strip()
    word, _, rest = text.partition(" ")
    word, rest = word.lower(), rest.strip()
    if not text:
        return [actions.open_manager()] if context.session.mode == "tui" else _status(store)
    if text.lower() == "status":
        return _status(store)
    if text.lower() == "reload":
        context.state["reload"] = True
        return [actions.notify("The next prompt carries the ZCode memory index again.")]
    if text.lower() == "preview":
        return memory_command.preview(given, context, nothing="No ZCode memory index is given.")
    if word == "search":
        return _search(rest, store, context) if rest else None
    if word in _OTHERS:
        return None
    return [actions.send_user_message(_store_request(text))]


def _status(store: ZcodeStore) -> list[Action]:
    status = store.status()
    lines = [f"ZCode memory: {plural(status.count, 'fact')} in {status.path}"]
    if not status.exists:
        lines = [f"ZCode memory: none yet; the first fact makes {status.path}"]
    notes = list(status.notes)
    try:
        view = store.folder.view()
    except PimemError:
        pass  # the status says so already
    else:
        notes += [
            said for said in check.summary(check.findings(store.folder, view)) if said not in notes
        ]
        if not notes and status.exists:
            notes.append("Index and files agree.")
    return memory_command.status(lines, notes)


def _search(text: str, store: ZcodeStore, context: HookContext) -> list[Action]:
    try:
        return memory_command.found(
            store.search(text), text, store=store.name, noun="fact", context=context
        )
    except PimemError as error:
        return memory_command.refused(error)


def _store_request(text: str) -> str:
    return (
        "Save the following to memory with memory_write: choose a name, a one-line description "
        f"and the type that fits.\n\n{text}"
    )


def complete(prefix: str) -> list[dict[str, str]]:
    """The command's words."""
    if " " in prefix:
        return []
    return memory_command.words(_WORDS, prefix, with_argument=("search",))
