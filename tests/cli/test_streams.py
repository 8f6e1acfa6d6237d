"""What goes to a terminal, to a pipe, and into one that is closed or full."""

from __future__ import annotations

import json
import os
import pty
import select
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest
from cli.running import COMMAND, environment, run
from core.folders import HEADER, topic_text
from waiting import PATIENCE_S

if TYPE_CHECKING:
    from core.folders import Folder

NASTY = "esc \x1b[31m bell \x07 c1 \x9b bidi \u202e zero \u200b del \x7f"


def shell(script: str, *words: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        ["bash", "-c", script, "bash", *COMMAND, *words],
        capture_output=True,
        env=environment(),
        timeout=PATIENCE_S,
        check=False,
    )


def on_terminal(*words: str) -> bytes:
    """What a command sends to a terminal."""
    child, terminal = pty.fork()
    if child == 0:
        os.execve(sys.executable, [*COMMAND, *words], environment())
    seen = b""
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        ready, _, _ = select.select([terminal], [], [], PATIENCE_S)
        try:
            chunk = os.read(terminal, 65_536) if ready else b""
        except OSError:  # how Linux says that the other side is closed
            break
        if not chunk:
            break
        seen += chunk
    os.close(terminal)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    return seen


@pytest.fixture
def nasty(empty: Folder) -> Folder:
    return empty.fill(
        {
            "MEMORY.md": f"{HEADER}- [N {NASTY}](n.md) 2026-01-01 -- s {NASTY}\n",
            "n.md": topic_text("N", body=f"one\ttwo\n{NASTY}\n[0] x [/ é 日本 👩"),
        }
    )


def test_a_terminal_gets_signs_and_a_pipe_the_stored_bytes(nasty: Folder) -> None:
    for words in (["list"], ["show", "n.md"], ["search", "zero"]):
        seen = on_terminal(*words).decode()
        assert not set("\x1b\x07\x9b\u202e\u200b\x7f") & set(seen), words
        assert "␛[31m" in seen
        assert NASTY in run(*words).out
    for words in (["list", "--json"], ["show", "n.md", "--json"], ["search", "zero", "--json"]):
        seen = on_terminal(*words).decode()
        assert not set("\x1b\x07\x9b\u202e\u200b\x7f") & set(seen), words
        assert json.loads(seen) == run(*words).json
    assert "one\ttwo\r\n" in on_terminal("show", "n.md").decode()
    assert "[0] x [/ é 日本 👩" in on_terminal("show", "n.md").decode()


def test_notices_on_a_terminal_get_signs_too(empty: Folder) -> None:
    empty.fill({"../memory.jsonc": "{ oops"})
    folder = empty.path.parent / "odd\x1b[31m"
    folder.mkdir()
    seen = on_terminal("status", "--dir", str(folder))
    assert b"\x1b" not in seen
    assert "odd␛[31m".encode() in seen


def test_a_reader_that_leaves_early_is_fine(empty: Folder) -> None:
    lines = "".join(f"- [T{n}](t{n}.md) -- {'word ' * 40}\n" for n in range(3_000))
    empty.fill({"MEMORY.md": HEADER + lines})
    for words in (["list"], ["list", "--json"], ["search", "--limit", "3000", "word"]):
        done = shell('"$@" | head -1; exit "${PIPESTATUS[0]}"', *words)
        assert (done.returncode, done.stderr) == (0, b"")
        assert done.stdout.count(b"\n") == 1
    for words in (["list"], ["--help"], ["--version"], ["show", "t1.md", "--raw"]):
        empty.fill({"t1.md": "x" * 1_000_000})
        assert shell('set -o pipefail; "$@" | true', *words).stderr == b""


def test_a_refusal_that_nobody_reads_is_still_one(empty: Folder) -> None:
    empty.fill({"MEMORY.md": HEADER})
    for words in (["show", "nosuch"], ["remove", "nosuch", "--json"]):
        read, write = os.pipe()
        os.close(read)
        done = subprocess.run(
            [*COMMAND, *words], stdout=write, stderr=write, env=environment(), check=False
        )
        os.close(write)
        assert done.returncode == 1


def test_a_full_disk_behind_stdout_is_said(nasty: Folder) -> None:
    for words in (["list"], ["list", "--json"], ["show", "n.md", "--raw"], ["completion", "zsh"]):
        done = shell('"$@" > /dev/full', *words)
        assert done.returncode == 4, words
        assert b"cannot be written" in done.stderr
        assert b"Traceback" not in done.stderr
        assert b"ignored" not in done.stderr


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"])
def test_closed_streams_stop_nothing(nasty: Folder, closed: str) -> None:
    for words in (["list"], ["list", "--json"], ["pin", "n.md"], ["unpin", "n.md"]):
        done = shell(f'"$@" {closed}', *words)
        assert done.returncode == 0, (words, done.stderr)
        assert b"Traceback" not in done.stderr
    assert shell(f'"$@" {closed}', "show", "nothing").returncode == 1


def test_half_a_character_in_a_front_matter_stops_nothing(nasty: Folder) -> None:
    nasty.fill({"half.md": '---\nname: "half \\ud83d"\n---\nbody\n'})
    assert run("show", "half.md").code == 0
    assert run("show", "half.md", "--json").json["front_matter"]["name"] == "half \ufffd"


def test_any_locale_gets_utf8(nasty: Folder) -> None:
    nasty.fill({"n.md": "é 日本"})
    for locale in ("C", "POSIX", "de_DE.ISO-8859-1"):
        more = {"LC_ALL": locale, "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
        assert "é 日本" in run("show", "n.md", env=more).out


def test_the_manager_needs_a_terminal(empty: Folder) -> None:
    done = run()
    assert done.code == 2
    assert "terminal" in done.err


def test_a_closed_standard_input_is_no_empty_text(empty: Folder) -> None:
    done = shell('"$@" <&-', "write", "Topic", "--summary", "s", "--json")
    assert done.returncode == 1
    row = json.loads(done.stdout)
    assert row["outcome"] == "invalid_argument"
    assert "Standard input is closed" in row["message"]
    assert list(empty.path.glob("*.md")) == []


def test_a_platform_without_file_locks_gets_one_sentence(empty: Folder) -> None:
    script = (
        "import sys; sys.modules['fcntl'] = None; from pimem_tui.__main__ import main; "
        "sys.exit(main(['list']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        env=environment(),
        timeout=60,
        check=False,
    )
    assert done.returncode == 4
    assert done.stderr == b"pimem runs on Linux and macOS; on Windows use it in WSL.\n"


def test_a_long_list_of_what_was_left_out_is_short(empty: Folder) -> None:
    lines = "".join(f"- [Topic {n}](t{n}.md) -- {'s' * 60}\n" for n in range(2000))
    empty.fill({"MEMORY.md": HEADER + lines, **{f"t{n}.md": "x" for n in range(2000)}})
    done = shell('"$@"', "inject")
    assert done.returncode == 0
    line = next(line for line in done.stderr.decode().splitlines() if "left out: " in line)
    assert line.endswith(" more")
    assert len(line) < 200
