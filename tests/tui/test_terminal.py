"""The editor in a real terminal, with other processes writing and a kill."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pimem_core.demo import make_demo
from pimem_core.paths import find_places
from waiting import PATIENCE_S, wait_for

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="tmux is not installed")

ROOT = Path(__file__).parents[2]


class Terminal:
    """A manager in a tmux of its own."""

    def __init__(self, home: Path) -> None:
        self._tmux = ["tmux", "-f", "/dev/null", "-S", str(home / "tmux")]
        self._home = home
        self.run("new-session", "-d", "-x", "100", "-y", "30", "sh")

    def run(self, *words: str) -> str:
        env = {**os.environ, "HOME": str(self._home), "TERM": "xterm-256color"}
        env.pop("TMUX", None)
        done = subprocess.run(
            [*self._tmux, *words], capture_output=True, text=True, check=True, env=env
        )
        return done.stdout

    def start(self) -> None:
        paths = ":".join(str(ROOT / name) for name in ("core", "tui", "styles", "extension"))
        command = f"clear; PYTHONPATH={paths} {sys.executable} -m pimem_tui"
        self.run("send-keys", command, "Enter")

    def keys(self, *names: str) -> None:
        self.run("send-keys", *names)

    def type(self, text: str) -> None:
        self.run("send-keys", "-l", text)

    def shown(self) -> str:
        return self.run("capture-pane", "-p")

    def until(self, condition: Callable[[str], bool]) -> str:
        end = time.monotonic() + PATIENCE_S
        while not condition(text := self.shown()):
            assert time.monotonic() < end, f"still not so:\n{text}"
            time.sleep(0.05)
        return text

    def sees(self, *words: str) -> str:
        return self.until(lambda text: all(word in text for word in words))

    def kill(self) -> None:
        """Kill the manager as the system does when memory runs out."""
        shell = self.run("display-message", "-p", "#{pane_pid}").strip()
        children = Path(f"/proc/{shell}/task/{shell}/children").read_text().split()
        os.kill(int(children[0]), signal.SIGKILL)

    def end(self) -> None:
        self.run("kill-server")


@pytest.fixture
def terminal(isolated_home: Path) -> Iterator[Terminal]:
    made = Terminal(isolated_home)
    yield made
    made.end()


@pytest.fixture
def memory(isolated_home: Path) -> Path:
    """The sample's local store in the home of the test."""
    sample = isolated_home.with_name("sample")
    sample.mkdir()
    source = Path(make_demo(str(sample)).agent_dir, "memory")
    target = Path(find_places().agent_dir, "memory")
    shutil.copytree(source, target)
    return target


def from_another_process(code: str, path: Path) -> None:
    subprocess.run([sys.executable, "-I", "-c", code, str(path)], check=True)


APPEND = "import sys; open(sys.argv[1], 'a').write('appended elsewhere\\n')"
REWRITE = (
    "import sys; from pathlib import Path; p = Path(sys.argv[1]); t = p.read_text();"
    "p.write_text(t.replace('short answers first', 'LONG ANSWERS FIRST'))"
)
DELETE = "import os, sys; os.unlink(sys.argv[1])"


def test_a_terminal_without_a_name(terminal: Terminal, memory: Path) -> None:
    terminal.run("send-keys", "export TERM=dumb", "Enter")
    terminal.start()
    terminal.sees("User Preferences", "? help")
    terminal.keys("Down", "Down", "Enter")
    terminal.sees("short answers first")
    terminal.keys("Escape")
    terminal.sees("User Preferences", "? help")


def test_editing_beside_other_writers(terminal: Terminal, memory: Path) -> None:
    path = memory / "user-preferences.md"
    terminal.start()
    terminal.sees("User Preferences", "? help")
    # Somebody appends: merged.
    terminal.keys("Down", "Down", "e")
    terminal.sees("short answers first", "ctrl+s save")
    terminal.type("mine1 ")
    terminal.sees("unsaved")
    from_another_process(APPEND, path)
    terminal.keys("F2")
    terminal.sees("merged with")
    assert "mine1 - short answers" in path.read_text()
    assert path.read_text().endswith("appended elsewhere\n")
    # Somebody rewrites the same line: both are shown, and the person decides.
    terminal.keys("e")
    terminal.sees("mine1 - short", "ctrl+s save")
    terminal.type("mine2 ")
    terminal.sees("unsaved")
    from_another_process(REWRITE, path)
    terminal.keys("F2")
    terminal.sees("LONG ANSWERS FIRST", "mine2 mine1", "t theirs")
    terminal.keys("b")
    terminal.sees("All decided")
    terminal.keys("F2")
    terminal.sees("enter open", "? help")
    text = path.read_text()
    assert "LONG ANSWERS FIRST" in text
    assert "mine2 mine1 - short answers first" in text
    # Somebody deletes the file: the text is still there and is written anew.
    terminal.keys("e")
    terminal.sees("LONG ANSWERS", "ctrl+s save")
    terminal.type("mine3 ")
    terminal.sees("unsaved")
    from_another_process(DELETE, path)
    terminal.keys("F2")
    terminal.sees("deleted", "mine3")
    terminal.keys("F2")
    terminal.sees("pimem", "? help", "3 of 1")
    assert "mine3 " in path.read_text()


def test_a_killed_editor_gives_the_text_back(terminal: Terminal, memory: Path) -> None:
    terminal.start()
    terminal.sees("User Preferences", "? help")
    terminal.keys("Down", "Down", "e")
    terminal.sees("ctrl+s save")
    terminal.type("typed before the kill ")
    drafts = Path(find_places().state_dir, "drafts")
    wait_for(
        lambda: "before the kill" in "".join(p.read_text() for p in drafts.glob("*.json")),
        "the draft",
    )
    terminal.kill()
    terminal.until(lambda text: "Killed" in text)
    # Nothing has put the terminal back, so Enter is no line end yet.
    terminal.keys("stty sane; reset; echo back again", "C-j")
    terminal.until(lambda text: text.count("again") == 1 and "short answers" not in text)
    terminal.start()
    terminal.sees("1 draft (D)")
    terminal.keys("D")
    terminal.sees('Go on with "User Preferences"?')
    terminal.keys("y")
    terminal.sees("typed before the kill", "unsaved")
    terminal.keys("F2")
    terminal.sees("Saved")
    assert "typed before the kill - short" in (memory / "user-preferences.md").read_text()
    assert list(drafts.iterdir()) == []


def test_a_removal_after_the_index_was_turned_around(terminal: Terminal, memory: Path) -> None:
    terminal.start()
    terminal.sees("API Conventions", "? help")
    terminal.keys("Down", "Down", "Down", "Down")
    terminal.sees("5 of 19")
    from_another_process(
        "import sys; from pathlib import Path; p = Path(sys.argv[1]);"
        "a = p.read_text().split('\\n'); p.write_text('\\n'.join(a[:2] + a[:1:-1]))",
        memory / "MEMORY.md",
    )
    terminal.keys("r")
    terminal.sees('Remove "API Conventions"')
    terminal.keys("y")
    terminal.sees('Removed "API Conventions"')
    text = (memory / "MEMORY.md").read_text()
    assert "api-conventions.md" not in text
    assert "user-preferences.md" in text
