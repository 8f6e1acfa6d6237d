"""What a person does to a layer of a memory: its entries, its inbox, its task, creating it.

Like all changes they run in a worker, one at a time, can be undone, and say what happened.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pimem_core.errors import SecretError
from pimem_core.systems.layers import STATUSES, LayerStore
from textual import on

from ..drawing.cells import clean
from ..rows.branches import EntryRow, entry_rows
from ..workers.messages import ChangeFailed, EntriesRead, PromotionRefused, TopicChanged
from .changes import TopicChanges
from .saving import TAKE_OUT

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pimem_core.model import Change, Topic
    from pimem_core.systems.stores import Store
    from textual.message import Message


class Wanted(NamedTuple):
    """A promotion: the file in the inbox, its chosen sections (None for all), and the target."""

    file: str
    sections: Sequence[str] | None
    folder: str
    target: str


class LayerChanges(TopicChanges):
    """The part of the app that changes layers of a memory."""

    @property
    def layers(self) -> Sequence[LayerStore]:
        """The stores that are layers."""
        found = ((store if isinstance(store, LayerStore) else None) for store in self.stores)
        return [layer for layer in found if layer is not None]

    def layer_named(self, store: LayerStore, name: str) -> LayerStore:
        """The layer with a name: the app's own store where it has it, so that screens follow."""
        return next((layer for layer in self.layers if layer.name == name), store)

    def _change_layer(self, store: LayerStore, file: str, change: Callable[[], Change]) -> None:
        def work() -> Message:
            with self.turn:
                done = change()
                store.announce()
            return TopicChanged(self.layer_named(store, done.store), done)

        self.start(store, file, work)

    # Entries -----------------------------------------------------------------------------------

    def choose_status(self, store: LayerStore, row: EntryRow) -> None:
        """Ask which status an entry gets, then set it."""
        from ..screens.choice import Choice, ChoiceScreen

        def chosen(status: str | None) -> None:
            if status is not None and status != row.entry.status:
                heading = row.entry.heading
                self._change_layer(store, row.of, lambda: store.set_status(row.of, heading, status))

        choices = [
            Choice(status, status, "as it is" if status == row.entry.status else "")
            for status in STATUSES
        ]
        self.push_screen(
            ChoiceScreen(f"Status of “{row.name}”", choices, at=row.entry.status), chosen
        )

    def choose_newer(self, store: LayerStore, row: EntryRow) -> None:
        """Ask which entry supersedes this one, then mark both."""

        def work() -> Message:
            store.refuse_changes()
            return EntriesRead(store, row, entry_rows(store, store.entries()))

        self.start(store, row.of, work, patient=True)

    @on(EntriesRead)
    def _ask_newer(self, message: EntriesRead) -> None:
        from ..screens.choice import ChoiceScreen, entry_choices

        store, row = message.store, message.row
        others = [other for other in message.rows if other.file != row.file]
        # What replaces an entry is newer, and most often in its file.
        others.sort(key=lambda other: other.entry.date, reverse=True)
        others.sort(key=lambda other: (other.entry.date < row.entry.date, other.of != row.of))
        if not others:
            self.say("There is no other entry yet; n writes one, which can name this one.")
            return
        by_file = {other.file: other for other in others}

        def chosen(file: str | None) -> None:
            if file is None:
                return
            newer = by_file[file]
            self._change_layer(
                store,
                row.of,
                lambda: store.supersede(
                    row.of, row.entry.heading, newer.entry.heading, by_file=newer.of
                ),
            )

        title = f"What supersedes “{row.name}”?"
        self.push_screen(ChoiceScreen(title, entry_choices(others), search=True), chosen)

    def archive(self, store: LayerStore, topic: Topic) -> None:
        """Move an entry, or a whole file, to the archive."""
        if isinstance(topic, EntryRow):
            file, heading = topic.of, topic.entry.heading
            self._change_layer(store, file, lambda: store.archive(file, heading))
        else:
            self._change_layer(store, topic.file, lambda: store.archive(topic.file))

    # The layer ---------------------------------------------------------------------------------

    def init_layer(self, store: LayerStore) -> None:
        """Create what is missing of a layer."""
        self._change_layer(store, "", lambda: store.init(store.name))

    def clear_task(self, store: LayerStore, task: str) -> None:
        """Ask, then clear the current task."""
        from ..screens.confirm import ConfirmScreen

        def answered(yes: bool | None) -> None:
            if yes:
                self._change_layer(store, "", store.clear_task)

        said = clean(" ".join(task.split()), 300)
        said += f"\n{self.key_for('change.undo')} brings it back."
        self.push_screen(ConfirmScreen("Clear the current task?", said, "Clear"), answered)

    def edit_task(self, store: LayerStore, file: str) -> None:
        """Open the current task in the editor, there or not."""
        above = self.layer_named(store, "global")
        target: Store = above if above.name == "global" else store.layer("global") or store
        self.edit_here(target, target.find(file).file)

    def edit_here(self, store: Store, file: str, *, line: int = 1, whole: bool = False) -> None:
        """Open a topic in the editor of the app."""
        raise NotImplementedError

    # The inbox ---------------------------------------------------------------------------------

    def checkpoint(self, store: LayerStore) -> None:
        """Put an empty checkpoint into the workspace's inbox."""
        self._change_layer(store, "", store.checkpoint)

    def promote(self, store: LayerStore, wanted: Wanted, *, allow_secret: bool = False) -> None:
        """Promote sections of a file in the inbox."""

        def work() -> Message:
            try:
                with self.turn:
                    change = store.promote(
                        wanted.file,
                        wanted.folder,
                        wanted.target,
                        sections=wanted.sections,
                        allow_secret=allow_secret,
                    )
                    store.announce()
            except SecretError as error:
                return PromotionRefused(store, wanted, f"{error} {TAKE_OUT}")
            return TopicChanged(self.layer_named(store, change.store), change)

        self.start(store, wanted.file, work)

    @on(PromotionRefused)
    def _ask_secret_promotion(self, message: PromotionRefused) -> None:
        from ..screens.confirm import ConfirmScreen

        def answered(yes: bool | None) -> None:
            if yes:
                self.promote(message.store, message.wanted, allow_secret=True)
            else:
                self.post_message(
                    ChangeFailed(message.store, message.wanted.file, "Nothing was promoted.")
                )

        self.push_screen(
            ConfirmScreen("Promote it all the same?", message.reason, "Promote"), answered
        )
