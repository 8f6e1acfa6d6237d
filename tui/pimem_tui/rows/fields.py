"""What the fields of the editor hold, as plain values."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pimem_core.history.drafts import Typed
    from pimem_core.model import Document


class Fields(NamedTuple):
    """What the fields hold. `pin` and `replace` are ticked for a new topic only."""

    name: str = ""
    title: str = ""
    summary: str = ""
    type: str | None = None
    body: str = ""
    pin: bool = False
    replace: bool = False


def fields_of(document: Document | None, *, whole: bool) -> Fields:
    """The fields of a topic as it was opened; a text that is edited whole is the file's."""
    if document is None:
        return Fields()
    return Fields(
        name=document.name,
        title=document.title,
        summary=document.summary,
        type=document.type,
        body=document.text if whole else document.body.lstrip("\r\n"),
    )


def fields_typed(draft: Typed) -> Fields:
    """The fields as a draft kept them."""
    return Fields(
        name=draft.name,
        title=draft.title,
        summary=draft.summary,
        type=draft.type,
        body=draft.body,
        pin=draft.pin,
        replace=draft.mode == "replace",
    )
