"""The question whether a project's own memory may be used, and what the person answers."""

from __future__ import annotations

from ..errors import PimemError
from . import actions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .actions import Action
    from .hosting import HookContext


class TrustQuestion:
    """One system's question about a project's root.

    Args:
        key: Begins the key of the question; the root follows.
        title: The question.
        yes: Said after a yes.
        no: Said after a no.
        unanswered: Said where nobody can be asked.
    """

    def __init__(self, key: str, title: str, *, yes: str, no: str, unanswered: str) -> None:
        self._key = key
        self._title = title
        self._yes, self._no, self._unanswered = yes, no, unanswered

    def is_open(self, context: HookContext, root: str) -> bool:
        """Whether the person was not asked yet, in this session or before."""
        if context.state.get("asked"):
            return False
        from ..settings import trust  # hashing takes a while to load

        return trust.answer(context.places, root) is None

    def ask(self, context: HookContext, root: str, text: str) -> list[Action]:
        """Ask once in a session; where nobody can be asked, say what happens without an answer.

        When the answer to the host comes too late, the runner takes `asked` back.
        """
        context.state["asked"] = True
        if context.session.mode not in ("tui", "rpc"):
            return [actions.notify(self._unanswered.format(root=root), "warning")]
        return [actions.confirm(self._key + root, self._title, text)]

    def answered(self, key: str, value: bool | None, context: HookContext) -> list[Action] | None:
        """Keep what the person said; None when the key is another question's."""
        if not key.startswith(self._key):
            return None
        from ..settings import trust

        root = key.removeprefix(self._key)
        if value is None:
            return [actions.notify(self._unanswered.format(root=root), "warning")]
        try:
            trust.keep(context.places, root, value)
        except PimemError as error:
            return [actions.notify(f"Your answer cannot be kept: {error}", "warning")]
        return [actions.notify(self._yes if value else self._no)]
