"""The editor: a draft follows what is typed, saving merges, and what others do meanwhile shows."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar

from pimem_core.errors import PimemError
from pimem_core.history.drafts import Typed, TypedDraft
from pimem_core.systems.stores import (
    ComposingStore,
    EditableStore,
    WritableStore,
    WriteRequest,
    supporting,
)
from textual import on

from ..keys.bindings import bindings_of
from ..services.saving import Refusal, attempt
from ..workers.messages import DiskRead
from .confirm import ConfirmScreen
from .edit_form import EditForm, Fields

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pimem_core.model import Change, Document
    from pimem_core.systems.stores import Store
    from textual.binding import BindingType
    from textual.timer import Timer

    from ..services.jobs import Next
    from ..services.watcher import StoreTouched

#: Seconds after a key before a draft is written.
_KEEP_S = 0.35


class EditScreen(EditForm):
    """Write a new topic or edit one. Nothing that is typed here gets lost."""

    KEY_BAR: Sequence[str] = ("edit.save", "edit.leave", "edit.preview", "app.palette", "app.help")
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_of("edit")]

    def __init__(
        self,
        store: Store,
        document: Document | None,
        *,
        draft: TypedDraft | None = None,
        typed: Typed | None = None,
        refusal: Refusal | None = None,
        line: int = 1,
        whole: bool = False,
    ) -> None:
        """Edit.

        Args:
            store: Where the topic is, or goes.
            document: The topic; None for a new one.
            draft: The draft to go on with.
            typed: What it holds.
            refusal: Why what it holds could not be saved.
            line: The line of the text to begin at.
            whole: Edit the file without any fields.
        """
        super().__init__(store, document, typed, whole=whole)
        self._refused = refusal
        self._line = line
        begun = self._document.file if self._document is not None else "new.md"
        self._draft = draft or TypedDraft.begin(self.app.places, begun)
        self._keeping: Timer | None = None

    def on_mount(self) -> None:
        """Take the draft, and follow what others do to the topic."""
        self.app.drafts.open.add(self._draft.path)
        self.app.watcher.touched.subscribe(self, self._follow_others)
        if self._line > 1:
            place = (self._line - 1, 0)
            self.call_after_refresh(self.editor.move_cursor, place, center=True)
        if self._restored is not None and self._document is not None:
            self._look_at_disk()
        if self._refused is not None:
            self.call_after_refresh(self.take_refusal, self._refused)

    def on_unmount(self) -> None:
        """Keep what is typed if the app ends here."""
        self.app.drafts.open.discard(self._draft.path)
        if self._keeping is not None and self._latest is not None:
            self._keep(self._latest)

    # Drafts ------------------------------------------------------------------------------------

    def keep_soon(self) -> None:
        """Write the draft in a moment, at the latest so long after the first key."""
        if self._keeping is None:
            self._keeping = self.set_timer(_KEEP_S, self._keep_now)

    def _keep_now(self) -> None:
        self._keeping = None
        typed = self._latest
        if typed is None:
            return
        self.app.run_worker(
            lambda: self._keep(typed), thread=True, exit_on_error=False, group="drafts written"
        )

    def _keep(self, typed: Typed) -> None:
        try:
            self._draft.keep(typed)
        except PimemError as error:
            self.app.call_later(self.tell_note, f"no draft: {error}")

    # Saving and leaving ------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Saving needs something to save that the rules allow."""
        if action == "save":
            return True if self.is_mounted and self.dirty and not self._refusal else None
        return True

    def action_save(self) -> None:
        """Save, merged with what others changed meanwhile."""
        self._save(self.typed())

    def _save(self, typed: Typed, *, allow_secret: bool = False) -> None:
        document = self._document
        if document is None:
            request = WriteRequest(
                topic=typed.name,
                content=typed.body,
                summary=typed.summary,
                pin=typed.pin,
                mode=typed.mode,
                type=typed.type,
                title=typed.title or None,
                allow_secret=allow_secret,
            )

            def write() -> Change:
                self._draft.keep(typed)
                return supporting(self.store, WritableStore).write(request)

            self._start(write, "", "")
            return
        if self._whole:
            self._save_text(document.text, typed.body, allow_secret=allow_secret)
            return
        lead = document.body[: len(document.body) - len(document.body.lstrip("\r\n"))]
        body = lead + typed.body
        name, summary = typed.name, typed.summary
        try:
            if self.typed_store is not None:
                text = self.typed_store.compose(
                    document, name=name, summary=summary, body=body, type=typed.type
                )
            else:
                text = supporting(self.store, ComposingStore).compose(
                    document, name=name, summary=summary, body=body
                )
        except PimemError as error:
            self.take_refusal(Refusal("refused", str(error)))
            return
        self._save_text(document.text, text, allow_secret=allow_secret)

    def _save_text(self, opened: str, text: str, *, allow_secret: bool = False) -> None:
        document = self._document
        assert document is not None
        typed = self.typed()

        def save() -> Change:
            self._draft.keep(typed)
            store, file = self.typed_store, document.file
            if store is None or typed.title in ("", document.title):
                return supporting(self.store, EditableStore).save(
                    file, opened=opened, text=text, allow_secret=allow_secret
                )
            return store.save(
                file, opened=opened, text=text, title=typed.title, allow_secret=allow_secret
            )

        self._start(save, opened, text)

    def _start(self, work: Callable[[], Change], opened: str, text: str) -> None:
        """Save in a worker; a refusal comes back to `take_refusal`."""
        file = self._document.file if self._document is not None else None

        def run() -> Next:
            turn = self.app.jobs.turn
            done = attempt(self.store, turn, work, file=file, opened=opened, text=text)
            if isinstance(done, Refusal):
                return partial(self.take_refusal, done)
            self._draft.discard()
            return partial(self._end_saved, done)

        self.app.jobs.start(self.store, file or self._draft.path, run, patient=True)

    def _end_saved(self, change: Change) -> None:
        self.close()
        self.app.outcomes.report(self.store, change)

    def take_refusal(self, message: Refusal) -> None:
        """Ask the person what to do about a save that did not happen; nothing typed is lost."""
        if message.kind == "secret":
            self._ask_secret(message)
        elif message.kind == "conflict":
            from .conflict import ConflictScreen

            def resolved(text: str | None) -> None:
                if text is not None:
                    self._save_text(message.theirs, text)

            self.app.push_screen(
                ConflictScreen(
                    self.name_field.value, message.base, theirs=message.theirs, mine=message.mine
                ),
                resolved,
            )
        elif message.kind == "gone":
            self._become_new()
        else:
            self.app.notices.say_error(f"{message.reason} What you typed is still here.")

    def _become_new(self) -> None:
        """Go on with a text whose file was deleted: saving writes it as a new topic."""
        document = self._document
        if document is None or not isinstance(self.store, ComposingStore):
            self.app.notices.say_error(
                "The file was deleted meanwhile. What you typed is kept as a draft."
            )
            return
        if self._whole:
            front = document.text.removesuffix(document.body)
            self.editor.load_text(self.editor.text.removeprefix(front).lstrip("\r\n"))
            self._whole = False
            self.remove_class("-whole")
        self._document = None
        self._first = self._fields_of(None)
        self._note = "its file was deleted; saving writes it anew"
        self.mount(self.options(Fields(replace=True)), before="#about")
        self._changed()
        self.app.notices.say_error("The file was deleted meanwhile. Saving again writes it anew.")

    def _ask_secret(self, message: Refusal) -> None:
        typed = self.typed()

        def answered(yes: bool | None) -> None:
            if yes and self._document is not None:
                self._save_text(message.base, message.mine, allow_secret=True)
            elif yes:
                self._save(typed, allow_secret=True)

        self.app.push_screen(
            ConfirmScreen("Store it all the same?", message.reason, "Store"), answered
        )

    def action_leave(self) -> None:
        """Go back to the list."""
        self.leave_editor()

    def leave_editor(self) -> None:
        """Go back to the list; ask first when something is not saved."""
        if not self.dirty:
            self._throw_away(True)
            return
        name = self.name_field.value or "the new topic"
        self.app.push_screen(
            ConfirmScreen(
                "Leave without saving?",
                f'What you typed in "{name}" would be thrown away.',
                "Throw away",
            ),
            self._throw_away,
        )

    def _throw_away(self, yes: bool | None) -> None:
        if yes:
            self.close()
            # Not a worker of this screen: those end with it.
            self.app.run_worker(self._draft.discard, thread=True, exit_on_error=False)

    def close(self) -> None:
        """Go back to the screen below."""
        if self._keeping is not None:
            self._keeping.stop()
            self._keeping = None
        if self.is_current:
            self.dismiss()

    # What others do meanwhile ------------------------------------------------------------------

    def _follow_others(self, message: StoreTouched) -> None:
        document = self._document
        if document is not None and message.store is self.store and document.file in message.files:
            self._look_at_disk()

    def _look_at_disk(self) -> None:
        document = self._document
        assert document is not None

        def work() -> None:
            try:
                self.post_message(DiskRead(self.store.read(document.file)))
            except PimemError:
                self.post_message(DiskRead(None))

        self.run_worker(work, thread=True, exclusive=True, exit_on_error=False, group="disk")

    @on(DiskRead)
    def _show_disk(self, message: DiskRead) -> None:
        document = self._document
        if document is None:
            return
        if message.document is None:
            self.tell_note("* deleted on disk meanwhile")
        elif message.document.text == document.text:
            self.tell_note("")
        elif self.dirty:
            self.tell_note("* changed on disk meanwhile; saving merges")
        else:
            self._reload(message.document)

    def _reload(self, document: Document) -> None:
        """Show what is on disk now, since nothing was typed yet."""
        self._document = document
        self._first = self._fields_of(document)
        first = self._first
        self.name_field.value, self.summary_field.value = first.name, first.summary
        if self.typed_store is not None:
            self.title_field.value, self.type_choice.value = first.title, first.type
        place = self.editor.cursor_location
        self.editor.load_text(first.body)
        self.editor.move_cursor(place)
        self.tell_note("* changed on disk, shown anew")
