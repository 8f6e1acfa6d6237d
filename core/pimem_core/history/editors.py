"""The person's own editor: calling it, and telling whether it is done when it comes back."""

from __future__ import annotations

import os
import shlex
import subprocess
import time
from typing import TYPE_CHECKING, NamedTuple

from ..errors import StorageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .drafts import Draft

#: Seconds within which an editor comes back that only tells its window to open the file.
_AT_ONCE_S = 1.5
#: Editors that are done when they come back, however soon; `true` is how scripts edit nothing.
_IN_TERMINAL = frozenset(
    {"ed", "ex", "helix", "hx", "jed", "joe", "jstar", "kak", "le", "mcedit", "mg", "micro", "nano"}
    | {"ne", "nvi", "nvim", "pico", "red", "true", "vi", "view", "vim", "vim.basic", "vim.tiny"}
)
#: Options that have an editor wait for its window.
_WAITS = frozenset({"--wait", "-w", "-W", "--nofork", "--block"})


class Edited(NamedTuple):
    """What an editor left. `may_be_open` says that a window may still have the text."""

    text: str
    may_be_open: bool


def editor_command(env: Mapping[str, str]) -> list[str]:
    """The person's editor with its arguments: `$VISUAL`, `$EDITOR`, else vi."""
    chosen = env.get("VISUAL") or env.get("EDITOR") or "vi"
    try:
        return shlex.split(chosen) or ["vi"]
    except ValueError:
        return [chosen]


def may_be_open(command: Sequence[str], draft: Draft, seconds: float) -> bool:
    """Whether an editor came back only because it has a window of its own.

    Args:
        command: The editor with its arguments.
        draft: What it was given.
        seconds: How long it was away.
    """
    is_known = os.path.basename(command[0]) in _IN_TERMINAL or not _WAITS.isdisjoint(command)
    return seconds < _AT_ONCE_S and not is_known and draft.is_untouched


def edit_in_editor(draft: Draft, env: Mapping[str, str], screen: int | None = None) -> Edited:
    """Let the person edit a draft and give back its text.

    Args:
        draft: What to edit.
        env: Names the editor.
        screen: The file descriptor that the editor prints on; its output when left out.

    Raises:
        StorageError: The editor could not be started or failed; the draft stays when it changed.
    """
    command = editor_command(env)
    begun = time.monotonic()
    try:
        code = subprocess.run([*command, draft.path], check=False, stdout=screen).returncode
    except OSError as error:
        draft.discard()
        raise StorageError(
            f"{command[0]} cannot be started ({error.strerror}); set $EDITOR to your editor."
        ) from error
    text = draft.text()
    if code != 0:
        if text == draft.opened:
            draft.discard()
            kept = ""
        else:
            kept = f" Your text is kept in {draft.path}."
        raise StorageError(f"{command[0]} ended with code {code}; nothing was saved.{kept}")
    return Edited(text, may_be_open(command, draft, time.monotonic() - begun))
