"""Commands of layered memory: checkpoint, promote, init, refresh, clear-task."""

from __future__ import annotations

from ..errors import EXIT_CODES, InvalidArgumentError, UnsupportedError
from ..systems import registry
from ..systems.layers import LayerStore
from ..systems.system import GLOBAL, WORKSPACE
from .reading import chosen, notice_troubles

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from ..model import Change
    from ..paths import Places
    from .output import Output

#: The layer that a command is about; init names its own. A folder that `--dir` gives must be it,
#: else the one of the working folder would be touched instead.
_LAYER = {"checkpoint": WORKSPACE, "clear-task": GLOBAL}


def _store(options: argparse.Namespace, places: Places, output: Output) -> LayerStore:
    """The named layer, else the active one."""
    notice_troubles(places, output)
    store = chosen(options, places) or registry.active_layer(places)
    if not isinstance(store, LayerStore):
        raise UnsupportedError(
            f"{options.command} is for layered memory; {store.name} is a store of {store.system}."
        )
    about = _LAYER.get(options.command) or getattr(options, "scope", None)
    if getattr(options, "dir", None) is not None and about in (GLOBAL, WORKSPACE):
        touched = store.layer(about)
        if touched is None or touched.path != store.path:
            raise InvalidArgumentError(
                f"{options.command} is about the {about} layer, which {store.path} is not; "
                "leave --dir out, or name that folder."
            )
    return store


def _told(store: LayerStore, change: Change, output: Output) -> int:
    store.announce()
    output.change(change)
    return EXIT_CODES[change.outcome]


def checkpoint(options: argparse.Namespace, places: Places, output: Output) -> int:
    """Put an empty session summary into the workspace inbox."""
    store = _store(options, places, output)
    return _told(store, store.checkpoint(), output)


def promote(options: argparse.Namespace, places: Places, output: Output) -> int:
    """Move a reviewed inbox file, or some sections of it, into memory."""
    store = _store(options, places, output)
    what = (options.file, options.folder, options.target)
    if options.dry_run:
        plan = store.promotion(*what, sections=options.section)
        if output.as_json:
            output.document(dict(plan.__dict__))
        else:
            output.text(plan.added)
            output.notice(f"This would be added to {plan.path}; nothing was changed.")
        return 0
    change = store.promote(*what, sections=options.section, allow_secret=options.allow_secret)
    return _told(store, change, output)


def init(options: argparse.Namespace, places: Places, output: Output) -> int:
    """Create what is missing of a layer."""
    store = _store(options, places, output)
    return _told(store, store.init(options.scope), output)


def refresh(options: argparse.Namespace, places: Places, output: Output) -> int:
    """Read everything again and say what changed."""
    store = _store(options, places, output)
    return _told(store, store.refresh(), output)


def clear_task(options: argparse.Namespace, places: Places, output: Output) -> int:
    """Empty the task state."""
    store = _store(options, places, output)
    return _told(store, store.clear_task(), output)
