"""One layer as a store: how it is, and every change to it."""

from __future__ import annotations

import os

from ...errors import (
    InvalidArgumentError,
    StorageError,
    UnsupportedError,
)
from ...files.read import not_regular
from ..layers import GLOBAL, WORKSPACE
from ..stores import EditableStore, Removal, RemovingStore, UndoableStore, WritableStore
from .folder import INDEX_NAME
from .reading import LayerReading

TYPE_CHECKING = False
if TYPE_CHECKING:
    import contextlib
    from collections.abc import Sequence
    from datetime import datetime

    from ...history.record import Record
    from ...model import Change, Document, StoreStatus
    from ..layers import LoadStatus, Promotion, Target
    from ..stores import WriteRequest
    from .changing import Session

_NO_PIN = "Layered memory has no pins; files of the always_inject folders are always used."


class LayeredStore(LayerReading, WritableStore, EditableStore, RemovingStore, UndoableStore):
    """The global or the workspace layer."""

    # Status

    def status(self) -> StoreStatus:
        """What is known of the layer."""
        from .status import status

        return status(self)

    def load(self) -> LoadStatus:
        """What the next prompt gets of both layers."""
        from .status import load_status

        return load_status(self)

    def load_lines(self) -> Sequence[str]:
        """The same as lines for people."""
        from .status import load_lines, load_status

        return load_lines(load_status(self))

    # Changes: each runs in a session that holds the lock of both layers

    def session(self) -> contextlib.AbstractContextManager[Session]:
        """Hold both layers for one change."""
        from .changing import session  # loads filelock, which readers never need

        return session(self)

    def moment(self, session: Session | None) -> datetime:
        """The time of a change, or now for one that is only worked out."""
        from ...clock import now

        return session.moment if session is not None else now()

    def check(self, request: WriteRequest, opened: Document | None = None) -> str | None:
        """Why an entry would be refused, or would be wrong once it is written."""
        from . import editing

        return editing.refusal(self, request)

    def cost(self, name: str, summary: str) -> int:
        """Tokens of a heading with this title."""
        from ...formats.tokens import estimate

        return estimate(f"## 2026-07-15 {summary}\n")

    def write(self, request: WriteRequest) -> Change:
        """Append a dated entry whose title is the summary."""
        from . import editing

        if request.pin:
            raise UnsupportedError(_NO_PIN, name=request.topic)
        if request.mode == "replace":
            raise UnsupportedError(
                "Layered memory only grows by entries; to replace a text, edit the file.",
                name=request.topic,
            )
        if request.type is not None or request.title is not None:
            raise UnsupportedError(
                "Files of this store have no type and no title.", name=request.topic
            )
        return editing.write(self, request)

    def refuse_changes(self) -> None:
        """Nothing to refuse, unless the folder itself cannot be one."""
        layers = self.layers
        if self.kind == WORKSPACE and layers.hindrance is not None:
            raise InvalidArgumentError(layers.hindrance)
        if os.path.islink(self.path):
            raise StorageError(not_regular(self.path))

    def removal(self, topic: str) -> Removal:
        """What removing would do."""
        found = self.find(topic)
        self.read_bytes(found.file)
        said = f"The file {found.file} goes."
        if found.file == INDEX_NAME:
            said += f" Without it this folder is no {self.kind} memory any more."
        return Removal(question=f"Remove {found.file}?", goes_and_stays=said)

    def remove(self, topic: str) -> Change:
        """Move a file into the journal."""
        from . import editing

        return editing.remove(self, self.find(topic).file)

    def save(self, file: str, *, opened: str, text: str, allow_secret: bool = False) -> Change:
        """Save an edited file, merged with what others changed meanwhile."""
        from . import editing

        return editing.save(self, file, opened=opened, text=text, allow_secret=allow_secret)

    def archive(self, file: str, entry: str | None = None) -> Change:
        """Move a file, or one entry of it, into the archive."""
        from . import editing

        return editing.archive(self, file, entry)

    def set_status(self, file: str, entry: str, status: str) -> Change:
        """Set an entry's status."""
        from . import editing

        return editing.set_status(self, file, entry, status)

    def supersede(self, file: str, entry: str, by: str, *, by_file: str | None = None) -> Change:
        """Mark an entry as replaced by another."""
        from . import editing

        return editing.supersede(self, file, entry, by, by_file or file)

    def checkpoint(self) -> Change:
        """Put an empty template into the workspace's inbox."""
        from .promoting import checkpoint

        return checkpoint(self.sibling(WORKSPACE))

    def targets(self) -> Sequence[Target]:
        """Where text can be promoted to."""
        from .promoting import all_targets

        return all_targets(self)

    def promotion(
        self, file: str, folder: str, target: str, *, sections: Sequence[str] | None = None
    ) -> Promotion:
        """What promoting would do."""
        from .promoting import plan

        return plan(self, None, file, folder, target, sections).shown

    def promote(
        self,
        file: str,
        folder: str,
        target: str,
        *,
        sections: Sequence[str] | None = None,
        allow_secret: bool = False,
    ) -> Change:
        """Append a reviewed file to a memory file and take it out of the inbox."""
        from .promoting import promote

        return promote(self, file, folder, target, sections=sections, allow_secret=allow_secret)

    def init(self, scope: str) -> Change:
        """Create what is missing of a layer."""
        from .initialising import check_scope, init

        return init(self.sibling(check_scope(scope)), scope)

    def clear_task(self) -> Change:
        """Empty the task state."""
        from . import editing

        return editing.clear_task(self.sibling(GLOBAL))

    def refresh(self) -> Change:
        """Read everything anew and say what changed since this was asked last."""
        from .refreshing import refresh

        self._seen.clear()
        self._dated.clear()
        return refresh(self)

    def revert(self, record: Record, action: str) -> Change:
        """Take a recorded change back."""
        with self.session() as session:
            return session.revert(record, action)

    def recover(self) -> Sequence[str]:
        """Repair what a killed process left unfinished here."""
        with self.session() as session:
            return session.notes

    def announce(self) -> None:
        """Nobody watches these folders but by looking."""
