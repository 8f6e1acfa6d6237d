"""What workers tell the screens. A worker only posts; the screen that gets it changes state."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .news import News

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pimem_core.files.git import GitState
    from pimem_core.history.drafts import Draft, Typed, TypedDraft
    from pimem_core.model import Change, Document, HistoryEntry, StoreStatus, Topic
    from pimem_core.systems.layers import InboxFile, LayerStore, LoadStatus, Promotion, Target
    from pimem_core.systems.stores import Links, Removal, Store
    from textual.message import Message

    from ..drawing.markdown import Line
    from ..rows.branches import EntryRow
    from ..rows.listing import Listing
    from ..screens.edit import EditScreen
    from ..services.layer_changes import Wanted
    from ..services.saving import Refusal


class TopicsRead(News):
    """A worker read the topics of a store; `changed` are files that somebody else changed."""

    store: Store
    listing: Listing
    changed: frozenset[str] = frozenset()


class TokensCounted(News):
    """What a store costs in each prompt, in tokens."""

    store: Store
    tokens: int


class ReadFailed(News):
    """A store is there but cannot be read."""

    store: Store
    error: str


class StatusRead(News):
    """A worker looked at a store: how it is, apart from its topics."""

    store: Store
    status: StoreStatus


class LayerRead(News):
    """A worker looked at a layer of a memory.

    `task` is what the person is at, `missing` says that the layer was not created yet, and
    `hindrance` why it cannot be.
    """

    store: Store
    load: LoadStatus
    task: str
    git: GitState | None
    missing: bool
    hindrance: str


class HitsFound(News):
    """A search found topics so far; `done` when it is over.

    `words` are those of the query that were looked for in texts.
    """

    store: Store
    query: str
    listing: Listing
    done: bool
    words: str


class SearchProgress(News):
    """How far a search is, in topics."""

    store: Store
    query: str
    looked_at: int
    total: int

    def can_replace(self, message: Message) -> bool:
        """Only the newest progress matters."""
        return isinstance(message, SearchProgress)


class SearchFailed(News):
    """A search ended with an error."""

    store: Store
    query: str
    error: str


class ReadingBroke(News):
    """A job ended with an error that nobody foresaw."""

    error: BaseException


class BodyRead(News):
    """A worker opened a topic and laid its body out in lines."""

    store: Store
    topic: Topic
    lines: Sequence[Line]
    width: int
    truncated: bool = False
    error: str = ""


class LinksRead(News):
    """A worker found what a topic links to and what links to it; `lines` go below its body."""

    store: Store
    file: str
    links: Links
    lines: Sequence[Line]
    width: int


class RemovalKnown(News):
    """What removing a topic would do; the person is asked next."""

    store: Store
    topic: Topic
    removal: Removal


class TopicChanged(News):
    """A change was made to a topic of a store."""

    store: Store
    change: Change


class SeveralChanged(News):
    """Changes of the same kind were made to several topics; some may have been refused."""

    store: Store
    changes: Sequence[Change]
    refusals: Sequence[str]


class StoreTouched(News):
    """Somebody else changed these files of a store; no names say only that something changed."""

    store: Store
    files: frozenset[str]


class DraftsFound(News):
    """Texts that were typed and never saved.

    `asked` when the person wants to see them, `offer` when the newest is to be offered.
    """

    drafts: Sequence[tuple[TypedDraft, Typed]]
    asked: bool = False
    offer: bool = True


class TopicOpened(News):
    """A worker opened a topic for the editor, which begins at a line.

    `whole` is for its file without any fields.
    """

    store: Store
    document: Document
    line: int = 1
    whole: bool = False


class Saved(News):
    """The text of an editor was saved."""

    screen: EditScreen
    change: Change


class NotSaved(News):
    """The text of an editor was not saved."""

    screen: EditScreen
    refusal: Refusal


class TextMeasured(News):
    """A worker counted the words and tokens of an edited text and laid it out."""

    words: int
    tokens: int
    lines: Sequence[Line] | None


class DiskRead(News):
    """A worker looked at a topic again that is open and was changed outside; None when gone."""

    document: Document | None


class HistoryRead(News):
    """A worker read what was changed through pimem.

    `troubles` has a sentence for each record that is left out; `error` says why nothing was read.
    """

    entries: Sequence[HistoryEntry]
    troubles: Sequence[str] = ()
    error: str = ""


class DifferenceRead(News):
    """A worker read what one change did."""

    entry: str
    text: str


class Copied(News):
    """A text was given to the clipboard, as far as that can be told."""

    text: str
    warning: bool = False


class ChangeFailed(News):
    """A change was refused or failed; nothing changed on disk."""

    store: Store
    file: str
    error: str


class DraftReady(News):
    """A topic was read and written to a file for the person's editor, which opens next.

    `kept` and `typed` are the draft that outlives a crash meanwhile.
    """

    store: Store
    file: str
    draft: Draft
    kept: TypedDraft
    typed: Typed


class NotSavedOutside(News):
    """What came back from the person's editor was not saved; the editor of the app goes on."""

    store: Store
    draft: TypedDraft
    typed: Typed
    refusal: Refusal


class LeftUnsaved(News):
    """The person's editor failed after it had changed the text, which stays a draft."""

    store: Store
    file: str
    reason: str


class NothingChanged(News):
    """There was nothing to change, and why."""

    text: str


class InboxRead(News):
    """A worker read what waits in the inboxes of the layers."""

    files: Sequence[tuple[LayerStore, InboxFile]]
    error: str


class PromotionRead(News):
    """A worker worked out what promoting would do; an error says why it would be refused."""

    promotion: Promotion | None
    error: str


class TargetsRead(News):
    """A worker found the files that text can go to."""

    targets: Sequence[Target]


class OlderRead(News):
    """A worker read the entries of a layer; one that a new one supersedes is chosen next."""

    rows: Sequence[EntryRow]


class EntriesRead(News):
    """A worker read the entries of a layer; one that supersedes this one is chosen next."""

    store: LayerStore
    row: EntryRow
    rows: Sequence[EntryRow]


class PromotionRefused(News):
    """A text looks like it holds a credential; the person is asked whether to promote it."""

    store: LayerStore
    wanted: Wanted
    reason: str


class WorkDone(News):
    """A worker is through with a topic; `result` is told next, and may open a screen."""

    key: tuple[str, str]
    result: Message
