"""How a store of facts is: its numbers, and what a person should know of it."""

from __future__ import annotations

import contextlib
import os

from ...errors import PimemError
from ...files.holder import own_lock_holder, own_lock_path
from ...files.read import real_folder
from ...model import StoreStatus
from ...settings.config import load_settings
from . import check, config, detection
from .facts import INDEX_NAME
from .location import SYSTEM

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .folder import FactFolder, View

#: Files about the folder that a note lists.
_SHOWN_NOTES = 5
_WRITERS = {
    "zcode": ("ZCode", "pi (pi-zcode-memory)"),
    "claude": ("Claude Code",),
}


def status_of(folder: FactFolder) -> StoreStatus:
    """How a store is; an unreadable one says so in the notes."""
    found, location = None, folder.location
    count, size, changed = 0, 0, None
    notes: list[str] = []
    try:
        found = detection.recognise(folder.path)
        view = folder.view()
        count = len(view.facts)
        size, changed = _size(folder.path, view)
        notes += check.notes(folder, view)
        if view.notes:
            named = ", ".join(view.notes[:_SHOWN_NOTES])
            more = (
                f" and {len(view.notes) - _SHOWN_NOTES} more" if view.notes[_SHOWN_NOTES:] else ""
            )
            notes.append(f"Not counted as facts, being about the folder: {named}{more}.")
    except PimemError as error:
        notes.append(str(error))
    if location is not None:
        if location.source == "config":
            notes.append("zcode-memory.json names this folder.")
        notes += [location.warning] if location.warning else []
        notes += location.notes
    notes += real_folder(folder.path)
    exists = os.path.isdir(folder.path)
    if found is None and exists and location is not None and count:
        found = detection.ZCODE
    places = folder.places
    return StoreStatus(
        store=folder.name,
        system=SYSTEM,
        path=folder.path,
        exists=exists,
        active=location is not None and config.is_active(places, load_settings(places)[0]),
        count=count,
        size_bytes=size,
        changed=changed,
        writers=_WRITERS.get(found or ("zcode" if location is not None else ""), ()),
        lock=own_lock_holder(own_lock_path(places.state_dir, folder.path)),
        format=found,
        notes=notes,
    )


def _size(folder: str, view: View) -> tuple[int, float | None]:
    """Bytes of the index and the facts, and the time of the newest of them."""
    size, changed = 0, None
    for file in (INDEX_NAME, *view.facts):
        with contextlib.suppress(OSError):
            status = os.lstat(os.path.join(folder, file))
            size += status.st_size
            changed = max(changed or 0.0, status.st_mtime)
    return size, changed
