"""Saving what the editor holds, and asking what to do where it is refused."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from pimem_core.errors import PimemError
from pimem_core.systems.stores import WritableStore, supporting

from ..services.saving import Refusal, composed, request_to_write, save

if TYPE_CHECKING:
    from collections.abc import Callable

    from pimem_core.history.drafts import Typed
    from pimem_core.model import Change

    from ..services.draft_keeper import DraftKeeper
    from ..services.jobs import Next
    from ..services.manager_app import ManagerApp
    from ..services.saving import Edited


class EditSaving:
    """Saves in a worker. Nothing typed is lost where a save is refused."""

    def __init__(
        self,
        app: ManagerApp,
        edited: Edited,
        drafts: DraftKeeper,
        *,
        typed: Callable[[], Typed],
        file_is_gone: Callable[[], object],
        close: Callable[[], object],
    ) -> None:
        """Save.

        Args:
            app: Has the parts that run and report changes and ask questions.
            edited: What is edited.
            drafts: Keeps what is typed until it is saved.
            typed: Gives what the fields hold now.
            file_is_gone: Goes on with a text whose file was deleted.
            close: Closes the editor once its text is saved.
        """
        self._app = app
        self._edited = edited
        self._drafts = drafts
        self._typed = typed
        self._file_is_gone = file_is_gone
        self._close = close

    def save(self, typed: Typed, *, allow_secret: bool = False) -> None:
        """Save what was typed, merged with what others changed meanwhile."""
        store, document = self._edited.store, self._edited.document
        if document is None:
            request = request_to_write(typed, allow_secret=allow_secret)
            writable = supporting(store, WritableStore)
            self._start(typed, lambda: writable.write(request), "", "")
            return
        try:
            text = typed.body if self._edited.whole else composed(store, document, typed)
        except PimemError as error:
            self.take_refusal(Refusal("refused", self._app.notices.explain(error)))
        else:
            self._save_text(document.text, text, allow_secret=allow_secret)

    def _save_text(self, opened: str, text: str, *, allow_secret: bool = False) -> None:
        typed, store, document = self._typed(), self._edited.store, self._edited.document
        assert document is not None

        def change() -> Change:
            return save(
                store,
                document,
                text,
                opened=opened,
                title=typed.title,
                allow_secret=allow_secret,
            )

        self._start(typed, change, opened, text)

    def _start(self, typed: Typed, change: Callable[[], Change], opened: str, text: str) -> None:
        app, store, document = self._app, self._edited.store, self._edited.document
        file = document.file if document is not None else None

        def keep_and_change() -> Change:
            self._drafts.keep(typed)
            return change()

        def work() -> Next:
            done = app.saver.attempt(store, keep_and_change, file=file, opened=opened, text=text)
            if isinstance(done, Refusal):
                return partial(self.take_refusal, done)
            self._drafts.discard()
            return partial(self._end, done)

        app.jobs.start(store, file or self._drafts.path, work, patient=True)

    def _end(self, change: Change) -> None:
        self._close()
        self._app.outcomes.report(self._edited.store, change)

    def take_refusal(self, refusal: Refusal) -> None:
        """Ask the person what to do about a save that did not happen."""
        if refusal.kind == "secret":
            self._ask_secret(refusal)
        elif refusal.kind == "conflict":
            self._ask_conflict(refusal)
        elif refusal.kind == "gone":
            self._file_is_gone()
        else:
            self._app.notices.say_error(f"{refusal.reason} What you typed is still here.")

    def _ask_secret(self, refusal: Refusal) -> None:
        if self._edited.document is not None:
            yes = partial(self._save_text, refusal.base, refusal.mine, allow_secret=True)
        else:
            yes = partial(self.save, self._typed(), allow_secret=True)
        self._app.navigation.confirm("Store it anyway?", refusal.reason, "Store", yes)

    def _ask_conflict(self, refusal: Refusal) -> None:
        from .conflict import ConflictScreen

        def resolved(text: str | None) -> None:
            if text is not None:
                self._save_text(refusal.theirs, text)

        name, theirs, mine = self._typed().name, refusal.theirs, refusal.mine
        screen = ConflictScreen(name, refusal.base, theirs=theirs, mine=mine)
        self._app.push_screen(screen, resolved)
