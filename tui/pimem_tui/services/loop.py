"""The app's own thread, on which everything on the screen happens, and the workers beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.app import App


class Loop:
    """Runs work in threads that the app waits for, and calls on the app's own thread."""

    def __init__(self, app: App[None]) -> None:
        self._app = app

    def run(self, work: Callable[[], object], *, group: str) -> None:
        """Run work in a thread. It outlives the screen, and has to catch its own errors."""
        self._app.run_worker(work, thread=True, exit_on_error=False, group=group)

    def call(self, callback: Callable[..., object], *values: object) -> None:
        """Call on the app's thread, after what it has to do already; from any thread."""
        self._app.call_later(callback, *values)

    def call_in(self, seconds: float, callback: Callable[[], object]) -> None:
        """Call on the app's thread once that much time has passed."""
        self._app.set_timer(seconds, callback)
