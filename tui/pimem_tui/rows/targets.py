"""Files that promoted text can go to, as options."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .options import Option

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pimem_core.systems.layers import Target

#: The folder of targets that stand at the root of the project's memory.
_ROOT = "workspace"


def target_options(targets: Iterable[Target]) -> list[Option]:
    """Targets with what belongs into each; the value is folder and file."""
    return [
        Option(
            f"{target.folder}/{target.name}",
            f"{target.folder}/{target.name}",
            _about(target),
        )
        for target in targets
    ]


def file_options(targets: Iterable[Target], store: str) -> list[Option]:
    """The files of one layer; the value is the file's path in it."""
    found = []
    for target in targets:
        if target.store == store:
            file = target.name if target.folder == _ROOT else f"{target.folder}/{target.name}"
            found.append(Option(file, file, _about(target)))
    return found


def _about(target: Target) -> str:
    return ", ".join(part for part in ("" if target.exists else "new file", target.about) if part)


def typed_target(text: str) -> Option | None:
    """What a typed target means: without a folder it is the project's."""
    folder, _, name = text.rpartition("/")
    if not name:
        return None
    name = name if name.endswith(".md") else f"{name}.md"
    return Option(f"{folder or _ROOT}/{name}", f"{folder or _ROOT}/{name}", "as you typed it")
