"""Saying what changed since somebody asked last."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os

from ...errors import PimemError
from ...files.publish import private_folder, publish
from ...files.read import read_bytes
from ...formats.text import plural
from ...model import Change
from ..system import GLOBAL, WORKSPACE
from .scan import Cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from .layer import Layer
    from .loading import Loaded
    from .scan import MemoryFile

    #: Layer and file to what tells a content from another.
    Marks = dict[str, str]


def marks(found: Loaded) -> Marks:
    """What tells each file of a memory from how it was before."""
    files = [*found.global_files, *found.workspace, *([found.task] if found.task else [])]
    return {f"{file.layer}:{file.file}": _mark(file) for file in files}


def _mark(file: MemoryFile) -> str:
    digest = hashlib.sha256(file.text.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{file.chars}:{digest[:16]}"


def difference(before: Mapping[str, str], after: Mapping[str, str]) -> str:
    """What changed from one time to another, in words; empty when nothing did."""
    rows = (
        ("new", [name for name in after if name not in before]),
        ("changed", [n for n in after if n in before and after[n] != before[n]]),
        ("gone", [name for name in before if name not in after]),
    )
    said = [
        f"{word}: {', '.join(name.partition(':')[2] for name in names)}"
        for word, names in rows
        if names
    ]
    return "; ".join(said)


def refresh(layer: Layer) -> Change:
    """Read both layers again and compare with the last time."""
    from .loading import load

    settings, layers = layer.settings, layer.layers
    cache = Cache(settings.layered_max_file_chars)
    found = load(cache, layers, settings, layer.shown(), with_workspace=True)
    key = f"{layers.global_dir}\n{layers.workspace_dir}"
    name = hashlib.sha256(os.fsencode(key)).hexdigest()[:32]
    path = os.path.join(layer.places.state_dir, "seen", f"{name}.json")
    before, now = _read(path), marks(found)
    with contextlib.suppress(OSError, PimemError):
        private_folder(os.path.dirname(path))
        publish(path, json.dumps(now).encode(), durable=False)
    return comparison(layer, found, before, now)


def comparison(
    layer: Layer, found: Loaded, before: Mapping[str, str] | None, now: Mapping[str, str]
) -> Change:
    """The comparison as a result."""
    counts = {GLOBAL: len(found.global_files), WORKSPACE: len(found.workspace)}
    there = (
        f"{plural(counts[GLOBAL], 'global file')}, {plural(counts[WORKSPACE], 'workspace file')}"
    )
    changed = "" if before is None else difference(before, now)
    if before is None:
        said = f"Read {there}."
    elif changed:
        said = f"Read {there}. Since the last time {changed}."
    else:
        said = f"Read {there}. Nothing changed since the last time."
    return Change(
        outcome="updated" if changed else "unchanged",
        store=layer.name,
        name="",
        file="",
        message=said,
        notes=found.problems,
    )


def _read(path: str) -> dict[str, str] | None:
    try:
        raw = json.loads(read_bytes(path))
    except (PimemError, ValueError):
        return None
    return raw if isinstance(raw, dict) else None
