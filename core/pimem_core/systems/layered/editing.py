"""Changes of single files and entries: write, save, remove, archive, status, task."""

from __future__ import annotations

import os
import re

from ... import secrets
from ...errors import (
    Hint,
    InvalidArgumentError,
    InvalidTopicError,
    Note,
    PimemError,
    TopicNotFoundError,
)
from ...files.read import decode, is_there
from ...formats.code_fences import outside_code
from ...formats.lines import lines_of
from ...formats.merge import merge_into
from ...formats.text import encode, one_line, quote
from ...model import Change
from ..layers import STATUSES, entry_text
from ..system import GLOBAL
from . import names
from .changes import Session, changing
from .content import is_placeholder
from .folder import ARCHIVE, INDEX_NAME, STATE, TASK_FILE, has_index, split
from .lines import appended

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ..layers import Place
    from ..stores import WriteRequest
    from .layer import Layer

_COMMENT = re.compile(r"^ {0,3}<!--", re.MULTILINE)


def _entry_of(request: WriteRequest) -> tuple[str, str]:
    """The file and the title that a request means.

    Raises:
        InvalidTopicError: The file is none that entries can be in.
        InvalidArgumentError: There is no title.
    """
    file = names.new_file(request.topic)
    if split(file)[1].lower() == INDEX_NAME:
        raise InvalidTopicError(
            f"{INDEX_NAME} lists files and holds no entries; name a file such as decisions.md.",
            name=file,
            file=file,
        )
    title = one_line(request.summary)
    if not title:
        raise InvalidArgumentError(
            "There is no title; the summary becomes the title of the entry.", file=file
        )
    return file, title


def refusal(layer: Layer, request: WriteRequest) -> str | None:
    """Why an entry would be refused, or what would be wrong with it; None when it is fine."""
    from . import entries

    try:
        file, title = _entry_of(request)
    except PimemError as error:
        return str(error)
    text = entry_text("2026-07-15", title, request.content)
    made = entries.parse(text, store=layer.name, file=file)
    if len(made) != 1:
        return "The text begins another entry; write one at a time."
    return made[0].problems[0] if made[0].problems else None


def write(layer: Layer, request: WriteRequest) -> Change:
    """Append a dated entry to a file, which is made when it is missing.

    An older entry that it supersedes gets that status in the same change.
    """
    layer.refuse_changes()
    file, title = _entry_of(request)
    if not request.allow_secret:
        beside = {"summary": title, "file name": file}
        secrets.refuse(layer.places, request.content, beside=beside, name=request.topic, file=file)
    with changing(layer) as session:
        path = os.path.join(layer.path, file)
        before = session.read(path)
        text = "" if before is None else decode(before, path)
        entry = entry_text(f"{session.moment:%Y-%m-%d}", title, request.content)
        texts = {file: (before, appended("" if is_placeholder(text) else text, entry))}
        counts = _counts(texts[file][1], text)
        older = _retire(layer, session, file, texts) if counts and "supersedes" in entry else None
        steps = [
            session.step(
                os.path.join(layer.path, name),
                old,
                encode(new),
                kind=layer.kind,
                decides=name == file,
            )
            for name, (old, new) in texts.items()
        ]
        session.commit("write", file, file, steps)
        session.notes += _use_notes(layer, file)
        if not counts:
            session.notes.append(
                f"{file} has a code block or comment that is never closed, so the entry does not "
                "count as one; close it."
            )
        outcome, verb = ("created", "Created") if before is None else ("updated", "Added to")
        said = f"{verb} {file}: {quote(title)}."
        if older is not None:
            said += f" {older.heading} is superseded by it."
        return session.change(outcome, file, file, said)


def _counts(text: str, before: str) -> bool:
    """Whether what was added is an entry: behind an open code block or comment it is not."""
    in_code = not outside_code([*lines_of(before), "added"])[-1]
    begun = [match.start() for match in _COMMENT.finditer(before)]
    if not in_code and (not begun or before.find("-->", begun[-1]) >= 0):
        return True
    from . import entries  # parsing takes its time, and hardly a file is so

    return len(entries.sections(text)) > len(entries.sections(before))


def _retire(
    layer: Layer, session: Session, file: str, texts: dict[str, tuple[bytes | None, str]]
) -> Place | None:
    """Mark the entry that the last one of a file supersedes; None when it supersedes none."""
    from . import entries

    others = [entry for entry in layer.entries() if entry.file != file]
    written = entries.parse(texts[file][1], store=layer.name, file=file)
    checked = entries.check_references([*others, *written])
    older = checked[-1].supersedes if written else None
    if older is None:
        return None
    if older.file not in texts:
        path = os.path.join(layer.path, older.file)
        before = _there(session, path, older.file)
        texts[older.file] = before, decode(before, path)
    before_, text = texts[older.file]
    section = next(one for one in entries.sections(text) if one.heading == older.heading)
    texts[older.file] = before_, entries.with_fields(text, section, {"status": "superseded"})
    return older


def _use_notes(layer: Layer, file: str) -> list[str]:
    """Why what was written is not given to the model, if it is not."""
    said = []
    folder = split(file)[0]
    if layer.kind == GLOBAL and folder and folder not in layer.settings.layered_always_inject:
        said.append(
            f"{folder}/ is not given to the model; name it in always_inject under [layered] in "
            "config.toml for that."
        )
    if not has_index(layer.path):
        hint = Hint(Hint.INIT, topic=layer.kind)
        said.append(Note(f"{layer.path} has no {INDEX_NAME} yet, so it is not used.", hint))
    return said


def save(layer: Layer, file: str, *, opened: str, text: str, allow_secret: bool) -> Change:
    """Save an edited file, merged with what others changed since it was opened."""
    if not names.is_file(file):
        raise TopicNotFoundError(f"{quote(file)} names no memory file.", file=file)
    layer.refuse_changes()
    if text == opened:
        return Change(
            outcome="unchanged",
            store=layer.name,
            name=file,
            file=file,
            message=f"{file} was not changed.",
        )
    if not allow_secret:
        secrets.refuse(layer.places, text, known=opened, file=file)
    with changing(layer) as session:
        path = os.path.join(layer.path, file)
        before = session.read(path)
        is_first_task = file == TASK_FILE and not opened and before is None
        held = b"" if is_first_task else before
        current, text = merge_into(held, opened=opened, mine=text, path=path, file=file)
        if text == current:
            return session.change("unchanged", file, file, f"{file} says so already.")
        step = session.step(path, before, encode(text), kind=layer.kind, decides=True)
        session.commit("edit", file, file, [step])
        meanwhile = ", merged with a change made meanwhile" if current != opened else ""
        return session.change("updated", file, file, f"Saved {file}{meanwhile}.")


def remove(layer: Layer, file: str) -> Change:
    """Remove a file; the journal keeps its text."""
    layer.refuse_changes()
    with changing(layer) as session:
        path = os.path.join(layer.path, file)
        before = _there(session, path, file)
        step = session.step(path, before, None, kind=layer.kind, decides=True)
        session.commit("remove", file, file, [step])
        return session.change("removed", file, file, f"Removed {file}.")


def _there(session: Session, path: str, file: str) -> bytes:
    before = session.read(path)
    if before is None:
        raise TopicNotFoundError(f"{path} does not exist.", name=file, file=file)
    return before


def archive(layer: Layer, file: str, entry: str | None) -> Change:
    """Move a file, or one entry of it, into the archive."""
    from . import entries

    layer.refuse_changes()
    folder, name = split(file)
    if not names.is_file(file) or folder in (ARCHIVE, STATE) or file == INDEX_NAME:
        raise InvalidArgumentError(f"{quote(file)} is nothing to archive.", file=file)
    with changing(layer) as session:
        path = os.path.join(layer.path, file)
        before = _there(session, path, file)
        if entry is None:
            target = _free(layer, f"{ARCHIVE}/{name}")
            target_before, after, left = None, before, None
            what, like = file, path
        else:
            text = decode(before, path)
            section = entries.find(entries.sections(text), entry, file=file)
            rest, taken = entries.without(text, section)
            target = f"{ARCHIVE}/{name}"
            target_before = session.read(os.path.join(layer.path, target))
            kept = "" if target_before is None else decode(target_before, target)
            after, left = encode(appended(kept, taken)), encode(rest)
            what, like = f"{section.heading} of {file}", path
        target_path = os.path.join(layer.path, target)
        session.read(target_path)
        steps = [
            session.step(
                target_path, target_before, after, kind=layer.kind, decides=True, like=like
            ),
            session.step(path, before, left, kind=layer.kind),
        ]
        session.commit("move", file, file, steps)
        return session.change("moved", file, target, f"Moved {what} to {target}.")


def _free(layer: Layer, file: str) -> str:
    stem, number = file.removesuffix(".md"), 2
    while is_there(os.path.join(layer.path, file)):
        file, number = f"{stem}-{number}.md", number + 1
    return file


def set_status(layer: Layer, file: str, entry: str, status: str) -> Change:
    """Set an entry's status."""
    from . import entries

    if status not in STATUSES:
        raise InvalidArgumentError(
            f"Unknown status {quote(status)}; there are {', '.join(STATUSES)}.",
            file=file,
        )
    layer.refuse_changes()
    with changing(layer) as session:
        path = os.path.join(layer.path, file)
        before = _there(session, path, file)
        text = decode(before, path)
        section = entries.find(entries.sections(text), entry, file=file)
        after = entries.with_fields(text, section, {"status": status})
        return _edited(
            layer, session, {file: (before, after)}, file, f"{section.heading} is {status} now."
        )


def supersede(layer: Layer, file: str, entry: str, by: str, by_file: str) -> Change:
    """Mark an entry as replaced: its status, and the new entry's status and reference."""
    from . import entries

    layer.refuse_changes()
    with changing(layer) as session:
        texts: dict[str, tuple[bytes, str]] = {}
        for name in {file, by_file}:
            path = os.path.join(layer.path, name)
            before = _there(session, path, name)
            texts[name] = before, decode(before, path)
        old = entries.find(entries.sections(texts[file][1]), entry, file=file)
        new = entries.find(entries.sections(texts[by_file][1]), by, file=by_file)
        if file == by_file and old.first == new.first:
            raise InvalidArgumentError(f"{old.heading} cannot replace itself.", file=file)
        status = new.field("status")
        values = {}
        if status is None or status.value.lower() not in STATUSES:
            values["status"] = "active"
        values["supersedes"] = old.heading
        changed = entries.with_fields(texts[by_file][1], new, values)
        texts[by_file] = texts[by_file][0], changed
        again = entries.find(entries.sections(texts[file][1]), old.heading, file=file)
        changed = entries.with_fields(texts[file][1], again, {"status": "superseded"})
        texts[file] = texts[file][0], changed
        said = f"{old.heading} is superseded by {new.heading}."
        return _edited(layer, session, texts, file, said)


def _edited(
    layer: Layer,
    session: Session,
    texts: dict[str, tuple[bytes, str]],
    file: str,
    said: str,
) -> Change:
    if all(encode(after) == before for before, after in texts.values()):
        return session.change("unchanged", file, file, f"Nothing to change: {said}")
    steps = [
        session.step(
            os.path.join(layer.path, name),
            before,
            encode(after),
            kind=layer.kind,
            decides=name == file,
        )
        for name, (before, after) in texts.items()
    ]
    session.commit("edit", file, file, steps)
    return session.change("updated", file, file, said)


def clear_task(layer: Layer) -> Change:
    """Empty the task state; the journal keeps it."""
    with changing(layer) as session:
        path = os.path.join(layer.path, TASK_FILE)
        before = session.read(path)
        if not before:
            said = "There is no task state to clear."
            return session.change("unchanged", TASK_FILE, TASK_FILE, said)
        step = session.step(path, before, b"", kind=GLOBAL, decides=True)
        session.commit("clear", TASK_FILE, TASK_FILE, [step])
        return session.change("cleared", TASK_FILE, TASK_FILE, f"Cleared {path}.")
