"""The app: which screens, sheets and keys there are, and how it starts and ends."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import time
from typing import TYPE_CHECKING, ClassVar

from pimem_core.errors import EXIT_CODES, PimemError
from pimem_core.formats.text import visible_cell
from pimem_core.paths import find_places, tilde
from pimem_core.systems import registry
from pimem_styles import stylesheet

from .advice import in_keys
from .keys.bindings import bindings
from .keys.pasting import guard_pastes
from .manager import Manager
from .screens.browser import BrowserScreen
from .screens.topic_screen import TopicScreen
from .services.ending import LastResort
from .services.garbage import collect_seldom
from .workers.reading import top_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from pimem_core.paths import Places
    from pimem_core.systems.stores import Store
    from textual.binding import BindingType
    from textual.command import Provider
    from textual.screen import Screen

    from .rows.listing import Listing

# What the first screen needs; the other screens bring their own.
_SHEETS = ("base", "browser")


def _commands() -> type[Provider]:
    from .keys.commands import PimemCommands  # not needed before the palette opens

    return PimemCommands


class PimemApp(Manager):
    """The manager."""

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
    ) -> None:
        super().__init__(places, stores)
        self._first = start
        self.now = now
        #: The error that ended the app, if one did.
        self.crash: Exception | None = None
        self._repaired = repaired
        self._top = top

    def on_load(self) -> None:
        """Obey an order to end in good order, before the terminal is taken over."""
        loop = asyncio.get_running_loop()
        if not self.is_headless:
            LastResort().watch(lambda code: loop.call_soon_threadsafe(self.exit, None, code))

    def on_mount(self) -> None:
        """Tell what a killed process had left unfinished; collect garbage once all is painted."""
        if not self.is_headless:
            self.call_after_refresh(collect_seldom)
        for said in self._repaired:
            self.notify(visible_cell(said), markup=False)

    def get_default_screen(self) -> Screen[None]:
        """Begin with the list."""
        return BrowserScreen(self.stores, self._first, self.places.home, self.now, self._top)

    def action_help(self) -> None:
        """Show all keys of the screen."""
        from .screens.help import HelpScreen

        screen = self.screen
        status = screen.store_status if isinstance(screen, TopicScreen) else None
        known = () if status is None else (tilde(status.path, self.places.home), *status.notes)
        self.push_screen(HelpScreen(screen, [in_keys(said, self.key_for) for said in known]))

    async def action_quit(self) -> None:
        """Leave pimem; an editor with unsaved text asks first."""
        leave = getattr(self.screen, "leave_editor", None)
        if leave is None:
            self.exit()
        else:
            leave()

    def _handle_exception(self, error: Exception) -> None:
        self.crash = self.crash or error
        super()._handle_exception(error)

    def _print_error_renderables(self) -> None:
        # The person gets one sentence from `run_manager`, the log the traceback.
        self._exit_renderables.clear()


def run_manager(store: str | None = None, folder: str | None = None, *, demo: bool = False) -> int:
    """Open the manager and return the exit code of the process.

    Args:
        store: The store to begin with; the active one when left out.
        folder: A folder to open instead of the stores of this user.
        demo: Work on a private copy of the sample store.
    """
    try:
        with _places(demo) as places:
            stores, start = _stores(places, store, folder)
            from .log import logging_to

            with logging_to(find_places().state_dir) as log:
                repaired = registry.repair(places)
                top = top_of(stores[start])
                app = PimemApp(stores, places, start=start, repaired=repaired, top=top)
                return _run(app, log)
    except PimemError as error:
        sys.stderr.write(f"pimem: {error}\n")
        return EXIT_CODES[error.outcome]


def _run(app: PimemApp, log: str) -> int:
    guard_pastes()
    app.run()
    if app.crash is not None:
        from .log import logger

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

    with tempfile.TemporaryDirectory(prefix="pimem-demo-") as folder:
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
