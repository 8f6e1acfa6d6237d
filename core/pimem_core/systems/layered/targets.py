"""Where promoted text and new entries can go."""

from __future__ import annotations

from .. import guidelines
from ..layers import Target
from ..system import GLOBAL, WORKSPACE
from .folder import INDEX_NAME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .layer import Layer

#: Where promoted text can go, and what belongs there.
FOLDERS = {
    "workspace": "this project's memory",
    "user": "about you: preferences, style, tools",
    "knowledge": "what holds across projects",
    "facts": "your environment and references",
}


def all_targets(layer: Layer) -> list[Target]:
    """Where text can be promoted to, folder by folder: what is there, then what is usual."""
    has_workspace = layer.layers.has_workspace
    return [
        target
        for folder in FOLDERS
        if folder != WORKSPACE or has_workspace
        for target in _targets(layer, folder)
    ]


def _targets(layer: Layer, folder: str) -> list[Target]:
    kind = WORKSPACE if folder == WORKSPACE else GLOBAL
    below = "" if folder == WORKSPACE else folder
    there = [
        found.file.rpartition("/")[2]
        for found in layer.sibling(kind).walk().found
        if found.file.rpartition("/")[0] == below and found.file != INDEX_NAME
    ]
    usual = [name for name in guidelines.FILES if (name == "preferences.md") == (folder == "user")]
    usual = [] if folder == "facts" else usual
    return [
        Target(
            store=kind,
            folder=folder,
            name=name,
            about=guidelines.FILES.get(name, ""),
            exists=name in there,
        )
        for name in [*there, *(name for name in usual if name not in there)]
    ]
