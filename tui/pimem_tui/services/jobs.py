"""Work on topics in threads: one piece at a time for each topic, and keys wait for it."""

from __future__ import annotations

import threading
from functools import partial
from typing import TYPE_CHECKING

from pimem_core.errors import PimemError

from ..log import unexpected

if TYPE_CHECKING:
    from collections.abc import Callable

    from pimem_core.systems.stores import Store

    from ..keys.type_ahead import TypeAhead
    from .loop import Loop
    from .notices import Notices
    from .outcomes import Outcomes

    #: What follows on the app's own thread.
    Next = Callable[[], object]

#: Seconds after which a change says that it is still under way.
_SLOW_S = 0.15


class Jobs:
    """Runs the work that changes do, and knows what is under way."""

    def __init__(
        self,
        loop: Loop,
        type_ahead: TypeAhead,
        notices: Notices,
        outcomes: Outcomes,
        show_busy: Callable[[bool], object],
    ) -> None:
        """Run work.

        Args:
            loop: Runs it.
            type_ahead: Holds keys back meanwhile.
            notices: Words refusals.
            outcomes: Takes the failures.
            show_busy: Shows, or shows no longer, that a change is still under way.
        """
        #: Held by whoever changes a store: one change at a time.
        self.turn = threading.Lock()
        self._loop = loop
        self._type_ahead = type_ahead
        self._notices = notices
        self._outcomes = outcomes
        self._show_busy = show_busy
        self._under_way: set[tuple[str, str]] = set()

    @property
    def is_busy(self) -> bool:
        """Whether a change of this app is under way."""
        return bool(self._under_way)

    def start(
        self,
        store: Store,
        file: str,
        work: Callable[[], Next],
        *,
        resumed: bool = False,
        patient: bool = False,
        goes_on: bool = False,
    ) -> None:
        """Run work in a thread, then what it returns on the app's own.

        Nothing happens while other work on the same topic is under way.

        Args:
            store: The store that it is about.
            file: The topic.
            work: The work; an error of it is reported.
            resumed: Go on with work that is under way.
            patient: Have keys wait as long as it takes: it opens or closes a screen, and they are
                meant for what shows then. Else they go on after a while.
            goes_on: The topic stays under way once the work has succeeded, until it is resumed.
        """
        key = (store.place, file)
        if key in self._under_way and not resumed:
            return
        self._under_way.add(key)
        self._loop.call_in(_SLOW_S, self._show)
        self._type_ahead.hold(key, patient=patient)

        def run() -> None:
            ends = not goes_on
            try:
                follow = work()
            except PimemError as error:
                ends, follow = True, self._failure(store, file, self._notices.explain(error))
            except Exception as error:
                ends, follow = True, self._failure(store, file, unexpected(error))
            self._loop.call(self._finish, key, ends, follow)

        self._loop.run(run, group="changes")

    def _failure(self, store: Store, file: str, reason: str) -> Next:
        return partial(self._outcomes.report_failure, store, file, reason)

    def _finish(self, key: tuple[str, str], ends: bool, follow: Next) -> None:
        if ends:
            self._under_way.discard(key)
        self._show()
        self._loop.call(follow)
        self._loop.call(self._type_ahead.let_go, key)

    def _show(self) -> None:
        self._show_busy(self.is_busy)
