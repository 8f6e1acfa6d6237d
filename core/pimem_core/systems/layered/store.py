"""One layer as a store: what it shows, and every change to it."""

from __future__ import annotations

from ...errors import UnsupportedError
from ...progress import never
from ..layers import LayerStore
from ..stores import (
    EditableStore,
    FolderStore,
    Removal,
    RemovingStore,
    UndoableStore,
    WritableStore,
)
from ..system import GLOBAL, WORKSPACE
from .folder import INDEX_NAME, SYSTEM
from .layer import Layer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Self

    from ...files.git import GitState
    from ...history.record import Record
    from ...model import Change, Document, StoreStatus, Topic
    from ...paths import Places
    from ...progress import Cancelled
    from ...search.material import Material
    from ..layers import DatedEntry, InboxFile, LoadStatus, Promotion, Target
    from ..stores import WriteRequest


class LayeredStore(
    LayerStore, FolderStore, WritableStore, EditableStore, RemovingStore, UndoableStore
):
    """The global or the workspace layer."""

    system = SYSTEM

    def __init__(self, layer: Layer) -> None:
        #: The layer as a reader sees it.
        self.files = layer
        self.name = layer.name
        self.path = layer.path

    @classmethod
    def at(cls, name: str, folder: str, places: Places, kind: str) -> Self:
        """The store of a folder that is a layer of some kind."""
        return cls(Layer(name, folder, places, kind))

    # Reading

    def layer(self, name: str) -> LayeredStore | None:
        """The store of a layer by its name."""
        found = self.files.layer(name)
        return None if found is None else self._of(found)

    def sibling(self, kind: str) -> LayeredStore:
        """The store of a layer, there or not; this one for its own."""
        return self._of(self.files.sibling(kind))

    def _of(self, layer: Layer) -> LayeredStore:
        return self if layer is self.files else LayeredStore(layer)

    @property
    def has_workspace(self) -> bool:
        """Whether the project has a workspace memory."""
        return self.files.layers.has_workspace

    def folder(self, kind: str) -> str:
        """The folder of a layer."""
        return self.files.folder(kind)

    def list(self, *, cancelled: Cancelled = never) -> Sequence[Topic]:
        """The memory files in order, those that cannot be read with their problem."""
        return self.files.list(cancelled=cancelled)

    def find(self, topic: str) -> Topic:
        """The file with this path, with or without `.md`, else the only one it is a part of."""
        return self.files.find(topic)

    def read(self, file: str) -> Document:
        """Open a file. Bytes that are not UTF-8 show as U+FFFD."""
        return self.files.read(file)

    def read_bytes(self, file: str) -> bytes:
        """The bytes of a file; a task state that is not there is empty."""
        return self.files.read_bytes(file)

    def preview(self, file: str) -> str:
        """A file's text, of a long one only the first 50 KiB."""
        return self.files.preview(file)

    def material(self, cancelled: Cancelled = never) -> Material:
        """Memory files in order, then those of archive, inbox and task state."""
        return self.files.material(cancelled)

    def entries(self, file: str | None = None) -> Sequence[DatedEntry]:
        """Dated entries, checked against each other."""
        return self.files.entries(file)

    def inbox(self) -> Sequence[InboxFile]:
        """What waits to be reviewed."""
        from .inbox import waiting

        return waiting(self.files)

    def archived(self) -> Sequence[Topic]:
        """What was put into the archive."""
        return self.files.archived()

    # Status

    def status(self) -> StoreStatus:
        """What is known of the layer."""
        from .status import status

        return status(self.files)

    def git_state(self) -> GitState | None:
        """How git sees the layer's folder."""
        return self.files.git_state()

    def load(self) -> LoadStatus:
        """What the next prompt gets of both layers."""
        from .status import load_status

        return load_status(self.files)

    def load_lines(self) -> Sequence[str]:
        """The same as lines for people."""
        from .status import load_lines, load_status

        return load_lines(load_status(self.files))

    # Changes load what readers never need

    def refuse_changes(self) -> None:
        """Refuse a layer that cannot be one, or whose folder is somebody else's link."""
        self.files.refuse_changes()

    def check(self, request: WriteRequest, opened: Document | None = None) -> str | None:
        """Why an entry would be refused, or would be wrong once it is written."""
        from . import editing

        return editing.refusal(self.files, request)

    def cost(self, name: str, summary: str) -> int:
        """Tokens of a heading with this title."""
        from ...formats.tokens import estimate

        return estimate(f"## 2026-07-15 {summary}\n")

    def write(self, request: WriteRequest) -> Change:
        """Append a dated entry whose title is the summary."""
        from . import editing

        if request.pin:
            raise UnsupportedError(
                "Layered memory has no pins; files of the always_inject folders are always used.",
                name=request.topic,
            )
        if request.mode == "replace":
            raise UnsupportedError(
                "Layered memory only grows by entries; to replace a text, edit the file.",
                name=request.topic,
            )
        if request.type is not None or request.title is not None:
            raise UnsupportedError(
                "Files of this store have no type and no title.", name=request.topic
            )
        return editing.write(self.files, request)

    def removal(self, topic: str) -> Removal:
        """What removing would do."""
        found = self.find(topic)
        self.read_bytes(found.file)
        said = f"The file {found.file} goes."
        if found.file == INDEX_NAME:
            said += f" Without it this folder is no {self.files.kind} memory any more."
        return Removal(question=f"Remove {found.file}?", goes_and_stays=said)

    def remove(self, topic: str) -> Change:
        """Move a file into the journal."""
        from . import editing

        return editing.remove(self.files, self.find(topic).file)

    def save(self, file: str, *, opened: str, text: str, allow_secret: bool = False) -> Change:
        """Save an edited file, merged with what others changed meanwhile."""
        from . import editing

        return editing.save(self.files, file, opened=opened, text=text, allow_secret=allow_secret)

    def archive(self, file: str, entry: str | None = None) -> Change:
        """Move a file, or one entry of it, into the archive."""
        from . import editing

        return editing.archive(self.files, file, entry)

    def set_status(self, file: str, entry: str, status: str) -> Change:
        """Set an entry's status."""
        from . import editing

        return editing.set_status(self.files, file, entry, status)

    def supersede(self, file: str, entry: str, by: str, *, by_file: str | None = None) -> Change:
        """Mark an entry as replaced by another."""
        from . import editing

        return editing.supersede(self.files, file, entry, by, by_file or file)

    def checkpoint(self) -> Change:
        """Put an empty template into the workspace's inbox."""
        from .inbox import checkpoint

        return checkpoint(self.files.sibling(WORKSPACE))

    def targets(self) -> Sequence[Target]:
        """Where text can be promoted to."""
        from .targets import all_targets

        return all_targets(self.files)

    def promotion(
        self, file: str, folder: str, target: str, *, sections: Sequence[str] | None = None
    ) -> Promotion:
        """What promoting would do."""
        from .promoting import plan

        return plan(self.files, None, file, folder, target, sections).shown

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

        return promote(
            self.files, file, folder, target, sections=sections, allow_secret=allow_secret
        )

    def init(self, scope: str) -> Change:
        """Create what is missing of a layer."""
        from .creating import check_scope, init

        return init(self.files.sibling(check_scope(scope)), scope)

    def clear_task(self) -> Change:
        """Empty the task state."""
        from . import editing

        return editing.clear_task(self.files.sibling(GLOBAL))

    def refresh(self) -> Change:
        """Read everything again and say what changed since this was asked last."""
        from .refreshing import refresh

        self.files.forget()
        return refresh(self.files)

    def revert(self, record: Record, action: str) -> Change:
        """Take a recorded change back."""
        from .changes import changing

        with changing(self.files) as session:
            return session.revert(record, action)

    def recover(self) -> Sequence[str]:
        """Repair what a killed process left unfinished here."""
        from .changes import changing

        with changing(self.files) as session:
            return session.notes
