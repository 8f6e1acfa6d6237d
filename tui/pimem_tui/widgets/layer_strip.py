"""A line about a layer of a memory: the current task, the inbox, what is cut or hidden, git."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pimem_core.systems.layers import LEFT_OUT, NOT_AGREED
from rich.cells import cell_len
from textual.content import Content
from textual.reactive import reactive

from ..drawing.cells import clean, cut
from ..keys.bindings import key_of
from .text_styles import TextStyled

if TYPE_CHECKING:
    from ..rows.layer_state import LayerState

#: A task shorter than this in cells says nothing.
_LEAST_TASK = 16


class LayerStrip(TextStyled):
    """The task at the left; at the right what waits and what the next prompt does not get."""

    found: reactive[LayerState | None] = reactive(None)

    def render(self) -> Content:
        """The line: what is at the right goes piece by piece, then the task is cut."""
        found = self.found
        if found is None:
            return Content("")
        width = self.size.width
        right = self._state(found)
        task = clean(" ".join(found.task.split())) if found.task else ""
        least = _LEAST_TASK if task else 0
        while right and sum(cell_len(text) + 2 for text, _ in right) > width - least - 8:
            right.pop()
        room = width - 2 - sum(cell_len(text) + 2 for text, _ in right)
        label, text = ("task ", task) if task else ("no current task", "")
        shown = cut(text, max(room - cell_len(label), 0))
        content = Content.styled(f" {label}", self.style_named("muted"))
        content += Content.styled(shown, self.style_named("name"))
        content += " " * max(room - cell_len(label) - cell_len(shown), 0)
        for text, kind in right:
            content += Content.styled(f"  {text}", self.style_named(kind))
        return content

    def _state(self, found: LayerState) -> list[tuple[str, str]]:
        """What to say at the right, the most important first."""
        load = found.load
        state: list[tuple[str, str]] = []
        if load.inbox:
            state.append((f"inbox {len(load.inbox):,}", "warning"))
        own = [row for row in load.files if row.path.startswith(f"{found.store.place}/")]
        if any(row.note == NOT_AGREED for row in own):
            state.append((f"not used yet ({key_of(self, 'app.help')})", "warning"))
        hidden = sum(row.hidden_by is not None for row in own)
        if hidden:
            state.append((f"{hidden:,} hidden", "warning"))
        cut_ones = sum(0 < row.injected < row.chars for row in own)
        left_out = sum(row.note == LEFT_OUT for row in own)
        if cut_ones or left_out:
            state.append((f"{cut_ones + left_out:,} cut", "warning"))
        if found.git is not None:
            state.append((f"git: {_git_words(found)}", "muted"))
        return state


def _git_words(found: LayerState) -> str:
    git = found.git
    if git is None:
        return ""
    if git.ignored:
        return "ignored"
    words = [
        f"{len(files):,} {word}"
        for files, word in ((git.changed, "changed"), (git.untracked, "untracked"))
        if files
    ]
    return ", ".join(words) or "clean"
