"""Reading in the background, for screens and widgets."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import threading
from functools import partial
from typing import TYPE_CHECKING, cast

from textual.widget import Widget
from textual.worker import WorkerState, get_current_worker

from .field_message import FieldMessage
from .messages import ReadingBroke

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.message import Message
    from textual.worker import Worker, WorkType


async def _in_own_thread(work: Callable[[], None]) -> None:
    """Run work in a thread that nobody waits for when the app ends: it may hang."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[None] = loop.create_future()
    context = contextvars.copy_context()

    def settle(error: Exception | None) -> None:
        if done.done():
            return  # nobody wants it any more
        if error is None:
            done.set_result(None)
        else:
            done.set_exception(error)

    def run() -> None:
        failure = None
        try:
            context.run(work)
        except Exception as error:
            failure = error
        with contextlib.suppress(RuntimeError):  # the app has ended
            loop.call_soon_threadsafe(settle, failure)

    threading.Thread(target=run, name="reading", daemon=True).start()
    await done


class Reader(Widget):
    """Runs the jobs of `reading` in threads; what they find comes back as messages."""

    def read(self, group: str, job: Callable[..., None]) -> None:
        """Run a job in a thread; a newer one of the same group cancels it."""

        async def run() -> None:
            worker = get_current_worker()
            post, cancelled = self.post_message, lambda: worker.is_cancelled
            await _in_own_thread(partial(job, post=post, cancelled=cancelled))

        work = cast("WorkType[None]", run)
        self.run_worker(work, exclusive=True, exit_on_error=False, group=group)

    async def _dispatch_message(self, message: Message) -> None:
        """Take no more results once the app ends: what would show them is going."""
        if self.app.is_running or not isinstance(message, FieldMessage):
            await super()._dispatch_message(message)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Report an error that a job did not expect."""
        if event.state is WorkerState.ERROR and event.worker.error is not None:
            self.post_message(ReadingBroke(event.worker.error))
