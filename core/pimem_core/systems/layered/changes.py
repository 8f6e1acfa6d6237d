"""Changing layered memory: one lock for both layers, since promoting changes both.

The lock is in the state folder: nothing else that writes here knows any lock, and a repository
must not get one into its work tree.
"""

from __future__ import annotations

import contextlib
import os
import stat

from ...errors import InvalidTopicError, StorageError, TopicNotFoundError
from ...files.anchor import anchored
from ...files.lock import locked_among_ours
from ...files.publish import explained, make_folder, refuse_linked_folder, umask
from ...files.read import not_regular, read_bytes
from ...history import recovery
from ...history.locked_change import LockedChange
from ...history.transaction import Step
from ..system import WORKSPACE
from .folder import SYSTEM, find_layers
from .pending import lock_path, unfinished

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ...history.record import Record
    from .layer import Layer


_BUSY = "Another pimem is changing layered memory; try again in a moment."


class Session(LockedChange):
    """One change, under the lock."""

    def __init__(self, layer: Layer) -> None:
        layers = layer.layers
        super().__init__(
            layer.places,
            system=SYSTEM,
            store=layer.name,
            folder=layer.path,
            beside=(layers.global_dir, layers.workspace_dir),
        )
        self.layer = layer

    def read(self, path: str) -> bytes | None:
        """A file that is going to be changed; None when it is absent.

        Raises:
            InvalidTopicError: It is not a regular file, or in a folder that is a link.
            StorageError: It cannot be read.
        """
        folder = os.path.dirname(path)
        if os.path.islink(folder):
            raise InvalidTopicError(
                not_regular(folder), file=os.path.relpath(path, self.layer.path)
            )
        try:
            return read_bytes(path)
        except TopicNotFoundError:
            return None

    def step(
        self,
        path: str,
        before: bytes | None,
        after: bytes | None,
        *,
        kind: str,
        decides: bool = False,
        like: str | None = None,
    ) -> Step:
        """A file's part in the change. Its folder is made where it is missing.

        Args:
            path: The file.
            before: What was read of it.
            after: What it gets.
            kind: The layer it is in: a new workspace file follows the umask, others are private.
            decides: Whether this file makes the change happen.
            like: A file whose rights a new one takes over.
        """
        if after is not None:
            self._make_folder(os.path.dirname(path), kind)
        return Step(
            path=path,
            before=before,
            after=after,
            mode=self._mode(path if before is not None else like, kind),
            decides=decides,
        )

    def _mode(self, path: str | None, kind: str) -> int:
        if path is not None:
            with contextlib.suppress(OSError):
                return stat.S_IMODE(os.lstat(path).st_mode)
        return 0o666 & ~umask() if kind == WORKSPACE else 0o600

    def _make_folder(self, folder: str, kind: str) -> None:
        with explained(folder):
            if os.path.lexists(folder) and not os.path.isdir(folder):
                raise StorageError(f"{folder} is not a folder; move it away, then try again.")
            make_folder(folder, 0o777 & ~umask() if kind == WORKSPACE else 0o700)
            refuse_linked_folder(folder)

    def make_folder(self, folder: str, kind: str) -> bool:
        """Make a folder; whether it was missing."""
        if os.path.isdir(folder) and not os.path.islink(folder):
            return False
        self._make_folder(folder, kind)
        return True


@contextlib.contextmanager
def changing(layer: Layer) -> Iterator[Session]:
    """Hold both layers for one change and repair what a kill left of another.

    Raises:
        StoreBusyError: Somebody else holds the lock.
        StorageError: The state folder cannot be written.
    """
    state_dir = layer.places.state_dir
    with locked_among_ours(lock_path(layer.places), _BUSY), contextlib.ExitStack() as stack:
        layers = layer.layers
        ours = {layer.path, layers.global_dir, layers.workspace_dir}
        project = find_layers(layer.places, layer.settings).workspace_dir
        for folder in sorted(ours):
            if os.path.isdir(folder) and not (folder == layers.workspace_dir and layers.unusable):
                with explained(folder):
                    # What a repository links to is not its own memory.
                    follow = folder != project
                    stack.enter_context(anchored(folder, follow=follow))
        said: list[str] = []
        for other in sorted({layer.path} | _concerning(unfinished(state_dir), ours)):
            said += recovery.recover(state_dir, other, ours)
        current = Session(layer)
        current.notes += said
        _clean(ours)
        yield current
        current.confirm()


def _concerning(left: Iterable[Record], folders: set[str]) -> set[str]:
    """The folders of unfinished changes that touch some folders."""
    return {
        record.about.folder
        for record in left
        if record.about.folder in folders
        or any(file.path.startswith(f"{folder}/") for file in record.files for folder in folders)
    }


def _clean(folders: Iterable[str]) -> None:
    """Remove the temporary files that killed processes left in the layers."""
    for folder in folders:
        recovery.clean(folder)
        with contextlib.suppress(OSError), os.scandir(folder) as found:
            for entry in found:
                if entry.is_dir(follow_symlinks=False):
                    recovery.clean(entry.path)
