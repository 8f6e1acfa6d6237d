"""What came of changes: a notice for the person, a signal for the screens that follow them."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

from pimem_core.formats.text import plural
from pimem_core.systems.layers import LayerStore
from textual.signal import Signal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pimem_core.model import Change
    from pimem_core.systems.stores import Store
    from textual.app import App

    from .notices import Notices

#: Seconds for which a file counts as changed by this app itself.
_ECHO_S = 2.0


class TopicChanged(NamedTuple):
    """A change was made to a topic of a store."""

    store: Store
    change: Change


class ChangeFailed(NamedTuple):
    """A change was refused or failed; nothing changed on disk."""

    store: Store
    file: str
    error: str


class Outcomes:
    """Reports changes. Screens subscribe to `changed` and `failed`."""

    def __init__(self, app: App[None], stores: Sequence[Store], notices: Notices) -> None:
        """Report changes.

        Args:
            app: Owns the signals.
            stores: The stores of the app.
            notices: Shows what happened.
        """
        self.changed: Signal[TopicChanged] = Signal(app, "changed")
        self.failed: Signal[ChangeFailed] = Signal(app, "failed")
        self._stores = stores
        self._notices = notices
        #: When this app changed which file of which store: the watch reports it too.
        self._own: dict[tuple[str, str], float] = {}

    def report(self, store: Store, change: Change) -> None:
        """Report a change."""
        self._remember(store, change)
        text = " ".join((change.message, *map(self._notices.with_key, change.notes)))
        unnamed = [name for name in change.dropped if name not in text]
        if unnamed:
            text = f"{text.removesuffix('.')} ({', '.join(unnamed)})."
        self._notices.say(text + self._notices.way_back(change.outcome))
        self.changed.publish(TopicChanged(store, change))

    def report_several(
        self, store: Store, changes: Sequence[Change], refusals: Sequence[str]
    ) -> None:
        """Report changes of the same kind to several topics, some of which were refused."""
        if refusals:
            more = f" And {plural(len(refusals) - 1, 'more refusal')}." if refusals[1:] else ""
            self._notices.say_error(f"{len(refusals):,} not changed: {refusals[0]}{more}")
        for change in changes:
            self._remember(store, change)
        done = [change for change in changes if change.outcome != "unchanged"]
        if not done:
            if not refusals:
                self._notices.say("There was nothing to change.")
            return
        verb = done[-1].outcome.removesuffix("_now").capitalize()
        dropped = sum(len(change.dropped) for change in done)
        text = f"{verb} {plural(len(done), 'topic')}."
        if dropped:
            text += f" Dropped {plural(dropped, 'index line')} without a file."
        self._notices.say(text + self._notices.way_back(done[-1].outcome, len(done)))
        self.changed.publish(TopicChanged(store, done[-1]))

    def report_failure(self, store: Store, file: str, error: str) -> None:
        """Report that a change was refused or failed."""
        # A refused undo has the difference below its reason.
        self._notices.say_error(error.split("\n", 1)[0])
        self.failed.publish(ChangeFailed(store, file, error))

    # Whose changes they are --------------------------------------------------------------------

    def _remember(self, store: Store, change: Change) -> None:
        self._own[store.place, change.file] = time.monotonic()

    def own_files(self, store: Store) -> set[str]:
        """The files of a store that this app changed just now."""
        oldest = time.monotonic() - _ECHO_S
        self._own = {key: moment for key, moment in self._own.items() if moment > oldest}
        return {file for path, file in self._own if path == store.place}

    def by_others(self, store: Store, files: frozenset[str]) -> frozenset[str]:
        """Those of the changed files that somebody else changed.

        A change of a layer can touch several files, in other layers too.
        """
        own = self.own_files(store)
        if not isinstance(store, LayerStore):
            return files - own
        layers = {other.place for other in self._stores if isinstance(other, LayerStore)}
        return frozenset() if any(path in layers for path, _ in self._own) else files
