"""Commands that switch memory in pi off and on: for everybody, a project, one run."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ..errors import InvalidArgumentError, StorageError
from ..hooks.describe import Offers, describe, offers
from ..pi import documents
from ..settings import switch
from ..settings.config import load_settings
from ..settings.editing import change_setting

if TYPE_CHECKING:
    import argparse

    from ..paths import Places
    from .output import Output


def off(options: argparse.Namespace, places: Places, output: Output) -> int:
    """Keep memory out of pi; memories and commands stay."""
    if options.run is None:
        return _switch(options, places, output, on=False)
    if not options.run:
        raise InvalidArgumentError(
            "Name the command to run without memory: pimem off --run pi -p hello."
        )
    try:
        os.execvpe(options.run[0], options.run, {**os.environ, switch.VARIABLE: "1"})
    except OSError as error:
        raise StorageError(f"{options.run[0]} cannot be run: {error.strerror}.") from error


def on(options: argparse.Namespace, places: Places, output: Output) -> int:
    """Let memory take part in pi again."""
    return _switch(options, places, output, on=True)


def _switch(options: argparse.Namespace, places: Places, output: Output, *, on: bool) -> int:
    word = "on" if on else "off"
    if options.project:
        changed = switch.switch_project(places, on=on)
        said = f"Memory is {word} in pi for {switch.project(places)}."
    else:
        changed = load_settings(places)[0].pi_memory != word
        if changed:
            change_setting(places, "pi.memory", word)
        said = f"Memory is {word} in pi."
    why = switch.why_off(places, load_settings(places)[0])
    if on and why:
        said += f" But: {why}"
    # A pi that starts now registers what is described, before pimem itself runs.
    if not options.project:
        documents.forget_folders(places)
        config = load_settings(places)[0]
        everywhere = offers(places, config) if on else Offers({}, ())
        documents.store(places, everywhere.document())
    documents.store(places, describe(places), only_here=True)
    said += " It counts from pi's next session on." if changed else " It was so already."
    if output.as_json:
        about = {"store": "", "name": "", "file": "", "message": said}
        output.document({"outcome": "updated" if changed else "unchanged", **about})
    else:
        output.text(said)
    return 0
