"""The list's second level, and what can be done to a layer of a memory as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pimem_core.systems.layers import LayerStore
from textual import on

from ..rows.branches import EntryRow, file_of, handle
from ..widgets import TopicList
from .store_screen import StoreScreen

if TYPE_CHECKING:
    from ..rows.layer_state import LayerState

#: What needs a store whose files have entries.
_OF_BRANCHES = ("unfold", "fold", "unfold_all", "follow_entry")
_OF_LAYERS = ("init_layer", "edit_task", "clear_task")


class BranchScreen(StoreScreen):
    """Unfolds files into their entries, follows from entry to entry, creates a layer."""

    @property
    def known_layer(self) -> LayerState | None:
        """What is known of the shown store as a layer."""
        return self._shown[self._index].layer

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Hide what needs a layer in other stores, grey out what cannot be done now."""
        if action == "inbox":
            return isinstance(self.store, LayerStore)
        if action in _OF_LAYERS:
            return self._check_layer(action)
        if action not in _OF_BRANCHES:
            return super().check_action(action, parameters)
        if not isinstance(self.store, LayerStore):
            return False
        topic, unfolded = self.topic, self.topic_list.listing.unfolded
        folds = topic is not None and not self._query and file_of(topic) in unfolded
        if action == "fold":  # takes the place of the other in the line of keys
            return folds
        if folds and action == "unfold":
            return False
        if topic is None or (self._query and action != "follow_entry"):
            return None
        if action == "unfold":
            return True if topic.entries else None
        if action == "follow_entry":
            return True if self._related(topic) is not None else None
        return True

    def _check_layer(self, action: str) -> bool | None:
        found = self.known_layer
        if found is None or not isinstance(self.store, LayerStore):
            return False
        if action == "init_layer":
            if not found.missing or self.store.name not in ("global", "workspace"):
                return False
            return None if found.refusal else True
        if action == "clear_task":
            return True if found.task else None
        return True

    # Unfolding ---------------------------------------------------------------------------------

    def action_unfold(self) -> None:
        """Show the entries of the selected file."""
        if self.topic is not None and self.topic.entries:
            self._shown[self._index].unfolded.add(self.topic.file)
            self._read()

    def action_fold(self) -> None:
        """Hide the entries of the selected file, or of the one that the entry is in."""
        if self.topic is None:
            return
        file = file_of(self.topic)
        shown = self._shown[self._index]
        shown.unfolded.discard(file)
        self.topic_list.select_file(file)
        shown.file = file
        self._read()

    def action_unfold_all(self) -> None:
        """Show the entries of all files; when all show, hide them."""
        shown = self._shown[self._index]
        if shown.listing is None:
            return
        foldable = {topic.file for topic in shown.listing.topics if topic.entries}
        if foldable <= shown.unfolded:
            shown.unfolded.clear()
            if self.topic is not None:
                shown.file = file_of(self.topic)
        else:
            shown.unfolded |= foldable
        self._read()

    @on(TopicList.BranchClicked)
    def _turn_branch(self) -> None:
        topic = self.topic
        if topic is not None and not self._query:
            folded = topic.file not in self.topic_list.listing.unfolded
            (self.action_unfold if folded else self.action_fold)()

    def _related(self, topic: object) -> str | None:
        """The handle of the entry that supersedes an entry, else of the one before it."""
        if not isinstance(topic, EntryRow):
            return None
        entry = topic.entry
        place = entry.superseded_by[0] if entry.superseded_by else entry.supersedes
        return handle(place) if place is not None else None

    def action_follow_entry(self) -> None:
        """Go to the entry that supersedes the selected one, or to the one it supersedes."""
        file = self._related(self.topic)
        if file is None:
            return
        if self.topic_list.select_file(file) or self._query:
            return
        shown = self._shown[self._index]
        shown.unfolded.add(file.partition("\n")[0])
        shown.file = file
        self._read()

    # The layer ---------------------------------------------------------------------------------

    def action_init_layer(self) -> None:
        """Create the layer that is shown."""
        layer = self.store if isinstance(self.store, LayerStore) else None
        if layer is not None:
            self.app.layers.init(layer)

    def action_edit_task(self) -> None:
        """Edit the current task."""
        layer = self.store if isinstance(self.store, LayerStore) else None
        if layer is not None and self.known_layer is not None:
            self.app.layers.edit_task(layer, self.known_layer.load.task_file)

    def action_clear_task(self) -> None:
        """Clear the current task, after a question."""
        layer = self.store if isinstance(self.store, LayerStore) else None
        if layer is not None and self.known_layer is not None:
            self.app.layers.clear_task(layer, self.known_layer.task)

    def action_inbox(self) -> None:
        """Show what waits in the inbox."""
        from .inbox import InboxScreen

        self.app.push_screen(InboxScreen(self._now))
