"""The screens that the list leads to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pimem_core.systems.layers import LayerStore
from pimem_core.systems.stores import HandoffStore

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..rows.browsing import Browsing
    from ..services.manager_app import ManagerApp


class Destinations:
    """The screens by the names that the table of keys has for them.

    Each is loaded when it is gone to: the list does not wait for them.
    """

    def __init__(self, app: ManagerApp, browsing: Browsing, now: Callable[[], float]) -> None:
        """Lead to screens.

        Args:
            app: Shows them.
            browsing: What they are about.
            now: The clock that ages are told by.
        """
        self._app = app
        self._browsing = browsing
        self._now = now
        self._screens: dict[str, Callable[[], None]] = {
            "inbox": self._go_to_inbox,
            "injection": self._go_to_injection,
            "search": self._go_to_search,
            "handoff": self._go_to_handoff,
            "settings": self._go_to_settings,
        }

    def check(self, name: str) -> bool | None:
        """False for screens that no store here has anything to show on."""
        assert name in self._screens, name
        if name == "inbox":
            return isinstance(self._browsing.store, LayerStore)
        return name != "handoff" or self._handing_over is not None

    def run(self, name: str) -> None:
        """Go there."""
        self._screens[name]()

    def _go_to_inbox(self) -> None:
        """Show what waits in the inbox."""
        from .inbox import InboxScreen

        self._app.push_screen(InboxScreen(self._now))

    def _go_to_injection(self) -> None:
        """Show what pi's model is given."""
        from .injection import InjectionScreen

        stores, store = self._browsing.stores, self._browsing.store
        self._app.push_screen(InjectionScreen(self._app.places, stores, store))

    def _go_to_search(self) -> None:
        """Search all stores at once."""
        from .search import SearchScreen

        statuses = [view.status for view in self._browsing.views]
        self._app.push_screen(SearchScreen(self._browsing.stores, statuses, self._now))

    @property
    def _handing_over(self) -> HandoffStore | None:
        """The store with the handoff: the one that shows, else the first that has one."""
        for store in (self._browsing.store, *self._browsing.stores):
            if isinstance(store, HandoffStore) and store.has_handoff:
                return store
        return None

    def _go_to_handoff(self) -> None:
        """Show what pi hands over at a compaction."""
        from .handoff import HandoffScreen

        store = self._handing_over
        if store is not None:
            self._app.push_screen(HandoffScreen(store))

    def _go_to_settings(self) -> None:
        """Show the settings."""
        from .settings import SettingsScreen

        self._app.push_screen(SettingsScreen())
