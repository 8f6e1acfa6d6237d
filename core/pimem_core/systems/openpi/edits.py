"""Topics that a person edits: putting fields into the text, saving the text."""

from __future__ import annotations

import os

from ... import secrets
from ...clock import now, stamp
from ...errors import TopicNotFoundError
from ...files.read import content
from ...formats import frontmatter
from ...formats.merge import merge_into
from ...formats.text import one_line, quote
from ...formats.tokens import estimate
from ...model import Change
from . import lookup
from . import topic as topics
from .changes import changing
from .index import canonical, is_topic_file
from .rows import Rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...model import Document
    from .folder import TopicFolder


def cost(name: str, summary: str) -> int:
    """Tokens of the index line that a topic with this name and summary gets."""
    name, summary = one_line(name), topics.check_summary(summary)
    line = canonical(
        name, f"{topics.slug(name)}.md", pinned=False, stamp="2026-01-01", summary=summary
    )
    return estimate(f"{line}\n")


def compose(document: Document, *, name: str, summary: str, body: str) -> str:
    """An opened topic's text with another name, summary and body.

    Only keys whose value changed are written; a file without front matter gets some with the
    first name or summary that differs from the index.
    """
    parts = frontmatter.split(document.text)
    text = document.text
    if body != document.body:
        text = frontmatter.with_body(text, body)
    if (name, summary) == (document.name, document.summary):
        return text
    if not parts.present:
        return topics.refreshed(text, name=name, summary=summary, moment=now())
    values = {}
    if name != document.name:
        values["name"] = quote(name)
    if summary != document.summary:
        values["description"] = quote(summary)
    return frontmatter.update(text, values)


def save(folder: TopicFolder, file: str, *, opened: str, text: str, allow_secret: bool) -> Change:
    """Save an edited topic: merged with what others changed since, index line brought along.

    Name and summary come from the edited front matter; what the edit left alone stays as the
    index has it.
    """
    if not is_topic_file(file):
        raise TopicNotFoundError(f"{quote(file)} names no topic file.", file=file)
    folder.refuse_changes()
    if text == opened:
        return Change(
            outcome="unchanged",
            store=folder.name,
            name=lookup.topic(Rows(folder), file).name,
            file=file,
            message=f"{file} was not changed.",
        )
    if not allow_secret:
        secrets.refuse(folder.places, text, known=opened, file=file)
    with changing(folder) as session:
        path = folder.file(file)
        current, text = merge_into(content(path), opened=opened, mine=text, path=path, file=file)
        if text == current:
            name = lookup.topic(Rows(folder), file).name
            return session.change("unchanged", name, file, f"{file} says so already.", [])
        entry = next((e for e in session.index.entries() if e.file == file), None)
        was, front = frontmatter.read(current), frontmatter.read(text)
        name = _chosen(was, front, "name", entry.name if entry else os.path.splitext(file)[0])
        summary = _chosen(was, front, "description", entry.summary if entry else "")
        if entry is None or name != entry.name:
            name = topics.check_topic(name) if entry is not None else name
        summary = topics.check_summary(summary)
        if frontmatter.split(text).present:
            text = frontmatter.update(
                text, {"last_updated": stamp(session.moment)} if "last_updated" in front else {}
            )
        dropped = session.rewrite(
            entry, file, name=name, summary=summary, before=current.encode(), text=text
        )
        said = f"Saved {quote(name)}."
        if current != opened:
            said = f"Saved {quote(name)}, merged with a change made meanwhile."
        return session.change("updated", name, file, said, dropped)


def _chosen(was: dict[str, object], now: dict[str, object], key: str, listed: str) -> str:
    """The edited value where the edit changed it, else what the index says."""
    value = now.get(key)
    return value if isinstance(value, str) and value and value != was.get(key) else listed
