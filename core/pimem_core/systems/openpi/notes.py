"""What status says about a store beyond its numbers."""

from __future__ import annotations

import os

from ...text import plural
from . import carry_over, config, formats, limits, tombstones
from .index import is_topic_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .store import OpenpiStore, View


def about_store(store: OpenpiStore, view: View, found: str | None, listed: set[str]) -> list[str]:
    """Sentences a person should know: format, carry-over, limits, files no index lists."""
    from ...errors import PimemError, ReadOnlyFormatError
    from ...files.read import regular_names

    notes = []
    try:
        formats.refuse_foreign(store.path, found)
    except ReadOnlyFormatError as error:
        return [str(error)]
    settings, trouble = config.load(store.places)
    if trouble is not None:
        notes.append(str(trouble))
    if view.shown:
        notes.append(
            "A change was interrupted; the next change or start of the manager repairs it."
        )
    if store.name == "shared" and settings.shared_dir and carry_over.is_due(store.local_folder):
        notes.append(
            "The local store is not carried over yet; the next change or pi session does it."
        )
    try:
        buried = set(tombstones.read(store.path)[1])
    except PimemError as error:
        notes.append(str(error))
        buried = set()
    files = {name for name in regular_names(store.path) if is_topic_file(name)}
    unlisted = len(files - listed - buried)
    if unlisted:
        notes.append(f"{plural(unlisted, 'topic file')} not in the index.")
    missing = len([file for file in listed - files if file not in view.elsewhere])
    if missing:
        notes.append(f"{plural(missing, 'index line')} without a file.")
    if view.text is not None:
        notes += limits.crossed(None, view.text, settings.max_lines)
    moved = os.path.join(store.places.agent_dir, "pi-hermes-memory")
    if store.name == "local" and not listed and os.path.exists(os.path.join(moved, "MEMORY.md")):
        notes.append(f"pi-hermes-memory may have moved this store's files to {moved}; look there.")
    return notes
