"""Results of tool calls, in words that a model can act on."""

from __future__ import annotations

from ..errors import EXIT_CODES
from .actions import tool_result

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..errors import PimemError
    from ..model import Change
    from .actions import Action


def changed(change: Change) -> Action:
    """What a change did."""
    text = " ".join([change.message, *change.notes])
    details = {"outcome": change.outcome, "name": change.name, "file": change.file}
    return tool_result(text, details=details)


def refused(error: PimemError, hints: Mapping[str, str]) -> Action:
    """Why nothing was done; only what the disk or a right refused is a failure to the host.

    Args:
        error: What stopped the call.
        hints: What to do about it, by `Hint`'s words, as the system's tools do it.
    """
    text = str(error)
    if error.hint is not None:
        text = f"{text} {error.hint.text or hints.get(error.hint.do, '')}".rstrip()
    if error.candidates:
        text += " Call again with one of these names."
    details = {"outcome": error.outcome, "name": error.name, "file": error.file}
    failed = EXIT_CODES[error.outcome] == EXIT_CODES["storage_error"]
    return tool_result(text, details=details, failed=failed)
