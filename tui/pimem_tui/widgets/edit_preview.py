"""The preview beside a text that is being edited, which also counts its words and tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pimem_core.formats.tokens import estimate
from textual import getters, on
from textual.containers import Vertical
from textual.worker import get_current_worker

from ..workers.background import Reader
from ..workers.messages import TextMeasured
from .body_view import BodyView

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.app import ComposeResult
    from textual.timer import Timer

#: Seconds without a key before the text is measured and laid out.
_MEASURE_S = 0.12


class EditPreview(Vertical, Reader):
    """Measures and shows a text when the keys rest, hidden or not; posts `TextMeasured`."""

    body = getters.query_one(BodyView)

    def __init__(self, read: Callable[[], tuple[str, str]]) -> None:
        """Preview a text.

        Args:
            read: Gives the text as it is now, and the Markdown to show for it.
        """
        super().__init__(id="preview")
        self._read_text = read
        self._timer: Timer | None = None

    def compose(self) -> ComposeResult:
        """The text as it reads."""
        yield BodyView(can_focus=False)

    @property
    def is_current(self) -> bool:
        """Whether what was typed is measured and shown, or being so."""
        return self._timer is None

    def follow(self) -> None:
        """Measure the text when no key comes for a moment."""
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.set_timer(_MEASURE_S, self.measure)

    def measure(self) -> None:
        """Measure the text now."""
        self._timer = None
        text, shown = self._read_text()
        width = self.body.measure if self.display else None

        def work() -> None:
            from ..drawing.markdown import lay_out

            worker = get_current_worker()
            words, tokens = len(text.split()), estimate(text)
            lines = None if width is None else lay_out(shown, width)
            if not worker.is_cancelled:
                self.post_message(TextMeasured(words, tokens, lines))

        self.run_worker(work, thread=True, exclusive=True, exit_on_error=False, group="measure")

    @on(TextMeasured)
    def _show(self, message: TextMeasured) -> None:
        if message.lines is not None:
            self.body.show(message.lines, keep_place=True)
