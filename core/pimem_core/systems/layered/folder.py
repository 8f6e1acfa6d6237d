"""Where the two layers are, and what their folders are called. Nothing here starts a process."""

from __future__ import annotations

import functools
import os
import stat

from ...errors import Hint, InvalidArgumentError
from ...files.git_root import root_above
from ...value import Value
from ..system import WORKSPACE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...paths import Places
    from ...settings.config import Settings

SYSTEM = "layered"
INDEX_NAME = "index.md"
INBOX = "inbox"
ARCHIVE = "archive"
STATE = "state"
TASK_FILE = "state/current-task.md"
#: Folders whose files are no memory yet, or none any more.
NOT_MEMORY = frozenset({INBOX, ARCHIVE, STATE})


class Layers(Value):
    """The folders of both layers for one user and working folder.

    `root` is the project. `is_chosen` says that the person named the workspace's folder, which may
    then be anywhere.
    """

    global_dir: str
    root: str
    workspace_dir: str
    is_chosen: bool = False

    @functools.cached_property
    def unusable(self) -> str | None:
        """Why the project can have no workspace memory; None when it can, there or not."""
        if self.is_chosen:
            return None
        # Looked at when somebody asks, since most projects have none; then it stays.
        workspace, real = self.workspace_dir, os.path.realpath(self.workspace_dir)
        if real == os.path.realpath(self.global_dir):
            return (
                f"{workspace} is your global memory; a workspace memory needs a project of its "
                "own. Change to the project's folder first."
            )
        if real != workspace:
            # What a repository links to must not be read as its own.
            return (
                f"{workspace} leads through a symbolic link to {real}; put the folder itself there."
            )
        return None

    @property
    def has_workspace(self) -> bool:
        """Whether the project has a memory: a folder with an index, empty or not."""
        return has_index(self.workspace_dir) and self.unusable is None

    @property
    def has_global(self) -> bool:
        """Whether the person has a global memory."""
        return has_index(self.global_dir)


def has_index(folder: str) -> bool:
    """Whether a folder is a layer: it has an index of whatever content."""
    return os.path.lexists(os.path.join(folder, INDEX_NAME))


def no_workspace(layers: Layers, *, file: str = "") -> InvalidArgumentError:
    """Why something needs a workspace memory that this project does not have."""
    if layers.unusable is not None:
        return InvalidArgumentError(layers.unusable, file=file)
    return InvalidArgumentError(
        "This project has no workspace memory yet.",
        file=file,
        hint=Hint(Hint.INIT, topic=WORKSPACE),
    )


def find_layers(places: Places, settings: Settings) -> Layers:
    """The layers of a user and working folder."""
    global_dir = global_folder(places, settings)
    root = project_root(places.cwd, shared_worktree=settings.layered_worktree == "shared")
    workspace = os.path.join(root, settings.layered_workspace_dir)
    return Layers(global_dir=global_dir, root=root, workspace_dir=workspace)


def global_folder(places: Places, settings: Settings) -> str:
    """The global layer's folder. A link of the person's own, as dotfiles have, is followed."""
    chosen = settings.layered_global_dir or "~/.pi/memory"
    path = os.path.abspath(places.home + chosen[1:] if chosen.startswith("~/") else chosen)
    return os.path.realpath(path) if is_own_link(path) else path


def is_own_link(folder: str) -> bool:
    """Whether a folder is a symbolic link that this user made."""
    try:
        status = os.lstat(folder)
    except OSError:
        return False
    return stat.S_ISLNK(status.st_mode) and status.st_uid == os.geteuid()


def project_root(cwd: str, *, shared_worktree: bool = False) -> str:
    """The root of the git work tree that a folder is in; outside git the folder itself."""
    folder = os.path.realpath(cwd)
    return root_above(folder, shared_worktree=shared_worktree) or folder


def is_memory_name(name: str) -> bool:
    """Whether a file's own name can be a memory's: Markdown, and no dot file."""
    return name.endswith(".md") and not name.startswith(".") and name != ".md"


def split(file: str) -> tuple[str, str]:
    """A relative path as folder and name; the folder is empty at the root."""
    folder, _, name = file.rpartition("/")
    return folder, name
