"""The editor: name and summary above, the text below, a preview beside it where there is room."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, ClassVar

from pimem_core.drafts import Typed, TypedDraft
from pimem_core.errors import ConflictError, PimemError, SecretError, TopicNotFoundError
from pimem_core.model import Document
from pimem_core.paths import tilde
from pimem_core.systems.base import WriteRequest
from pimem_core.text import plural, visible_cell
from pimem_core.tokens import estimate
from pimem_styles import stylesheet
from textual import getters, on
from textual.containers import Horizontal, Vertical
from textual.screen import Screen
from textual.widgets import Checkbox, Input, Static, TextArea
from textual.worker import get_current_worker

from ..background import Reader
from ..bindings import bindings_of
from ..cells import clean, cut
from ..changes import unexpected
from ..manager import Manager
from ..messages import DiskRead, NotSaved, Saved, StoreTouched, TextMeasured
from ..widgets import BodyView, KeyBar, TooSmall
from ..widgets.text_editor import TextEditor
from ..widgets.tick import Tick
from .confirm import ConfirmScreen

if TYPE_CHECKING:
    from collections.abc import Callable

    from pimem_core.systems.base import Store
    from textual.app import ComposeResult
    from textual.binding import BindingType
    from textual.message import Message
    from textual.timer import Timer

#: Seconds without a key before the text is measured and laid out, and before a draft is written.
_MEASURE_S = 0.12
_KEEP_S = 0.35


class EditScreen(Screen[None], Reader):
    """Write a new topic or edit one. Nothing that is typed here gets lost."""

    app = getters.app(Manager)

    CSS_PATH = stylesheet("edit.tcss")
    AUTO_FOCUS = None
    KEY_BAR = ("edit.save", "edit.leave", "edit.preview", "app.palette", "app.help")
    BINDINGS: ClassVar[list[BindingType]] = [*bindings_of("edit")]

    name_field = getters.query_one("#name", Input)
    summary_field = getters.query_one("#summary", Input)
    editor = getters.query_one(TextEditor)
    preview = getters.query_one(BodyView)

    def __init__(
        self,
        store: Store,
        document: Document | None,
        *,
        draft: TypedDraft | None = None,
        typed: Typed | None = None,
    ) -> None:
        super().__init__()
        self.store = store
        if typed is not None and typed.opened is not None:
            document = Document(**typed.opened)
        #: The text is edited as a whole, where a system has no name and summary to compose.
        self._whole = "compose" not in store.abilities
        self._document = document
        self._restored = typed
        begun = document.file if document is not None else "new.md"
        self._draft = draft or TypedDraft.begin(self.app.places, begun)
        self._first = self._fields_of(document)
        self._refusal = ""
        self._note = ""
        self._measures = ""
        self._measuring: Timer | None = None
        self._keeping: Timer | None = None
        self._latest: Typed | None = None

    def _fields_of(self, document: Document | None) -> tuple[str, str, str, bool, bool]:
        """What the fields hold before anybody types: name, summary, text, pin, replace."""
        if document is None:
            return "", "", "", False, False
        text = document.text if self._whole else document.body.lstrip("\r\n")
        return document.name, document.summary, text, False, False

    # Showing -----------------------------------------------------------------------------------

    def compose(self) -> ComposeResult:
        """Fields, text, preview, status and keys."""
        typed = self._restored
        name, summary, body, pin, replace = self._first
        if typed is not None:
            name, summary, body = typed.name, typed.summary, typed.body
            pin, replace = typed.pin, typed.mode == "replace"
        with Horizontal(classes="field"):
            yield Static("Name", classes="label")
            yield Input(name, id="name", compact=True, select_on_focus=False)
        with Horizontal(classes="field"):
            yield Static("Summary", classes="label")
            yield Input(
                summary,
                placeholder="one line that tells when to read this",
                id="summary",
                compact=True,
                select_on_focus=False,
            )
        with Horizontal(id="options"):
            yield Tick("pinned", pin, id="pin", compact=True)
            yield Tick("replace old text", replace, id="replace", compact=True)
        yield Static(id="refusal", markup=False)
        with Horizontal(id="body"):
            yield TextEditor()
            with Vertical(id="preview"):
                yield BodyView(can_focus=False)
        yield Static(id="about", markup=False)
        yield KeyBar()
        yield TooSmall()
        self._body_at_first = body

    def on_mount(self) -> None:
        """Put the text in, and the cursor where typing begins."""
        self.app.open_drafts.add(self._draft.path)
        self.app.store_touched.subscribe(self, self._follow_others)
        self.set_class(self._document is None, "-new")
        self.set_class(self._whole, "-whole")
        self.add_class("-preview")
        self.editor.load_text(self._body_at_first)
        if self._document is None and not self.name_field.value:
            self.name_field.focus()
        else:
            self.editor.focus()
        self._changed()
        if self._restored is not None and self._document is not None:
            self._look_at_disk()

    def on_unmount(self) -> None:
        """Keep what is typed if the app ends here."""
        self.app.open_drafts.discard(self._draft.path)
        if self._keeping is not None and self._latest is not None:
            self._keep(self._latest)

    @property
    def dirty(self) -> bool:
        """Whether something was typed that is not saved."""
        return self.fields() != self._first

    def fields(self) -> tuple[str, str, str, bool, bool]:
        """What the fields hold now."""
        return (
            self.name_field.value,
            self.summary_field.value,
            self.editor.text,
            self.query_one("#pin", Checkbox).value,
            self.query_one("#replace", Checkbox).value,
        )

    def typed(self) -> Typed:
        """What the fields hold now, as a draft keeps it."""
        name, summary, body, pin, replace = self.fields()
        return Typed(
            system=self.store.system,
            folder=self.store.path,
            opened=None if self._document is None else dict(self._document.__dict__),
            name=name,
            summary=summary,
            body=body,
            pin=pin,
            mode="replace" if replace else "append",
            time=time.time(),
        )

    @on(Input.Changed)
    @on(TextArea.Changed)
    @on(Checkbox.Changed)
    def _changed(self) -> None:
        """Check what was typed at once; measure and keep it when the keys rest."""
        if not self.is_mounted:
            return
        self._check()
        self._show_about()
        if self._measuring is not None:
            self._measuring.stop()
        self._measuring = self.set_timer(_MEASURE_S, self._measure)
        self._latest = self.typed() if self.dirty else None
        if self._keeping is None and self._latest is not None:
            self._keeping = self.set_timer(_KEEP_S, self._keep_soon)

    def _check(self) -> None:
        name, summary, _body, _pin, _replace = self.fields()
        refusal = ""
        known = self._document.name if self._document is not None else ""
        if name != known:  # an untouched form needs no scolding
            request = WriteRequest(topic=name, content="", summary=summary)
            refusal = self.store.check(request) or ""
        if refusal != self._refusal:
            self._refusal = refusal
            self.query_one("#refusal", Static).update(f"! {visible_cell(refusal)}")
            self.set_class(bool(refusal), "-refused")
        self.refresh_bindings()

    def _show_about(self) -> None:
        parts = ["unsaved" if self.dirty else "saved" if self._document is not None else "empty"]
        if self._note:
            parts.append(self._note)
        if not self._whole:
            cost = self.store.cost(self.name_field.value, self.summary_field.value)
            parts.append(f"{plural(cost, 'token')} per prompt")
        if self._measures:
            parts.append(self._measures)
        where = self._document.path if self._document is not None else self.store.path
        parts.append(tilde(where, self.app.places.home))
        text = cut(" · ".join(clean(part) for part in parts), max(self.size.width - 2, 1))
        self.query_one("#about", Static).update(text)

    def on_resize(self) -> None:
        """Lay the preview out for the new width."""
        self.call_after_refresh(self._changed)

    def _measure(self) -> None:
        body = self.editor.text
        shows = self.query_one("#preview").display
        width = self.preview.measure

        def work() -> None:
            from ..markdown import lay_out

            worker = get_current_worker()
            words, tokens = len(body.split()), estimate(body)
            lines = lay_out(body, width) if shows else None
            if not worker.is_cancelled:
                self.post_message(TextMeasured(words, tokens, lines))

        self.run_worker(work, thread=True, exclusive=True, exit_on_error=False, group="measure")

    @on(TextMeasured)
    def _show_measures(self, message: TextMeasured) -> None:
        self._measures = f"{plural(message.words, 'word')}, {plural(message.tokens, 'token')}"
        self._show_about()
        if message.lines is not None:
            self.preview.show(message.lines, keep_place=True)

    def action_preview(self) -> None:
        """Show or hide the preview; on a narrow screen it takes the place of the text."""
        if self.has_class("-wide"):
            self.toggle_class("-preview")
        else:
            self.toggle_class("-only-preview")
            if not self.has_class("-only-preview"):
                self.editor.focus()
        self.call_after_refresh(self._measure)

    # Drafts ------------------------------------------------------------------------------------

    def _keep_soon(self) -> None:
        self._keeping = None
        typed = self._latest
        if typed is None:
            return
        self.run_worker(lambda: self._keep(typed), thread=True, exit_on_error=False, group="draft")

    def _keep(self, typed: Typed) -> None:
        try:
            self._draft.keep(typed)
        except PimemError as error:
            self.app.call_later(self._tell_note, f"no draft: {error}")

    def _tell_note(self, note: str) -> None:
        self._note = note
        if self.is_mounted:
            self._show_about()

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
                allow_secret=allow_secret,
            )

            def write() -> Message:
                self._draft.keep(typed)
                return Saved(self, self.store.write(request))

            self._start(write, "", "")
            return
        if self._whole:
            self._save_text(document.text, typed.body, allow_secret=allow_secret)
            return
        lead = document.body[: len(document.body) - len(document.body.lstrip("\r\n"))]
        text = self.store.compose(
            document, name=typed.name, summary=typed.summary, body=lead + typed.body
        )
        self._save_text(document.text, text, allow_secret=allow_secret)

    def _save_text(self, opened: str, text: str, *, allow_secret: bool = False) -> None:
        document = self._document
        assert document is not None
        typed = self.typed()

        def save() -> Message:
            self._draft.keep(typed)
            change = self.store.save(
                document.file, opened=opened, text=text, allow_secret=allow_secret
            )
            return Saved(self, change)

        self._start(save, opened, text)

    def _start(self, work: Callable[[], Message], opened: str, text: str) -> None:
        """Run a save in a worker; what hinders it comes back to `take_refusal`."""
        document = self._document

        def run() -> Message:
            try:
                with self.app.turn:
                    saved = work()
                    self.store.announce()
            except SecretError as error:
                return NotSaved(self, "secret", str(error), base=opened, mine=text)
            except ConflictError as error:
                return self._conflict(error, opened, text)
            except PimemError as error:
                return NotSaved(self, "refused", str(error))
            except Exception as error:
                return NotSaved(self, "refused", unexpected(error))
            self._draft.discard()
            return saved

        self.app.start(self.store, document.file if document else self._draft.path, run)

    def _conflict(self, error: ConflictError, opened: str, text: str) -> Message:
        assert self._document is not None
        try:
            theirs = error.theirs or self.store.read(self._document.file).text
        except TopicNotFoundError:
            return NotSaved(self, "gone", str(error))
        except PimemError as failure:
            return NotSaved(self, "refused", str(failure))
        return NotSaved(self, "conflict", str(error), base=opened, theirs=theirs, mine=text)

    def take_refusal(self, message: NotSaved) -> None:
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
            self.app.say_error(f"{message.reason} What you typed is still here.")

    def _become_new(self) -> None:
        """Go on with a text whose file was deleted: saving writes it as a new topic."""
        if self._whole:
            self.app.say_error("The file was deleted meanwhile. What you typed is kept as a draft.")
            return
        self._document = None
        self._first = self._fields_of(None)
        self._note = "its file was deleted; saving writes it anew"
        self.query_one("#replace", Checkbox).value = True
        self.add_class("-new")
        self._changed()
        self.app.say_error("The file was deleted meanwhile. Saving again writes it anew.")

    def _ask_secret(self, message: NotSaved) -> None:
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
            self.run_worker(self._draft.discard, thread=True, exit_on_error=False)

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
            self._tell_note("* deleted on disk meanwhile")
        elif message.document.text == document.text:
            self._tell_note("")
        elif self.dirty:
            self._tell_note("* changed on disk meanwhile; saving merges")
        else:
            self._reload(message.document)

    def _reload(self, document: Document) -> None:
        """Show what is on disk now, since nothing was typed yet."""
        self._document = document
        self._first = self._fields_of(document)
        self.name_field.value, self.summary_field.value = self._first[:2]
        place = self.editor.cursor_location
        self.editor.load_text(self._first[2])
        self.editor.move_cursor(place)
        self._tell_note("* changed on disk, shown anew")
