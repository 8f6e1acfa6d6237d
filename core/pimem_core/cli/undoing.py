"""Commands over the journal: undo, redo, history."""

from __future__ import annotations

from ..errors import EXIT_CODES, PimemError, TopicNotFoundError
from ..formats.text import plural, quote
from ..history import journal
from ..model import Change
from ..systems import registry
from ..systems import undo as undoing
from .output import change_row
from .reading import chosen, notice_troubles

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from ..paths import Places
    from ..systems.stores import Store
    from .output import Output


def _stores(options: argparse.Namespace, places: Places) -> Sequence[Store]:
    named = chosen(options, places)
    return [named] if named else registry.all_stores(places)


def undo(options: argparse.Namespace, places: Places, output: Output) -> int:
    """Undo the newest changes, or forget one for good."""
    if options.purge is not None:
        gone, others = journal.purge(places.state_dir, options.purge)
        name = gone.about.name or gone.about.file
        notes = [
            f"{entry.id} ({entry.about.action} of {quote(entry.about.name or entry.about.file)}) "
            "still holds lines of it."
            for entry in others
        ]
        change = Change(
            outcome="removed",
            store=gone.about.store,
            name=name,
            file=gone.about.file,
            message=f"Forgot the {gone.about.action} of {quote(name)}.",
            notes=notes,
        )
        output.change(change)
        return 0
    return _several(options, places, output, "undo")


def redo(options: argparse.Namespace, places: Places, output: Output) -> int:
    """Redo the newest undone changes."""
    return _several(options, places, output, "redo")


def _several(options: argparse.Namespace, places: Places, output: Output, action: str) -> int:
    notice_troubles(places, output)
    stores = _stores(options, places)
    if options.count == 1:
        change = undoing.step(places, stores, action).change
        output.change(change)
        return EXIT_CODES[change.outcome]
    changes: list[Change] = []
    stopped: PimemError | None = None
    while len(changes) < options.count and stopped is None:
        try:
            changes.append(undoing.step(places, stores, action).change)
        except TopicNotFoundError as error:
            # Fewer changes than asked for: all there were is what was meant.
            stopped = None if changes else error
            break
        except PimemError as error:
            stopped = error
    worst = stopped.outcome if stopped else changes[-1].outcome
    said = str(stopped) if stopped else f"{plural(len(changes), 'change')} {changes[-1].outcome}."
    if output.as_json:
        rows = [change_row(change) for change in changes]
        output.document({"outcome": worst, "changes": rows, "message": said})
    else:
        for change in changes:
            output.change(change)
        if stopped:
            output.notice(said)
    return EXIT_CODES[worst]


def history(options: argparse.Namespace, places: Places, output: Output) -> int:
    """Tell what was changed through pimem, newest first."""
    notice_troubles(places, output)
    left_out: list[str] = []
    stores = _stores(options, places)
    rows = undoing.history(places, stores, options.topic or "", left_out=left_out)
    for sentence in left_out:
        output.notice(sentence)
    if output.as_json:
        output.document([dict(row.__dict__) for row in rows])
        return 0
    for row in rows:
        mark = "" if row.undoable or row.action == "undo" else "  (taken back)"
        output.text(f"{row.time}  {row.action} {quote(row.name or row.file)} in {row.store}{mark}")
        output.text(f"  {row.id}")
    return 0
