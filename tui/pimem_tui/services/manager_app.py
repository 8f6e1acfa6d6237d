"""The app as its screens see it: the parts it has, each with one job."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.app import App

from ..keys.table import KEYS, key_names

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pimem_core.paths import Places
    from pimem_core.systems.stores import Store
    from textual.binding import Binding

    from ..rows.recent import RecentSearches
    from .changes import Changes
    from .clipboard import Clipboards
    from .drafts import Drafts
    from .editor import Editor
    from .external_editor import ExternalEditor
    from .jobs import Jobs
    from .layer_changes import LayerChanges
    from .loop import Loop
    from .navigation import Navigation
    from .notices import Notices
    from .outcomes import Outcomes
    from .saving import Saver
    from .sheets import Sheets
    from .themes import Themes
    from .watcher import Watcher


class ManagerApp(App[None]):
    """Has the parts that screens use, and knows the keys as they are bound.

    `PimemApp` makes the parts. This class lies below the screens, so that they can name it.
    """

    places: Places
    stores: Sequence[Store]
    #: The clock that ages are counted by.
    now: Callable[[], float]
    loop: Loop
    navigation: Navigation
    notices: Notices
    sheets: Sheets
    themes: Themes
    clipboards: Clipboards
    jobs: Jobs
    outcomes: Outcomes
    saver: Saver
    watcher: Watcher
    changes: Changes
    layers: LayerChanges
    editor: Editor
    external_editor: ExternalEditor
    drafts: Drafts
    searches: RecentSearches

    def keys_of(self, binding: Binding) -> str:
        """The keys of a binding as they hold."""
        return self._keymap.get(binding.id or "", binding.key)

    def keys_for(self, binding_id: str) -> list[str]:
        """The keys of a binding as events name them."""
        return self._keymap.get(binding_id, KEYS[binding_id].keys).split(",")

    def key_for(self, binding_id: str) -> str:
        """The first key of a binding as people write it."""
        return key_names(self.keys_for(binding_id)[0])
