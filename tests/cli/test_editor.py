"""edit: the person's editor, and what becomes of the text whatever happens."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from core.folders import snapshot
from pimem_core.history.drafts import left_drafts

if TYPE_CHECKING:
    from cli.running import Pimem
    from core.folders import Folder
    from pimem_core.paths import Places

SECRET = "ghp_" + "a1B2" * 9


class Editor:
    """A shell script in place of an editor; `$1` is the file it edits."""

    def __init__(self, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.path = path
        self.monkeypatch = monkeypatch

    def does(self, script: str, variable: str = "EDITOR") -> None:
        self.path.write_text(f"#!/bin/sh\n{script}\n")
        self.path.chmod(0o755)
        self.monkeypatch.setenv(variable, str(self.path))


@pytest.fixture
def editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Editor:
    return Editor(tmp_path / "an-editor", monkeypatch)


def drafts(places: Places) -> list[Path]:
    folder = Path(places.state_dir, "drafts")
    return sorted(folder.iterdir()) if folder.exists() else []


def test_a_saved_edit_updates_the_topic_and_its_line(
    pimem: Pimem, local: Folder, editor: Editor, places: Places
) -> None:
    editor.does("sed -i 's/overlay/underlay/; s/bridge/tunnel/' \"$1\"")
    result = pimem("--json", "edit", "docker net")
    assert (result.code, result.json["outcome"]) == (0, "updated")
    assert pimem.json("show", "docker net")["body"] == "\nunderlay\n"
    assert pimem.json("list")[2]["summary"] == "tunnel"
    assert drafts(places) == []


def test_the_editor_sees_a_private_copy_that_ends_as_the_topic(
    pimem: Pimem, local: Folder, editor: Editor, tmp_path: Path
) -> None:
    editor.does(f'printf %s "$1" > {tmp_path}/seen; stat -c %a "$1" >> {tmp_path}/seen')
    pimem("edit", "docker net")
    seen = (tmp_path / "seen").read_text()
    assert seen.endswith("-docker-net.md600\n")
    assert not seen.startswith(str(local.path))


def test_what_the_editor_prints_is_no_part_of_the_result(
    pimem: Pimem, local: Folder, editor: Editor
) -> None:
    editor.does('echo screen; sed -i s/overlay/underlay/ "$1"')
    result = pimem("edit", "docker net", "--json")
    assert result.json["outcome"] == "updated"
    assert "screen" in result.err


def test_an_untouched_text_changes_nothing(
    pimem: Pimem, local: Folder, editor: Editor, places: Places
) -> None:
    before = snapshot(local.path)
    editor.does('touch "$1"')
    result = pimem("--json", "edit", "docker net")
    assert (result.code, result.json["outcome"], result.json["name"]) == (
        0,
        "unchanged",
        "Docker net",
    )
    assert snapshot(local.path) == before
    assert drafts(places) == []


@pytest.mark.parametrize("touches", [True, False])
def test_a_failing_editor_saves_nothing_and_keeps_what_was_typed(
    pimem: Pimem, local: Folder, editor: Editor, places: Places, touches: bool
) -> None:
    before = snapshot(local.path)
    editor.does(('echo mine >> "$1"; ' if touches else "") + "exit 7")
    result = pimem("--json", "edit", "docker net")
    assert (result.code, result.json["outcome"]) == (4, "storage_error")
    assert "code 7" in result.json["message"]
    assert snapshot(local.path) == before
    kept = drafts(places)
    assert len(kept) == touches
    for draft in kept:
        assert str(draft) in result.json["message"]
        assert draft.read_text().endswith("mine\n")


@pytest.mark.parametrize("chosen", ["/nowhere/editor", "no-such-editor-here", "'unclosed"])
def test_an_editor_that_cannot_start_is_named(
    pimem: Pimem,
    local: Folder,
    places: Places,
    monkeypatch: pytest.MonkeyPatch,
    chosen: str,
) -> None:
    monkeypatch.setenv("EDITOR", chosen)
    result = pimem("--json", "edit", "docker net")
    assert (result.code, result.json["outcome"]) == (4, "storage_error")
    assert chosen in result.json["message"]
    assert drafts(places) == []


def test_visual_wins_and_may_have_arguments(
    pimem: Pimem, local: Folder, editor: Editor, monkeypatch: pytest.MonkeyPatch
) -> None:
    editor.does("exit 9")
    monkeypatch.setenv("VISUAL", "sed -i s/overlay/visual/")
    assert pimem("edit", "docker net").code == 0
    assert "visual" in local.text("docker-net.md")


def test_a_change_made_meanwhile_is_merged(
    pimem: Pimem, local: Folder, editor: Editor, places: Places
) -> None:
    path = local.path / "docker-net.md"
    path.write_text(path.read_text().replace("overlay", "one\n\ntwo\n\nthree"))
    editor.does(f"sed -i 's/one/mine/' \"$1\"; sed -i 's/three/theirs/' {path}")
    result = pimem("--json", "edit", "docker net")
    assert (result.code, result.json["outcome"]) == (0, "updated")
    assert "merged" in result.json["message"]
    assert pimem.json("show", "docker net")["body"] == "\nmine\n\ntwo\n\ntheirs\n"
    assert drafts(places) == []


def test_a_conflict_keeps_the_disk_and_a_draft_with_both(
    pimem: Pimem, local: Folder, editor: Editor, places: Places
) -> None:
    path = local.path / "docker-net.md"
    editor.does(f"sed -i 's/overlay/mine/' \"$1\"; sed -i 's/overlay/theirs/' {path}")
    result = pimem("--json", "edit", "docker net")
    assert (result.code, result.json["outcome"]) == (1, "conflict")
    assert pimem.json("show", "docker net")["body"] == "\ntheirs\n"
    (draft,) = drafts(places)
    assert str(draft) in result.json["message"]
    assert "<<<<<<< yours\nmine\n=======\ntheirs\n>>>>>>> on disk\n" in draft.read_text()
    assert draft.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("script", "code", "outcome"),
    [
        (f"echo {SECRET} >> \"$1\"", 1, "secret"),
        ("sed -i 's/^name:.*/name: \"a [b]\"/' \"$1\"", 1, "invalid_topic"),
        ("rm {path}; echo mine >> \"$1\"", 1, "conflict"),
        ("echo x > {folder}/.lock; echo mine >> \"$1\"", 3, "busy"),
        ("rm {path}; mkdir {path}; echo mine >> \"$1\"", 1, "invalid_topic"),
        ("printf '\\377' > \"$1\"", 4, "storage_error"),
    ],
)  # fmt: skip
def test_whatever_refuses_the_save_the_text_is_kept(
    pimem: Pimem,
    local: Folder,
    editor: Editor,
    places: Places,
    script: str,
    code: int,
    outcome: str,
) -> None:
    index = local.index
    path = local.path / "docker-net.md"
    editor.does(script.replace("{path}", str(path)).replace("{folder}", str(local.path)))
    result = pimem("--json", "edit", "docker net")
    assert (result.code, result.json["outcome"]) == (code, outcome)
    assert SECRET not in result.out + result.err
    (draft,) = drafts(places)
    assert str(draft) in result.json["message"]
    assert local.index == index


def test_a_topic_that_is_no_utf8_is_not_opened(
    pimem: Pimem, local: Folder, editor: Editor, places: Places
) -> None:
    local.fill({"docker-net.md": b"a\xffb"})
    editor.does("exit 9")
    result = pimem("--json", "edit", "docker net")
    assert (result.code, result.json["outcome"]) == (4, "storage_error")
    assert "UTF-8 at byte 1" in result.json["message"]
    assert drafts(places) == []


def test_no_lock_is_held_while_the_editor_is_open(
    pimem: Pimem, local: Folder, editor: Editor, tmp_path: Path
) -> None:
    editor.does(f"ls -A {local.path} > {tmp_path}/seen")
    pimem("edit", "docker net")
    assert ".lock" not in (tmp_path / "seen").read_text().split()


def test_without_terminal_and_editor_nothing_is_started(
    pimem: Pimem, local: Folder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", os.devnull)
    result = pimem("--json", "edit", "docker net")
    assert (result.code, result.json["outcome"]) == (1, "invalid_argument")
    assert "$EDITOR" in result.json["message"]


def test_what_a_window_saves_after_its_editor_came_back_is_kept_and_offered(
    pimem: Pimem, local: Folder, editor: Editor, places: Places, tmp_path: Path
) -> None:
    before = snapshot(local.path)
    editor.does(f'echo "$1" > {tmp_path}/path')
    result = pimem("--json", "edit", "docker net")
    assert (result.code, result.json["outcome"]) == (0, "unchanged")
    given = (tmp_path / "path").read_text().strip()
    assert "came back at once" in result.err
    assert given in result.err
    assert snapshot(local.path) == before
    note = next(path for path in drafts(places) if path.name.endswith(".json"))
    row = json.loads(note.read_text())
    row["process"][1:] = [2**22 - 3, "gone"]
    note.write_text(json.dumps(row))
    assert left_drafts(places) == []  # nothing was typed so far
    Path(given).write_text("typed later\n")
    ((_draft, typed),) = left_drafts(places)
    assert (typed.name, typed.body) == ("Docker net", "typed later\n")


def test_a_text_that_nobody_changed_is_forgotten_after_a_month(
    pimem: Pimem, local: Folder, editor: Editor, places: Places
) -> None:
    editor.does("true")
    pimem("edit", "docker net")
    note = next(path for path in drafts(places) if path.name.endswith(".json"))
    row = json.loads(note.read_text())
    row["process"][1:] = [2**22 - 3, "gone"]
    row["time"] -= 31 * 86_400
    note.write_text(json.dumps(row))
    assert left_drafts(places) == []
    assert drafts(places) == []


@pytest.mark.parametrize("command", ["vi-like --wait", "true"])
def test_an_editor_that_waits_is_done_when_it_comes_back(
    pimem: Pimem, local: Folder, editor: Editor, places: Places, command: str
) -> None:
    editor.does("true")
    editor.monkeypatch.setenv("EDITOR", command.replace("vi-like", str(editor.path)))
    result = pimem("edit", "docker net")
    assert (result.code, result.err) == (0, "")
    assert drafts(places) == []


def test_on_a_terminal_it_waits_for_the_window(
    local: Folder, places: Places, editor: Editor, tmp_path: Path
) -> None:
    editor.does(f'echo "$1" > {tmp_path}/path')
    words = [sys.executable, "-m", "pimem_tui", "edit", "docker net"]
    env = {**os.environ, "HOME": places.home, "PYTHONPATH": os.pathsep.join(sys.path)}
    pid, terminal = pty.fork()
    if pid == 0:
        os.execve(words[0], words, env)
    seen = b""
    while b"press Enter" not in seen:
        seen += os.read(terminal, 1024)
    given = Path((tmp_path / "path").read_text().strip())
    given.write_text(given.read_text().replace("overlay", "underlay"))
    os.write(terminal, b"\n")
    with contextlib.suppress(OSError):  # the terminal is gone with the process
        while data := os.read(terminal, 1024):
            seen += data
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    os.close(terminal)
    assert "underlay" in (local.path / "docker-net.md").read_text()
    assert drafts(places) == []
