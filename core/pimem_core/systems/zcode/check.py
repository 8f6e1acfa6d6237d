"""The check of index and facts against each other. It reports; nothing is repaired."""

from __future__ import annotations

import os
import posixpath

from ...errors import PimemError
from ...files.read import is_possible_name, read_bytes
from ...formats import frontmatter, held_back
from ...formats.text import plural, quote
from ...value import Value
from . import limits
from .facts import FRONT_LINES, INDEX_NAME

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .facts import Fact
    from .folder import FactFolder, View

_SHOWN = 5


class Finding(Value):
    """Something a person should look at; `code` is one of the doctor's. `line` counts from 1."""

    code: str
    severity: str
    message: str
    file: str
    line: int | None = None


def findings(folder: FactFolder, view: View) -> Sequence[Finding]:
    """What is wrong, index first."""
    return [*_index(folder, view), *(f for fact in view.facts.values() for f in _fact(fact))]


def _index(folder: FactFolder, view: View) -> Iterator[Finding]:
    seen: dict[str, int] = {}
    for entry in view.entries:
        fact = view.fact_of(entry)
        file = fact.file if fact is not None else entry.file
        if fact is None:
            exists = os.path.lexists(folder.file(entry.file))
            what = "is not a regular file" if exists else "does not exist"
            if not is_possible_name(posixpath.basename(file)):
                file, what = (
                    f"{file[:40]}…",
                    "cannot exist: the name is too long. Take the link out",
                )
            yield Finding(
                code="orphan_line",
                severity="warning",
                message=f"The index links to {file}, which {what}.",
                file=INDEX_NAME,
                line=entry.line,
            )
        elif entry.kind == "line" and file in seen:
            yield Finding(
                code="duplicate_line",
                severity="info",
                message=f"{file} has a line already: {seen[file]}.",
                file=INDEX_NAME,
                line=entry.line,
            )
        if entry.kind == "line":
            seen.setdefault(file, entry.line)
    listed = {fact.file for fact in map(view.fact_of, view.entries) if fact is not None}
    text = view.text or ""
    if held_back.is_unmerged(text):
        yield Finding(
            code="merge_markers",
            severity="error",
            message=f"{INDEX_NAME} has the marks of an unfinished merge, so it is held back; "
            "resolve it.",
            file=INDEX_NAME,
        )
    for file in view.facts:
        original = held_back.original_of(folder.path, file, view.facts.__contains__)
        if original is not None:
            yield Finding(
                code="sync_copy",
                severity="warning",
                message=f"{file} is a copy of {original} that a sync program left; it is held "
                "back.",
                file=file,
            )
        elif file not in listed:
            yield Finding(
                code="unlisted_file",
                severity="warning",
                message=f"{file} is not in the index, so no session learns of it.",
                file=file,
            )
    for said in limits.near_limits(text):
        yield Finding(code="over_limit", severity="warning", message=said, file=INDEX_NAME)
    if text.startswith("---") and not frontmatter.split(text).present:
        yield Finding(
            code="bad_front_matter",
            severity="info",
            message="The index begins with ---: ZCode drops what is between that and the next ---.",
            file=INDEX_NAME,
            line=1,
        )


def _fact(fact: Fact) -> Iterator[Finding]:
    if not fact.is_regular:
        yield Finding(
            code="symlink",
            severity="warning",
            message=f"{fact.file} is not a regular file; pimem does not follow links.",
            file=fact.file,
        )
        return
    if fact.head.unclosed:
        yield Finding(
            code="unterminated_front_matter",
            severity="warning",
            message=f"The front matter of {fact.file} is never closed.",
            file=fact.file,
            line=1,
        )
    closing = fact.head.closing
    if closing is None:
        return
    if closing > FRONT_LINES:
        yield Finding(
            code="late_front_matter",
            severity="warning",
            message=f"The front matter of {fact.file} closes on line {closing}; "
            f"ZCode looks no further than line {FRONT_LINES}.",
            file=fact.file,
            line=closing,
        )
    line = _yaml_trouble(fact)
    if line is not None:
        yield Finding(
            code="bad_front_matter",
            severity="warning",
            message=f"The front matter of {fact.file} is invalid YAML, so ZCode sees neither type "
            "nor description; quote the value.",
            file=fact.file,
            line=line,
        )


def _yaml_trouble(fact: Fact) -> int | None:
    """The line of the front matter where YAML stops understanding it, None when it does not."""
    if fact.head.is_usual:
        return None
    try:
        text = read_bytes(fact.path).decode("utf-8", "replace")
    except PimemError:
        return None
    import yaml

    try:
        yaml.safe_load(frontmatter.split(text).block)
    except yaml.MarkedYAMLError as error:
        return error.problem_mark.line + 2 if error.problem_mark is not None else 1
    except (yaml.YAMLError, ValueError, RecursionError):
        return 1
    return None


def notes(folder: FactFolder, view: View) -> Sequence[str]:
    """What status says: a sentence for each kind of trouble."""
    from .detection import refuse_openpi

    try:
        refuse_openpi(folder.path)
    except PimemError as error:
        return [str(error)]
    said = []
    if view.shown:
        said.append("A change was interrupted; the next change or start of the manager repairs it.")
    return said + summary(_index(folder, view))


def summary(found: Iterator[Finding] | Sequence[Finding]) -> list[str]:
    """Findings by kind, with the names that they are about."""
    by_code: dict[str, list[Finding]] = {}
    for finding in found:
        by_code.setdefault(finding.code, []).append(finding)
    said = []
    for code, same in by_code.items():
        lines = ", ".join(str(f.line) for f in same[:_SHOWN])
        files = ", ".join(quote(f.file) for f in same[:_SHOWN])
        more = f" and {len(same) - _SHOWN} more" if same[_SHOWN:] else ""
        if code == "orphan_line":
            said.append(f"{plural(len(same), 'index link')} without a file (line {lines}{more}).")
        elif code == "duplicate_line":
            said.append(
                f"{plural(len(same), 'index line')} for a fact that has one already "
                f"(line {lines}{more})."
            )
        elif code == "unlisted_file":
            said.append(f"{plural(len(same), 'fact file')} not in the index: {files}{more}.")
        else:
            said += [f.message for f in same[:_SHOWN]]
            if more:
                said.append(f"The same of{more}.")
    return said
