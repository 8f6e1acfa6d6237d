"""The screens as services open them: services lie below the screens and import none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pimem_core.history.drafts import Typed, TypedDraft
    from pimem_core.model import Document
    from pimem_core.systems.stores import Store

    from ..rows.options import Option
    from .saving import Refusal


class Navigation(Protocol):
    """Opens screens. `pimem_tui.navigation` does it."""

    @property
    def is_open(self) -> bool:
        """Whether there is a screen; there is none while the app ends."""

    @property
    def shows_list(self) -> bool:
        """Whether the list is on top."""

    def confirm(
        self,
        question: str,
        detail: str,
        verb: str,
        yes: Callable[[], object],
        no: Callable[[], object] | None = None,
    ) -> None:
        """Ask a question, and call what is to follow from the answer.

        Args:
            question: The question.
            detail: What it means.
            verb: The word on the button that says yes.
            yes: Follows when the person agrees.
            no: Follows when the person does not.
        """

    def choose(
        self,
        title: str,
        options: Sequence[Option],
        chosen: Callable[[str], object],
        *,
        at: str = "",
        search: bool = False,
    ) -> None:
        """Have one option chosen.

        Args:
            title: The question.
            options: What there is.
            chosen: Takes the value of the chosen one.
            at: The value to begin at.
            search: Whether words can be typed to keep to some.
        """

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
        """Open the editor; its arguments are those of `EditScreen`."""
