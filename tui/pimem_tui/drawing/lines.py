"""A drawn line: runs of styled text, and the style that fills it up."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from .wrap import Run


class Line(NamedTuple):
    """One line to draw. `fill` names the style of the cells up to the right edge."""

    runs: tuple[Run, ...]
    fill: str = ""

    @property
    def text(self) -> str:
        """The line without its styles."""
        return "".join(run.text for run in self.runs)
