"""What a person does to topics: pin, remove, undo, edit in an editor of their own.

It belongs to the app, so that a change outlives the screen it was begun on. Every change runs in a
worker, one at a time, and says in the end what happened.
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

from pimem_core.errors import PimemError
from pimem_core.formats.text import plural, visible_cell
from pimem_core.history.drafts import Draft, Typed, TypedDraft
from pimem_core.systems.layers import LayerStore
from pimem_core.systems.stores import EditableStore, PinningStore, RemovingStore, supporting
from textual import on
from textual.app import SuspendNotSupported
from textual.signal import Signal

from ..rows.handles import refuse_gone, to_edit
from ..unforeseen import unexpected
from ..widgets import KeyBar
from ..workers.messages import (
    ChangeFailed,
    DraftReady,
    LeftUnsaved,
    NothingChanged,
    NotSavedOutside,
    ReadingBroke,
    RemovalKnown,
    SeveralChanged,
    TopicChanged,
    WorkDone,
)
from .external_editor import EditorEnd, run_editor
from .notices import Notices
from .saving import Refusal, attempt

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pimem_core.model import Change, Topic
    from pimem_core.paths import Places
    from pimem_core.systems.stores import Store
    from textual.message import Message

#: Seconds after which a change says that it is still under way.
_SLOW_S = 0.15
#: Seconds for which a file counts as changed by this app itself.
_ECHO_S = 2.0


class TopicChanges(Notices):
    """The part of the app that changes topics. Screens follow `topic_changed`."""

    def __init__(self, places: Places, stores: Sequence[Store]) -> None:
        super().__init__(places)
        self.stores = stores
        self.topic_changed: Signal[TopicChanged] = Signal(self, "topic_changed")
        self.change_failed: Signal[ChangeFailed] = Signal(self, "change_failed")
        #: Held by whoever changes a store: one change at a time.
        self.turn = threading.Lock()
        #: When this app changed which file of which store: its echo from the watch is no news.
        self._own: dict[tuple[str, str], float] = {}
        self._busy: set[tuple[str, str]] = set()
        #: Drafts that are open in an editor here, by path.
        self.open_drafts: set[str] = set()

    def pin_topic(self, store: Store, topic: Topic) -> None:
        """Pin a topic, or unpin a pinned one."""

        def pin() -> Message:
            with self.turn:
                refuse_gone(store, topic)
                change = supporting(store, PinningStore).pin(topic.file, not topic.pinned)
                store.announce()
            return TopicChanged(store, change)

        self.start(store, topic.file, pin)

    def remove_topic(self, store: Store, topic: Topic) -> None:
        """Ask the store what removing means, then the person, then remove."""

        def look() -> Message:
            refuse_gone(store, topic)
            return RemovalKnown(store, topic, supporting(store, RemovingStore).removal(topic.file))

        self.start(store, topic.file, look, patient=True)

    def pin_several(self, store: Store, topics: Sequence[Topic], pinned: bool) -> None:
        """Pin or unpin several topics."""
        wanted = [topic for topic in topics if topic.pinned != pinned]
        whole = [topic for topic in wanted if topic.problem is None]
        refusals = [f'"{topic.name}": {topic.problem}.' for topic in wanted if topic.problem]
        self._change_several(
            store, whole, lambda file: supporting(store, PinningStore).pin(file, pinned), refusals
        )

    def remove_several(self, store: Store, topics: Sequence[Topic]) -> None:
        """Ask once, naming the count, then remove several topics."""
        from ..screens.confirm import ConfirmScreen

        if len(topics) == 1:
            self.remove_topic(store, topics[0])
            return

        def answered(yes: bool | None) -> None:
            if yes:
                self._change_several(store, topics, supporting(store, RemovingStore).remove)

        pinned = sum(topic.pinned for topic in topics)
        if pinned == len(topics):
            self.say_error(f"All {pinned:,} are pinned; {self.key_for('topic.pin')} unpins them.")
            return
        kept = f" Pinned ones ({pinned:,}) will be refused." if pinned else ""
        names = ", ".join(visible_cell(topic.name) for topic in topics[:5])
        more = f" and {len(topics) - 5:,} more" if len(topics) > 5 else ""
        question = f"Remove {plural(len(topics), 'topic')}?"
        back = f"{self.key_for('change.undo')} brings them back one by one."
        detail = f"{names}{more}.{kept}\n{back}"
        self.push_screen(ConfirmScreen(question, detail, f"Remove {len(topics):,}"), answered)

    def _change_several(
        self,
        store: Store,
        topics: Sequence[Topic],
        change: Callable[[str], Change],
        refused: Sequence[str] = (),
    ) -> None:
        def work() -> Message:
            changes: list[Change] = []
            refusals = list(refused)
            with self.turn:
                for topic in topics:
                    try:
                        refuse_gone(store, topic)
                        changes.append(change(topic.file))
                    except PimemError as error:
                        refusals.append(self.refusal(error))
                if changes:
                    store.announce()
            return SeveralChanged(store, changes, refusals)

        self.start(store, "", work)

    def take_back(self, action: str) -> None:
        """Undo or redo the newest change that was made to any store through pimem."""

        def work() -> Message:
            from pimem_core.systems import undo

            with self.turn:
                step = undo.step(self.places, self.stores, action)
            return TopicChanged(step.store, step.change)

        self.start(self.stores[0], f"\n{action}", work)

    def edit_topic(self, store: Store, file: str) -> None:
        """Open a topic's file in the person's own editor and save what comes back."""

        def read() -> Message:
            document = to_edit(store, file, self.key_for("topic.remove"))
            draft = Draft.create(self.places, file, document.text)
            kept = TypedDraft.begin(self.places, file)
            typed = Typed(
                system=store.system,
                folder=store.place,
                opened=dict(document.__dict__),
                name=document.name,
                summary=document.summary,
                body=document.text,
                title=document.title,
                type=document.type,
                time=time.time(),
                whole=True,
                outside=draft.path,
            )
            self.open_drafts.add(kept.path)
            try:
                kept.keep(typed)
            except PimemError:
                draft.discard()
                raise
            return DraftReady(store, file, draft, kept, typed)

        self.start(store, file, read, patient=True)

    @on(RemovalKnown)
    def _ask_removal(self, message: RemovalKnown) -> None:
        from ..screens.confirm import ConfirmScreen  # loads when the first question comes

        store, topic, removal = message.store, message.topic, message.removal

        def remove() -> Message:
            with self.turn:
                refuse_gone(store, topic)
                change = supporting(store, RemovingStore).remove(topic.file)
                store.announce()
            return TopicChanged(store, change)

        def answered(yes: bool | None) -> None:
            if yes:
                self.start(store, topic.file, remove)

        detail = f"{removal.goes_and_stays}\n{self.key_for('change.undo')} brings it back."
        self.push_screen(ConfirmScreen(removal.question, detail, "Remove"), answered)

    @on(DraftReady)
    def _open_editor(self, message: DraftReady) -> None:
        self.drop_keys()
        try:
            end = run_editor(self, message.draft.path)
        except SuspendNotSupported:
            end = EditorEnd(-1, "This terminal cannot be handed over to an editor.")
        self.refresh(layout=True)
        self.start(
            message.store,
            message.file,
            lambda: self._take_draft(message, end),
            resumed=True,
            patient=True,
        )
        if end.signum is not None:
            self.exit(return_code=128 + end.signum)

    def _take_draft(self, message: DraftReady, end: EditorEnd) -> Message:
        """Save what the editor left, in a worker; a text that cannot be saved stays a draft.

        The draft counts as open until it is gone or known to be left, so that nobody is asked
        about it meanwhile.
        """
        store, file, draft = message.store, message.file, message.draft
        text = draft.text()
        if text == draft.opened:
            message.kept.discard()
            if end.error:
                return ChangeFailed(store, file, f"{end.error} Set VISUAL or EDITOR.")
            return NothingChanged(f'"{message.typed.name}" is unchanged.')
        if end.code != 0 or end.error:
            self.open_drafts.discard(message.kept.path)
            reason = end.error or f"The editor ended with code {end.code}; nothing was saved."
            return LeftUnsaved(store, file, f"{reason} Your text is kept in {draft.path}.")

        def save() -> Change:
            return supporting(store, EditableStore).save(file, opened=draft.opened, text=text)

        done = attempt(store, self.turn, save, file=file, opened=draft.opened, text=text)
        if isinstance(done, Refusal):
            typed = message.typed.but(body=text, time=time.time())
            return NotSavedOutside(store, message.kept, typed, done)
        message.kept.discard()
        return TopicChanged(store, done)

    @on(NotSavedOutside)
    def _go_on_here(self, message: NotSavedOutside) -> None:
        """Let the person go on in the editor of the app, where nothing typed gets lost."""
        from ..screens.edit import EditScreen

        if self.screen_stack:  # else the app ends, and the next start offers the draft
            self.push_screen(
                EditScreen(
                    message.store,
                    None,
                    draft=message.draft,
                    typed=message.typed,
                    refusal=message.refusal,
                )
            )

    @on(TopicChanged)
    def _tell_change(self, message: TopicChanged) -> None:
        change = message.change
        self.remember(message.store, change.file)
        text = " ".join((change.message, *change.notes))
        unnamed = [name for name in change.dropped if name not in text]
        if unnamed:
            text = f"{text.removesuffix('.')} ({', '.join(unnamed)})."
        self.say(text + self.way_back(change.outcome))
        self.topic_changed.publish(message)

    @on(SeveralChanged)
    def _tell_several(self, message: SeveralChanged) -> None:
        changes, refusals = message.changes, message.refusals
        if refusals:
            more = f" And {plural(len(refusals) - 1, 'more refusal')}." if refusals[1:] else ""
            self.say_error(f"{len(refusals):,} not changed: {refusals[0]}{more}")
        for change in changes:
            self.remember(message.store, change.file)
        done = [change for change in changes if change.outcome != "unchanged"]
        if not done:
            if not refusals:
                self.say("There was nothing to change.")
            return
        words = done[-1].outcome.removesuffix("_now").capitalize()
        dropped = sum(len(change.dropped) for change in done)
        said = f"{words} {plural(len(done), 'topic')}."
        if dropped:
            said += f" Dropped {plural(dropped, 'index line')} without a file."
        self.say(said + self.way_back(done[-1].outcome, len(done)))
        self.topic_changed.publish(TopicChanged(message.store, done[-1]))

    @on(ChangeFailed)
    def _tell_failure(self, message: ChangeFailed) -> None:
        # A refused undo has the difference below its reason.
        self.say_error(message.error.split("\n", 1)[0])
        self.change_failed.publish(message)

    @on(ReadingBroke)
    def _tell_broken(self, message: ReadingBroke) -> None:
        self.say_error(unexpected(message.error))

    @on(NothingChanged)
    def _tell_nothing(self, message: NothingChanged) -> None:
        self.say(message.text)

    @on(WorkDone)
    def _finish_work(self, message: WorkDone) -> None:
        # While its draft is in the editor a topic stays busy.
        if not isinstance(message.result, DraftReady):
            self._busy.discard(message.key)
        self._show_busy()
        self.post_message(message.result)
        self.call_later(self.let_keys_go, message.key)

    def start(
        self,
        store: Store,
        file: str,
        work: Callable[[], Message],
        *,
        resumed: bool = False,
        patient: bool = False,
    ) -> None:
        """Run work in a thread and post what it has to tell; one at a time for each topic.

        Args:
            store: The store that it is about.
            file: The topic.
            work: The work; an error of it is told.
            resumed: Go on with work that is under way.
            patient: Have keys wait as long as it takes: it opens or closes a screen, and they are
                meant for what shows then. Else they go on after a while.
        """
        key = (store.place, file)
        if key in self._busy and not resumed:
            return
        self._busy.add(key)
        self.set_timer(_SLOW_S, self._show_busy)
        self.hold_keys(key, patient=patient)

        def run() -> None:
            try:
                result = work()
            except PimemError as error:
                result = ChangeFailed(store, file, self.refusal(error))
            except Exception as error:
                result = ChangeFailed(store, file, unexpected(error))
            self.post_message(WorkDone(key, result))

        self.run_worker(run, thread=True, exit_on_error=False, group="changes")

    def remember(self, store: Store, file: str) -> None:
        """Remember that this app changed a file just now."""
        self._own[store.place, file] = time.monotonic()

    def own_files(self, store: Store) -> set[str]:
        """The files of a store that this app changed just now."""
        oldest = time.monotonic() - _ECHO_S
        self._own = {key: moment for key, moment in self._own.items() if moment > oldest}
        return {file for path, file in self._own if path == store.place}

    def news(self, store: Store, files: frozenset[str]) -> frozenset[str]:
        """Those of the changed files that somebody else changed.

        A change of a layer can touch several files, in other layers too.
        """
        own = self.own_files(store)
        if not isinstance(store, LayerStore):
            return files - own
        layers = {other.path for other in self.stores if isinstance(other, LayerStore)}
        return frozenset() if any(path in layers for path, _ in self._own) else files

    @property
    def is_busy(self) -> bool:
        """Whether a change of this app's own is under way."""
        return bool(self._busy)

    def _show_busy(self) -> None:
        """Say on the screen that a change is still under way."""
        for screen in self.screen_stack[-1:]:  # there is none while the app ends
            for bar in screen.query(KeyBar):
                bar.busy = "working …" if self._busy else ""
