"""The person's own editor: the terminal is handed over to it, and what comes back is saved."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from pimem_core.errors import PimemError
from pimem_core.systems.stores import EditableStore, supporting
from textual.app import SuspendNotSupported

from ..rows.handles import to_edit
from .saving import Refusal

if TYPE_CHECKING:
    from collections.abc import Callable

    from pimem_core.history.drafts import Draft, Typed, TypedDraft
    from pimem_core.model import Change
    from pimem_core.paths import Places
    from pimem_core.systems.stores import Store
    from textual.app import App
    from textual.timer import Timer

    from .drafts import Drafts
    from .jobs import Jobs, Next
    from .navigation import Navigation
    from .notices import Notices
    from .outcomes import Outcomes
    from .saving import Saver
    from .terminal_editor import EditorEnd


#: Seconds between two looks at texts that windows have open.
_LOOK_S = 0.5


class _Edit(NamedTuple):
    """A text that is with the editor: its file, and the draft that outlives a crash meanwhile."""

    store: Store
    file: str
    handed_over: Draft
    draft: TypedDraft
    typed: Typed


class ExternalEditor:
    """Opens topics in the editor that VISUAL or EDITOR names."""

    def __init__(
        self,
        app: App[None],
        places: Places,
        *,
        jobs: Jobs,
        saver: Saver,
        outcomes: Outcomes,
        notices: Notices,
        navigation: Navigation,
        drafts: Drafts,
        drop_keys: Callable[[], object],
        key_for: Callable[[str], str],
    ) -> None:
        """Open topics.

        Args:
            app: The app that has the terminal.
            places: Where drafts are kept.
            jobs: Reads and saves in a worker.
            saver: Saves.
            outcomes: Reports what was saved.
            notices: Says that nothing changed.
            navigation: Opens the editor of the app for a text that could not be saved.
            drafts: Knows which drafts are open.
            drop_keys: Forgets keys that were typed before the editor has the terminal.
            key_for: Gives the first key of a binding.
        """
        self._app = app
        self._places = places
        self._jobs = jobs
        self._saver = saver
        self._outcomes = outcomes
        self._notices = notices
        self._navigation = navigation
        self._drafts = drafts
        self._drop_keys = drop_keys
        self._key_for = key_for
        #: What windows of editors may still have open, as it was when it was last looked at.
        self._in_windows: list[_Edit] = []
        self._looks: Timer | None = None

    def open(self, store: Store, file: str) -> None:
        """Open a topic's file and save what comes back."""

        def read() -> Next:
            from pimem_core.history.drafts import Draft, Typed, TypedDraft  # after the first frame

            document = to_edit(store, file, self._key_for("topic.remove"))
            handed_over = Draft.create(self._places, file, document.text)
            draft = TypedDraft.begin(self._places, file)
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
                outside=handed_over.path,
            )
            self._drafts.open.add(draft.path)
            try:
                draft.keep(typed)
            except PimemError:
                handed_over.discard()
                raise
            return partial(self._run, _Edit(store, file, handed_over, draft, typed))

        self._jobs.start(store, file, read, patient=True, goes_on=True)

    def _run(self, edit: _Edit) -> None:
        from .terminal_editor import EditorEnd, run_editor  # the first frame needs none of it

        self._drop_keys()
        try:
            end = run_editor(self._app, edit.handed_over)
        except SuspendNotSupported:
            end = EditorEnd(-1, "This terminal cannot be handed over to an editor.")
        self._app.refresh(layout=True)
        save = partial(self._save, edit, end)
        self._jobs.start(edit.store, edit.file, save, resumed=True, patient=True)
        if end.signum is not None:
            self._app.exit(return_code=128 + end.signum)

    def _save(self, edit: _Edit, end: EditorEnd) -> Next:
        """Save what the editor left, in a worker; a text that cannot be saved stays a draft.

        The draft counts as open until it is gone or known to be left, so that nobody is asked
        about it meanwhile.
        """
        store, file, opened = edit.store, edit.file, edit.handed_over.opened
        text = edit.handed_over.text()
        if text == opened and end.may_be_open:
            return partial(self._follow, edit)
        if text == opened:
            edit.draft.discard()
            if end.error:
                reason = f"{end.error} Set VISUAL or EDITOR."
                return partial(self._outcomes.report_failure, store, file, reason)
            return partial(self._notices.say, f'"{edit.typed.name}" is unchanged.')
        if end.code != 0 or end.error:
            self._drafts.open.discard(edit.draft.path)
            reason = end.error or f"The editor ended with code {end.code}; nothing was saved."
            reason += f" Your text is kept in {edit.handed_over.path}."
            return partial(self._report_left, store, file, reason)

        done = self._attempt(edit, text)
        if isinstance(done, Refusal):
            return self._refused(edit, text, done)
        edit.draft.discard()
        return partial(self._outcomes.report, store, done)

    def _attempt(self, edit: _Edit, text: str) -> Change | Refusal:
        store, file, opened = edit.store, edit.file, edit.handed_over.opened

        def save() -> Change:
            return supporting(store, EditableStore).save(file, opened=opened, text=text)

        return self._saver.attempt(store, save, file=file, opened=opened, text=text)

    def _refused(self, edit: _Edit, text: str, refusal: Refusal) -> Next:
        typed = edit.typed.but(body=text, time=time.time())
        return partial(self._go_on_here, edit, typed, refusal)

    # An editor with a window -------------------------------------------------------------------

    def _follow(self, edit: _Edit) -> None:
        """Take what is saved in the editor's window as long as the app runs.

        The draft stays: what is saved there later is offered at the next start.
        """
        if self._looks is None:
            self._looks = self._app.set_interval(_LOOK_S, self._look)
        self._in_windows.append(edit)
        self._notices.say(
            f'"{edit.typed.name}" is open in the editor\'s window: what you save there is taken.'
        )

    def _look(self) -> None:
        for edit in list(self._in_windows):
            if edit.handed_over.has_settled() and not self._jobs.is_busy:
                self._in_windows.remove(edit)
                take = partial(self._take, edit)
                self._jobs.start(edit.store, edit.file, take, patient=True)

    def _take(self, edit: _Edit) -> Next:
        """Save what the window saved, in a worker, and follow what comes after it."""
        rest = self._as_it_is(edit)
        text = rest.handed_over.opened
        if text == edit.handed_over.opened:
            return partial(self._in_windows.append, rest)
        done = self._attempt(edit, text)
        if isinstance(done, Refusal):
            return self._refused(edit, text, done)
        rest.draft.keep(rest.typed)
        store = edit.store

        def follow() -> None:
            self._in_windows.append(rest)
            self._outcomes.report(store, done)

        return follow

    def _as_it_is(self, edit: _Edit) -> _Edit:
        """The same edit, begun with what its file holds now."""
        draft = edit.handed_over.again()
        opened = {**(edit.typed.opened or {}), "text": draft.opened}
        typed = edit.typed.but(opened=opened, body=draft.opened, time=time.time())
        return edit._replace(handed_over=draft, typed=typed)

    # A text that is not saved ------------------------------------------------------------------

    def _report_left(self, store: Store, file: str, reason: str) -> None:
        """Report that a changed text was not saved and stays a draft."""
        key = self._key_for("list.drafts")
        self._outcomes.report_failure(store, file, f"{reason} {key} opens it.")
        self._drafts.count()

    def _go_on_here(self, edit: _Edit, typed: Typed, refusal: Refusal) -> None:
        """Open the editor of the app, where nothing typed gets lost."""
        if self._navigation.is_open:  # else the app ends, and the next start offers the draft
            self._navigation.edit(edit.store, None, draft=edit.draft, typed=typed, refusal=refusal)
