"""What a person does to a layer of a memory: its entries, its inbox, its task, creating it."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from pimem_core.errors import SecretError
from pimem_core.systems.layers import STATUSES, LayerStore

from ..drawing.cells import clean
from ..rows.branches import EntryRow, entry_rows
from ..rows.options import Option, entry_options
from .saving import TAKE_OUT

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pimem_core.model import Change, Topic
    from pimem_core.systems.stores import Store

    from .editor import Editor
    from .jobs import Jobs, Next
    from .navigation import Navigation
    from .notices import Notices
    from .outcomes import Outcomes


class Wanted(NamedTuple):
    """A promotion: the file in the inbox, its chosen sections (None for all), and the target."""

    file: str
    sections: Sequence[str] | None
    folder: str
    target: str


class LayerChanges:
    """Changes layers of a memory."""

    def __init__(
        self,
        stores: Sequence[Store],
        *,
        jobs: Jobs,
        outcomes: Outcomes,
        notices: Notices,
        navigation: Navigation,
        editor: Editor,
        key_for: Callable[[str], str],
    ) -> None:
        """Change layers.

        Args:
            stores: The stores of the app.
            jobs: Runs changes.
            outcomes: Reports them.
            notices: Says what stands in the way.
            navigation: Asks questions.
            editor: Opens the current task.
            key_for: Gives the first key of a binding.
        """
        self._stores = stores
        self._jobs = jobs
        self._outcomes = outcomes
        self._notices = notices
        self._navigation = navigation
        self._editor = editor
        self._key_for = key_for

    @property
    def all(self) -> Sequence[LayerStore]:
        """The stores that are layers."""
        return [store for store in self._stores if isinstance(store, LayerStore)]

    def _named(self, store: LayerStore, name: str) -> LayerStore:
        """The layer with a name: the app's own store where it has it, so that screens follow."""
        return next((layer for layer in self.all if layer.name == name), store)

    def _make(self, store: LayerStore, file: str, change: Callable[[], Change]) -> None:
        def work() -> Next:
            with self._jobs.turn:
                done = change()
                store.announce()
            return partial(self._outcomes.report, self._named(store, done.store), done)

        self._jobs.start(store, file, work)

    # Entries -----------------------------------------------------------------------------------

    def choose_status(self, store: LayerStore, row: EntryRow) -> None:
        """Ask which status an entry gets, then set it."""
        heading, current = row.entry.heading, row.entry.status

        def chosen(status: str) -> None:
            if status != current:
                self._make(store, row.of, lambda: store.set_status(row.of, heading, status))

        options = [
            Option(status, status, "as it is" if status == current else "") for status in STATUSES
        ]
        self._navigation.choose(f"Status of “{row.name}”", options, chosen, at=current)

    def choose_newer(self, store: LayerStore, row: EntryRow) -> None:
        """Ask which entry supersedes this one, then mark both."""

        def work() -> Next:
            store.refuse_changes()
            return partial(self._ask_newer, store, row, entry_rows(store, store.entries()))

        self._jobs.start(store, row.of, work, patient=True)

    def _ask_newer(self, store: LayerStore, row: EntryRow, rows: Sequence[EntryRow]) -> None:
        others = [other for other in rows if other.file != row.file]
        # What replaces an entry is newer, and most often in its file.
        others.sort(key=lambda other: other.entry.date, reverse=True)
        others.sort(key=lambda other: (other.entry.date < row.entry.date, other.of != row.of))
        if not others:
            key = self._key_for("list.new")
            self._notices.say(
                f"There is no other entry yet; {key} writes one, which can name this one."
            )
            return
        by_file = {other.file: other for other in others}

        def chosen(file: str) -> None:
            newer = by_file[file]
            self._make(
                store,
                row.of,
                lambda: store.supersede(
                    row.of, row.entry.heading, newer.entry.heading, by_file=newer.of
                ),
            )

        title = f"What supersedes “{row.name}”?"
        self._navigation.choose(title, entry_options(others), chosen, search=True)

    def archive(self, store: LayerStore, topic: Topic) -> None:
        """Move an entry, or a whole file, to the archive."""
        if isinstance(topic, EntryRow):
            file, heading = topic.of, topic.entry.heading
            self._make(store, file, lambda: store.archive(file, heading))
        else:
            self._make(store, topic.file, lambda: store.archive(topic.file))

    # The layer ---------------------------------------------------------------------------------

    def init(self, store: LayerStore) -> None:
        """Create what is missing of a layer."""
        self._make(store, "", lambda: store.init(store.name))

    def clear_task(self, store: LayerStore, task: str) -> None:
        """Ask, then clear the current task."""
        detail = clean(" ".join(task.split()), 300)
        detail += f"\n{self._key_for('change.undo')} brings it back."
        yes = partial(self._make, store, "", store.clear_task)
        self._navigation.confirm("Clear the current task?", detail, "Clear", yes)

    def edit_task(self, store: LayerStore, file: str) -> None:
        """Open the current task in the editor, there or not."""
        above = self._named(store, "global")
        target: Store = above if above.name == "global" else store.layer("global") or store
        self._editor.open(target, target.find(file).file)

    # The inbox ---------------------------------------------------------------------------------

    def checkpoint(self, store: LayerStore) -> None:
        """Put an empty checkpoint into the workspace's inbox."""
        self._make(store, "", store.checkpoint)

    def promote(self, store: LayerStore, wanted: Wanted, *, allow_secret: bool = False) -> None:
        """Promote sections of a file in the inbox."""

        def work() -> Next:
            try:
                with self._jobs.turn:
                    change = store.promote(
                        wanted.file,
                        wanted.folder,
                        wanted.target,
                        sections=wanted.sections,
                        allow_secret=allow_secret,
                    )
                    store.announce()
            except SecretError as error:
                return partial(self._ask_secret, store, wanted, f"{error} {TAKE_OUT}")
            return partial(self._outcomes.report, self._named(store, change.store), change)

        self._jobs.start(store, wanted.file, work)

    def _ask_secret(self, store: LayerStore, wanted: Wanted, reason: str) -> None:
        self._navigation.confirm(
            "Promote it anyway?",
            reason,
            "Promote",
            partial(self.promote, store, wanted, allow_secret=True),
            partial(self._outcomes.report_failure, store, wanted.file, "Nothing was promoted."),
        )
