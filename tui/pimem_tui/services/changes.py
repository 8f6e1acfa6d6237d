"""What a person does to topics of any store: pin, remove, undo.

A change runs in a worker, one at a time, outlives the screen that it was begun on, and reports in
the end what happened.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from pimem_core.errors import PimemError
from pimem_core.formats.text import plural, visible_cell
from pimem_core.systems.stores import PinningStore, RemovingStore, supporting

from ..rows.handles import refuse_gone

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pimem_core.model import Change, Topic
    from pimem_core.paths import Places
    from pimem_core.systems.stores import Removal, Store

    from .jobs import Jobs, Next
    from .navigation import Navigation
    from .notices import Notices
    from .outcomes import Outcomes

#: Names that a question about several topics lists.
_MOST_NAMED = 5


class Changes:
    """Changes topics."""

    def __init__(
        self,
        places: Places,
        stores: Sequence[Store],
        *,
        jobs: Jobs,
        outcomes: Outcomes,
        notices: Notices,
        navigation: Navigation,
        key_for: Callable[[str], str],
    ) -> None:
        """Change topics.

        Args:
            places: Where the undo journal is.
            stores: The stores that undo looks after.
            jobs: Runs changes.
            outcomes: Reports them.
            notices: Says what stands in the way.
            navigation: Asks questions.
            key_for: Gives the first key of a binding.
        """
        self._places = places
        self._stores = stores
        self._jobs = jobs
        self._outcomes = outcomes
        self._notices = notices
        self._navigation = navigation
        self._key_for = key_for

    def make(self, store: Store, file: str, change: Callable[[], Change]) -> None:
        """Make a change to a file of a store, which `change` does, and report it."""

        def work() -> Next:
            with self._jobs.turn:
                done = change()
                store.announce()
            return partial(self._outcomes.report, store, done)

        self._jobs.start(store, file, work)

    # One topic ---------------------------------------------------------------------------------

    def pin(self, store: Store, topic: Topic) -> None:
        """Pin a topic, or unpin a pinned one."""

        def pin() -> Change:
            refuse_gone(store, topic)
            return supporting(store, PinningStore).pin(topic.file, not topic.pinned)

        self.make(store, topic.file, pin)

    def remove(self, store: Store, topic: Topic) -> None:
        """Ask the store what removing means, then the person, then remove."""

        def look() -> Next:
            refuse_gone(store, topic)
            removal = supporting(store, RemovingStore).removal(topic.file)
            return partial(self._ask_removal, store, topic, removal)

        self._jobs.start(store, topic.file, look, patient=True)

    def _ask_removal(self, store: Store, topic: Topic, removal: Removal) -> None:
        def remove() -> Change:
            refuse_gone(store, topic)
            return supporting(store, RemovingStore).remove(topic.file)

        detail = f"{removal.goes_and_stays}\n{self._key_for('change.undo')} brings it back."
        yes = partial(self.make, store, topic.file, remove)
        self._navigation.confirm(removal.question, detail, "Remove", yes)

    # Several topics ----------------------------------------------------------------------------

    def pin_several(self, store: Store, topics: Sequence[Topic], pinned: bool) -> None:
        """Pin or unpin several topics."""
        wanted = [topic for topic in topics if topic.pinned != pinned]
        whole = [topic for topic in wanted if topic.problem is None]
        refusals = [f'"{topic.name}": {topic.problem}.' for topic in wanted if topic.problem]
        pin = supporting(store, PinningStore).pin
        self._make_several(store, whole, lambda file: pin(file, pinned), refusals)

    def remove_several(self, store: Store, topics: Sequence[Topic]) -> None:
        """Ask once, naming the count, then remove several topics."""
        if len(topics) == 1:
            self.remove(store, topics[0])
            return
        pinned = sum(topic.pinned for topic in topics)
        if pinned == len(topics):
            key = self._key_for("topic.pin")
            self._notices.say_error(f"All {pinned:,} are pinned; {key} unpins them.")
            return
        kept = f" Pinned ones ({pinned:,}) will be refused." if pinned else ""
        names = ", ".join(visible_cell(topic.name) for topic in topics[:_MOST_NAMED])
        rest = len(topics) - _MOST_NAMED
        more = f" and {rest:,} more" if rest > 0 else ""
        back = f"{self._key_for('change.undo')} brings them back one by one."
        self._navigation.confirm(
            f"Remove {plural(len(topics), 'topic')}?",
            f"{names}{more}.{kept}\n{back}",
            f"Remove {len(topics):,}",
            partial(self._make_several, store, topics, supporting(store, RemovingStore).remove),
        )

    def _make_several(
        self,
        store: Store,
        topics: Sequence[Topic],
        change: Callable[[str], Change],
        refused: Sequence[str] = (),
    ) -> None:
        def work() -> Next:
            changes: list[Change] = []
            refusals = list(refused)
            with self._jobs.turn:
                for topic in topics:
                    try:
                        refuse_gone(store, topic)
                        changes.append(change(topic.file))
                    except PimemError as error:
                        refusals.append(self._notices.explain(error))
                if changes:
                    store.announce()
            return partial(self._outcomes.report_several, store, changes, refusals)

        self._jobs.start(store, "", work)

    # Back and forth ----------------------------------------------------------------------------

    def undo(self) -> None:
        """Undo the newest change that was made to any store through pimem."""
        self._step("undo")

    def redo(self) -> None:
        """Redo what was undone last."""
        self._step("redo")

    def _step(self, action: str) -> None:
        def work() -> Next:
            from pimem_core.systems import undo  # the first paint does not wait for the journal

            with self._jobs.turn:
                step = undo.step(self._places, self._stores, action)
            return partial(self._outcomes.report, step.store, step.change)

        self._jobs.start(self._stores[0], f"\n{action}", work)
