"""The slash commands /memory:status, /memory:promote and their like."""

from __future__ import annotations

import shlex

from ...errors import InvalidArgumentError, PimemError
from ...formats.text import plural, quote
from .. import actions
from ..memory_command import refused
from ..pi_hints import said_in_pi
from ..system import GLOBAL, WORKSPACE
from .creating import SCOPES
from .folder import INBOX
from .layer import active_layer
from .store import LayeredStore
from .targets import FOLDERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...model import Change
    from ..actions import Action
    from ..hosting import HookContext
    from ..layers import InboxFile

_USAGE = {
    "init": "/memory:init global or /memory:init workspace",
    "promote": f"/memory:promote <file> <{'|'.join(FOLDERS)}> <target.md>",
}
_COUNTS = {"init": 1, "promote": 3}


def run(name: str, args: str, context: HookContext) -> list[Action]:
    """Run a command with its raw argument; a refusal comes with the way out."""
    store = LayeredStore(active_layer(context.places))
    try:
        words = _words(name, args)
        if name == "status":
            lines = list(store.load_lines())
            if context.session.trusted is False and store.has_workspace:
                lines += ["", "pi does not trust this project, so its memory stays out of prompts."]
            return [actions.notify("\n".join(lines))]
        if name == "list":
            return [actions.notify(_list(store))]
        change = _change(name, words, store)
    except PimemError as error:
        return refused(error)
    store.announce()
    return [actions.notify("\n".join(map(said_in_pi, [change.message, *change.notes])))]


def _words(name: str, args: str) -> list[str]:
    try:
        words = shlex.split(args)
    except ValueError as error:
        raise InvalidArgumentError(f"{args} has an open quote ({error}).") from error
    count = _COUNTS.get(name, 0)
    if len(words) > count:
        rest = " ".join(words[count:])
        usage = _USAGE.get(name, f"/memory:{name} takes nothing behind it")
        raise InvalidArgumentError(f"{quote(rest)} is too much: {usage}.")
    return words


def _change(name: str, words: list[str], store: LayeredStore) -> Change:
    if name == "refresh":
        return store.refresh()
    if name == "checkpoint":
        return store.checkpoint()
    if name == "clear-task":
        return store.clear_task()
    if name == "init":
        return store.init(words[0] if words else "")
    if len(words) < 3:
        waiting = [one.file.removeprefix(f"{INBOX}/") for one in _waiting(store)]
        there = f" In the inbox: {', '.join(waiting)}." if waiting else " The inbox is empty."
        raise InvalidArgumentError(f"Say what goes where: {_USAGE['promote']}.{there}")
    return store.promote(words[0], words[1], words[2])


def _list(store: LayeredStore) -> str:
    row = store.load()
    used = {layer: 0 for layer in (GLOBAL, WORKSPACE)}
    there = dict(used)
    for file in row.files:
        there[file.store] += 1
        used[file.store] += file.injected > 0
    lines = [
        f"{layer.capitalize()}: {plural(there[layer], 'file')}, {used[layer]} used"
        for layer in (GLOBAL, WORKSPACE)
    ]
    total = f"Total: {plural(sum(there.values()), 'file')}, {sum(used.values())} used"
    return " | ".join([*lines, total])


def _waiting(store: LayeredStore) -> list[InboxFile]:
    kinds = [WORKSPACE, GLOBAL] if store.has_workspace else [GLOBAL]
    return [one for kind in kinds for one in store.sibling(kind).inbox()]


def complete(name: str, prefix: str, context: HookContext) -> list[dict[str, str]]:
    """Scopes for init; inbox file, folder and target for promote."""
    try:
        words = shlex.split(prefix)
    except ValueError:
        return []
    if prefix[-1:].isspace() or not prefix:
        words.append("")
    done, begun = words[:-1], words[-1]
    store = LayeredStore(active_layer(context.places))
    try:
        choices = _choices(name, done, store)
    except PimemError:
        return []
    before = "".join(f"{shlex.quote(word)} " for word in done)
    last = len(done) == _COUNTS.get(name, 0) - 1
    return [
        {
            "value": f"{before}{shlex.quote(value)}{'' if last else ' '}",
            "label": value,
            "description": text,
        }
        for value, text in choices
        if value.startswith(begun)
    ]


def _choices(name: str, done: list[str], store: LayeredStore) -> list[tuple[str, str]]:
    if name == "init" and not done:
        return list(zip(SCOPES, ("for all your projects", "for this project"), strict=True))
    if name != "promote":
        return []
    if not done:
        return [
            (
                one.file.removeprefix(f"{INBOX}/"),
                ", ".join(one.sections) if one.filled else "not filled in yet",
            )
            for one in _waiting(store)
        ]
    if len(done) == 1:
        return [
            (folder, about)
            for folder, about in FOLDERS.items()
            if folder != WORKSPACE or store.has_workspace
        ]
    if len(done) == 2 and done[1] in FOLDERS:
        return [
            (target.name, target.about if target.exists else f"new: {target.about}")
            for target in store.targets()
            if target.folder == done[1]
        ]
    return []
