"""The clipboard: the terminal's own (OSC 52), and the desktop's where there is a tool for it."""

from __future__ import annotations

import base64
import os
import sys
from typing import TYPE_CHECKING

from pimem_core.errors import PimemError
from pimem_core.formats.text import plural

if TYPE_CHECKING:
    from collections.abc import Callable

    from pimem_core.model import Topic
    from pimem_core.systems.stores import Store

    from .loop import Loop
    from .notices import Notices

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


class Clipboards:
    """Copies texts to every clipboard there is, and says what is known of it."""

    def __init__(self, loop: Loop, notices: Notices, write: Callable[[str], object]) -> None:
        """Copy texts.

        Args:
            loop: Runs the clipboard tools.
            notices: Says where a text went.
            write: Writes a sequence to the terminal.
        """
        self._loop = loop
        self._notices = notices
        self._write = write

    def copy_topic(self, store: Store, topic: Topic) -> None:
        """Copy the text of a topic."""
        self._copy(f'"{topic.name}"', lambda: store.read(topic.file).body.strip("\r\n"))

    def copy_text(self, name: str, text: str) -> None:
        """Copy a text that is on the screen already."""
        self._copy(f'"{name}"', lambda: text)

    def copy_selection(self, text: str) -> None:
        """Copy what was selected with the mouse, or in a field."""
        self._copy("the selected text", lambda: text)

    def _copy(self, what: str, read: Callable[[], str]) -> None:
        def work() -> None:
            try:
                text = read()
            except PimemError as error:
                self._loop.call(self._notices.say_error, self._notices.explain(error))
            else:
                self._give(what, text)

        self._loop.run(work, group="copy")

    def _give(self, what: str, text: str) -> None:
        """Give a text to the clipboards, in a worker."""
        tool = _by_tool(text)
        asked = sequence(text, tmux=bool(os.environ.get("TMUX")))
        if asked is not None:
            self._loop.call(self._write, asked)
        size = plural(len(text), "character")
        say = self._notices.say
        if tool is not None:
            self._loop.call(say, f"Copied {what} ({size}) with {tool}.")
        elif asked is not None:
            where = "the terminal's clipboard; not every terminal takes it"
            self._loop.call(say, f"Sent {what} ({size}) to {where}.")
        else:
            self._loop.call(
                self._notices.say_error,
                f"{what[:1].upper()}{what[1:]} is too long for the terminal's clipboard ({size}), "
                "and there is no clipboard tool here.",
            )


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
