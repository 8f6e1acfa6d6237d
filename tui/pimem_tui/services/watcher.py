"""Following what others change in the store that shows."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, NamedTuple

from pimem_core.systems.layers import LayerStore
from textual.signal import Signal

from ..log import unexpected

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from pimem_core.systems.stores import Store
    from textual.app import App

    from .loop import Loop

#: Seconds before the watch begins: the first paint comes first.
_LATER_S = 0.3


class StoreTouched(NamedTuple):
    """Somebody else changed these files of a store; no names say only that something changed."""

    store: Store
    files: frozenset[str]


class Watcher:
    """Watches one store at a time. Screens subscribe to `touched`."""

    def __init__(
        self,
        app: App[None],
        loop: Loop,
        *,
        is_busy: Callable[[], bool],
        own_files: Callable[[Store], Collection[str]],
    ) -> None:
        """Watch stores.

        Args:
            app: Owns the signal.
            loop: The app's own thread.
            is_busy: Whether this app is changing a store just now.
            own_files: The files of a store that this app changed just now.
        """
        self.touched: Signal[StoreTouched] = Signal(app, "store touched")
        self._loop = loop
        self._is_busy = is_busy
        self._own_files = own_files
        self._watched: Store | None = None
        self._stop = threading.Event()

    def watch(self, store: Store) -> None:
        """Watch a store in place of the one before."""
        if store is self._watched:
            return
        self._watched = store
        self._stop.set()
        self._stop = threading.Event()
        began = time.time()
        self._loop.call_in(_LATER_S, lambda: self._begin(store, began))

    def stop(self) -> None:
        """End the watch."""
        self._stop.set()

    def _begin(self, store: Store, began: float) -> None:
        stop = self._stop
        if store is not self._watched or stop.is_set():
            return

        def changed(names: Collection[str]) -> None:
            self._loop.call(self._publish, store, frozenset(names))

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

    def _publish(self, store: Store, names: frozenset[str]) -> None:
        if not self._is_busy():  # what this app changes itself is read again when it is done
            self.touched.publish(StoreTouched(store, names - frozenset(self._own_files(store))))
