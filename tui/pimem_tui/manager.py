"""The services of the app to its screens: the editor, drafts, the watch, clipboard, theme, keys."""

from __future__ import annotations

import importlib
import threading
import time
from functools import partial
from typing import TYPE_CHECKING

from pimem_core.history.drafts import left_drafts
from pimem_core.settings.config import load_settings
from pimem_core.systems.layers import LayerStore
from pimem_styles import stylesheet
from textual import on
from textual.signal import Signal

from .keys.table import KEYS, key_names
from .rows.handles import to_edit
from .services.copying import Copying
from .services.sheets import Sheets
from .unforeseen import unexpected
from .workers.messages import (
    ChangeFailed,
    Copied,
    DraftsFound,
    LeftUnsaved,
    NotSaved,
    Saved,
    StoreTouched,
    TopicChanged,
    TopicOpened,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from pimem_core.history.drafts import Typed, TypedDraft
    from pimem_core.paths import Places
    from pimem_core.settings.config import Settings
    from pimem_core.systems.stores import Store
    from textual.binding import Binding
    from textual.message import Message

    from .screens.edit import EditScreen

#: Seconds after the first paint before anything that can wait: the watch, the drafts.
_LATER_S = 0.3
#: Seconds before the other screens are loaded, and between two of their sheets.
_SCREENS_S = 0.8
_SHEET_S = 0.03
_SCREENS = (
    *("confirm", "detail", "edit", "help", "injection", "history", "settings", "search"),
    *("handoff", "conflict", "inbox", "choice", "new_entry", "promotion"),
)
#: Characters beyond which a text is too long for the editor of the app.
_MOST_CHARACTERS = 1_000_000
_THEMES = {"dark": "textual-dark", "light": "textual-light", "terminal": "ansi-dark"}


class Manager(Copying):
    """What screens ask of the app. Screens follow `store_touched`."""

    def __init__(self, places: Places, stores: Sequence[Store]) -> None:
        super().__init__(places, stores)
        self.now: Callable[[], float] = time.time
        self.store_touched: Signal[StoreTouched] = Signal(self, "store_touched")
        self.stylesheet = self._sheets = Sheets(self.get_css_variables())
        self._coming_theme = self.theme
        self._themes_chosen = 0
        self._watched: Store | None = None
        self._stop_watch = threading.Event()
        self.settings, self._trouble = load_settings(places)
        self.set_keymap({key: keys for key, keys in self.settings.keys.items() if key in KEYS})
        self._choose_theme(self.settings.theme)

    def on_mount(self) -> None:
        """Say what is wrong with the settings, then look for drafts once there is time."""
        if self._trouble is not None:
            self.say_error(str(self._trouble))
        if self.settings.keys:
            from .keys.problems import flaws  # most people keep the keys as they are

            # A notice takes the place of the one before; `pimem keys` tells all of them.
            flaw = next(flaws(self.settings.keys), None)
            if flaw is not None:
                self.say_error(f"config.toml: {flaw}")
        self.set_timer(_LATER_S, self.offer_drafts)
        self.set_timer(_SCREENS_S, self._load_screens)

    def _load_screens(self) -> None:
        """Load what the other screens need, so that the first key for one is not held up."""

        def work() -> None:
            for name in _SCREENS:
                importlib.import_module(f"{__package__}.screens.{name}")
            self.call_later(self._load_sheets, _SCREENS)

        self.run_worker(work, thread=True, exit_on_error=False, group="screens")

    def _load_sheets(self, names: Sequence[str]) -> None:
        """Parse the next sheet now and the rest later: parsing them all holds keys up."""
        self.bring_sheet(names[0])
        if names[1:]:
            self.set_timer(_SHEET_S, partial(self._load_sheets, names[1:]))

    def bring_sheet(self, name: str) -> None:
        """Have the rules of a sheet, for widgets that are mounted from now on."""
        path = stylesheet(f"{name}.tcss")
        if not self.stylesheet.has_source(str(path), ""):
            self.stylesheet.read(path)
            self.stylesheet.parse()

    def on_unmount(self) -> None:
        """End the watch."""
        self._stop_watch.set()

    # Keys and themes ---------------------------------------------------------------------------

    def keys_of(self, binding: Binding) -> str:
        """The keys of a binding as they hold."""
        return self._keymap.get(binding.id or "", binding.key)

    def keys_for(self, binding_id: str) -> list[str]:
        """The keys of a binding as events name them."""
        return self._keymap.get(binding_id, KEYS[binding_id].keys).split(",")

    def key_for(self, binding_id: str) -> str:
        """The first key of a binding as people write it."""
        return key_names(self.keys_for(binding_id)[0])

    def _choose_theme(self, wanted: str | None) -> None:
        if wanted is None:
            return
        name = _THEMES.get(wanted, wanted)
        if name in self.available_themes and not (name.startswith("ansi") and self.no_color):
            self._recolour(name)

    def _recolour(self, name: str) -> None:
        """Change the theme, in a running app once its sheets are parsed for it."""
        self._coming_theme = name
        if not self.is_running:
            self.theme = name
            return
        theme = self.available_themes[name]
        colours = theme.to_color_system().generate()
        variables = {**self.get_theme_variable_defaults(), **colours, **theme.variables}

        def change() -> None:
            self.theme = self._coming_theme

        def work() -> None:
            self._sheets.prepare(variables)
            self.call_later(change)

        self.run_worker(work, thread=True, exit_on_error=False, group="theme")

    def take_settings(self, changed: Settings) -> None:
        """Let other settings hold from now on."""
        self.settings = changed
        self._choose_theme(changed.theme)

    def action_next_theme(self) -> None:
        """Go on from dark to light to the terminal's own colours."""
        names = [name for name in _THEMES if name != "terminal" or not self.no_color]
        coming = self._coming_theme
        now = next((name for name in names if _THEMES[name] == coming), names[-1])
        name = names[(names.index(now) + 1) % len(names)]
        self._recolour(_THEMES[name])
        self._themes_chosen += 1
        chosen = self._themes_chosen

        def keep() -> Message | None:
            from pimem_core.settings.editing import change_setting

            with self.turn:
                if chosen != self._themes_chosen:
                    return None  # another one was chosen meanwhile
                change_setting(self.places, "theme", name)
            return Copied(f"Theme {name}, kept in config.toml.")

        self.tell_result(keep)

    # Undo --------------------------------------------------------------------------------------

    def action_undo(self) -> None:
        """Undo the newest change."""
        self.take_back("undo")

    def action_redo(self) -> None:
        """Redo what was undone last."""
        self.take_back("redo")

    def action_history(self) -> None:
        """Show what was changed through pimem."""
        from .screens.history import HistoryScreen

        self.push_screen(HistoryScreen())

    # The editor --------------------------------------------------------------------------------

    def edit_here(self, store: Store, file: str, *, line: int = 1, whole: bool = False) -> None:
        """Open a topic in the editor of the app.

        Args:
            store: Where it is.
            file: Its file.
            line: The line to begin at, where texts are edited whole.
            whole: Edit the file without any fields.
        """

        def work() -> Message:
            document = to_edit(store, file, self.key_for("topic.remove"))
            if len(document.text) > _MOST_CHARACTERS:
                key = self.key_for("topic.edit_outside")
                said = f"This topic is too long to edit here; {key} opens it."
                return ChangeFailed(store, file, said)
            return TopicOpened(store, document, line, whole)

        self.start(store, file, work, patient=True)

    def write_topic(self, store: Store, *, file: str = "") -> None:
        """Open the editor for a new topic, or the form for a new entry of a file."""
        self.push_screen(self._writer(store, file=file))

    def _writer(
        self,
        store: Store,
        draft: TypedDraft | None = None,
        typed: Typed | None = None,
        file: str = "",
    ) -> EditScreen:
        from .screens.edit import EditScreen

        if not isinstance(store, LayerStore) or (typed is not None and typed.opened is not None):
            return EditScreen(store, None, draft=draft, typed=typed)
        from .screens.new_entry import NewEntryScreen

        return NewEntryScreen(store, None, draft=draft, typed=typed, file=file)

    @on(TopicOpened)
    def _open_here(self, message: TopicOpened) -> None:
        from .screens.edit import EditScreen

        store, document = message.store, message.document
        self.push_screen(EditScreen(store, document, line=message.line, whole=message.whole))

    def offer_drafts(self, *, asked: bool = False, offer: bool = True) -> None:
        """Look for texts that were typed and never saved, and offer the newest.

        Args:
            asked: Whether the person wants to know, so that there being none is worth a word.
            offer: Without it their number is shown and nobody is asked.
        """

        def work() -> None:
            found = left_drafts(self.places, frozenset(self.open_drafts))
            self.post_message(DraftsFound(found, asked, offer))

        self.run_worker(work, thread=True, exit_on_error=False, group="drafts")

    @on(DraftsFound)
    def _ask_draft(self, message: DraftsFound) -> None:
        from .screens.browser import BrowserScreen

        if not self.screen_stack:  # the app ends
            return
        for screen in self.screen_stack:
            if isinstance(screen, BrowserScreen):
                screen.about.drafts = len(message.drafts)
        if not message.offer:
            return
        if not message.drafts:
            if message.asked:
                self.say("Everything that was typed is saved; there is no draft.")
            return
        if not isinstance(self.screen, BrowserScreen) and not message.asked:
            return
        draft, typed = message.drafts[0]

        def answered(yes: bool | None) -> None:
            if yes:
                self._reopen(draft, typed)

        from .screens.confirm import ConfirmScreen

        more = f" {len(message.drafts) - 1:,} more wait." if message.drafts[1:] else ""
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(typed.time))
        key = self.key_for("list.drafts")
        self.push_screen(
            ConfirmScreen(
                f'Go on with "{typed.name or "a new topic"}"?',
                f"It was typed at {when} and never saved.{more} {key} asks again later.",
                "Open",
            ),
            answered,
        )

    def _reopen(self, draft: TypedDraft, typed: Typed) -> None:
        for store in self.stores:
            if (store.system, store.place) == (typed.system, typed.folder):
                self.push_screen(self._writer(store, draft, typed))
                return
        key = self.key_for("list.drafts")
        self.say_error(f"The draft is for {typed.folder}; open it with --dir and press {key}.")

    @on(LeftUnsaved)
    def _tell_left(self, message: LeftUnsaved) -> None:
        key = self.key_for("list.drafts")
        failed = ChangeFailed(message.store, message.file, f"{message.reason} {key} goes on.")
        self.post_message(failed)
        self.offer_drafts(offer=False)

    # The watch ---------------------------------------------------------------------------------

    def watch_store(self, store: Store) -> None:
        """Follow what others change in a store, in place of the one followed before."""
        if store is self._watched:
            return
        self._watched = store
        self._stop_watch.set()
        self._stop_watch = threading.Event()
        began = time.time()
        self.set_timer(_LATER_S, lambda: self._begin_watch(store, began))

    def _begin_watch(self, store: Store, began: float) -> None:
        stop = self._stop_watch
        if store is not self._watched or stop.is_set():
            return

        def changed(names: Collection[str]) -> None:
            self.post_message(StoreTouched(store, frozenset(names)))

        def run() -> None:
            from pimem_core.files.watch import watch

            try:
                watch(
                    store.place,
                    changed,
                    stop=stop,
                    since=began,
                    below=isinstance(store, LayerStore),
                )
            except Exception as error:
                unexpected(error)

        # A thread of its own: workers are waited for, and this one ends with the app.
        threading.Thread(target=run, name="watch", daemon=True).start()

    @on(StoreTouched)
    def _tell_touched(self, message: StoreTouched) -> None:
        if not self.is_busy:  # what this app changes itself is read again when it is done
            files = message.files - self.own_files(message.store)
            self.store_touched.publish(StoreTouched(message.store, files))

    # What an editor has to tell ----------------------------------------------------------------

    @on(Saved)
    def _tell_saved(self, message: Saved) -> None:
        message.screen.close()
        self.post_message(TopicChanged(message.screen.store, message.change))

    @on(NotSaved)
    def _tell_not_saved(self, message: NotSaved) -> None:
        message.screen.take_refusal(message.refusal)
