"""Reading in the background, for screens and widgets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.widget import Widget
from textual.worker import WorkerState, get_current_worker

from .field_message import FieldMessage
from .messages import ReadingBroke

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.message import Message
    from textual.worker import Worker


class Reader(Widget):
    """Runs the jobs of `reading` in threads; what they find comes back as messages."""

    def read(self, group: str, job: Callable[..., None]) -> None:
        """Run a job in a thread; a newer one of the same group cancels it."""

        def run() -> None:
            worker = get_current_worker()
            job(post=self.post_message, cancelled=lambda: worker.is_cancelled)

        self.run_worker(run, thread=True, exclusive=True, exit_on_error=False, group=group)

    async def _dispatch_message(self, message: Message) -> None:
        """Take no more results once the app ends: what would show them is going."""
        if self.app.is_running or not isinstance(message, FieldMessage):
            await super()._dispatch_message(message)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Report an error that a job did not expect."""
        if event.state is WorkerState.ERROR and event.worker.error is not None:
            self.post_message(ReadingBroke(event.worker.error))
