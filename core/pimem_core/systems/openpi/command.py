"""The slash command /memory."""

from __future__ import annotations

from ...errors import PimemError
from ...formats.text import plural
from .. import actions, memory_command
from . import config
from .compaction import consolidation_prompt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ..actions import Action
    from ..hosting import HookContext, Part
    from .store import OpenpiStore

_WORDS = {
    "status": "what the store holds, and what is wrong with it",
    "preview": "what the model is given",
    "consolidate": "have the model save what is worth keeping",
    "search": "find topics: search <text>",
    "pin": "pin a topic: pin <topic>",
    "unpin": "unpin a topic: unpin <topic>",
    "remove": "take a topic out of the index: remove <topic>",
}
_WITH_ARGUMENT = ("search", "pin", "unpin", "remove")
_REMOVE_KEY = "openpi:remove:"
_YES = "--yes"


def run(
    args: str, store: OpenpiStore, context: HookContext, given: Callable[[], Sequence[Part]]
) -> list[Action] | None:
    """Run /memory; None for words that belong to another system.

    Args:
        args: What was typed behind it, as it is.
        store: The active store.
        context: The session.
        given: What the next prompt of a new session is given.
    """
    text = args.strip()
    word, _, rest = text.partition(" ")
    word, rest = word.lower(), rest.strip()
    if not text:
        return [actions.open_manager()] if context.session.mode == "tui" else _status(store)
    if text.lower() == "reload":
        # Until the person's next prompt the block stays as it is.
        context.state["stale"] = True
        return []
    if text.lower() == "status":
        return _status(store)
    if text.lower() == "preview":
        return memory_command.preview(given, context, nothing="Nothing is injected.")
    if text.lower() == "consolidate":
        settings, _error = config.load(context.places)
        return [actions.send_user_message(consolidation_prompt(settings))]
    if word in _WITH_ARGUMENT:
        if not rest:
            return [actions.notify(f"/memory {word} needs a word after it: {_WORDS[word]}.")]
        try:
            return _with_argument(word, rest, store, context)
        except PimemError as error:
            return memory_command.refused(error)
    return [actions.send_user_message(_store_request(text))]


def _with_argument(word: str, rest: str, store: OpenpiStore, context: HookContext) -> list[Action]:
    if word == "search":
        found = store.search(rest).only(lambda topic: topic.listed)
        return memory_command.found(found, rest, store=store.name, noun="topic", context=context)
    if word == "remove":
        wanted, is_sure = _without_yes(rest)
        topic = store.find(wanted)
        asked = store.removal(topic.file)
        if not is_sure and context.session.mode in ("tui", "rpc"):
            key = _REMOVE_KEY + topic.file
            return [actions.confirm(key, asked.question, asked.goes_and_stays, yes="Remove")]
        if not is_sure:
            text = f"{asked.question} Nothing was removed; /memory remove {wanted} {_YES} does it."
            return [actions.notify(text, "warning")]
        change = store.remove(topic.file)
    else:
        change = store.pin(rest, word == "pin")
    store.announce()
    return [actions.notify(" ".join([change.message, *change.notes]))]


def _without_yes(text: str) -> tuple[str, bool]:
    """The topic, and whether the person has said yes with it."""
    words = text.split()
    if _YES not in (words[:1] + words[-1:]):
        return text, False
    return text.removeprefix(_YES).removesuffix(_YES).strip(), True


def answered(key: str, value: bool | None, store: OpenpiStore) -> list[Action] | None:
    """Remove a topic after the person said yes."""
    if not key.startswith(_REMOVE_KEY):
        return None
    if not value:
        return [] if value is False else [actions.notify("Nothing was removed.", "warning")]
    try:
        change = store.remove(key.removeprefix(_REMOVE_KEY))
    except PimemError as error:
        return memory_command.refused(error)
    store.announce()
    return [actions.notify(change.message)]


def _status(store: OpenpiStore) -> list[Action]:
    status = store.status()
    lines = [f"Memory ({status.store}): {plural(status.count, 'topic')} in {status.path}"]
    if status.lock is not None:
        lines.append(f"  locked since {status.lock.age_s:.0f} s")
    return memory_command.status(lines, status.notes)


def _store_request(text: str) -> str:
    return (
        "Save the following to memory with write_memory: choose a fitting topic, a one-line "
        f"summary, and whether to pin it.\n\n{text}"
    )


def complete(prefix: str, store: OpenpiStore) -> list[dict[str, str]]:
    """The command's words, and after one that takes a topic the topics."""
    word, space, rest = prefix.partition(" ")
    if not space:
        return memory_command.words(_WORDS, word, with_argument=_WITH_ARGUMENT)
    if word.lower() not in ("pin", "unpin", "remove"):
        return []
    wanted = rest.strip().lower()
    try:
        topics = store.list()
    except PimemError:
        return []
    return [
        {"value": f"{word} {topic.file}", "label": topic.name, "description": topic.summary}
        for topic in topics
        if wanted in topic.name.lower() or wanted in topic.file.lower()
        if word.lower() == "remove" or topic.pinned == (word.lower() == "unpin")
    ]
