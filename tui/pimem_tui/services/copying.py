"""What a person copies, and the honest word about where it went."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pimem_core.errors import PimemError
from textual import on

from ..workers.messages import Copied
from .layer_changes import LayerChanges

if TYPE_CHECKING:
    from collections.abc import Callable

    from pimem_core.model import Topic
    from pimem_core.systems.stores import Store
    from textual.message import Message


class Copying(LayerChanges):
    """The part of the app that copies texts, also what was selected with the mouse or typed."""

    def copy_topic(self, store: Store, topic: Topic) -> None:
        """Copy the text of a topic."""
        self._copy(f'"{topic.name}"', lambda: store.read(topic.file).body.strip("\r\n"))

    def copy_text(self, name: str, text: str) -> None:
        """Copy a text that is on the screen already."""
        self._copy(f'"{name}"', lambda: text)

    def copy_to_clipboard(self, text: str) -> None:
        """Copy what is selected; it can be pasted here as well."""
        self._clipboard = text
        self._copy("the selected text", lambda: text)

    def _copy(self, what: str, text: Callable[[], str]) -> None:
        def work() -> Message:
            from .clipboard import copy

            return copy(self, what, text())

        self.tell_result(work)

    def tell_result(self, work: Callable[[], Message | None]) -> None:
        """Do work in a thread and say how it ended, if there is anything to say."""

        def run() -> None:
            try:
                said = work()
                if said is not None:
                    self.post_message(said)
            except PimemError as error:
                self.post_message(Copied(str(error), warning=True))

        self.run_worker(run, thread=True, exit_on_error=False, group="copy")

    @on(Copied)
    def _tell_copied(self, message: Copied) -> None:
        (self.say_error if message.warning else self.say)(message.text)
