"""Both layers and the task as one memory: what is there, and which file hides which."""

from __future__ import annotations

import os

from ...formats import held_back
from ...value import Value
from ..system import GLOBAL, WORKSPACE
from . import scan
from .folder import INDEX_NAME, TASK_FILE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ...settings.config import Settings
    from .folder import Layers
    from .scan import Cache, MemoryFile, Shown


class Loaded(Value):
    """What was found of a memory.

    `workspace` and `global_files` are all files that were read, `hidden` maps the path of a
    hidden global file to the workspace file that hides it.
    """

    layers: Layers
    task: MemoryFile | None
    workspace: Sequence[MemoryFile]
    global_files: Sequence[MemoryFile]
    hidden: Mapping[str, str]
    problems: Sequence[str]

    @property
    def held(self) -> list[MemoryFile]:
        """The files that are held back, workspace first."""
        return [file for file in (*self.workspace, *self.global_files) if file.held]

    def injected(self, layer: str) -> list[MemoryFile]:
        """The files of a layer that are content and that nothing hides."""
        files = self.workspace if layer == WORKSPACE else self.global_files
        return [file for file in files if file.counts and file.path not in self.hidden]


def load(
    cache: Cache, layers: Layers, settings: Settings, shown: Shown, *, with_workspace: bool
) -> Loaded:
    """Read both layers, or all but the workspace, and merge them.

    A workspace file hides every global file of its name in whatever folder; one that says nothing
    hides nothing, and an index never hides another.
    """
    always = frozenset(settings.layered_always_inject)
    global_files, problems = cache.layer(
        GLOBAL, layers.global_dir, shown, lambda folder: not folder or folder in always
    )
    workspace: list[MemoryFile] = []
    if with_workspace and layers.has_workspace:
        workspace, more = cache.layer(WORKSPACE, layers.workspace_dir, shown, lambda _folder: True)
        problems = [*problems, *more]
    workspace, global_files = _without_copies(workspace), _without_copies(global_files)
    problems = [
        *problems,
        *(f"{f.path} {f.held}, so it is held back." for f in (*workspace, *global_files) if f.held),
    ]
    task = scan.task(layers.global_dir, cache, shown, TASK_FILE)
    if task is not None and task.problem is not None:
        problems = [*problems, task.problem]
    winners: dict[str, str] = {}
    for file in workspace:
        if file.counts and file.name != INDEX_NAME:
            winners.setdefault(file.name, file.file)
    hidden = {
        file.path: winners[file.name]
        for file in global_files
        if file.counts and file.name in winners
    }
    return Loaded(
        layers=layers,
        task=task if task is not None and task.counts else None,
        workspace=workspace,
        global_files=global_files,
        hidden=hidden,
        problems=problems,
    )


def _without_copies(files: Sequence[MemoryFile]) -> list[MemoryFile]:
    """The files of a layer, those held back that a sync program left beside another."""
    there = {file.path for file in files}
    kept = []
    for file in files:
        folder = os.path.dirname(file.path)

        def is_there(name: str, folder: str = folder) -> bool:
            return os.path.join(folder, name) in there

        original = held_back.original_of(folder, file.name, is_there)
        if original is not None:
            file = file.but(counts=False, held=f"is a copy of {original} that a sync program left")
        kept.append(file)
    return kept
