"""What a person does to topics: pin, remove, edit.

It belongs to the app, so that a change outlives the screen it was begun on. Every change runs in a
worker, one at a time, and says in the end what happened.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from pimem_core.drafts import Draft
from pimem_core.errors import PimemError, SecretError
from pimem_core.text import visible_cell
from textual import on
from textual.app import App, SuspendNotSupported
from textual.signal import Signal

from .editor import EditorEnd, run_editor
from .messages import (
    ChangeFailed,
    DraftReady,
    NothingChanged,
    ReadingBroke,
    RemovalKnown,
    SecretFound,
    TopicChanged,
    WorkDone,
)
from .widgets import KeyBar

if TYPE_CHECKING:
    from collections.abc import Callable

    from pimem_core.model import Topic
    from pimem_core.paths import Places
    from pimem_core.systems.base import Store
    from textual.message import Message

_NOTICE_S = 4
#: Seconds after which a change says that it is still under way.
_SLOW_S = 0.15
_ERROR_S = 10


class TopicChanges(App[None]):
    """The part of the app that changes topics. Screens follow `topic_changed`."""

    def __init__(self, places: Places) -> None:
        super().__init__()
        self.places = places
        self.topic_changed: Signal[TopicChanged] = Signal(self, "topic_changed")
        self.change_failed: Signal[ChangeFailed] = Signal(self, "change_failed")
        self._turn = threading.Lock()
        self._busy: set[tuple[str, str]] = set()

    def pin_topic(self, store: Store, topic: Topic) -> None:
        """Pin a topic, or unpin a pinned one."""

        def pin() -> Message:
            with self._turn:
                change = store.pin(topic.file, not topic.pinned)
                store.announce()
            return TopicChanged(store, change)

        self._start(store, topic, pin)

    def remove_topic(self, store: Store, topic: Topic) -> None:
        """Ask the store what removing means, then the person, then remove."""
        self._start(store, topic, lambda: RemovalKnown(store, topic, store.removal(topic.file)))

    def edit_topic(self, store: Store, topic: Topic) -> None:
        """Open a topic in the person's own editor and save what comes back."""

        def read() -> Message:
            store.refuse_changes()
            opened = store.read(topic.file).text
            return DraftReady(store, topic, Draft.create(self.places, topic.file, opened))

        self._start(store, topic, read)

    def say(self, text: str) -> None:
        """Show a notice for a moment."""
        self.notify(visible_cell(text), markup=False, timeout=_NOTICE_S)

    def say_error(self, text: str) -> None:
        """Show an error, for longer."""
        self.notify(visible_cell(text), markup=False, severity="error", timeout=_ERROR_S)

    @on(RemovalKnown)
    def _ask_removal(self, message: RemovalKnown) -> None:
        from .screens.confirm import ConfirmScreen  # loads when the first question comes

        store, topic, removal = message.store, message.topic, message.removal

        def remove() -> Message:
            with self._turn:
                change = store.remove(topic.file)
                store.announce()
            return TopicChanged(store, change)

        def answered(yes: bool | None) -> None:
            if yes:
                self._start(store, topic, remove)

        self.push_screen(
            ConfirmScreen(removal.question, removal.goes_and_stays, "Remove"), answered
        )

    @on(DraftReady)
    def _open_editor(self, message: DraftReady) -> None:
        try:
            end = run_editor(self, message.draft.path)
        except SuspendNotSupported:
            end = EditorEnd(-1, "This terminal cannot be handed over to an editor.")
        self.refresh(layout=True)
        self._start(
            message.store, message.topic, lambda: self._take_draft(message, end), resumed=True
        )
        if end.signum is not None:
            self.exit(return_code=128 + end.signum)

    def _take_draft(self, message: DraftReady, end: EditorEnd) -> Message:
        """Save what the editor left, in a worker; a text that cannot be saved stays a draft."""
        store, topic, draft = message.store, message.topic, message.draft
        text = draft.text()
        if text == draft.opened:
            draft.discard()
            if end.error:
                return ChangeFailed(store, topic.file, f"{end.error} Set VISUAL or EDITOR.")
            return NothingChanged(f'"{topic.name}" is unchanged.')
        if end.code != 0 or end.error:
            reason = end.error or f"The editor ended with code {end.code}; nothing was saved."
            return ChangeFailed(store, topic.file, f"{reason} {_kept(draft)}")
        return self._save(message, text, allow_secret=False)

    def _save(self, message: DraftReady, text: str, *, allow_secret: bool) -> Message:
        store, topic, draft = message.store, message.topic, message.draft
        try:
            with self._turn, draft.kept_on_failure():
                change = store.save(
                    topic.file, opened=draft.opened, text=text, allow_secret=allow_secret
                )
                store.announce()
        except SecretError as error:
            return SecretFound(message, text, str(error))
        except PimemError as error:
            return ChangeFailed(store, topic.file, str(error))
        except Exception as error:
            return ChangeFailed(store, topic.file, f"{unexpected(error)} {_kept(draft)}")
        return TopicChanged(store, change)

    @on(SecretFound)
    def _ask_secret(self, message: SecretFound) -> None:
        from .screens.confirm import ConfirmScreen

        edit = message.edit

        def answered(yes: bool | None) -> None:
            if yes:
                self._start(
                    edit.store,
                    edit.topic,
                    lambda: self._save(edit, message.text, allow_secret=True),
                )
            else:
                self.say_error(f"Nothing was saved. {_kept(edit.draft)}")

        self.push_screen(
            ConfirmScreen(f'Save "{edit.topic.name}" all the same?', message.reason, "Save"),
            answered,
        )

    @on(TopicChanged)
    def _tell_change(self, message: TopicChanged) -> None:
        change = message.change
        text = " ".join((change.message, *change.notes))
        unnamed = [name for name in change.dropped if name not in text]
        if unnamed:
            text += f" ({', '.join(unnamed)})"
        self.say(text)
        self.topic_changed.publish(message)

    @on(ChangeFailed)
    def _tell_failure(self, message: ChangeFailed) -> None:
        self.say_error(message.error)
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

    def _start(
        self, store: Store, topic: Topic, work: Callable[[], Message], *, resumed: bool = False
    ) -> None:
        """Run work in a thread and post what it has to tell; one at a time for each topic."""
        key = (store.path, topic.file)
        if key in self._busy and not resumed:
            return
        self._busy.add(key)
        self.set_timer(_SLOW_S, self._show_busy)

        def run() -> None:
            try:
                result = work()
            except PimemError as error:
                result = ChangeFailed(store, topic.file, str(error))
            except Exception as error:
                result = ChangeFailed(store, topic.file, unexpected(error))
            self.post_message(WorkDone(key, result))

        self.run_worker(run, thread=True, exit_on_error=False, group="changes")

    def _show_busy(self) -> None:
        """Say on the screen that a change is still under way."""
        for bar in self.screen.query(KeyBar):
            bar.busy = "working …" if self._busy else ""


def _kept(draft: Draft) -> str:
    return f"Your text is kept in {draft.path}."


def unexpected(error: BaseException) -> str:
    """Words for an error that nobody foresaw; the log gets the rest."""
    from .log import logger

    logger.error("An unexpected error", exc_info=error)
    detail = " ".join(str(error).split())[:200]
    return f"Something unexpected went wrong: {type(error).__name__} {detail}".rstrip() + "."
