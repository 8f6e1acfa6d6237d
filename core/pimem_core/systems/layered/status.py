"""What status says about a layer, and what the next prompt gets of both."""

from __future__ import annotations

import contextlib
import os

from ...errors import Hint, Note, PimemError
from ...formats.text import plural
from ...model import StoreStatus
from ...settings import trust
from ..layers import CUT, LEFT_OUT, NOT_AGREED, LoadedFile, LoadStatus
from ..system import GLOBAL, WORKSPACE
from . import injection
from .folder import INBOX, INDEX_NAME, SYSTEM, TASK_FILE, has_index
from .loading import load
from .pending import lock_path
from .scan import Cache, walk_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from .injection import Block
    from .layer import Layer
    from .loading import Loaded
    from .scan import MemoryFile

_WRITERS = {GLOBAL: ("your editor",), WORKSPACE: ("your editor", "git")}
_MOST_NAMED = 5


def status(layer: Layer) -> StoreStatus:
    """What is known of a layer; what stands in the way of reading it is a note."""
    from ...files.holder import own_lock_holder

    exists = os.path.isdir(layer.path)
    count, size, changed = 0, 0, None
    notes: list[str] = []
    try:
        seen = layer.walk()
        count = len(seen.found)
        for found in seen.found:
            if found.status is not None:
                size += found.status.st_size
                changed = max(changed or 0.0, found.status.st_mtime)
        notes += [said for _file, said in seen.broken]
        notes += [*seen.problems, *seen.ignored]
        notes += _notes(layer) if exists else []
    except PimemError as error:
        notes.append(str(error))
    has = has_index(layer.path)
    return StoreStatus(
        store=layer.name,
        system=SYSTEM,
        path=layer.path,
        exists=exists,
        active=has and layer.settings.systems.get(SYSTEM, "auto") != "off",
        count=count,
        size_bytes=size,
        changed=changed,
        writers=_WRITERS[layer.kind],
        lock=own_lock_holder(lock_path(layer.places)),
        format=SYSTEM if has else None,
        notes=notes,
    )


def _notes(layer: Layer) -> list[str]:
    said = []
    layers = layer.layers
    if layer.shown():
        said.append("A change was interrupted; the next change or start of the manager repairs it.")
    if not has_index(layer.path):
        said.append(
            Note("There is no index.md, so it is not used.", Hint(Hint.INIT, topic=layer.kind))
        )
    waiting = len(walk_folder(layer.path, INBOX, layer.shown()))
    if waiting:
        said.append(f"{plural(waiting, 'file')} in the inbox to review and promote.")
    if layer.kind == WORKSPACE:
        said += _trust_notes(layer)
    elif layers.unusable is not None and os.path.islink(layers.workspace_dir):
        said.append(layers.unusable)
    found = _loaded(layer)
    block = injection.build(found, layer.settings)
    for part in block.parts:
        if part.name == layer.kind and part.dropped:
            said.append(
                f"Not all of {_named(part.dropped)} fits into a prompt; shorten or archive "
                "something, or raise the limits under [layered] in config.toml."
            )
    if layer.kind == GLOBAL and found.hidden:
        hidden = [f.file for f in found.global_files if f.path in found.hidden]
        said.append(f"The workspace's files of the same name hide {_named(hidden)}.")
    return [*said, *_git_notes(layer)]


def _named(files: Sequence[str]) -> str:
    more = f" and {len(files) - _MOST_NAMED} more" if len(files) > _MOST_NAMED else ""
    return ", ".join(files[:_MOST_NAMED]) + more


def _trust_notes(layer: Layer) -> list[str]:
    agreed = trust.answer(layer.places, layer.layers.root)
    if agreed:
        return []
    if agreed is False:
        return [Note("You said no to its use in prompts.", Hint(Hint.AGREE, topic=WORKSPACE))]
    return [
        Note(
            "It is not used in prompts until you agree; pi asks once.",
            Hint(Hint.AGREE, topic=WORKSPACE),
        )
    ]


def _git_notes(layer: Layer) -> list[str]:
    seen = layer.git_state()
    if seen is None:
        return []
    said = []
    if seen.ignored:
        said.append("git ignores this folder.")
    if seen.changed:
        said.append(f"Changed since the last commit: {_named(seen.changed)}.")
    if seen.untracked:
        said.append(f"Not tracked by git: {_named(seen.untracked)}.")
    return said


def _loaded(layer: Layer) -> Loaded:
    settings, layers = layer.settings, layer.layers
    agreed = trust.answer(layer.places, layers.root) is True
    cache = Cache(settings.layered_max_file_chars)
    return load(cache, layers, settings, layer.shown(), with_workspace=agreed)


def load_status(layer: Layer) -> LoadStatus:
    """Which files the next prompt gets, how much of each, and why not all."""
    settings, layers = layer.settings, layer.layers
    agreed = trust.answer(layer.places, layers.root)
    found = _loaded(layer)
    block = injection.build(found, settings)
    files = [_row(file, found, block) for file in found.global_files]
    withheld: Sequence[MemoryFile] = found.workspace
    if layers.has_workspace and not agreed:
        cache = Cache(settings.layered_max_file_chars)
        withheld = load(cache, layers, settings, layer.shown(), with_workspace=True).workspace
    files += [
        _row(file, found, block) if agreed else _row(file, found, block, NOT_AGREED)
        for file in withheld
    ]
    waiting = []
    folders = [layers.workspace_dir] if layers.has_workspace else []
    for folder in (*folders, layers.global_dir):
        with contextlib.suppress(PimemError):
            waiting += [one.path for one in walk_folder(folder, INBOX, layer.shown())]
    return LoadStatus(
        global_path=layers.global_dir,
        workspace_path=layers.workspace_dir if layers.has_workspace else None,
        max_total=settings.layered_max_total_chars,
        max_file=settings.layered_max_file_chars,
        total=block.chars,
        task=_row(found.task, found, block) if found.task is not None else None,
        task_file=TASK_FILE,
        files=files,
        inbox=waiting,
        agreed=agreed,
        problems=found.problems,
    )


def _row(file: MemoryFile, found: Loaded, block: Block, note: str | None = None) -> LoadedFile:
    injected = block.shown.get(file.path, 0)
    hidden = found.hidden.get(file.path)
    if note is None and hidden is None:
        if file.problem is not None:
            note = file.problem
        elif not file.counts:
            note = "lists files only" if file.name == INDEX_NAME else "says nothing yet"
        elif injected == 0:
            note = LEFT_OUT
        elif injected < file.chars:
            note = CUT
    return LoadedFile(
        store=GLOBAL if file.layer == "state" else file.layer,
        file=file.file,
        path=file.path,
        chars=file.chars,
        injected=injected,
        hidden_by=hidden,
        note=note,
    )


def load_lines(row: LoadStatus) -> list[str]:
    """The load status as lines for people."""
    lines = [
        f"Limits:    {row.max_total:,} characters in all, {row.max_file:,} for each file",
        f"Global:    {row.global_path}",
        f"Workspace: {row.workspace_path or 'none yet'}",
        f"Loaded:    {plural(sum(f.injected > 0 for f in row.files), 'file')}, "
        f"{row.total:,} characters with all that is around them",
    ]
    if row.task is None:
        lines.append("State:     (empty)")
    else:
        lines.append(f"State:     {row.task.file} ({row.task.injected:,}/{row.task.chars:,} chars)")
    if row.inbox:
        lines.append(f"Inbox:     {plural(len(row.inbox), 'file')} to review and promote")
    if row.workspace_path is not None and not row.agreed:
        why = "you said no" if row.agreed is False else "you have not agreed yet"
        lines.append(f"Not used:  the workspace; {why}")
    if row.files:
        lines += ["", "Files:"]
    for file in row.files:
        mark = "[G]" if file.store == GLOBAL else "[W]"
        why = f", hidden by {file.hidden_by}" if file.hidden_by else ""
        why += f", {file.note}" if file.note else ""
        lines.append(f"  {mark} {file.file} ({file.injected:,}/{file.chars:,} chars{why})")
    lines += [f"  ! {problem}" for problem in row.problems]
    return lines
