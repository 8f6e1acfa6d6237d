"""Where the two layers are, and what their folders are called. Nothing here starts a process."""

from __future__ import annotations

import os

from ...model import Value

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...paths import Places
    from ...settings.config import Settings

INDEX_NAME = "index.md"
INBOX = "inbox"
ARCHIVE = "archive"
STATE = "state"
TASK_FILE = "state/current-task.md"
#: Folders whose files are no memory yet, or none any more.
NOT_MEMORY = frozenset({INBOX, ARCHIVE, STATE})


class Layers(Value):
    """The folders of both layers for one user and working folder.

    `root` is the project. `hindrance` says why the project can have no workspace memory; None
    when it can, whether it has one or not.
    """

    global_dir: str
    root: str
    workspace_dir: str
    hindrance: str | None = None

    @property
    def has_workspace(self) -> bool:
        """Whether the project has a memory: a folder with an index, empty or not."""
        return self.hindrance is None and has_index(self.workspace_dir)

    @property
    def has_global(self) -> bool:
        """Whether the person has a global memory."""
        return has_index(self.global_dir)


def has_index(folder: str) -> bool:
    """Whether a folder is a layer: it has an index of whatever content."""
    return os.path.lexists(os.path.join(folder, INDEX_NAME))


def find_layers(places: Places, settings: Settings) -> Layers:
    """The layers of a user and working folder."""
    global_dir = global_folder(places, settings)
    root = project_root(places.cwd, shared_worktree=settings.layered_worktree == "shared")
    workspace = os.path.join(root, settings.layered_workspace_dir)
    real = os.path.realpath(workspace)
    hindrance = None
    if real == os.path.realpath(global_dir):
        hindrance = (
            f"{workspace} is your global memory; a workspace memory needs a project of its own. "
            "Change to the project's folder first."
        )
    elif real != workspace:
        # What a repository links to must not be read as its own.
        hindrance = (
            f"{workspace} leads through a symbolic link to {real}; put the folder itself there."
        )
    return Layers(global_dir=global_dir, root=root, workspace_dir=workspace, hindrance=hindrance)


def global_folder(places: Places, settings: Settings) -> str:
    """The global layer's folder. A link of the person's own, as dotfiles have, is followed."""
    chosen = settings.layered_global_dir or "~/.pi/memory"
    path = os.path.abspath(places.home + chosen[1:] if chosen.startswith("~/") else chosen)
    return os.path.realpath(path) if os.path.islink(path) else path


def project_root(cwd: str, *, shared_worktree: bool = False) -> str:
    """The root of the git work tree that a folder is in; outside git the folder itself.

    Args:
        cwd: The working folder.
        shared_worktree: For a linked worktree give the main checkout.
    """
    start = folder = os.path.realpath(cwd)
    while True:
        marker = os.path.join(folder, ".git")
        if os.path.isdir(marker):
            if os.path.lexists(os.path.join(marker, "HEAD")):
                return folder
        elif os.path.isfile(marker):
            repository = _git_dir(marker)
            if repository is not None:
                return (_main_checkout(repository) if shared_worktree else None) or folder
        above = os.path.dirname(folder)
        if above == folder:
            return start
        folder = above


def in_git(root: str) -> bool:
    """Whether a project's root is that of a git work tree."""
    return os.path.lexists(os.path.join(root, ".git"))


def _git_dir(marker: str) -> str | None:
    """Where the `.git` file of a linked worktree or submodule leads."""
    text = _first_line(marker)
    if text is None or not text.startswith("gitdir:"):
        return None
    return os.path.join(os.path.dirname(marker), text.removeprefix("gitdir:").strip())


def _main_checkout(repository: str) -> str | None:
    """The main checkout of a linked worktree; None for a submodule or a bare repository."""
    common = _first_line(os.path.join(repository, "commondir"))
    if common is None:
        return None
    path = os.path.realpath(os.path.join(repository, common))
    return os.path.dirname(path) if os.path.basename(path) == ".git" else None


def _first_line(path: str) -> str | None:
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.readline(4096).rstrip("\n")
    except OSError:
        return None


def is_memory_name(name: str) -> bool:
    """Whether a file's own name can be a memory's: Markdown, and no dot file."""
    return name.endswith(".md") and not name.startswith(".") and name != ".md"


def split(file: str) -> tuple[str, str]:
    """A relative path as folder and name; the folder is empty at the root."""
    folder, _, name = file.rpartition("/")
    return folder, name
