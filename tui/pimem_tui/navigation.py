"""Opens screens. They are imported when they are first needed: the first frame waits for none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .screens.browser import BrowserScreen
from .widgets import KeyBar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pimem_core.history.drafts import Typed, TypedDraft
    from pimem_core.model import Document
    from pimem_core.systems.stores import Store
    from textual.app import App

    from .rows.options import Option
    from .services.saving import Refusal


class ScreenNavigation:
    """Opens screens above the one that shows."""

    def __init__(self, app: App[None]) -> None:
        self._app = app

    @property
    def is_open(self) -> bool:
        """Whether there is a screen; there is none while the app ends."""
        return bool(self._app.screen_stack)

    @property
    def shows_list(self) -> bool:
        """Whether the list is on top."""
        return self.is_open and isinstance(self._app.screen, BrowserScreen)

    def confirm(
        self,
        question: str,
        detail: str,
        verb: str,
        yes: Callable[[], object],
        no: Callable[[], object] | None = None,
    ) -> None:
        """Ask a question, and call what is to follow from the answer."""
        from .screens.confirm import ConfirmScreen

        def answered(agreed: bool | None) -> None:
            follow = yes if agreed else no
            if follow is not None:
                follow()

        self._app.push_screen(ConfirmScreen(question, detail, verb), answered)

    def choose(
        self,
        title: str,
        options: Sequence[Option],
        chosen: Callable[[str], object],
        *,
        at: str = "",
        search: bool = False,
    ) -> None:
        """Have one option chosen."""
        from .screens.choice import ChoiceScreen

        def answered(value: str | None) -> None:
            if value is not None:
                chosen(value)

        self._app.push_screen(ChoiceScreen(title, options, at=at, search=search), answered)

    def edit(
        self,
        store: Store,
        document: Document | None,
        *,
        entry_file: str | None = None,
        draft: TypedDraft | None = None,
        typed: Typed | None = None,
        refusal: Refusal | None = None,
        line: int = 1,
        whole: bool = False,
    ) -> None:
        """Open the editor."""
        from .screens.edit import EditScreen

        screen = EditScreen(
            store,
            document,
            entry_file=entry_file,
            draft=draft,
            typed=typed,
            refusal=refusal,
            line=line,
            whole=whole,
        )
        self._app.push_screen(screen)

    def show_busy(self, busy: bool) -> None:
        """Say on the screen, or say no longer, that a change is still under way."""
        for screen in self._app.screen_stack[-1:]:  # there is none while the app ends
            for bar in screen.query(KeyBar):
                bar.busy = "working …" if busy else ""
