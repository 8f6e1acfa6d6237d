"""The draft of a text that is being typed, written when the keys rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pimem_core.errors import PimemError

if TYPE_CHECKING:
    from collections.abc import Callable

    from pimem_core.history.drafts import Typed, TypedDraft
    from textual.timer import Timer

    from .loop import Loop

#: Seconds after a key before a draft is written.
_KEEP_S = 0.35


class DraftKeeper:
    """Writes one draft, at the latest so long after the first key that it does not have yet."""

    def __init__(
        self,
        draft: TypedDraft,
        *,
        open_drafts: set[str],
        loop: Loop,
        set_timer: Callable[[float, Callable[[], None]], Timer],
        failed: Callable[[str], object],
    ) -> None:
        """Keep a draft.

        Args:
            draft: The draft.
            open_drafts: The paths of drafts that are open, which nobody is asked about.
            loop: Writes it in a worker.
            set_timer: Begins a timer of the screen.
            failed: Takes why it cannot be written.
        """
        self._draft = draft
        self._open_drafts = open_drafts
        self._loop = loop
        self._set_timer = set_timer
        self._failed = failed
        self._timer: Timer | None = None
        self._latest: Typed | None = None

    @property
    def path(self) -> str:
        """Where the draft is."""
        return self._draft.path

    def begin(self) -> None:
        """Count the draft as open."""
        self._open_drafts.add(self.path)

    def take(self, typed: Typed | None) -> None:
        """Take what is typed now; None when all of it is saved."""
        self._latest = typed
        if typed is not None and self._timer is None:
            self._timer = self._set_timer(_KEEP_S, self._keep_latest)

    def _keep_latest(self) -> None:
        self._timer = None
        typed = self._latest
        if typed is not None:
            self._loop.run(lambda: self._try_to_keep(typed), group="drafts written")

    def _try_to_keep(self, typed: Typed) -> None:
        try:
            self._draft.keep(typed)
        except PimemError as error:
            self._loop.call(self._failed, f"no draft: {error}")

    def keep(self, typed: Typed) -> None:
        """Write the draft now.

        Raises:
            PimemError: It cannot be written.
        """
        self._draft.keep(typed)

    def stop(self) -> None:
        """Write no more."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None

    def discard(self) -> None:
        """Remove the draft: its text is saved, or nobody wants it."""
        self._draft.discard()

    def discard_later(self) -> None:
        """The same in a worker, which outlives the screen."""
        self._loop.run(self._draft.discard, group="drafts discarded")

    def end(self) -> None:
        """Count the draft as open no more; write it if the app ends before it was written."""
        self._open_drafts.discard(self.path)
        if self._timer is not None and self._latest is not None:
            self._try_to_keep(self._latest)
