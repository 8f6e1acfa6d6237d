"""Saving a fact that a person edited as a whole file."""

from __future__ import annotations

import os

from ... import secrets
from ...errors import ConflictError, InvalidTopicError, TopicNotFoundError
from ...files.read import decode, not_regular, read_bytes
from ...merge import merge
from ...model import Change
from ...text import quote
from . import fact_text, names
from .facts import head, is_fact_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .changing import Session
    from .store import ZcodeStore


def save(store: ZcodeStore, file: str, *, opened: str, text: str, allow_secret: bool) -> Change:
    """Save an edited fact, merged with what others changed since; its index line follows.

    The line's hook follows an edited description, its title an edited heading that it had.
    """
    if not is_fact_file(file):
        raise TopicNotFoundError(f"{quote(file)} names no fact file.", file=file)
    store.refuse_changes()
    if text == opened:
        name = store.find(file).name
        said = f"{file} was not changed."
        return Change(outcome="unchanged", store=store.name, name=name, file=file, message=said)
    if not allow_secret:
        secrets.refuse(store.places, text, known=opened, file=file)
    return store.changed(lambda session: _save(session, file, opened, text))


def _save(session: Session, file: str, opened: str, text: str) -> Change:
    path = os.path.join(session.store.path, file)
    names.refuse_path(session.store.path, file)
    try:
        before = read_bytes(path)
    except TopicNotFoundError as error:
        raise ConflictError(
            f"{path} was deleted while it was edited; save the text under a new name.",
            file=file,
            mine=text,
            merged=text,
        ) from error
    except InvalidTopicError as error:
        raise InvalidTopicError(not_regular(path), file=file) from error
    current = decode(before, path)
    merged = current != opened
    if merged:
        text = merge(opened, mine=text, theirs=current, file=file)
    topic = session.store.match(session.view, file)
    if text == current:
        return session.change("unchanged", topic.name, file, f"{file} says so already.")
    was, front = head(current), head(text)
    hook = None
    if front.description and front.description != was.description:
        hook = names.check_description(front.description)
    title = fact_text.heading(text)
    line = session.line_of(file)
    follows = line is not None and title and line.title == fact_text.heading(current)
    done = session.rewrite(topic, before, text, hook=hook, title=title if follows else None)
    if merged:
        done = done.but(message=f"{done.message[:-1]}, merged with a change made meanwhile.")
    return done
