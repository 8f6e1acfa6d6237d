"""The clipboard: the terminal's own (OSC 52), and the desktop's where a tool is there."""

from __future__ import annotations

import base64
import os
import sys
from typing import TYPE_CHECKING

from pimem_core.formats.text import plural

from ..workers.messages import Copied

if TYPE_CHECKING:
    from textual.app import App

#: Terminals take about 100 KB of a sequence; beyond it they drop it or worse.
_MOST_OSC = 74_000
_TOOL_S = 3


def sequence(text: str, *, tmux: bool) -> str | None:
    """The sequence that asks the terminal to take a text, None when it is too long for one.

    tmux passes it on to the terminal outside only when it is wrapped.
    """
    coded = base64.b64encode(text.encode("utf-8", "replace")).decode()
    if len(coded) > _MOST_OSC:
        return None
    plain = f"\x1b]52;c;{coded}\x07"
    return f"{plain}\x1bPtmux;\x1b{plain}\x1b\\" if tmux else plain


def tools() -> list[list[str]]:
    """Commands that take a text for the desktop's clipboard, the most fitting first."""
    found = []
    if sys.platform == "darwin":
        found.append(["pbcopy"])
    if os.environ.get("WAYLAND_DISPLAY"):
        found.append(["wl-copy"])
    if os.environ.get("DISPLAY"):
        found += [["xclip", "-selection", "clipboard"], ["xsel", "--clipboard", "--input"]]
    return found


def copy(app: App[None], what: str, text: str) -> Copied:
    """Give a text to every clipboard there is and say what is known of it; run it in a worker.

    Args:
        app: The app on the terminal.
        what: What to call the text.
        text: The text.
    """
    tool = _by_tool(text)
    asked = sequence(text, tmux=bool(os.environ.get("TMUX")))
    if asked is not None:
        app.call_from_thread(_write, app, asked)
    size = plural(len(text), "character")
    if tool is not None:
        return Copied(f"Copied {what} ({size}) with {tool}.")
    if asked is not None:
        return Copied(
            f"Sent {what} ({size}) to the terminal's clipboard; not every terminal takes it."
        )
    return Copied(
        f"{what[:1].upper()}{what[1:]} is too long for the terminal's clipboard ({size}), and "
        "there is no clipboard tool here.",
        warning=True,
    )


def _write(app: App[None], asked: str) -> None:
    driver = app._driver
    if driver is not None:
        driver.write(asked)


def _by_tool(text: str) -> str | None:
    """The name of the tool that took the text."""
    import shutil
    import subprocess

    for command in tools():
        if shutil.which(command[0]) is None:
            continue
        try:
            # The tool stays to serve the text, so nothing of it may be waited for but its start.
            done = subprocess.run(
                command,
                input=text.encode("utf-8", "replace"),
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                timeout=_TOOL_S,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            continue
        if done.returncode == 0:
            return command[0]
    return None
