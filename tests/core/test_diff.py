"""Differences of texts: what git can apply."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st
from pimem_core.formats.diff import unified

if TYPE_CHECKING:
    from pathlib import Path

LINES = st.lists(st.sampled_from(["a", "b", "", "c d", "ü"]), max_size=8)
TEXTS = st.builds(lambda lines, end: "\n".join(lines) + end, LINES, st.sampled_from(["", "\n"]))


def test_texts_without_a_final_newline_keep_their_lines_apart() -> None:
    text = unified("one", "two", old="x", new="x")
    assert text == (
        "--- x\n+++ x\n@@ -1 +1 @@\n-one\n\\ No newline at end of file\n"
        "+two\n\\ No newline at end of file\n"
    )


@given(TEXTS, TEXTS)
def test_every_line_of_a_difference_ends(before: str, after: str) -> None:
    text = unified(before, after, old="x", new="x")
    assert (text == "") == (before == after)
    assert text == "" or text.endswith("\n")
    removed = [line[1:] for line in text.split("\n")[2:] if line.startswith("-")]
    assert all(line in before.split("\n") for line in removed)


def test_git_can_apply_it(tmp_path: Path) -> None:
    before, after = "one\ntwo\nthree", "one\nTWO\nthree\nfour"
    (tmp_path / "x").write_text(before)
    subprocess.run(
        ["git", "apply", "--unsafe-paths", "-p0", "-"],
        cwd=tmp_path,
        input=unified(before, after, old="x", new="x").encode(),
        check=True,
    )
    assert (tmp_path / "x").read_text() == after
