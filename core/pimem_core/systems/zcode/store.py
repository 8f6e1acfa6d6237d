"""The store of a project's facts as every front knows it."""

from __future__ import annotations

from ...errors import PimemError
from ...files.read import PREVIEW_BYTES
from ...formats.text import quote
from ...model import Change, Document, StoreStatus, Topic
from ...progress import never
from ..stores import (
    ComposingStore,
    EditableStore,
    FolderStore,
    LinkedStore,
    Links,
    Removal,
    RemovingStore,
    TypedStore,
    UndoableStore,
    WritableStore,
)
from .facts import TYPES, Fact, head
from .folder import FactFolder, entry_of
from .index import line_of
from .location import SYSTEM, locate
from .rows import ABSENT, rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...history.record import Record
    from ...paths import Places
    from ...progress import Cancelled
    from ...search.material import Material
    from ..stores import WriteRequest
    from .config import Config
    from .location import Location

_CUT_NOTE = "<!-- cut here: the file is longer; open it for the rest -->"


class ZcodeStore(
    FolderStore,
    WritableStore,
    EditableStore,
    ComposingStore,
    RemovingStore,
    UndoableStore,
    LinkedStore,
    TypedStore,
):
    """One folder of facts."""

    system = SYSTEM
    types = TYPES

    def __init__(
        self, name: str, folder: str, places: Places, location: Location | None = None
    ) -> None:
        self.name = name
        self.path = folder
        self.places = places
        self.folder = FactFolder(name, folder, places, location)

    # Reading

    def list(self, *, cancelled: Cancelled = never) -> Sequence[Topic]:
        """The facts in the order of the index, then those it does not list."""
        return rows(self.folder, self.folder.view(cancelled=cancelled), cancelled)

    def find(self, topic: str) -> Topic:
        """The fact that is meant."""
        from . import lookup

        return lookup.topic(self.folder, self.folder.view(), topic)

    def read_bytes(self, file: str) -> bytes:
        """The bytes of a fact's file."""
        return self.folder.content(file)

    def read(self, file: str) -> Document:
        """Open a fact. Bytes that are not UTF-8 show as U+FFFD."""
        from ...formats import frontmatter

        text = self.read_bytes(file).decode("utf-8", "replace")
        front = frontmatter.read(text)
        fact = Fact(file, self.folder.file(file), True, head(text))
        try:
            entry = entry_of(self.folder.index_text() or "", file)
        except PimemError:
            entry = None  # a fact can be read beside an index that cannot
        return Document(
            store=self.name,
            name=fact.name,
            file=file,
            path=self.folder.file(file),
            front_matter=front,
            body=frontmatter.split(text).body,
            text=text,
            summary=(entry.hook if entry is not None else "") or fact.head.description,
            type=fact.head.type,
            title=entry.title if entry is not None else "",
        )

    def preview(self, file: str) -> str:
        """A fact's body, of a long file only the first 50 KiB."""
        from ...formats import frontmatter

        data = self.folder.content(file, limit=PREVIEW_BYTES + 1)
        cut = len(data) > PREVIEW_BYTES
        text = data[:PREVIEW_BYTES].decode("utf-8", "ignore" if cut else "replace")
        parts = frontmatter.split(text)
        body = parts.body.lstrip("\r\n \t") if parts.present else parts.body
        return f"{body}\n\n{_CUT_NOTE}" if cut else body

    def material(self, cancelled: Cancelled = never) -> Material:
        """Facts in the order of `list`."""
        from .lookup import material

        return material(self.folder, cancelled)

    def links(self, file: str) -> Links:
        """What a fact links to, and what links to it."""
        from .lookup import links

        return links(self.folder, file)

    # Status

    def status(self) -> StoreStatus:
        """What is known of the store."""
        from .status import status_of

        return status_of(self.folder)

    # Changes: what only they need loads with the first of them

    def check(self, request: WriteRequest, opened: Document | None = None) -> str | None:
        """Why a write would be refused: its name, title, description or type breaks a rule."""
        from .edits import check

        return check(request, opened)

    def cost(self, name: str, summary: str, title: str = "") -> int:
        """Tokens of the index line."""
        from ...formats.tokens import estimate

        return estimate(line_of(title or name, f"{name}.md", summary) + "\n")

    def compose(
        self,
        document: Document,
        *,
        name: str,
        summary: str,
        body: str,
        type: str | None = None,  # noqa: A002 - the name it has everywhere
    ) -> str:
        """The fact's text with another name, description, type and body."""
        from .edits import compose

        return compose(document, name=name, summary=summary, body=body, type_=type)

    def write(self, request: WriteRequest) -> Change:
        """Create a fact, or give the one of this name a new body and description."""
        from . import changes

        request = changes.checked(self.places, request)
        return changes.change(self.folder, lambda session: session.write(request))

    def refuse_changes(self) -> None:
        """Refuse a folder that is full of another system's topics."""
        self.folder.refuse_changes()

    def removal(self, topic: str) -> Removal:
        """What removing would do."""
        found = self.find(topic)
        if found.problem in ABSENT:
            gone = "Its index line is removed; the file is already missing."
        elif found.listed:
            gone = f"The file {found.file} and its index line are removed."
        else:
            gone = f"The file {found.file} is removed."
        return Removal(question=f"Remove {quote(found.name)}?", goes_and_stays=gone)

    def remove(self, topic: str) -> Change:
        """Move a fact's file into the journal and take its line out."""
        from .changes import change

        return change(self.folder, lambda session: session.remove(topic))

    def save(
        self,
        file: str,
        *,
        opened: str,
        text: str,
        title: str | None = None,
        allow_secret: bool = False,
    ) -> Change:
        """Save an edited fact and bring its index line up to date."""
        from .edits import save

        return save(
            self.folder, file, opened=opened, text=text, title=title, allow_secret=allow_secret
        )

    def revert(self, record: Record, action: str) -> Change:
        """Take a recorded change of this store back."""
        from .changes import change

        return change(self.folder, lambda session: session.revert(record, action))

    def recover(self) -> Sequence[str]:
        """Repair what a killed process left unfinished here."""
        from .changes import recover

        return recover(self.folder)

    def announce(self) -> None:
        """Do nothing: ZCode reads its index when a session starts."""


def project_store(places: Places, config: Config) -> ZcodeStore:
    """The store of the working folder's project."""
    location = locate(places, config.dir)
    if config.waiting_dir is not None:
        note = (
            f"This project's zcode-memory.json names {config.waiting_dir}, which is used once you "
            "agree: pi asks, and so do the settings of the manager."
        )
        location = location.but(notes=[*location.notes, note])
    return ZcodeStore(SYSTEM, location.path, places, location)
