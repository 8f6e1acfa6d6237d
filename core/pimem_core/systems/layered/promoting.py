"""From the inbox into memory: checkpoints are made, reviewed, and promoted."""

from __future__ import annotations

import os
import re

from ... import secrets
from ...errors import InvalidArgumentError, InvalidTopicError, TopicNotFoundError
from ...files.read import decode
from ...formats.text import encode, plural, quote
from ...paths import tilde
from ...value import Value
from .. import guidelines
from ..layers import GLOBAL, WORKSPACE, InboxFile, Promotion, Target
from . import names, template
from .content import is_placeholder
from .folder import INBOX, INDEX_NAME, has_index
from .lines import appended
from .scan import walk_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...model import Change
    from .changing import Session
    from .reading import LayerReading
    from .store import LayeredStore

#: Where promoted text can go, and what belongs there.
FOLDERS = {
    "workspace": "this project's memory",
    "user": "about you: preferences, style, tools",
    "knowledge": "what holds across projects",
    "facts": "your environment and references",
}
_NO_WORKSPACE = (
    "This project has no workspace memory yet; pimem init workspace (in pi /memory:init workspace) "
    "makes one."
)


def checkpoint(store: LayeredStore) -> Change:
    """Put an empty template into the workspace's inbox."""
    layers = store.layers
    if not layers.has_workspace:
        raise InvalidArgumentError(layers.hindrance or _NO_WORKSPACE)
    with store.session() as session:
        base = f"checkpoint-{session.moment:%Y-%m-%dT%H-%M-%S}"
        file, number = f"{INBOX}/{base}.md", 2
        while os.path.lexists(os.path.join(store.path, file)):
            file, number = f"{INBOX}/{base}-{number}.md", number + 1
        path = os.path.join(store.path, file)
        text = template.checkpoint(f"{session.moment:%Y-%m-%d}")
        session.read(path)
        step = session.step(path, None, text.encode(), kind=WORKSPACE, decides=True)
        session.commit("write", file, file, [step])
        session.notes.append(guidelines.DISTILL)
        return session.change(
            "created",
            file,
            file,
            f"Created {tilde(path, store.places.home)}. Fill it in, then promote it: "
            f"pimem promote {os.path.basename(file)} workspace decisions.md.",
        )


def inbox(store: LayerReading) -> list[InboxFile]:
    """What waits in a layer's inbox; a file that cannot be read is shown without text."""
    found = []
    for one in walk_folder(store.path, INBOX, store.shown()):
        text = store.text_of(one)
        found.append(
            InboxFile(
                store=store.name,
                file=one.file,
                path=one.path,
                text=text,
                filled=template.is_filled(text),
                sections=template.filled_sections(text),
            )
        )
    return found


class Plan(Value):
    """A promotion with what the session needs to carry it out."""

    shown: Promotion
    source_store: LayeredStore
    source_path: str
    source_before: bytes
    source_after: bytes | None
    target_kind: str
    target_before: bytes | None


def plan(
    store: LayeredStore,
    session: Session | None,
    file: str,
    folder: str,
    target: str,
    sections: Sequence[str] | None,
) -> Plan:
    """Work out a promotion; under a session with what the disk holds then."""
    name = names.inbox_name(file)
    kind, target_store, target_file = _target(store, folder, target)
    source = _source(store, name)
    source_path = os.path.join(source.path, INBOX, name)
    target_path = os.path.join(target_store.path, target_file)
    source_before = source.bytes_at(source_path)
    assert source_before is not None
    text = decode(source_before, source_path)
    chosen = _chosen(text, sections, name)
    body = template.promoted(text, chosen)
    if not template.is_filled(text) or not body.strip():
        raise InvalidTopicError(
            f"{source_path} holds nothing but the empty template; fill it in first: pimem edit "
            f"{INBOX}/{name} --store {source.name}.",
            file=f"{INBOX}/{name}",
        )
    if os.path.exists(target_path) and os.path.samefile(source_path, target_path):
        raise InvalidTopicError(
            f"{target_path} is the same file as {source_path}; choose another target.",
            file=target_file,
        )
    target_before = target_store.bytes_at(target_path)
    before = None if target_before is None else decode(target_before, target_path)
    day = f"{store.moment(session):%Y-%m-%d}"
    added = f"## {day} Promoted from {INBOX}/{name}\n\n{body}"
    kept = "" if before is None or is_placeholder(before) else before
    left = template.without(text, chosen) if chosen is not None else None
    if left is not None and not template.is_filled(left):
        left = None
    return Plan(
        shown=Promotion(
            source=f"{INBOX}/{name}",
            store=target_store.name,
            file=target_file,
            path=target_path,
            before=before,
            after=appended(kept, added),
            added=added,
            left=left,
        ),
        source_store=source,
        source_path=source_path,
        source_before=source_before,
        source_after=None if left is None else encode(left),
        target_kind=kind,
        target_before=target_before,
    )


def _chosen(text: str, sections: Sequence[str] | None, name: str) -> Sequence[str] | None:
    if sections is None:
        return None
    there = template.filled_sections(text)
    for section in sections:
        if section not in there:
            raise InvalidArgumentError(
                f"{INBOX}/{name} has no filled section {quote(section)}; there are: "
                f"{', '.join(there) or 'none'}.",
                file=f"{INBOX}/{name}",
            )
    return sections


def _target(store: LayeredStore, folder: str, target: str) -> tuple[str, LayeredStore, str]:
    """The layer, store and relative path that are meant."""
    if folder not in FOLDERS:
        choices = "; ".join(f"{name} ({about})" for name, about in FOLDERS.items())
        raise InvalidArgumentError(
            f"There is no target {quote(folder)}; there are {choices}.", file=folder
        )
    name = names.target_name(target)
    if folder == WORKSPACE:
        if not store.layers.has_workspace:
            raise InvalidArgumentError(store.layers.hindrance or _NO_WORKSPACE, file=target)
        return WORKSPACE, store.sibling(WORKSPACE), name
    return GLOBAL, store.sibling(GLOBAL), f"{folder}/{name}"


def _source(store: LayeredStore, name: str) -> LayeredStore:
    """The layer in whose inbox a file is, this store's own first."""
    order = [WORKSPACE, GLOBAL] if store.kind == WORKSPACE else [GLOBAL, WORKSPACE]
    waiting: list[str] = []
    for kind in order:
        if kind == WORKSPACE and not store.layers.has_workspace:
            continue
        layer = store.sibling(kind)
        if layer.bytes_at(os.path.join(layer.path, INBOX, name)) is not None:
            return layer
        waiting += [found.file for found in walk_folder(layer.path, INBOX, layer.shown())]
    there = f"there {'is' if len(waiting) == 1 else 'are'}: {', '.join(waiting)}."
    raise TopicNotFoundError(
        f"{name} is not in the inbox; "
        + (there if waiting else "it is empty, and pimem checkpoint puts a file there."),
        name=name,
        file=f"{INBOX}/{name}",
    )


def promote(
    store: LayeredStore,
    file: str,
    folder: str,
    target: str,
    *,
    sections: Sequence[str] | None,
    allow_secret: bool,
) -> Change:
    """Append to the target and take the text out of the inbox, in one step."""
    wanted = plan(store, None, file, folder, target, sections)
    if not allow_secret:
        known = wanted.shown.before or ""
        secrets.refuse(store.places, wanted.shown.after, known=known, file=wanted.shown.file)
    with wanted.source_store.session() as session:
        again = plan(store, session, file, folder, target, sections)
        if not allow_secret and again.source_before != wanted.source_before:
            secrets.refuse(store.places, again.shown.added, file=again.shown.file)
        wanted = again
        shown = wanted.shown
        session.read(shown.path)
        steps = [
            session.step(
                shown.path,
                wanted.target_before,
                encode(shown.after),
                kind=wanted.target_kind,
                decides=True,
            ),
            session.step(
                wanted.source_path,
                wanted.source_before,
                wanted.source_after,
                kind=wanted.source_store.kind,
            ),
        ]
        session.commit("promote", shown.file, shown.file, steps)
        session.notes += _notes(store, wanted)
        said = f"Promoted {shown.source} to {shown.path}."
        if shown.left is not None:
            rest = template.filled_sections(shown.left)
            said = (
                f"Promoted {plural(len(sections or ()), 'section')} of {shown.source} to "
                f"{shown.path}; {', '.join(rest) or 'the rest'} stays in the inbox."
            )
        change = session.change("promoted", shown.file, shown.file, said)
        return change.but(store=shown.store)


def _notes(store: LayeredStore, done: Plan) -> list[str]:
    said = []
    folder, _, name = done.shown.file.rpartition("/")
    if done.target_kind == GLOBAL:
        if folder not in store.settings.layered_always_inject:
            said.append(
                f"{folder}/ is not given to the model; name it in always_inject under [layered] in "
                "config.toml for that."
            )
        layers = store.layers
        hides = layers.has_workspace and _hiding(store, name)
        if hides:
            said.append(f"In this project {hides} of the workspace hides it.")
        if not has_index(done.shown.path[: -len(done.shown.file) - 1]):
            said.append("There is no global memory yet; pimem init global makes the rest of it.")
    return said


def _hiding(store: LayeredStore, name: str) -> str | None:
    workspace = store.sibling(WORKSPACE)
    for found in workspace.walk().found:
        if re.search(rf"(?:^|/){re.escape(name)}\Z", found.file):
            return found.file
    return None


def all_targets(store: LayeredStore) -> list[Target]:
    """Where text can be promoted to, folder by folder: what is there, then what is usual."""
    has_workspace = store.layers.has_workspace
    return [
        target
        for folder in FOLDERS
        if folder != WORKSPACE or has_workspace
        for target in _targets(store, folder)
    ]


def _targets(store: LayeredStore, folder: str) -> list[Target]:
    kind = WORKSPACE if folder == WORKSPACE else GLOBAL
    below = "" if folder == WORKSPACE else folder
    there = [
        found.file.rpartition("/")[2]
        for found in store.sibling(kind).walk().found
        if found.file.rpartition("/")[0] == below and found.file != INDEX_NAME
    ]
    usual = [name for name in guidelines.FILES if (name == "preferences.md") == (folder == "user")]
    usual = [] if folder == "facts" else usual
    return [
        Target(
            store=kind,
            folder=folder,
            name=name,
            about=guidelines.FILES.get(name, ""),
            exists=name in there,
        )
        for name in [*there, *(name for name in usual if name not in there)]
    ]


def targets(store: LayeredStore, folder: str) -> list[tuple[str, str]]:
    """The files that text can be promoted to in a folder, with a word each."""
    return [
        (target.name, target.about if target.exists else f"new: {target.about}")
        for target in _targets(store, folder)
    ]
