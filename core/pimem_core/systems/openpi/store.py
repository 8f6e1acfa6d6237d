"""The openpi store: one folder of topics as every front knows it."""

from __future__ import annotations

import contextlib
import itertools
import os

from ...errors import PimemError
from ...files.read import PREVIEW_BYTES, is_possible_name, is_regular, regular_names
from ...model import Change, Document, StoreStatus, Topic
from ...progress import never
from ..stores import (
    HANDOFF_FILE,
    ComposingStore,
    EditableStore,
    FolderStore,
    HandoffStore,
    LinkedStore,
    PinningStore,
    Removal,
    RemovingStore,
    SkimmableStore,
    UndoableStore,
    WritableStore,
)
from .folder import TopicFolder, View
from .index import entries, matches
from .location import SHARED, SYSTEM
from .rows import Rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...history.record import Record
    from ...paths import Places
    from ...progress import Cancelled
    from ...search.material import Material
    from ..stores import Handoff, Links, WriteRequest

_CUT_NOTE = (
    "<!-- memory truncated: topic exceeds size limit; read the file directly for the full body -->"
)


class OpenpiStore(
    FolderStore,
    WritableStore,
    EditableStore,
    ComposingStore,
    PinningStore,
    RemovingStore,
    UndoableStore,
    SkimmableStore,
    LinkedStore,
    HandoffStore,
):
    """One openpi folder."""

    system = SYSTEM

    def __init__(self, name: str, folder: str, places: Places) -> None:
        self.name = name
        self.path = folder
        self.places = places
        self.folder = TopicFolder(name, folder, places)
        self.has_handoff = self.folder.is_own
        self._rows = Rows(self.folder)

    # Reading

    def list(self, *, cancelled: Cancelled = never) -> Sequence[Topic]:
        """The index's topics in its order, one for each file."""
        view = self.folder.view()
        if view.text is None:
            self._refuse_unlistable()
        else:
            topics = self._rows.listed(view, regular_names(self.path), cancelled)
            if topics or cancelled():
                return list(topics.values())
        # A folder that is not memory can still be read.
        return [self._rows.unlisted_topic(file) for file in self.folder.plain_files(view)]

    def skim(self, count: int) -> Sequence[Topic]:
        """The first topics of the list. Looking at their files is quicker than at the folder."""
        view = self.folder.view()
        top = list(itertools.islice(matches(view.text or ""), count))
        present = {
            match[4]
            for match in top
            if is_possible_name(match[4]) and is_regular(self.folder.file(match[4]))
        }
        lines = "\n".join(match.string for match in top)
        return list(self._rows.listed(View(lines, view.elsewhere, {}), present).values())

    def _refuse_unlistable(self) -> None:
        """A store without an index is empty, but only when that can be seen."""
        regular_names(self.path)

    def find(self, topic: str) -> Topic:
        """The listed topic that is meant, or the unlisted file with exactly this name."""
        from . import lookup

        return lookup.topic(self._rows, topic)

    def read_bytes(self, file: str) -> bytes:
        """The bytes of a topic's file."""
        if file == HANDOFF_FILE:
            return self.handoff().text.encode()
        return self.folder.content(file, self.folder.view())

    def read(self, file: str) -> Document:
        """Open a topic. Bytes that are not UTF-8 show as U+FFFD."""
        from ...formats import frontmatter

        if file == HANDOFF_FILE:
            from . import handoff_changes

            return handoff_changes.document(self.folder)
        view = self.folder.view()
        text = self.folder.content(file, view).decode("utf-8", "replace")
        front = frontmatter.read(text)
        entry = next((e for e in entries(view.text or "") if e.file == file), None)
        return Document(
            store=self.name,
            name=entry.name if entry else str(front.get("name") or os.path.splitext(file)[0]),
            file=file,
            path=self.folder.where(file, view),
            front_matter=front,
            body=frontmatter.split(text).body,
            text=text,
            summary=entry.summary if entry else str(front.get("description") or ""),
        )

    def preview(self, file: str) -> str:
        """A topic's body, of a long file only the first 50 KiB."""
        from ...formats import frontmatter

        data = self.folder.content(file, self.folder.view(), limit=PREVIEW_BYTES + 1)
        text = data[:PREVIEW_BYTES].decode("utf-8", "ignore" if data[PREVIEW_BYTES:] else "replace")
        parts = frontmatter.split(text)
        body = parts.body.lstrip("\r\n \t") if parts.present else parts.body
        return f"{body}\n\n{_CUT_NOTE}" if data[PREVIEW_BYTES:] else body

    def material(self, cancelled: Cancelled = never) -> Material:
        """Listed topics in index order, then the other topic files in byte order of their names."""
        from .lookup import material

        del cancelled
        return material(self._rows)

    def list_stamp(self) -> object:
        """Stays equal while the index does, and the names in the folder do."""
        from .lookup import list_stamp

        return list_stamp(self.folder)

    def links(self, file: str) -> Links:
        """What a topic links to, and what links to it."""
        from .lookup import links

        return links(self._rows, file)

    # Status

    def status(self) -> StoreStatus:
        """What is known of the store."""
        from .status import status_of

        return status_of(self.folder)

    # Changes: what only they need loads with the first of them

    def write(self, request: WriteRequest) -> Change:
        """Create a topic, or extend or replace the one that has this name."""
        from . import changes

        request = changes.checked(self.places, request)
        with changes.changing(self.folder) as session:
            return session.write(request)

    def check(self, request: WriteRequest, opened: Document | None = None) -> str | None:
        """Why a write would be refused: its topic, summary or content breaks a rule."""
        from . import topic as topics

        try:
            if opened is None or request.topic != opened.name:
                topics.check_topic(request.topic)
            topics.check_summary(request.summary)
            topics.check_content(request.content)
        except PimemError as error:
            return str(error)
        return None

    def cost(self, name: str, summary: str) -> int:
        """Tokens of the index line."""
        from .edits import cost

        return cost(name, summary)

    def compose(self, document: Document, *, name: str, summary: str, body: str) -> str:
        """The topic's text with another name, description and body."""
        from .edits import compose

        return compose(document, name=name, summary=summary, body=body)

    def pin(self, topic: str, pinned: bool) -> Change:
        """Pin or unpin every line of a topic."""
        from .changes import changing

        with changing(self.folder) as session:
            return session.pin(topic, pinned)

    def refuse_changes(self) -> None:
        """Refuse a folder in another program's format."""
        self.folder.refuse_changes()

    def removal(self, topic: str) -> Removal:
        """What removing would do."""
        from .changes import removal

        return removal(self.folder, topic)

    def remove(self, topic: str) -> Change:
        """Drop a topic's lines from the index; its file stays."""
        from .changes import changing

        with changing(self.folder) as session:
            return session.remove(topic)

    def save(self, file: str, *, opened: str, text: str, allow_secret: bool = False) -> Change:
        """Save an edited topic file and bring its index line up to date."""
        if file == HANDOFF_FILE:
            from . import handoff_changes

            return handoff_changes.save(
                self.folder, opened=opened, text=text, allow_secret=allow_secret
            )
        from .edits import save

        return save(self.folder, file, opened=opened, text=text, allow_secret=allow_secret)

    def revert(self, record: Record, action: str) -> Change:
        """Take a recorded change of this store back."""
        from . import handoff_changes

        if handoff_changes.is_its(record):
            return handoff_changes.revert(self.folder, record, action)
        from .changes import locked_only

        # A carry-over before it would be a new change, after which nothing more can be redone.
        with locked_only(self.folder) as session:
            return session.revert(record, action)

    def handoff(self) -> Handoff:
        """pi's handoff, which lies beside the local store and is never shared."""
        from .handoff_changes import look

        return look(self.places)

    def clear_handoff(self) -> Change:
        """Empty pi's handoff."""
        from .handoff_changes import clear

        return clear(self.folder)

    def recover(self) -> Sequence[str]:
        """Repair what a killed process left unfinished here."""
        from .changes import locked_only

        with locked_only(self.folder) as session:
            return session.notes

    def announce(self) -> None:
        """Touch `.invalidate`, which openclaude-memory watches, where it is there already."""
        path = self.folder.file(".invalidate")
        with contextlib.suppress(OSError, PimemError):
            if self.name == SHARED and is_regular(path):
                os.utime(path)
