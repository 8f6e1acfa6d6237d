"""Saving what a person typed, and what is to be decided when it was not saved."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pimem_core.errors import ConflictError, PimemError, SecretError, TopicNotFoundError

from ..log import unexpected

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable

    from pimem_core.model import Change
    from pimem_core.systems.stores import Store
#: The advice on a secret where a question with two answers follows.
TAKE_OUT = "Cancel goes back, so that you can take it out."


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


def attempt(
    store: Store,
    turn: threading.Lock,
    work: Callable[[], Change],
    *,
    file: str | None,
    opened: str,
    text: str,
) -> Change | Refusal:
    """Make a change to a store, or say why it cannot be made; for a worker.

    Args:
        store: The store that is changed.
        turn: Held by whoever changes a store.
        work: The change.
        file: The file that is edited, None for a new one.
        opened: Its text when editing began.
        text: What the person made of it.
    """
    try:
        with turn:
            change = work()
            store.announce()
    except SecretError as error:
        return Refusal("secret", f"{error} {TAKE_OUT}", base=opened, mine=text)
    except ConflictError as error:
        return _conflict(store, error, file, opened, text)
    except PimemError as error:
        return Refusal("refused", str(error))
    except Exception as error:
        return Refusal("refused", unexpected(error))
    return change


def _conflict(
    store: Store, error: ConflictError, file: str | None, opened: str, text: str
) -> Refusal:
    if file is None:
        return Refusal("refused", str(error))
    try:
        theirs = store.read(file).text
    except TopicNotFoundError:
        return Refusal("gone", str(error))
    except PimemError as failure:
        return Refusal("refused", str(failure))
    if theirs == opened:  # it is another file that was changed, such as the index
        return Refusal("refused", str(error))
    return Refusal("conflict", str(error), base=opened, theirs=theirs, mine=text)
