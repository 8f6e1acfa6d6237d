"""What stands in the place of the list when there is nothing to list, and what to do next."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pimem_core.systems.guidelines import SCOPE

from ..drawing.cells import clean
from .filtering import NO_TYPE, parse

if TYPE_CHECKING:
    from pimem_core.model import StoreStatus

    from .layer_state import LayerState
    from .listing import Listing


def state_of(
    listing: Listing | None,
    status: StoreStatus | None,
    error: str,
    query: str,
    hits: Listing | None,
    new_key: str = "",
    clear_key: str = "esc",
    nothing: str = "",
) -> str | None:
    """The message for a store without rows, or None when the list shows.

    Args:
        listing: The topics that were read; None while nothing was.
        status: What is known of the store.
        error: Why it could not be read; empty when it could.
        query: The filter.
        hits: What the filter found so far; None while it has found nothing yet.
        new_key: The key that writes a topic; empty where none can be written.
        clear_key: The key that clears the filter.
        nothing: What the search says of finding nothing; empty for a filter by type.
    """
    if error and (listing is None or not listing.topics):
        return (
            f"This store cannot be read.\n\n{error}\n\n"
            "Once that is fixed, the list shows here by itself. Nothing was changed."
        )
    if listing is None:
        return "Reading …"
    if query:
        if hits is not None and not hits.topics:
            said = nothing or _nothing(query, listing)
            return f"{said}\n\n{clear_key} clears the filter."
        return None
    if listing.topics:
        return None
    form = status.format if status is not None else None
    kind, _, owner = (form or "").partition(":")
    if kind in ("foreign", "unknown") and status is not None and status.notes:
        # The system knows best what it found and what can be done about it.
        return "\n\n".join(status.notes)
    if kind == "foreign":
        return (
            f"This folder belongs to another program ({clean(owner)}).\n\n"
            "pimem shows what it can and changes nothing here."
        )
    if kind == "unknown":
        return (
            "This folder is in no format that pimem knows.\n\n"
            "It is opened read-only. `pimem --dir FOLDER` opens another one."
        )
    text = "No memories here yet."
    if new_key:
        text += f"\n\n{new_key} writes the first one; or ask pi to remember something."
    return "\n\n".join((text, *(status.notes if status is not None else ())))


def state_of_layer(found: LayerState, key: str) -> str:
    """The message for a layer that was not created yet.

    Args:
        found: What is known of it.
        key: The key that creates it.
    """
    if found.refusal:
        return f"There can be no memory here.\n\n{found.refusal}"
    whose = "Your own memory" if found.store.name == "global" else "This project's memory"
    return (
        f"{whose} does not exist yet.\n\n"
        f"{key} creates it: an index, an inbox, an archive. Nothing that is there is written "
        f"over, and undo takes it back.\n\n{SCOPE}"
    )


def _nothing(query: str, listing: Listing) -> str:
    wanted, word = parse(query, listing.types, listing.type_word), listing.type_word
    words = f"“{clean(wanted.words, 60)}”"
    if wanted.type is None:
        return f"Nothing contains {words}."
    kind = "without a type" if wanted.type == NO_TYPE else f"of {word} “{clean(wanted.type, 30)}”"
    return f"Nothing {kind} contains {words}." if wanted.words else f"Nothing here is {kind}."
