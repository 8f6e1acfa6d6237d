"""Creating what is missing of a layer. Nothing that exists is ever written over."""

from __future__ import annotations

import os

from ...errors import InvalidArgumentError, StorageError
from ...files.git_root import work_tree_root
from ...files.read import not_regular
from ...formats.text import quote
from ...paths import tilde
from ...settings import trust
from .. import guidelines
from ..system import GLOBAL, WORKSPACE
from .changes import Session, changing
from .folder import ARCHIVE, INBOX, INDEX_NAME, STATE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...history.transaction import Step
    from ...model import Change
    from .layer import Layer

SCOPES = (GLOBAL, WORKSPACE)
_FOLDERS = {
    GLOBAL: ("user", "facts", "knowledge", STATE, INBOX, ARCHIVE),
    WORKSPACE: (INBOX, ARCHIVE),
}
_PLACEHOLDERS = {
    "user/preferences.md": "what you like and how you work",
    "user/coding-style.md": "naming, formatting, how code should look",
    "user/tools.md": "tools and workflows you use",
    "knowledge/decisions.md": guidelines.FILES["decisions.md"],
    "knowledge/patterns.md": guidelines.FILES["patterns.md"],
    "knowledge/lessons.md": guidelines.FILES["lessons.md"],
    "knowledge/bugs.md": guidelines.FILES["bugs.md"],
}
_WORKSPACE_FILES = ("decisions.md", "patterns.md", "lessons.md", "bugs.md")


def check_scope(scope: str) -> str:
    """A scope, or the error that lists both.

    Raises:
        InvalidArgumentError: There is no such scope.
    """
    if scope in SCOPES:
        return scope
    what = f"Unknown scope {quote(scope)}" if scope else "Say which memory to create"
    raise InvalidArgumentError(
        f"{what}: init global makes your own memory for all projects, init workspace the one of "
        "this project.",
        file=scope,
    )


def init(layer: Layer, scope: str) -> Change:
    """Create a layer; `layer` is the one of this scope."""
    layers = layer.layers
    if scope == WORKSPACE and layers.unusable is not None:
        raise InvalidArgumentError(layers.unusable)
    with changing(layer) as session:
        created: list[str] = []
        left: list[str] = []
        for name in _FOLDERS[scope]:
            _refuse_in_the_way(os.path.join(layer.path, name), folder=True)
        for name in _FOLDERS[scope]:
            made = session.make_folder(os.path.join(layer.path, name), scope)
            (created if made else left).append(f"{name}/")
        steps = _steps(layer, session, scope)
        for file, step in steps.items():
            (left if step is None else created).append(file)
        wanted = [step for step in steps.values() if step is not None]
        if wanted:
            session.commit("init", f"{scope} memory", INDEX_NAME, wanted)
        agreed = scope == WORKSPACE and trust.answer(layer.places, layers.root) is not True
        if agreed:
            trust.keep(layer.places, layers.root, True)
        where = tilde(layer.path, layer.places.home)
        if not created:
            said = f"{where} has everything already; nothing was changed."
            if agreed:
                said += " Its memory may be used in prompts now."
            return session.change("unchanged", f"{scope} memory", INDEX_NAME, said)
        said = f"Created in {where}: {', '.join(created)}."
        session.notes += _notes(layer, scope)
        if left:
            said += f" Left as they were: {', '.join(left)}."
        if agreed and INDEX_NAME in left:
            said += " Its memory may be used in prompts now."
        if scope == WORKSPACE and work_tree_root(layers.root) is None:
            said += (
                " This folder is in no git work tree, so the memory belongs to the folder itself."
            )
        return session.change("initialized", f"{scope} memory", INDEX_NAME, said)


def _refuse_in_the_way(path: str, *, folder: bool) -> None:
    if os.path.lexists(path) and (os.path.islink(path) or os.path.isdir(path) != folder):
        what = "folder" if folder else "file"
        raise StorageError(
            f"{path} is in the way: it is no {what}. Move it away, then try again; nothing was "
            "changed."
            if not os.path.islink(path)
            else not_regular(path)
        )


def _steps(layer: Layer, session: Session, scope: str) -> dict[str, Step | None]:
    """A step for each missing file, None for one that is there. The index comes last."""
    texts: dict[str, str] = {}
    if scope == GLOBAL:
        for file, about in _PLACEHOLDERS.items():
            texts[file] = f"<!-- {about}. Nothing of this file is used until it has text. -->\n"
    steps: dict[str, Step | None] = {}
    texts[INDEX_NAME] = ""
    for file, text in texts.items():
        path = os.path.join(layer.path, file)
        if os.path.lexists(path):
            steps[file] = None
            continue
        if file == INDEX_NAME:
            text = _index(layer, scope, set(texts) - {INDEX_NAME})
        steps[file] = session.step(
            path, None, text.encode(), kind=scope, decides=file == INDEX_NAME
        )
    return steps


def _index(layer: Layer, scope: str, coming: set[str]) -> str:
    """An index of the files that are there."""
    there = {found.file for found in layer.walk().found} | coming
    there.discard(INDEX_NAME)
    if scope == WORKSPACE:
        lines = ["# Pi Memory — Workspace", "", "> Files of this project's memory.", ""]
        names = sorted(there, key=os.fsencode)
        lines += [f"- [{name}]({name})" for name in names] or [
            f"<!-- Usual files: {', '.join(_WORKSPACE_FILES)}. They are made when needed. -->"
        ]
        return "\n".join(lines) + "\n"
    lines = ["# Pi Memory — Global", "", "> Files of your own memory, for all projects."]
    folders = ["", *_FOLDERS[GLOBAL][:3]]
    folders += sorted({file.rpartition("/")[0] for file in there} - set(folders))
    for folder in folders:
        inside = sorted((f for f in there if f.rpartition("/")[0] == folder), key=os.fsencode)
        if inside:
            heading = [f"## {folder}/", ""] if folder else []
            lines += ["", *heading, *(f"- [{f.rpartition('/')[2]}]({f})" for f in inside)]
    return "\n".join(lines) + "\n"


def _notes(layer: Layer, scope: str) -> list[str]:
    said = []
    if scope == WORKSPACE:
        seen = layer.git_state()
        if seen is not None and seen.ignored:
            said.append(
                f"git ignores {layer.path}; to share the memory with the project, take it out of "
                ".gitignore or use git add --force."
            )
    said.append(guidelines.SCOPE)
    return said
