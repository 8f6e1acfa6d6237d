"""The inbox: checkpoints are put there, and what waits in it."""

from __future__ import annotations

import os

from ...errors import Hint, Note
from ...files.read import is_there
from ...paths import tilde
from .. import guidelines
from ..layers import InboxFile
from ..system import WORKSPACE
from . import template
from .changes import changing
from .folder import INBOX, no_workspace
from .scan import walk_folder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ...model import Change
    from .layer import Layer


def checkpoint(layer: Layer) -> Change:
    """Put an empty template into the workspace's inbox."""
    layers = layer.layers
    if not layers.has_workspace:
        raise no_workspace(layers)
    with changing(layer) as session:
        base = f"checkpoint-{session.moment:%Y-%m-%dT%H-%M-%S}"
        file, number = f"{INBOX}/{base}.md", 2
        while is_there(os.path.join(layer.path, file)):
            file, number = f"{INBOX}/{base}-{number}.md", number + 1
        path = os.path.join(layer.path, file)
        text = template.checkpoint(f"{session.moment:%Y-%m-%d}")
        session.read(path)
        step = session.step(path, None, text.encode(), kind=WORKSPACE, decides=True)
        session.commit("write", file, file, [step])
        hint = Hint(Hint.PROMOTE, topic=os.path.basename(file))
        session.notes += [Note("Fill it in, then promote it.", hint), guidelines.DISTILL]
        return session.change(
            "created",
            file,
            file,
            f"Created {tilde(path, layer.places.home)}.",
        )


def waiting(layer: Layer) -> list[InboxFile]:
    """What waits in a layer's inbox; a file that cannot be read is shown without text."""
    found = []
    for one in walk_folder(layer.path, INBOX, layer.shown()):
        text = layer.text_of(one)
        found.append(
            InboxFile(
                store=layer.name,
                file=one.file,
                path=one.path,
                text=text,
                filled=template.is_filled(text),
                sections=template.filled_sections(text),
            )
        )
    return found
