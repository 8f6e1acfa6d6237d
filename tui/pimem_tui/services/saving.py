"""Saving what a person typed, and what is to be decided when it was not saved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pimem_core.errors import ConflictError, PimemError, SecretError, TopicNotFoundError
from pimem_core.systems.stores import (
    ComposingStore,
    EditableStore,
    TypedStore,
    WriteRequest,
    supporting,
)

from ..log import unexpected

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable

    from pimem_core.history.drafts import Typed
    from pimem_core.model import Change, Document
    from pimem_core.systems.stores import Store

#: The advice on a secret where a question with two answers follows.
TAKE_OUT = "Cancel goes back, so that you can take it out."


@dataclass(eq=False, repr=False)
class Edited:
    """What an editor edits: a topic of a store, None for a new one; `whole` without any fields."""

    store: Store
    document: Document | None
    whole: bool


@dataclass(eq=False, repr=False)
class Refusal:
    """Why a text was not saved.

    `kind` is `secret` or `conflict`, which the person decides, `gone` when the file was deleted,
    or `refused`. A conflict has the text before both edits, the one on disk and the person's own.
    """

    kind: str
    reason: str
    base: str = ""
    theirs: str = ""
    mine: str = ""


def request_to_write(typed: Typed, *, allow_secret: bool) -> WriteRequest:
    """What writes a new topic, or a new entry."""
    return WriteRequest(
        topic=typed.name,
        content=typed.body,
        summary=typed.summary,
        pin=typed.pin,
        mode=typed.mode,
        type=typed.type,
        title=typed.title or None,
        allow_secret=allow_secret,
    )


def composed(store: Store, document: Document, typed: Typed) -> str:
    """The text of a file with what was typed in its fields and below them.

    Raises:
        PimemError: The store refuses one of the fields.
    """
    lead = document.body[: len(document.body) - len(document.body.lstrip("\r\n"))]
    name, summary, body = typed.name, typed.summary, lead + typed.body
    if isinstance(store, TypedStore):
        return store.compose(document, name=name, summary=summary, body=body, type=typed.type)
    composing = supporting(store, ComposingStore)
    return composing.compose(document, name=name, summary=summary, body=body)


def save(
    store: Store, document: Document, text: str, *, opened: str, title: str, allow_secret: bool
) -> Change:
    """Save the text of a file, and its title where a title was typed.

    Raises:
        PimemError: It is refused; nothing was changed.
    """
    file = document.file
    if isinstance(store, TypedStore) and title not in ("", document.title):
        return store.save(file, opened=opened, text=text, title=title, allow_secret=allow_secret)
    editable = supporting(store, EditableStore)
    return editable.save(file, opened=opened, text=text, allow_secret=allow_secret)


class Saver:
    """Makes the changes that save a text, one at a time; for workers."""

    def __init__(self, turn: threading.Lock, explain: Callable[[PimemError], str]) -> None:
        """Save texts.

        Args:
            turn: Held by whoever changes a store.
            explain: Words an error.
        """
        self._turn = turn
        self._explain = explain

    def attempt(
        self,
        store: Store,
        change: Callable[[], Change],
        *,
        file: str | None,
        opened: str,
        text: str,
    ) -> Change | Refusal:
        """Make a change to a store, or say why it cannot be made.

        Args:
            store: The store that is changed.
            change: Makes the change.
            file: The file that is edited, None for a new one.
            opened: Its text when editing began.
            text: What the person made of it.
        """
        try:
            with self._turn:
                done = change()
                store.announce()
        except SecretError as error:
            return Refusal("secret", f"{error} {TAKE_OUT}", base=opened, mine=text)
        except ConflictError as error:
            return self._conflict(store, error, file, opened, text)
        except PimemError as error:
            return Refusal("refused", self._explain(error))
        except Exception as error:
            return Refusal("refused", unexpected(error))
        return done

    def _conflict(
        self, store: Store, error: ConflictError, file: str | None, opened: str, text: str
    ) -> Refusal:
        reason = self._explain(error)
        if file is None:
            return Refusal("refused", reason)
        try:
            theirs = store.read(file).text
        except TopicNotFoundError:
            return Refusal("gone", reason)
        except PimemError as failure:
            return Refusal("refused", self._explain(failure))
        if theirs == opened:  # it is another file that was changed, such as the index
            return Refusal("refused", reason)
        return Refusal("conflict", reason, base=opened, theirs=theirs, mine=text)
