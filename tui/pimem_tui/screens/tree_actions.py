"""The second level of the list: files show their entries, and entries lead to each other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pimem_core.systems.layers import LayerStore

from ..rows.branches import file_of
from ..rows.browsing import related_entry

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..rows.browsing import Browsing
    from ..widgets import ListFrame
    from ..workers.row_loader import RowLoader


class TreeActions:
    """The actions by the names that the table of keys has for them."""

    def __init__(self, browsing: Browsing, frame: ListFrame, loader: RowLoader) -> None:
        self._browsing = browsing
        self._frame = frame
        self._loader = loader
        self._actions: dict[str, Callable[[], None]] = {
            "unfold": self._unfold,
            "fold": self._fold,
            "unfold_all": self._unfold_all,
            "follow": self._follow,
        }

    def check(self, name: str) -> bool | None:
        """False for what this store has no entries for, None for what cannot be done now."""
        assert name in self._actions, name
        if not isinstance(self._browsing.store, LayerStore):
            return False
        topic, query = self._frame.topic, self._browsing.query
        folds = topic is not None and not query and file_of(topic) in self._frame.shown.unfolded
        if name == "fold":  # takes the place of the other in the line of keys
            return folds
        if folds and name == "unfold":
            return False
        if name == "follow":
            return True if related_entry(topic) is not None else None
        if topic is None or query:
            return None
        return True if name != "unfold" or topic.entries else None

    def run(self, name: str) -> None:
        """Do it."""
        self._actions[name]()

    def turn(self) -> None:
        """Show the entries of the selected file, or hide them."""
        topic = self._frame.topic
        if topic is not None and not self._browsing.query:
            unfolded = topic.file in self._frame.shown.unfolded
            (self._fold if unfolded else self._unfold)()

    def _unfold(self) -> None:
        """Show the entries of the selected file."""
        topic = self._frame.topic
        if topic is not None and topic.entries:
            self._browsing.view.unfolded.add(topic.file)
            self._loader.read()

    def _fold(self) -> None:
        """Hide the entries of the selected file, or of the one that the entry is in."""
        topic = self._frame.topic
        if topic is None:
            return
        file = self._browsing.view.fold(topic)
        self._frame.topic_list.select_file(file)
        self._loader.read()

    def _unfold_all(self) -> None:
        """Show the entries of all files; when all show, hide them."""
        if self._browsing.view.listing is not None:
            self._browsing.view.unfold_all(self._frame.topic)
            self._loader.read()

    def _follow(self) -> None:
        """Go to the entry that supersedes the selected one, or to the one it supersedes."""
        entry = related_entry(self._frame.topic)
        if entry is None or self._frame.topic_list.select_file(entry) or self._browsing.query:
            return
        self._browsing.view.unfold_to(entry)
        self._loader.read()
