"""Starting and ending in a real terminal."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pimem_core.demo import make_demo
from pimem_core.history.drafts import left_drafts
from pimem_tui.app import run_manager
from waiting import PATIENCE_S

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
RUN = [
    sys.executable,
    "-c",
    "import sys; from pimem_tui.__main__ import _open_manager; "
    "sys.exit(_open_manager(sys.argv[1] or None, sys.argv[2] or None, sys.argv[3] == 'demo'))",
]
_MOUSE = re.compile(rb"\x1b\[\?100[0-9]([hl])")


def environment() -> dict[str, str]:
    """The test's environment, with our packages and without the size of pytest's terminal."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return {name: value for name, value in env.items() if name not in ("COLUMNS", "LINES")}


class Terminal:
    """A process in a terminal of its own."""

    def __init__(self, *arguments: str, **env: str) -> None:
        self.master, slave = pty.openpty()
        self.slave = slave
        self.before = termios.tcgetattr(slave)
        self.output = b""
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
        self.process = subprocess.Popen(
            [*RUN, *arguments],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            env={**environment(), "TERM": "xterm-256color", **env},
            start_new_session=True,
        )

    def read_until(self, text: bytes) -> None:
        end = time.monotonic() + PATIENCE_S
        while text not in self.output:
            assert time.monotonic() < end, self.output[-2000:]
            self.read(0.1)

    def read(self, wait_s: float) -> None:
        if select.select([self.master], [], [], wait_s)[0]:
            self.output += os.read(self.master, 65536)

    def send(self, keys: bytes) -> None:
        os.write(self.master, keys)

    def wait(self) -> int:
        """Wait for the end while reading what is still written."""
        end = time.monotonic() + PATIENCE_S
        while self.process.poll() is None:
            assert time.monotonic() < end, self.output[-2000:]
            self.read(0.05)
        while select.select([self.master], [], [], 0.05)[0]:
            self.read(0)
        return self.process.returncode

    def assert_restored(self) -> None:
        assert termios.tcgetattr(self.slave)[:4] == self.before[:4]
        modes = _MOUSE.findall(self.output)
        assert modes[-1] == b"l"
        assert self.output.rfind(b"\x1b[?1049l") > self.output.rfind(b"\x1b[?1049h") >= 0
        assert self.output.rfind(b"\x1b[?25h") > self.output.rfind(b"\x1b[?25l")

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.master)
        os.close(self.slave)


@pytest.fixture
def terminals() -> Iterator[list[Terminal]]:
    started: list[Terminal] = []
    yield started
    for terminal in started:
        terminal.close()


def test_without_a_terminal_it_says_so() -> None:
    done = subprocess.run(
        [*RUN, "", "", ""],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        env=environment(),
        check=False,
    )
    assert done.returncode == 2
    assert done.stdout == ""
    assert "needs a terminal" in done.stderr
    assert done.stderr.count("\n") == 1


def test_the_entry_point_imports_nothing_of_the_interface() -> None:
    code = (
        "import sys, pimem_tui.__main__\n"
        "heavy = {'textual', 'rich', 'pimem_tui.app', 'asyncio'} & set(sys.modules)\n"
        "sys.exit(str(heavy) if heavy else 0)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, env=environment())


@pytest.mark.parametrize("ending", ["q", signal.SIGTERM, signal.SIGHUP])
def test_the_terminal_is_restored(terminals: list[Terminal], ending: str | signal.Signals) -> None:
    terminal = Terminal("", "", "demo")
    terminals.append(terminal)
    terminal.read_until(b"PostgreSQL Setup")
    if isinstance(ending, str):
        terminal.send(ending.encode())
        assert terminal.wait() == 0
    else:
        terminal.process.send_signal(ending)
        assert terminal.wait() == 128 + ending
    terminal.assert_restored()


def test_the_demo_leaves_nothing_behind(terminals: list[Terminal], tmp_path: Path) -> None:
    folder = tmp_path / "tmp"
    folder.mkdir()
    terminal = Terminal("", "", "demo", TMPDIR=str(folder))
    terminals.append(terminal)
    terminal.read_until(b"PostgreSQL Setup")
    assert len(list(folder.iterdir())) == 1
    terminal.send(b"jjjp")
    terminal.read_until(b"Pinned")
    terminal.send(b"q")
    assert terminal.wait() == 0
    assert list(folder.iterdir()) == []
    assert [path for path in Path.home().rglob("*") if path.is_file()] == []


def test_an_error_inside_ends_with_one_sentence(terminals: list[Terminal], tmp_path: Path) -> None:
    (tmp_path / "sitecustomize.py").write_text(
        "import sys\n"
        "class Breaking:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'pimem_tui.screens.browser':\n"
        "            sys.meta_path.remove(self)\n"
        "            import pimem_tui.widgets as w\n"
        "            def broken(self, y): raise ZeroDivisionError('on purpose')\n"
        "            w.TopicList.render_line = broken\n"
        "sys.meta_path.insert(0, Breaking())\n"
    )
    path = os.pathsep.join([str(tmp_path), *sys.path])
    terminal = Terminal("", "", "demo", PYTHONPATH=path)
    terminals.append(terminal)
    assert terminal.wait() == 1
    terminal.assert_restored()
    last = terminal.output.rsplit(b"\x1b[?1049l", 1)[-1]
    assert b"pimem stopped because of an error in itself" in last
    assert b"Traceback" not in last
    log = Path.home() / ".local" / "state" / "pimem" / "log" / "manager.log"
    assert "ZeroDivisionError: on purpose" in log.read_text()
    assert log.stat().st_mode & 0o777 == 0o600


def test_the_editor_gets_the_terminal_and_gives_it_back(
    terminals: list[Terminal], tmp_path: Path
) -> None:
    script = tmp_path / "editor.sh"
    script.write_text(
        '#!/bin/sh\nstty -a | grep -q " icanon" && echo COOKED\n'
        'read answer\necho "typed $answer" >> "$1"\n'
    )
    script.chmod(0o700)
    terminal = Terminal("", "", "demo", VISUAL=str(script))
    terminals.append(terminal)
    terminal.read_until(b"PostgreSQL Setup")
    terminal.send(b"jjE")
    terminal.read_until(b"COOKED")
    terminal.send(b"hello\n")
    terminal.read_until(b"Saved")
    terminal.read_until(b"typed hello")
    terminal.send(b"q")
    assert terminal.wait() == 0
    terminal.assert_restored()


def test_an_order_to_end_reaches_the_editor_too(terminals: list[Terminal], tmp_path: Path) -> None:
    script = tmp_path / "editor.sh"
    script.write_text('#!/bin/sh\necho "unsaved words" >> "$1"\necho RUNNING\nexec sleep 60\n')
    script.chmod(0o700)
    places = make_demo(str(tmp_path / "home"))
    env = {"HOME": places.home, "EDITOR": str(script)}
    terminal = Terminal("", "", "", **env)
    terminals.append(terminal)
    terminal.read_until(b"PostgreSQL Setup")
    terminal.send(b"jjE")
    terminal.read_until(b"RUNNING")
    terminal.process.send_signal(signal.SIGTERM)
    assert terminal.wait() == 128 + signal.SIGTERM
    terminal.assert_restored()
    ((_draft, typed),) = left_drafts(places)
    assert typed.body.endswith("unsaved words\n")


def test_a_store_or_folder_that_is_not_there_is_one_sentence(
    terminals: list[Terminal], tmp_path: Path
) -> None:
    file = tmp_path / "file"
    file.write_text("x")
    for arguments, words in ((["nowhere", ""], b"nowhere"), (["", str(file)], b"file")):
        terminal = Terminal(*arguments, "")
        terminals.append(terminal)
        assert terminal.wait() == 1
        assert words in terminal.output
        assert terminal.output.count(b"\n") == 1
        assert b"Traceback" not in terminal.output


def test_store_and_folder_choose_what_opens(terminals: list[Terminal], tmp_path: Path) -> None:
    places = make_demo(str(tmp_path / "home"))
    for arguments in (["shared", ""], ["", f"{places.home}/.agents/memory"]):
        terminal = Terminal(*arguments, "", HOME=places.home)
        terminals.append(terminal)
        terminal.read_until(b"Working Agreements")
        terminal.send(b"q")
        assert terminal.wait() == 0


def test_a_demo_without_a_temporary_folder_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(**_options: str) -> None:
        raise FileNotFoundError(2, "No usable temporary directory found")

    monkeypatch.setattr(tempfile, "TemporaryDirectory", refuse)
    assert run_manager(demo=True) == 4
    assert "There is no folder for the sample store" in capsys.readouterr().err
