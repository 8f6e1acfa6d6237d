"""The editor: a draft follows what is typed, saving merges, and what others do meanwhile shows."""

from __future__ import annotations

import time
from datetime import datetime
from typing import TYPE_CHECKING, ClassVar

from pimem_core.errors import PimemError
from pimem_core.formats.text import plural, visible_cell
from pimem_core.history.drafts import Typed, TypedDraft
from pimem_core.model import Document
from pimem_core.paths import tilde
from pimem_core.systems.guidelines import DISTILL
from pimem_core.systems.layers import LayerStore
from pimem_core.systems.stores import ComposingStore, TypedStore
from pimem_styles import stylesheets
from textual import getters, on
from textual.containers import Horizontal
from textual.widgets import Checkbox, Input, Static, TextArea

from ..drawing.cells import clean, cut
from ..keys.bindings import bindings_of
from ..rows.fields import Fields, fields_of, fields_typed
from ..services.draft_keeper import DraftKeeper
from ..services.manager_app import ManagerApp
from ..services.saving import Edited
from ..widgets import KeyBar, TooSmall
from ..widgets.choice import Choice
from ..widgets.edit_preview import EditPreview
from ..widgets.entry_fields import EntryFields, new_entry
from ..widgets.text_editor import TextEditor
from ..widgets.topic_fields import NewTopicOptions, TopicFields
from ..workers.background import Reader
from ..workers.messages import DiskRead, TextMeasured
from .base import BaseScreen
from .edit_saving import EditSaving
from .entry_choices import EntryChoices

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pimem_core.systems.stores import Store
    from textual.app import ComposeResult
    from textual.binding import BindingType

    from ..services.saving import Refusal
    from ..services.watcher import StoreTouched

_KEYS_OF_TOPIC = ("edit.save", "edit.leave", "edit.preview", "app.palette", "app.help")
_KEYS_OF_ENTRY = (
    *("edit.save", "edit.leave", "form.file", "form.older"),
    *("edit.preview", "app.help"),
)


class EditScreen(BaseScreen[None], Reader):
    """Write a new topic or entry, or edit a topic. Nothing that is typed here gets lost."""

    app = getters.app(ManagerApp)

    CSS_PATH = stylesheets("edit")
    AUTO_FOCUS = None
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_of("edit"), *bindings_of("form")]

    name_field = getters.query_one("#name", Input)
    title_field = getters.query_one("#title", Input)
    summary_field = getters.query_one("#summary", Input)
    type_choice = getters.query_one(Choice)
    editor = getters.query_one(TextEditor)
    preview = getters.query_one(EditPreview)

    def __init__(
        self,
        store: Store,
        document: Document | None,
        *,
        entry_file: str | None = None,
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
            entry_file: The memory file that a new entry begins with; None when it is not an entry.
            draft: The draft to go on with.
            typed: What it holds.
            refusal: Why what it holds could not be saved.
            line: The line of the text to begin at.
            whole: Edit the file without any fields.
        """
        super().__init__()
        if typed is not None and typed.opened is not None:
            document = Document(**typed.opened)
        # The text is edited as a whole where a system has no name and summary to compose.
        whole = entry_file is None and (
            whole or not isinstance(store, ComposingStore) or (typed is not None and typed.whole)
        )
        self._edited = edited = Edited(store, document, whole)
        self._restored = typed is not None
        self._refused = refusal
        self._line = line
        self._first = new_entry(entry_file) if entry_file is not None else self._opened()
        self._shown = self._first if typed is None else fields_typed(typed)
        self.form: TopicFields | EntryFields
        self._choices: EntryChoices | None = None
        if entry_file is None:
            self.form = TopicFields(store, self._first, self._shown)
        else:
            self.form = self._entry_form()
        self.KEY_BAR: Sequence[str] = _KEYS_OF_TOPIC if entry_file is None else _KEYS_OF_ENTRY
        # Before anything is mounted a class costs nothing; later it styles the whole form anew.
        self.set_class(self._edited.whole, "-whole")
        self.set_class(isinstance(store, TypedStore), "-typed")
        self.add_class("-preview")
        self._drafts = DraftKeeper(
            draft or TypedDraft.begin(self.app.places, document.file if document else "new.md"),
            open_drafts=self.app.drafts.open,
            loop=self.app.loop,
            set_timer=self.set_timer,
            failed=self._show_note,
        )
        self._saving = EditSaving(
            self.app,
            edited,
            self._drafts,
            typed=self.typed,
            file_is_gone=self._become_new,
            close=self.close,
        )
        self._refusal = ""
        self._note = ""
        self._measures = ""

    def _entry_form(self) -> EntryFields:
        today = datetime.fromtimestamp(self.app.now()).astimezone().strftime("%Y-%m-%d")
        form = EntryFields(self._edited.store, self._shown, today)
        if isinstance(self._edited.store, LayerStore):
            app = self.app
            self._choices = EntryChoices(
                self, self._edited.store, form, navigation=app.navigation, notices=app.notices
            )
        return form

    def _opened(self) -> Fields:
        """What the fields hold before anybody types."""
        return fields_of(self._edited.document, whole=self._edited.whole)

    # Showing -----------------------------------------------------------------------------------

    def compose(self) -> ComposeResult:
        """Fields, text, preview, status and keys."""
        yield self.form
        yield Static(id="refusal", markup=False)
        with Horizontal(id="body"):
            yield TextEditor()
            yield EditPreview(lambda: (self.editor.text, self.form.preview(self.fields())))
        if self._edited.document is None and isinstance(self.form, TopicFields):
            yield NewTopicOptions(self._edited.store, self._shown)
        yield Static(id="about", markup=False)
        yield KeyBar()
        yield TooSmall()

    def on_mount(self) -> None:
        """Put the text in, and the cursor where typing begins; follow what others do."""
        self._drafts.begin()
        self.app.watcher.touched.subscribe(self, self._follow_others)
        self.editor.load_text(self.form.text)
        if self._edited.document is not None or self.name_field.value:
            self.editor.focus()
        else:
            self.name_field.focus()
        if isinstance(self.form, EntryFields):
            self.editor.placeholder = DISTILL
            if self.name_field.value:
                self.call_after_refresh(self.summary_field.focus)
        if self._line > 1:
            place = (self._line - 1, 0)
            self.call_after_refresh(self.editor.move_cursor, place, center=True)
        if self._restored and self._edited.document is not None:
            self._look_at_disk()
        if self._refused is not None:
            self.call_after_refresh(self._saving.take_refusal, self._refused)
        self._changed()

    def on_unmount(self) -> None:
        """Keep what is typed if the app ends here."""
        self._drafts.end()

    def on_resize(self) -> None:
        """Lay the preview out for the new width."""
        self.call_after_refresh(self._changed)

    @on(Input.Submitted)
    def _go_on(self) -> None:
        """Enter leads from one field to the next, at last into the text."""
        self.focus_next()

    @property
    def dirty(self) -> bool:
        """Whether something was typed that is not saved."""
        return self.fields() != self._first

    def fields(self) -> Fields:
        """What the fields hold now."""
        fields = self.form.values(self.editor.text)
        for options in self.query(NewTopicOptions):
            fields = options.added_to(fields)
        return fields

    def typed(self) -> Typed:
        """What the fields hold now, as a draft keeps it."""
        fields = self.fields()
        return Typed(
            system=self._edited.store.system,
            folder=self._edited.store.place,
            opened=None if self._edited.document is None else dict(self._edited.document.__dict__),
            name=fields.name,
            summary=fields.summary,
            body=fields.body,
            title=fields.title,
            type=fields.type,
            pin=fields.pin,
            mode="replace" if fields.replace else "append",
            time=time.time(),
            whole=self._edited.whole,
        )

    @on(Input.Changed)
    @on(TextArea.Changed)
    @on(Checkbox.Changed)
    @on(Choice.Changed)
    def _changed(self) -> None:
        """Check what was typed at once; measure and keep it when the keys rest."""
        if not self.is_mounted:
            return
        refusal = self.form.refusal(self.fields(), self._first, self._edited.document)
        if refusal != self._refusal:
            self._refusal = refusal
            self.query_one("#refusal", Static).update(f"! {visible_cell(refusal)}")
            self.set_class(bool(refusal), "-refused")
        self.refresh_bindings()
        self._show_about()
        self.preview.follow()
        self._drafts.take(self.typed() if self.dirty else None)

    def _show_about(self) -> None:
        """Say below the text whether it is saved, what it costs and where it is."""
        store, document = self._edited.store, self._edited.document
        parts = ["unsaved" if self.dirty else "empty" if document is None else "saved"]
        if self._note:
            parts.append(self._note)
        if not self._edited.whole:
            parts.append(f"{plural(self.form.cost(self.fields()), 'token')} per prompt")
        if self._measures:
            parts.append(self._measures)
        where = store.place if document is None else document.path
        parts.append(tilde(where, self.app.places.home))
        text = cut(" · ".join(clean(part) for part in parts), max(self.size.width - 2, 1))
        self.query_one("#about", Static).update(text)

    def _show_note(self, note: str) -> None:
        self._note = note
        if self.is_mounted:
            self._show_about()

    @on(TextMeasured)
    def _show_measures(self, message: TextMeasured) -> None:
        self._measures = f"{plural(message.words, 'word')}, {plural(message.tokens, 'token')}"
        self._show_about()

    def action_preview(self) -> None:
        """Show or hide the preview; on a narrow screen it takes the place of the text."""
        if self.has_class("-wide"):
            self.toggle_class("-preview")
        else:
            self.toggle_class("-only-preview")
            if not self.has_class("-only-preview"):
                self.editor.focus()
        self.call_after_refresh(self.preview.measure)

    # Saving and leaving ------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Saving needs something to save that the rules allow; only entries have choices."""
        if action in ("choose_file", "choose_older"):
            return self._choices is not None
        if action == "save":
            return True if self.is_mounted and self.dirty and not self._refusal else None
        return True

    def action_choose_file(self) -> None:
        """Choose the file of the entry."""
        if self._choices is not None:
            self._choices.file()

    def action_choose_older(self) -> None:
        """Choose the entry that this one supersedes."""
        if self._choices is not None:
            self._choices.older()

    def action_save(self) -> None:
        """Save, merged with what others changed meanwhile."""
        self._saving.save(self.typed())

    def _become_new(self) -> None:
        """Go on with a text whose file was deleted: saving writes it as a new topic."""
        document = self._edited.document
        if document is None or not isinstance(self._edited.store, ComposingStore):
            self.app.notices.say_error(
                "The file was deleted meanwhile. What you typed is kept as a draft."
            )
            return
        if self._edited.whole:
            front = document.text.removesuffix(document.body)
            self.editor.load_text(self.editor.text.removeprefix(front).lstrip("\r\n"))
            self._edited.whole = False
            self.remove_class("-whole")
        self._edited.document = None
        self._first = self._opened()
        self._note = "its file was deleted; saving creates it again"
        self.mount(NewTopicOptions(self._edited.store, Fields(replace=True)), before="#about")
        self._changed()
        self.app.notices.say_error("The file was deleted meanwhile. Saving creates it again.")

    def action_leave(self) -> None:
        """Go back to the list."""
        self.leave_editor()

    def leave_editor(self) -> None:
        """Go back to the list; ask first when something is not saved."""
        if not self.dirty:
            self._throw_away()
            return
        name = self.name_field.value or "the new topic"
        self.app.navigation.confirm(
            "Leave without saving?",
            f'What you typed in "{name}" would be thrown away.',
            "Throw away",
            self._throw_away,
        )

    def _throw_away(self) -> None:
        self.close()
        self._drafts.discard_later()

    def close(self) -> None:
        """Go back to the screen below."""
        self._drafts.stop()
        if self.is_current:
            self.dismiss()

    # What others do meanwhile ------------------------------------------------------------------

    def _follow_others(self, touched: StoreTouched) -> None:
        document = self._edited.document
        if touched.store is self._edited.store and document and document.file in touched.files:
            self._look_at_disk()

    def _look_at_disk(self) -> None:
        document = self._edited.document
        assert document is not None

        def work() -> None:
            try:
                self.post_message(DiskRead(self._edited.store.read(document.file)))
            except PimemError:
                self.post_message(DiskRead(None))

        self.run_worker(work, thread=True, exclusive=True, exit_on_error=False, group="disk")

    @on(DiskRead)
    def _show_disk(self, message: DiskRead) -> None:
        document = self._edited.document
        if document is None:
            return
        if message.document is None:
            self._show_note("* deleted on disk meanwhile")
        elif message.document.text == document.text:
            self._show_note("")
        elif self.dirty:
            self._show_note("* changed on disk meanwhile; saving merges")
        else:
            self._reload(message.document)

    def _reload(self, document: Document) -> None:
        """Show what is on disk now, since nothing was typed yet."""
        self._edited.document = document
        self._first = self._opened()
        self.form.show(self._first)
        place = self.editor.cursor_location
        self.editor.load_text(self._first.body)
        self.editor.move_cursor(place)
        self._show_note("* changed on disk and reloaded")
