"""Links between topics: `[[name]]` in a body, found from both ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from core.folders import HEADER, topic_text
from pimem_core.errors import TopicNotFoundError

if TYPE_CHECKING:
    from core.folders import Folder

INDEX = f"""{HEADER}- [Deploy Checklist](deploy-checklist.md) -- order of the steps
- [GPU_Box](gpu_box.md) -- hostname
- [Gone](gone.md) -- no file
"""


def linking(local: Folder, body: str) -> list[tuple[str, str]]:
    """What a topic with a body links to: names and files."""
    local.fill(
        {
            "MEMORY.md": INDEX + "- [Here](here.md) -- links\n",
            "deploy-checklist.md": topic_text("Deploy Checklist"),
            "gpu_box.md": topic_text("GPU_Box"),
            "loose.md": "in no index",
            "here.md": topic_text("Here", body=body),
        }
    )
    found = local.store.links("here.md").outgoing
    return [(name, topic.file) for name, topic in found if topic is not None]


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("see [[deploy-checklist]] and [[Deploy Checklist]]", ["deploy-checklist.md"] * 2),
        (
            "[[deploy-checklist.md|the list]], [[gpu-box#host]]",
            ["deploy-checklist.md", "gpu_box.md"],
        ),
        ("[[loose]]", ["loose.md"]),
        ("[[HERE]]", ["here.md"]),
        ("twice: [[loose]] [[loose]]", ["loose.md"]),
        ("nowhere: [[nothing]], [[gone]], [[tool.mypy.overrides]], [[]], [[ ]]", []),
        ("if [[ -f x ]]; then [[ $a == b ]]", []),
        ("`[[loose]]`\n\n```\n[[loose]]\n```\n", []),
        ("[[loose\n]] [[[loose]]", ["loose.md"]),
    ],
)
def test_what_a_body_links_to(local: Folder, body: str, found: list[str]) -> None:
    assert [file for _name, file in linking(local, body)] == found


def test_links_are_found_from_the_other_end_whatever_they_call_it(local: Folder) -> None:
    linking(local, "[[Deploy Checklist]]")
    local.fill(
        {
            "loose.md": "[[deploy-checklist]]",
            "gpu_box.md": "[[gpu-box]] only itself",
            "huge.md": b"\xff [[deploy-checklist]]" + b"x" * (1 << 20) + b"[[gpu-box]]",
        }
    )
    back = local.store.links("deploy-checklist.md").backlinks
    assert [topic.file for topic in back] == ["here.md", "huge.md", "loose.md"]
    assert list(local.store.links("gpu_box.md").backlinks) == []


@pytest.mark.parametrize("file", ["gone.md", "nothing.md"])
def test_a_topic_without_a_file_has_no_links(local: Folder, file: str) -> None:
    linking(local, "text")
    with pytest.raises(TopicNotFoundError):
        local.store.links(file)
