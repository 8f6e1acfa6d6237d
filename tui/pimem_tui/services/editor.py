"""The editor of the app: opening a topic in it, or an empty one."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from pimem_core.systems.layers import LayerStore

from ..rows.handles import to_edit

if TYPE_CHECKING:
    from collections.abc import Callable

    from pimem_core.history.drafts import Typed, TypedDraft
    from pimem_core.systems.stores import Store

    from .jobs import Jobs, Next
    from .navigation import Navigation
    from .outcomes import Outcomes

#: Characters beyond which a text is too long for the editor of the app.
_MOST_CHARACTERS = 1_000_000


class Editor:
    """Opens texts in the editor of the app."""

    def __init__(
        self,
        *,
        jobs: Jobs,
        outcomes: Outcomes,
        navigation: Navigation,
        key_for: Callable[[str], str],
    ) -> None:
        """Open texts.

        Args:
            jobs: Reads them.
            outcomes: Reports what cannot be opened.
            navigation: Opens the screens.
            key_for: Gives the first key of a binding.
        """
        self._jobs = jobs
        self._outcomes = outcomes
        self._navigation = navigation
        self._key_for = key_for

    def open(self, store: Store, file: str, *, line: int = 1, whole: bool = False) -> None:
        """Open a topic.

        Args:
            store: Where it is.
            file: Its file.
            line: The line to begin at, where texts are edited whole.
            whole: Edit the file without any fields.
        """

        def work() -> Next:
            document = to_edit(store, file, self._key_for("topic.remove"))
            if len(document.text) > _MOST_CHARACTERS:
                key = self._key_for("topic.edit_outside")
                reason = f"This topic is too long to edit here; {key} opens it."
                return partial(self._outcomes.report_failure, store, file, reason)
            return partial(self._navigation.edit, store, document, line=line, whole=whole)

        self._jobs.start(store, file, work, patient=True)

    def write(self, store: Store, *, file: str = "") -> None:
        """Write a new topic, or a new entry of a file."""
        entry_file = file if isinstance(store, LayerStore) else None
        self._navigation.edit(store, None, entry_file=entry_file)

    def reopen(self, store: Store, draft: TypedDraft, typed: Typed) -> None:
        """Go on with a draft."""
        is_entry = isinstance(store, LayerStore) and typed.opened is None
        entry_file = "" if is_entry else None
        self._navigation.edit(store, None, entry_file=entry_file, draft=draft, typed=typed)
