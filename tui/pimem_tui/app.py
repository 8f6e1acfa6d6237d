"""The app: which screens, sheets and keys there are, and how it starts and ends."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import time
from typing import TYPE_CHECKING, ClassVar, Protocol, runtime_checkable

from pimem_core.errors import EXIT_CODES, PimemError, StorageError
from pimem_core.formats.text import visible_cell
from pimem_core.paths import find_places, tilde
from pimem_core.settings.config import load_settings
from pimem_core.systems import registry
from pimem_styles import stylesheet
from textual import events, on

from .hints import with_key
from .keys.bindings import bindings
from .keys.table import KEYS
from .keys.terminal_input import guard_input
from .keys.type_ahead import KeyHandled, TypeAhead
from .log import logger, logging_to, unexpected
from .navigation import ScreenNavigation
from .preloading import Preloading
from .rows.recent import RecentSearches
from .screens.base import BaseScreen
from .screens.browser import BrowserScreen
from .services.changes import Changes
from .services.clipboard import Clipboards
from .services.drafts import Drafts
from .services.editor import Editor
from .services.ending import LastResort
from .services.external_editor import ExternalEditor
from .services.garbage import collect_seldom
from .services.interrupts import Interrupts
from .services.jobs import Jobs
from .services.layer_changes import LayerChanges
from .services.loop import Loop
from .services.manager_app import ManagerApp
from .services.notices import Notices
from .services.outcomes import Outcomes
from .services.saving import Saver
from .services.sheets import Sheets
from .services.themes import Themes
from .services.watcher import Watcher
from .workers.messages import ReadingBroke
from .workers.reading import top_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pimem_core.paths import Places
    from pimem_core.systems.stores import Store
    from rich.console import RenderableType
    from textual.binding import BindingType
    from textual.command import Provider
    from textual.screen import Screen

    from .rows.listing import Listing

#: Seconds after the first paint before drafts are counted.
_LATER_S = 0.3
# What the first screen needs; the other screens bring their own.
_SHEETS = ("base", "browser")


def _causes(found: RenderableType) -> list[str]:
    """The errors that a traceback shows, and where each was raised."""
    from rich.traceback import Traceback  # it brings a highlighter along, which nobody else needs

    if not isinstance(found, Traceback):
        return []
    return [
        f"{stack.exc_type}: {stack.exc_value}, at "
        + " < ".join(f"{frame.filename}:{frame.lineno}" for frame in reversed(stack.frames))
        for stack in found.trace.stacks
    ]


def _commands() -> type[Provider]:
    from .keys.commands import PimemCommands  # not needed before the palette opens

    return PimemCommands


@runtime_checkable
class _Unsaved(Protocol):
    """A screen that may hold text that is not saved."""

    def leave_editor(self) -> None:
        """Leave it, after a question if there is such text."""


class PimemApp(ManagerApp):
    """The manager: its parts, and what Textual hands to an app."""

    TITLE = "pimem"
    CSS_PATH = [stylesheet(f"{name}.tcss") for name in _SHEETS]
    COMMANDS = {_commands}
    HORIZONTAL_BREAKPOINTS = [(0, "-tiny"), (30, "-narrow"), (60, "-normal"), (100, "-wide")]
    VERTICAL_BREAKPOINTS = [(0, "-flat"), (8, "-low"), (16, "-tall")]
    BINDINGS: ClassVar[list[BindingType]] = [
        *bindings("app.help", "app.palette", "app.quit"),
        *bindings("change.undo", "change.redo", "change.history", "theme.next"),
    ]

    def __init__(
        self,
        stores: Sequence[Store],
        places: Places,
        *,
        start: int = 0,
        now: Callable[[], float] = time.time,
        repaired: Sequence[str] = (),
        top: Listing | None = None,
        search: str = "",
    ) -> None:
        """Make the parts.

        Args:
            stores: The stores to show.
            places: Where everything is.
            start: The store to begin with.
            now: The clock that ages are counted by.
            repaired: What a killed process had left unfinished, in sentences.
            top: The rows of the first store, as far as they are known.
            search: What to filter them by at first.
        """
        super().__init__()
        self.stores, self.places, self.now = stores, places, now
        self._first = start
        self._repaired = repaired
        self._top = top
        self._search = search
        #: The error that ended the app, if one did.
        self.crash: Exception | None = None
        self.stylesheet = self.sheets = Sheets(self.get_css_variables())
        self._make_parts()
        self._settings, self._settings_error = load_settings(places)
        self.set_keymap({key: keys for key, keys in self._settings.keys.items() if key in KEYS})
        self.themes.choose(self._settings.theme)

    def _make_parts(self) -> None:
        places, stores, key_for = self.places, self.stores, self.key_for
        self.searches = RecentSearches()
        self.loop = loop = Loop(self)
        self.navigation = navigation = ScreenNavigation(self)
        self.type_ahead = TypeAhead(self, super().on_event)
        self.preloading = Preloading(loop, self.sheets)
        self.notices = notices = Notices(self, places.home, key_for)
        self.interrupts = Interrupts(self, notices)
        self.clipboards = Clipboards(loop, notices, self.write_to_terminal)
        self.outcomes = outcomes = Outcomes(self, stores, notices)
        self.jobs = jobs = Jobs(loop, self.type_ahead, notices, outcomes, navigation.show_busy)
        self.saver = Saver(jobs.turn, notices.explain)
        self.themes = Themes(
            self, places, sheets=self.sheets, loop=loop, notices=notices, turn=jobs.turn
        )
        self.watcher = Watcher(
            self, loop, is_busy=lambda: jobs.is_busy, own_files=outcomes.own_files
        )
        self.editor = Editor(jobs=jobs, outcomes=outcomes, navigation=navigation, key_for=key_for)
        self.changes = Changes(
            places,
            stores,
            jobs=jobs,
            outcomes=outcomes,
            notices=notices,
            navigation=navigation,
            key_for=key_for,
        )
        self.layers = LayerChanges(
            stores,
            jobs=jobs,
            outcomes=outcomes,
            notices=notices,
            navigation=navigation,
            editor=self.editor,
            key_for=key_for,
        )
        self.drafts = Drafts(
            self,
            places,
            stores,
            loop=loop,
            notices=notices,
            navigation=navigation,
            editor=self.editor,
            key_for=key_for,
        )
        self.external_editor = ExternalEditor(
            self,
            places,
            jobs=jobs,
            saver=self.saver,
            outcomes=outcomes,
            notices=notices,
            navigation=navigation,
            drafts=self.drafts,
            drop_keys=self.type_ahead.drop,
            key_for=key_for,
        )

    # Beginning and ending ----------------------------------------------------------------------

    def on_load(self) -> None:
        """Obey an order to end in good order, before the terminal is taken over."""
        loop = asyncio.get_running_loop()
        if not self.is_headless:
            LastResort().watch(lambda code: loop.call_soon_threadsafe(self.exit, None, code))

    def on_mount(self) -> None:
        """Say what was repaired and what is wrong with the settings; the rest can wait."""
        if not self.is_headless:
            self.call_after_refresh(collect_seldom)
        for sentence in self._repaired:
            self.notify(visible_cell(sentence), markup=False)
        if self._settings_error is not None:
            self.notices.say_error(str(self._settings_error))
        if self._settings.keys:
            from .keys.problems import flaws  # most people keep the keys as they are

            # A notice takes the place of the one before; `pimem keys` lists all of them.
            flaw = next(flaws(self._settings.keys), None)
            if flaw is not None:
                self.notices.say_error(f"config.toml: {flaw}")
        self.set_timer(_LATER_S, self.drafts.count)
        self.preloading.begin_later()

    def on_unmount(self) -> None:
        """End the watch."""
        self.watcher.stop()

    def get_default_screen(self) -> Screen[None]:
        """Begin with the list."""
        home, top, search = self.places.home, self._top, self._search
        return BrowserScreen(self.stores, self._first, home, self.now, top=top, search=search)

    def _handle_exception(self, error: Exception) -> None:
        self.crash = self.crash or error
        super()._handle_exception(error)

    def panic(self, *renderables: RenderableType) -> None:
        """End because of an error in the thread that reads the terminal."""
        causes = [text for found in renderables for text in _causes(found)]
        self.crash = self.crash or RuntimeError("\n".join(["reading the terminal failed", *causes]))
        super().panic(*renderables)

    def _print_error_renderables(self) -> None:
        # The person gets one sentence from `run_manager`, the log the traceback.
        self._exit_renderables.clear()

    @on(ReadingBroke)
    def _report_broken(self, message: ReadingBroke) -> None:
        self.notices.say_error(unexpected(message.error))

    # Keys and the terminal ---------------------------------------------------------------------

    async def on_event(self, event: events.Event) -> None:
        """Take a key, or anything else that happens."""
        if isinstance(event, events.Key) and not event.is_forwarded:
            if not self.interrupts.ends(event.key):
                await self.type_ahead.take(event)
        else:
            await super().on_event(event)

    @on(KeyHandled)
    def _key_was_handled(self, message: KeyHandled) -> None:
        self.type_ahead.handled(message.number)

    def copy_to_clipboard(self, text: str) -> None:
        """Copy what is selected; it can be pasted here as well."""
        self._clipboard = text
        self.clipboards.copy_selection(text)

    def post_display_hook(self) -> None:
        """Tell the screen that the terminal was given what is drawn."""
        screen = self.screen_stack[-1] if self.screen_stack else None
        if isinstance(screen, BaseScreen):
            screen.was_displayed()

    def write_to_terminal(self, sequence: str) -> None:
        """Write an escape sequence that Textual has no name for."""
        if self._driver is not None:
            self._driver.write(sequence)

    # Actions -----------------------------------------------------------------------------------

    def action_help(self) -> None:
        """Show all keys of the screen."""
        from .screens.help import HelpScreen

        screen = self.screen
        status = screen.store_status if isinstance(screen, BaseScreen) else None
        notes = () if status is None else (tilde(status.path, self.places.home), *status.notes)
        self.push_screen(HelpScreen(screen, [with_key(note, self.key_for) for note in notes]))

    def action_history(self) -> None:
        """Show what was changed through pimem."""
        from .screens.history import HistoryScreen

        self.push_screen(HistoryScreen())

    async def action_quit(self) -> None:
        """Leave pimem from the list, other screens for those below; an editor asks first."""
        screen = self.screen
        if isinstance(screen, _Unsaved):
            screen.leave_editor()
        elif len(self.screen_stack) > 1 and isinstance(screen, BaseScreen):
            screen.action_back()
        else:
            self.exit()

    def action_help_quit(self) -> None:
        """Leave ctrl+c to `Interrupts`, which sees it first."""

    def action_undo(self) -> None:
        """Undo the newest change."""
        self.changes.undo()

    def action_redo(self) -> None:
        """Redo what was undone last."""
        self.changes.redo()

    def action_next_theme(self) -> None:
        """Go on to the next theme."""
        self.themes.next()


def run_manager(
    store: str | None = None, folder: str | None = None, *, demo: bool = False, search: str = ""
) -> int:
    """Open the manager and return the exit code of the process.

    Args:
        store: The store to begin with; the active one when left out.
        folder: A folder to open instead of the stores of this user.
        demo: Work on a private copy of the sample store.
        search: What to filter the list by at first.
    """
    try:
        with _places(demo) as places:
            stores, start = _stores(places, store, folder)
            with logging_to(find_places().state_dir) as log:
                repaired = [*registry.repair(places), *registry.failures()]
                top = None if search else top_of(stores[start])
                app = PimemApp(
                    stores, places, start=start, repaired=repaired, top=top, search=search
                )
                return _run(app, log)
    except PimemError as error:
        sys.stderr.write(f"pimem: {error}\n")
        return EXIT_CODES[error.outcome]


def _run(app: PimemApp, log: str) -> int:
    guard_input()
    app.run()
    if app.crash is not None:
        logger.critical("The manager stopped", exc_info=app.crash)
        sys.stderr.write(f"pimem stopped because of an error in itself; {log} has the details.\n")
        return 1
    return app.return_code or 0


@contextlib.contextmanager
def _places(demo: bool) -> Iterator[Places]:
    if not demo:
        yield find_places()
        return
    import tempfile

    from pimem_core.demo import make_demo

    try:
        made = tempfile.TemporaryDirectory(prefix="pimem-demo-")
    except OSError as error:
        raise StorageError(f"There is no folder for the sample store: {error.strerror}.") from error
    with made as folder:
        yield make_demo(folder)


def _stores(places: Places, store: str | None, folder: str | None) -> tuple[Sequence[Store], int]:
    """The stores to show, and which of them first."""
    if folder is not None:
        return [registry.open_folder(folder, places)], 0
    stores = registry.offered_stores(places)
    wanted = registry.find_store(store, places) if store else registry.active_store(places)
    for index, known in enumerate(stores):
        if known.place == wanted.place:
            return stores, index
    return [*stores, wanted], len(stores)
