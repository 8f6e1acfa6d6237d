"""From the inbox into memory: checkpoints are made, reviewed, and promoted."""

from __future__ import annotations

import os
import re

from ... import secrets
from ...clock import now
from ...errors import Hint, InvalidArgumentError, InvalidTopicError, Note, TopicNotFoundError
from ...files.read import decode
from ...formats.text import encode, plural, quote
from ...value import Value
from ..layers import Promotion
from ..system import GLOBAL, WORKSPACE
from . import names, template
from .changes import Session, changing
from .content import is_placeholder
from .folder import INBOX, has_index, no_workspace
from .lines import appended
from .scan import walk_folder
from .targets import FOLDERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...model import Change
    from .layer import Layer


class Plan(Value):
    """A promotion with what the session needs to carry it out."""

    shown: Promotion
    source_layer: Layer
    source_path: str
    source_before: bytes
    source_after: bytes | None
    target_kind: str
    target_before: bytes | None


def plan(
    layer: Layer,
    session: Session | None,
    file: str,
    folder: str,
    target: str,
    sections: Sequence[str] | None,
) -> Plan:
    """Work out a promotion; under a session with what the disk holds then."""
    name = names.inbox_name(file)
    kind, target_layer, target_file = _target(layer, folder, target)
    source = _source(layer, name)
    source_path = os.path.join(source.path, INBOX, name)
    target_path = os.path.join(target_layer.path, target_file)
    source_before = source.bytes_at(source_path)
    assert source_before is not None
    text = decode(source_before, source_path)
    chosen = _chosen(text, sections, name)
    body = template.promoted(text, chosen)
    if not template.is_filled(text) or not body.strip():
        raise InvalidTopicError(
            f"{source_path} holds nothing but the empty template; fill it in first.",
            file=f"{INBOX}/{name}",
            hint=Hint(Hint.EDIT, topic=f"{INBOX}/{name}", store=source.name),
        )
    if os.path.exists(target_path) and os.path.samefile(source_path, target_path):
        raise InvalidTopicError(
            f"{target_path} is the same file as {source_path}; choose another target.",
            file=target_file,
        )
    target_before = target_layer.bytes_at(target_path)
    before = None if target_before is None else decode(target_before, target_path)
    day = f"{(session.moment if session is not None else now()):%Y-%m-%d}"
    added = f"## {day} Promoted from {INBOX}/{name}\n\n{body}"
    kept = "" if before is None or is_placeholder(before) else before
    left = template.without(text, chosen) if chosen is not None else None
    if left is not None and not template.is_filled(left):
        left = None
    return Plan(
        shown=Promotion(
            source=f"{INBOX}/{name}",
            store=target_layer.name,
            file=target_file,
            path=target_path,
            before=before,
            after=appended(kept, added),
            added=added,
            left=left,
        ),
        source_layer=source,
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


def _target(layer: Layer, folder: str, target: str) -> tuple[str, Layer, str]:
    """The kind of layer, the layer and the relative path that are meant."""
    if folder not in FOLDERS:
        choices = "; ".join(f"{name} ({about})" for name, about in FOLDERS.items())
        raise InvalidArgumentError(
            f"Unknown target {quote(folder)}; there are {choices}.", file=folder
        )
    name = names.target_name(target)
    if folder == WORKSPACE:
        if not layer.layers.has_workspace:
            raise no_workspace(layer.layers, file=target)
        return WORKSPACE, layer.sibling(WORKSPACE), name
    return GLOBAL, layer.sibling(GLOBAL), f"{folder}/{name}"


def _source(layer: Layer, name: str) -> Layer:
    """The layer in whose inbox a file is, this layer's own first."""
    order = [WORKSPACE, GLOBAL] if layer.kind == WORKSPACE else [GLOBAL, WORKSPACE]
    waiting: list[str] = []
    for kind in order:
        if kind == WORKSPACE and not layer.layers.has_workspace:
            continue
        layer = layer.sibling(kind)
        if layer.bytes_at(os.path.join(layer.path, INBOX, name)) is not None:
            return layer
        waiting += [found.file for found in walk_folder(layer.path, INBOX, layer.shown())]
    there = f"there {'is' if len(waiting) == 1 else 'are'}: {', '.join(waiting)}."
    raise TopicNotFoundError(
        f"{name} is not in the inbox; {there if waiting else 'the inbox is empty.'}",
        name=name,
        file=f"{INBOX}/{name}",
        hint=None if waiting else Hint(Hint.CHECKPOINT),
    )


def promote(
    layer: Layer,
    file: str,
    folder: str,
    target: str,
    *,
    sections: Sequence[str] | None,
    allow_secret: bool,
) -> Change:
    """Append to the target and take the text out of the inbox, in one step."""
    wanted = plan(layer, None, file, folder, target, sections)
    if not allow_secret:
        known = wanted.shown.before or ""
        secrets.refuse(
            layer.places,
            wanted.shown.after,
            beside={"file name": wanted.shown.file},
            known=known,
            file=wanted.shown.file,
        )
    with changing(wanted.source_layer) as session:
        again = plan(layer, session, file, folder, target, sections)
        if not allow_secret and again.source_before != wanted.source_before:
            secrets.refuse(layer.places, again.shown.added, file=again.shown.file)
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
                kind=wanted.source_layer.kind,
            ),
        ]
        session.commit("promote", shown.file, shown.file, steps)
        session.notes += _notes(layer, wanted)
        said = f"Promoted {shown.source} to {shown.path}."
        if shown.left is not None:
            rest = template.filled_sections(shown.left)
            said = (
                f"Promoted {plural(len(sections or ()), 'section')} of {shown.source} to "
                f"{shown.path}; {', '.join(rest) or 'the rest'} stays in the inbox."
            )
        change = session.change("promoted", shown.file, shown.file, said)
        return change.but(store=shown.store)


def _notes(layer: Layer, done: Plan) -> list[str]:
    said = []
    folder, _, name = done.shown.file.rpartition("/")
    if done.target_kind == GLOBAL:
        if folder not in layer.settings.layered_always_inject:
            said.append(
                f"{folder}/ is not given to the model; name it in always_inject under [layered] in "
                "config.toml for that."
            )
        layers = layer.layers
        hides = layers.has_workspace and _hiding(layer, name)
        if hides:
            said.append(f"In this project {hides} of the workspace hides it.")
        if not has_index(done.shown.path[: -len(done.shown.file) - 1]):
            said.append(Note("There is no global memory yet.", Hint(Hint.INIT, topic=GLOBAL)))
    return said


def _hiding(layer: Layer, name: str) -> str | None:
    workspace = layer.sibling(WORKSPACE)
    for found in workspace.walk().found:
        if re.search(rf"(?:^|/){re.escape(name)}\Z", found.file):
            return found.file
    return None
