"""Facts that a person edits: checking fields, putting them into the text, saving the text."""

from __future__ import annotations

from ... import secrets
from ...errors import (
    InvalidTopicError,
    PimemError,
    StorageError,
    TopicNotFoundError,
)
from ...files.read import content
from ...formats import frontmatter
from ...formats.merge import merge_into
from ...formats.text import quote
from ...model import Change
from . import fact_text, lookup, names
from .changes import FactChanges, change
from .facts import head, is_fact_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...model import Document
    from ..stores import WriteRequest
    from .folder import FactFolder


def check(request: WriteRequest, opened: Document | None) -> str | None:
    """The first rule that a fact would break, None when it breaks none.

    Args:
        request: The fact as it is typed so far.
        opened: The fact that is edited; what it holds already is not complained about.
    """
    try:
        if opened is None or request.topic != opened.name:
            names.check_name(request.topic)
        if request.title:
            names.check_title(request.title)
        if opened is None or request.summary != opened.summary:
            names.check_description(request.summary)
        if opened is None or request.type != opened.type:
            names.check_type(request.type)
    except PimemError as error:
        return str(error)
    return None


def compose(document: Document, *, name: str, summary: str, body: str, type_: str | None) -> str:
    """An opened fact's text with other fields: only the lines of what changed are touched.

    Raises:
        InvalidArgumentError: A field that changed breaks a rule.
        StorageError: The front matter cannot be changed safely.
    """
    parts = frontmatter.split(document.text)
    text = document.text
    if body != document.body:
        text = frontmatter.with_body(text, body)
    renamed, redescribed = name != document.name, summary != document.summary
    retyped = type_ is not None and type_ != document.type
    if not (renamed or redescribed or retyped):
        return text
    if head(document.text).unclosed:
        raise StorageError(
            f"The front matter of {document.path} is never closed; close it in the whole file, "
            "then try again.",
            file=document.file,
        )
    description = names.check_description(summary) if redescribed else summary
    if renamed:
        names.check_name(name)
    if not parts.present:
        return fact_text.with_front(text, name=name, description=description, type_=type_)
    values = {"name": quote(name)} if renamed else {}
    if redescribed:
        values["description"] = quote(description)
    text = frontmatter.update(text, values)
    if retyped:
        text = fact_text.with_type(text, names.check_type(type_))
    if not fact_text.is_safe(
        document.text,
        text,
        description=description if redescribed else None,
        type_=type_ if retyped else None,
        renamed=renamed,
    ):
        raise StorageError(
            f"The front matter of {document.path} is in a form that cannot be changed safely; "
            "change it in the whole file.",
            file=document.file,
        )
    return text


def save(
    folder: FactFolder,
    file: str,
    *,
    opened: str,
    text: str,
    title: str | None,
    allow_secret: bool,
) -> Change:
    """Save an edited fact, merged with what others changed since; its index line follows.

    The line's hook follows an edited description, its title an edited heading that it had, unless
    a title is given.
    """
    if not is_fact_file(file):
        raise TopicNotFoundError(f"{quote(file)} names no fact file.", file=file)
    folder.refuse_changes()
    title = names.check_title(title) if title is not None else None
    if text == opened and title is None:
        name = lookup.topic(folder, folder.view(), file).name
        said = f"{file} was not changed."
        return Change(outcome="unchanged", store=folder.name, name=name, file=file, message=said)
    if not allow_secret:
        beside = {"title": title or ""}
        secrets.refuse(folder.places, text, beside=beside, known=opened, file=file)
    return change(folder, lambda session: _save(session, file, opened, text, title))


def _save(session: FactChanges, file: str, opened: str, text: str, title: str | None) -> Change:
    path = session.facts.file(file)
    names.refuse_path(session.facts.path, file)
    current, text = merge_into(content(path), opened=opened, mine=text, path=path, file=file)
    topic = lookup.topic(session.facts, session.view, file)
    line = session.line_of(file)
    if text == current and (title is None or (line is not None and title == line.title)):
        return session.change("unchanged", topic.name, file, f"{file} says so already.")
    was, front = head(current), head(text)
    if front.name and front.name != was.name:
        _refuse_taken(session, front.name, file)
    hook = None
    if front.description and front.description != was.description:
        hook = names.check_description(front.description)
    heading = fact_text.heading(text)
    follows = line is not None and heading and line.title == fact_text.heading(current)
    if title is None and follows:
        title = heading
    done = session.rewrite(topic, current.encode(), text, hook=hook, title=title)
    if current != opened:
        done = done.but(message=f"{done.message[:-1]}, merged with a change made meanwhile.")
    return done


def _refuse_taken(session: FactChanges, name: str, file: str) -> None:
    """Refuse a new name that another fact has: links could mean either."""
    for other in session.view.facts.values():
        if other.file != file and name in (other.name, other.stem):
            raise InvalidTopicError(
                f"{quote(name)} is the name of {other.file} already; choose another.",
                name=name,
                file=file,
            )
