"""Texts that were typed and never saved: which are open, and offering those that were left."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING

from textual.signal import Signal

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pimem_core.history.drafts import Typed, TypedDraft
    from pimem_core.paths import Places
    from pimem_core.systems.stores import Store
    from textual.app import App

    from .editor import Editor
    from .loop import Loop
    from .navigation import Navigation
    from .notices import Notices


class Drafts:
    """Finds drafts. Screens that show how many there are subscribe to `counted`."""

    def __init__(
        self,
        app: App[None],
        places: Places,
        stores: Sequence[Store],
        *,
        loop: Loop,
        notices: Notices,
        navigation: Navigation,
        editor: Editor,
        key_for: Callable[[str], str],
    ) -> None:
        """Find drafts.

        Args:
            app: Owns the signal.
            places: Where drafts are kept.
            stores: The stores that a draft can be for.
            loop: Runs the search.
            notices: Says when there is none.
            navigation: Asks whether to go on with one.
            editor: Opens it.
            key_for: Gives the first key of a binding.
        """
        self.counted: Signal[int] = Signal(app, "drafts counted")
        #: The paths of drafts that are open in an editor here.
        self.open: set[str] = set()
        self._places = places
        self._stores = stores
        self._loop = loop
        self._notices = notices
        self._navigation = navigation
        self._editor = editor
        self._key_for = key_for

    def offer(self) -> None:
        """Look for drafts, and offer the newest."""
        self._find(self._ask)

    def count(self) -> None:
        """Look how many drafts there are, and offer none."""
        self._find(lambda _found: None)

    def _find(self, follow: Callable[[Sequence[tuple[TypedDraft, Typed]]], object]) -> None:
        def work() -> None:
            from pimem_core.history.drafts import left_drafts  # after the first frame

            found = left_drafts(self._places, frozenset(self.open))
            self._loop.call(self.counted.publish, len(found))
            self._loop.call(follow, found)

        self._loop.run(work, group="drafts")

    def _ask(self, found: Sequence[tuple[TypedDraft, Typed]]) -> None:
        if not found:
            self._notices.say("Everything that was typed is saved; there are no drafts.")
            return
        draft, typed = found[0]
        more = f" {len(found) - 1:,} more wait." if found[1:] else ""
        when = time.strftime("%Y-%m-%d %H:%M", time.localtime(typed.time))
        key = self._key_for("list.drafts")
        self._navigation.confirm(
            f'Go on with "{typed.name or "a new topic"}"?',
            f"It was typed at {when} and never saved.{more} {key} asks again later.",
            "Open",
            partial(self._reopen, draft, typed),
        )

    def _reopen(self, draft: TypedDraft, typed: Typed) -> None:
        for store in self._stores:
            if (store.system, store.place) == (typed.system, typed.folder):
                self._editor.reopen(store, draft, typed)
                return
        key = self._key_for("list.drafts")
        self._notices.say_error(
            f"The draft is for {typed.folder}; open it with --dir and press {key}."
        )
