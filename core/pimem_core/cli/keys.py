"""The command that tells the manager's keys."""

from __future__ import annotations

from ..settings.config import load_settings, settings_path

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from ..paths import Places
    from .output import Output


def keys(options: argparse.Namespace, places: Places, output: Output) -> int:
    """Print each binding: its id, its keys as they hold, where it works and what it does."""
    config, trouble = load_settings(places)
    if trouble is not None:
        output.notice(str(trouble))
    # The table belongs to the manager, which the core does not know.
    table, flaws = options.keys(config.keys)
    for flaw in flaws:
        output.notice(f"{settings_path(places)}: {flaw}")
    rows = list(table)
    if output.as_json:
        output.document(rows)
        return 0
    for row in rows:
        output.text(f"{row['id']:<22} {row['keys']:<18} {row['where']:<13} {row['action']}")
    return 0
