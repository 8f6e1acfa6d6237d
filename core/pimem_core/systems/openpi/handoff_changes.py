"""The handoff as a person reads, edits and clears it; pi's own writing of it is in `compaction`."""

from __future__ import annotations

import contextlib

from ... import secrets
from ...errors import InvalidTopicError, StorageError, TopicNotFoundError
from ...files.holder import own_lock_path
from ...files.publish import explained, make_folder
from ...files.read import decode, read_bytes
from ...formats import frontmatter
from ...formats.merge import merge
from ...formats.text import encode
from ...history import transaction
from ...history.locked_change import LockedChange
from ...model import Change, Document
from ..stores import HANDOFF_FILE, Handoff
from . import handoff
from .location import SYSTEM

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...history.record import Record
    from ...paths import Places
    from .folder import TopicFolder

_NAME = "Handoff"


def look(places: Places) -> Handoff:
    """The handoff as it is; raises as `handoff.read_text`."""
    text = handoff.read_text(places)
    entries = tuple(reversed(handoff.sections(text)))
    return Handoff(path=handoff.handoff_path(places), text=text, entries=entries)


def document(folder: TopicFolder) -> Document:
    """The handoff opened as a whole."""
    text = handoff.read_text(folder.places)
    return Document(
        store=folder.name,
        name=_NAME,
        file=HANDOFF_FILE,
        path=handoff.handoff_path(folder.places),
        front_matter={},
        body=frontmatter.split(text).body,
        text=text,
    )


def save(
    folder: TopicFolder, *, opened: str, text: str, action: str = "edit", allow_secret: bool = False
) -> Change:
    """Save an edited handoff, merged with what pi wrote meanwhile: `updated` or `unchanged`.

    Raises:
        ConflictError: Both changed the same lines.
        SecretError: The text looks like it holds a credential.
    """
    if not allow_secret:
        secrets.refuse(folder.places, text, known=opened, file=HANDOFF_FILE)
    with held(folder) as session:
        path = handoff.handoff_path(folder.places)
        before = _bytes(path)
        current = handoff.read_text(folder.places)
        merged = current != opened
        if merged:
            text = merge(opened, mine=text, theirs=current, file=handoff.HANDOFF_NAME)
        if text == current:
            return session.change("unchanged", _NAME, HANDOFF_FILE, "The handoff says so already.")
        step = transaction.Step(path=path, before=before, after=encode(text), decides=True)
        session.commit(action, _NAME, HANDOFF_FILE, [step])
        said = "Saved the handoff, merged with a change made meanwhile."
        return session.change(
            "updated", _NAME, HANDOFF_FILE, said if merged else "Saved the handoff."
        )


def clear(folder: TopicFolder) -> Change:
    """Empty the handoff: `cleared` or `unchanged`. The next compaction starts a new one."""
    text = handoff.read_text(folder.places)
    done = save(folder, opened=text, text="", action="clear", allow_secret=True)
    if done.outcome == "unchanged":
        return done.but(message="The handoff is empty already.")
    return done.but(outcome="cleared", message="Cleared the handoff.")


def revert(folder: TopicFolder, record: Record, action: str) -> Change:
    """Take a recorded change of the handoff back."""
    with held(folder) as session:
        return session.revert(record, action)


def is_its(record: Record) -> bool:
    """Whether a recorded change is one of the handoff."""
    return record.about.file == HANDOFF_FILE


@contextlib.contextmanager
def held(folder: TopicFolder) -> Iterator[LockedChange]:
    """Hold the handoff for one change. What a kill leaves of it is repaired with the store's own.

    Raises:
        StoreBusyError: pi is writing it.
        StorageError: It cannot be written.
    """
    from ...files.lock import locked_among_ours  # loads filelock, which readers never need

    lock = own_lock_path(folder.places.state_dir, handoff.handoff_path(folder.places))
    with locked_among_ours(lock, "pi is writing the handoff; try again in a moment."):
        with explained(folder.places.agent_dir):
            make_folder(folder.places.agent_dir)
        session = LockedChange(
            folder.places,
            system=SYSTEM,
            store=folder.name,
            folder=folder.path,
            beside=(handoff.handoff_path(folder.places),),
        )
        yield session
        session.confirm()


def _bytes(path: str) -> bytes | None:
    """What the file holds, None while it is not there.

    Raises:
        StorageError: It cannot be read, or is not a regular file.
    """
    try:
        data = read_bytes(path)
    except TopicNotFoundError:
        return None
    except InvalidTopicError as error:
        raise StorageError(str(error), file=handoff.HANDOFF_NAME) from error
    decode(data, path)
    return data
