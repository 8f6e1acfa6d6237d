"""Editing a fact's whole text: its line, changes made meanwhile, secrets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from pimem_core.errors import ConflictError, InvalidArgumentError, SecretError
from zcode.folder import ANN, HEADER, INDEX

if TYPE_CHECKING:
    from zcode.folder import Project


def test_an_edit_brings_its_line_along(project: Project) -> None:
    project.write("x", "# One", "about x")
    opened = project.text("x.md")
    text = (
        opened.replace('"about x"', '"new: hook"')
        .replace("# One", "# Two")
        .replace("type: project", "type: user\n  custom: 1")
    )
    assert project.store.save("x.md", opened=opened, text=text).outcome == "updated"
    assert project.text("x.md") == text
    assert project.index == f"{HEADER}- [Two](x.md) — new: hook\n"


def test_an_edit_of_the_body_leaves_the_index_alone(project: Project) -> None:
    project.fill({"MEMORY.md": INDEX, "user_ann.md": ANN})
    text = ANN.replace("leads", "led")
    project.store.save("user_ann.md", opened=ANN, text=text)
    assert (project.index, project.text("user_ann.md")) == (INDEX, text)
    assert project.store.save("user_ann.md", opened=text, text=text).outcome == "unchanged"
    with pytest.raises(InvalidArgumentError, match="description has a line break"):
        project.store.save(
            "user_ann.md",
            opened=text,
            text=text.replace("description: who she is", "description: |\r\n  a\r\n  b"),
        )


def test_an_edit_meets_a_change_made_meanwhile(project: Project) -> None:
    project.write("x", "one\n\ntwo\n\nthree", "about x")
    opened = project.text("x.md")
    project.fill({"x.md": opened.replace("one", "ONE")})
    change = project.store.save("x.md", opened=opened, text=opened.replace("three", "THREE"))
    assert "merged" in change.message
    assert "ONE\n\ntwo\n\nTHREE" in project.text("x.md")
    with pytest.raises(ConflictError) as error:
        project.store.save("x.md", opened=opened, text=opened.replace("one", "uno"))
    assert "<<<<<<<" in error.value.merged
    (project.path / "x.md").unlink()
    with pytest.raises(ConflictError, match="deleted"):
        project.store.save("x.md", opened=opened, text="new")


def test_an_edit_that_brings_a_secret_asks(project: Project) -> None:
    project.write("x", "one")
    opened = project.text("x.md")
    with pytest.raises(SecretError):
        project.store.save("x.md", opened=opened, text=opened + "AKIAIOSFODNN7EXAMPLQ\n")
    assert project.text("x.md") == opened
